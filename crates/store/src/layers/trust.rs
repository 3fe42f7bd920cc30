//! `trust.json`: the project stores that the user trusts. It is in the user's own store, so that a repository
//! cannot declare itself trusted.

use std::path::{Path, PathBuf};

use hark_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::store_id;
use crate::error::StoreError;
use crate::layout::Layout;
use hark_files::Door;

const VERSION: u32 = 1;

/// One store that the user trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedStore {
    /// The `.hark` folder.
    pub path: PathBuf,
    /// The user it belonged to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<u32>,
    /// Its id: another store at the same place is another one.
    pub store: String,
    /// The project whose memories are kept there.
    pub project: String,
    pub since: Timestamp,
}

/// Everything that the user trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trust {
    version: u32,
    pub stores: Vec<TrustedStore>,
}

impl Default for Trust {
    fn default() -> Self {
        Trust { version: VERSION, stores: Vec::new() }
    }
}

impl Trust {
    /// Whether the user was ever asked, or a store was ever trusted here.
    pub fn is_begun(layout: &Layout) -> bool {
        layout.door().has_file(&layout.trust())
    }

    pub fn read(layout: &Layout) -> Result<Trust, StoreError> {
        let path = layout.trust();
        let Some(bytes) = layout.read(&path)? else { return Ok(Trust::default()) };
        let unreadable = |reason: String| StoreError::Unreadable { path: path.clone(), reason };
        let trust: Trust = serde_json::from_slice(&bytes).map_err(|e| unreadable(e.to_string()))?;
        if trust.version > VERSION {
            return Err(unreadable("it was written by a newer hark".to_owned()));
        }
        Ok(trust)
    }

    pub fn write(&self, layout: &Layout) -> Result<(), StoreError> {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        layout.create_folder(&layout.staging())?;
        layout.write(&layout.trust(), text.as_bytes()).map(drop)
    }

    /// What was trusted at this place, whatever stands there now.
    pub fn of(&self, path: &Path) -> Option<&TrustedStore> {
        self.stores.iter().find(|store| store.path == path)
    }

    /// Whether the store at this place is the one that was trusted.
    pub fn covers(&self, path: &Path) -> bool {
        let door = Door::to_stranger(path);
        self.of(path).is_some_and(|trusted| {
            super::is_own(&door) && store_id(&door).as_deref() == Some(trusted.store.as_str())
        })
    }

    /// Trusts a store, in place of what was trusted there before.
    pub fn add(&mut self, store: TrustedStore) {
        self.stores.retain(|known| known.path != store.path);
        self.stores.push(store);
    }

    /// Whether there was any trust to revoke.
    pub fn revoke(&mut self, path: &Path) -> bool {
        let before = self.stores.len();
        self.stores.retain(|known| known.path != path);
        self.stores.len() < before
    }
}
