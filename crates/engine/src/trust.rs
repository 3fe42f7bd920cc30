//! Working in a project that carries a store of its own: what is read of it, and when its user hears of it.

use std::path::{Path, PathBuf};

use hark_core::ProjectKey;
use hark_store::{Told, Trust, TrustedStore, prepare_store, untrusted_key};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::project_store::{self, Found};

impl Engine {
    /// Somebody works in this folder: the store of its project, if it carries one, is read along from now on.
    pub fn enter(&mut self, folder: &Path) -> Result<(), EngineError> {
        let Some(store) = self.store_of(folder) else {
            self.store.leave();
            return Ok(());
        };
        let now = self.now();
        Ok(self.store.visit(&store, now)?)
    }

    /// The same for a hook, which reads nothing along.
    pub fn stand_in(&mut self, folder: &Path) {
        if !self.store.layers().is_empty()
            && let Some(store) = self.store_of(folder)
        {
            self.store.work_in(&store);
        }
    }

    /// The store that the project of a folder carries, if it may be used at all.
    fn store_of(&self, folder: &Path) -> Option<PathBuf> {
        let found = project_store::find(folder, &self.home.path).store()?;
        project_store::may_be_written_down(&found, &self.redactor()).then_some(found)
    }

    /// The key under which memories of the untrusted store of this folder are filed.
    pub(crate) fn untrusted_here(&self, folder: &Path) -> Option<ProjectKey> {
        let store = self.store_of(folder)?;
        let trusted = self.store.layer_at(&store).is_some_and(hark_store::Layer::is_trusted);
        (!trusted).then(|| untrusted_key(&store))
    }

    /// The untrusted store of this folder, if nobody of this sort was told of it yet; from now on they were.
    pub fn tell_of_untrusted(&self, folder: &Path, to: Told) -> Option<PathBuf> {
        let store = self.store_of(folder)?;
        if self.store.layer_at(&store).is_some_and(hark_store::Layer::is_trusted) {
            return None;
        }
        let told = self.store.tell_of_layer(&store, to).unwrap_or(true);
        (!told).then_some(store)
    }

    /// Once, when there was no such thing as trust before: stores of projects that `hark init` and `hark install`
    /// wired here were made here.
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
                // What cannot be trusted by itself is asked for like any other.
                made.extend(self.trusted_entry(&store).ok());
            }
        }
        let now = self.now();
        // A home that cannot be written is asked again next time.
        let outcome = self.store.write(now, |writer| {
            writer.change_trust(|trust| made.into_iter().for_each(|store| trust.add(store)))
        });
        match outcome {
            Ok(()) => Ok(self.store.refresh(now)?),
            Err(hark_store::StoreError::ReadOnly { .. }) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    /// What is written down about a store that is trusted from now on. Gives it an id if it has none.
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
        let project = self.project_of(root).ok_or_else(nowhere)?;
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
