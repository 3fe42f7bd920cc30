//! Working in a project that contains its own store: what hark reads from it, and when it informs the user.

use std::path::{Path, PathBuf};

use hark_core::ProjectKey;
use hark_store::{Told, Trust, TrustedStore, prepare_store, untrusted_key};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::project_store::{self, Found};

impl Engine {
    /// Enters a folder: from now on, hark also reads the store of its project, if there is one.
    pub fn enter(&mut self, folder: &Path) -> Result<(), EngineError> {
        let Some(store) = self.store_of(folder) else {
            self.store.leave();
            return Ok(());
        };
        let now = self.now();
        Ok(self.store.visit(&store, now)?)
    }

    /// The same for a hook, which does not read the project's store.
    pub fn stand_in(&mut self, folder: &Path) {
        if !self.store.layers().is_empty()
            && let Some(store) = self.store_of(folder)
        {
            self.store.work_in(&store);
        }
    }

    /// The store in the project of a folder, if it may be used at all.
    fn store_of(&self, folder: &Path) -> Option<PathBuf> {
        let found = project_store::find(folder, &self.home.path).store()?;
        project_store::may_be_written_down(&found, &self.redactor()).then_some(found)
    }

    /// The key for memories of this folder's untrusted store.
    pub(crate) fn untrusted_here(&self, folder: &Path) -> Option<ProjectKey> {
        let store = self.store_of(folder)?;
        let trusted = self.store.layer_at(&store).is_some_and(hark_store::Layer::is_trusted);
        (!trusted).then(|| untrusted_key(&store))
    }

    /// The untrusted store of this folder, if this kind of recipient has not been informed of it yet. Records
    /// that it has now.
    pub fn tell_of_untrusted(&self, folder: &Path, to: Told) -> Option<PathBuf> {
        let store = self.store_of(folder)?;
        if self.store.layer_at(&store).is_some_and(hark_store::Layer::is_trusted) {
            return None;
        }
        let told = self.store.tell_of_layer(&store, to).unwrap_or(true);
        (!told).then_some(store)
    }

    /// Runs once, when trust is introduced: project stores that `hark init` and `hark install` set up on this
    /// machine count as made here.
    pub(crate) fn trust_what_was_made_here(&mut self) -> Result<(), EngineError> {
        if Trust::is_begun(self.store.layout()) {
            return Ok(());
        }
        let manifest = hark_hosts::look(&self.home.path).unwrap_or_default();
        let mut folders: Vec<PathBuf> =
            manifest.setups.into_iter().filter_map(|setup| setup.owner.project).collect();
        folders.sort();
        folders.dedup();
        let mut made = Vec::new();
        for folder in folders {
            if let Found::Store(store) = project_store::find(&folder, &self.home.path) {
                // A store that cannot be trusted automatically needs `hark trust` like any other.
                made.extend(self.trusted_entry(&store).ok());
            }
        }
        let now = self.now();
        // If the home is not writable, this is tried again next time.
        let outcome = self.store.write(now, |writer| {
            writer.change_trust(|trust| made.into_iter().for_each(|store| trust.add(store)))
        });
        match outcome {
            Ok(()) => Ok(self.store.refresh(now)?),
            Err(hark_store::StoreError::ReadOnly { .. }) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    /// The record of a newly trusted store. Gives the store an id if it has none.
    pub(crate) fn trusted_entry(&mut self, store: &Path) -> Result<TrustedStore, EngineError> {
        if !project_store::may_be_written_down(store, &self.redactor()) {
            return Err(EngineError::invalid(
                "the path of this store seems to contain a secret, so hark cannot record it",
                "rename the folder, then run `hark trust` again",
            ));
        }
        let nowhere =
            || EngineError::invalid("this folder is not a project", "run the command inside a project");
        let root = store.parent().ok_or_else(nowhere)?;
        let project = crate::project::identify(self, root).ok_or_else(nowhere)?;
        let id = prepare_store(store, Engine::random()?)?;
        Ok(TrustedStore {
            path: store.to_owned(),
            owner: hark_files::user(),
            store: id,
            project: project.as_str().to_owned(),
            since: self.now(),
        })
    }
}
