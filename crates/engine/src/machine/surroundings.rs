//! The folders, variables and programs that installing needs, read from the environment.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use hark_hosts::{Bearer, Surroundings};

use super::Machine;
use crate::error::EngineError;

pub(super) fn read(machine: &Machine) -> Result<Surroundings, EngineError> {
    let base = etcetera::choose_base_strategy()
        .map_err(|_| EngineError::invalid("no home directory", "set HOME to your folder"))?;
    let home = base.home_dir().to_owned();
    let data = machine.home()?.path;
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    let path: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let executable = std::env::current_exe().map_err(|e| {
        EngineError::invalid(format!("cannot find the path of this program: {e}"), "run it by its full path")
    })?;
    let vars = hark_hosts::VARIABLES.iter().filter_map(|name| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
        Some(((*name).to_owned(), absolute(PathBuf::from(value))))
    });
    let token = machine.known_token();
    Ok(Surroundings {
        bearer: token.map(|token| Bearer::new(&token)),
        config: xdg_config(&home),
        app_config: base.config_dir().join(app_folder()),
        project: machine.cwd.as_deref().and_then(|cwd| project_root(cwd, &home)),
        data: absolute(data),
        executable: lasting(&path, executable),
        hark_home: machine.home_setting.clone().map(absolute),
        vars: vars.collect(),
        path,
        home,
    })
}

/// Programs that follow XDG do so on every system.
fn xdg_config(home: &Path) -> PathBuf {
    let set = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    set.unwrap_or_else(|| home.join(".config"))
}

/// From etcetera's folder to the one of desktop programs; only macOS differs.
fn app_folder() -> &'static str {
    if cfg!(target_os = "macos") { "../Library/Application Support" } else { "" }
}

/// The project's folder; the home folder and the root are none.
fn project_root(cwd: &Path, home: &Path) -> Option<PathBuf> {
    let root = crate::project::work_tree(cwd);
    (root != home && root.parent().is_some()).then_some(root)
}

/// A name on the path that leads to this program survives an upgrade; what it links to may not.
fn lasting(path: &[PathBuf], executable: PathBuf) -> PathBuf {
    let Ok(real) = executable.canonicalize() else { return executable };
    let Some(name) = executable.file_name() else { return executable };
    let named = path.iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
    named.into_iter().find(|path| path.canonicalize().is_ok_and(|found| found == real)).unwrap_or(executable)
}
