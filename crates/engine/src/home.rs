//! The location of the user's own store: `HARK_HOME`, or the default. Stores of projects are layers beside
//! it; see `project_store.rs`.

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

    /// The user's configuration file: `HARK_CONFIG`, or the default.
    pub fn user_config(setting: Option<PathBuf>) -> Option<PathBuf> {
        setting.filter(|p| !p.as_os_str().is_empty()).or_else(|| {
            Some(etcetera::choose_base_strategy().ok()?.config_dir().join("hark").join("config.toml"))
        })
    }
}
