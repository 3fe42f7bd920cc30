//! Which data directory is meant: `HARK_HOME`, the nearest project store, or the user's own.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

/// Where a store is and why it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    pub path: PathBuf,
    /// The project it belongs to, when it is a project's own store.
    pub project_root: Option<PathBuf>,
}

impl Home {
    /// `setting` is `HARK_HOME`; `cwd` is where the caller is.
    pub fn find(setting: Option<PathBuf>, cwd: Option<&Path>) -> Option<Home> {
        if let Some(path) = setting.filter(|p| !p.as_os_str().is_empty()) {
            return Some(Home { path, project_root: None });
        }
        let own =
            cwd.into_iter().flat_map(Path::ancestors).find(|dir| dir.join(".hark").join("memories").is_dir());
        if let Some(root) = own {
            return Some(Home { path: root.join(".hark"), project_root: Some(root.to_owned()) });
        }
        let base = etcetera::choose_base_strategy().ok()?;
        Some(Home { path: base.data_dir().join("hark"), project_root: None })
    }

    /// The user's own store, wherever the caller is: what concerns the whole machine is kept there.
    pub fn of_user(setting: Option<PathBuf>) -> Option<Home> {
        Home::find(setting, None)
    }

    /// Where the user's configuration is: `HARK_CONFIG` or the usual place.
    pub fn user_config(setting: Option<PathBuf>) -> Option<PathBuf> {
        setting.filter(|p| !p.as_os_str().is_empty()).or_else(|| {
            Some(etcetera::choose_base_strategy().ok()?.config_dir().join("hark").join("config.toml"))
        })
    }
}
