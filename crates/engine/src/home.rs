//! Where the user's own store is: `HARK_HOME`, or the usual place. Stores of projects are layers beside it, see
//! `project_store.rs`.

use std::path::PathBuf;

use etcetera::BaseStrategy;

/// The user's own store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    pub path: PathBuf,
}

impl Home {
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Home { path: path.into() }
    }

    /// `setting` is `HARK_HOME`.
    pub fn of_user(setting: Option<PathBuf>) -> Option<Home> {
        if let Some(path) = setting.filter(|p| !p.as_os_str().is_empty()) {
            return Some(Home { path });
        }
        let base = etcetera::choose_base_strategy().ok()?;
        Some(Home { path: base.data_dir().join("hark") })
    }

    /// Where the user's configuration is: `HARK_CONFIG` or the usual place.
    pub fn user_config(setting: Option<PathBuf>) -> Option<PathBuf> {
        setting.filter(|p| !p.as_os_str().is_empty()).or_else(|| {
            Some(etcetera::choose_base_strategy().ok()?.config_dir().join("hark").join("config.toml"))
        })
    }
}
