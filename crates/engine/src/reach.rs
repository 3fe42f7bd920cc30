//! Which files a tool may read or write for a model.
//!
//! A person names any file on the command line. A tool is called by a model, which may have read something that tells
//! it to: it reads only below the project at hand and in the store's folder for exports, and writes only there. Over
//! HTTP the client can be on another machine, so no file of this one is its business.

use std::path::{Component, Path, PathBuf};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::project;

/// The file or folder that a request names, if the caller may have it read.
pub(crate) fn readable(engine: &Engine, caller: &Caller, given: &Path) -> Result<PathBuf, EngineError> {
    let path = caller.cwd.as_ref().map_or_else(|| given.to_owned(), |cwd| cwd.join(given));
    if caller.connection.is_none() {
        return Ok(path);
    }
    not_over_http(caller)?;
    let exports = engine.store.layout().exports();
    let candidates = [Some(path), given.is_relative().then(|| exports.join(given))];
    let allowed = [project_folder(caller), std::fs::canonicalize(exports).ok()];
    let real = candidates.into_iter().flatten().find_map(|path| std::fs::canonicalize(path).ok());
    let real = real.ok_or_else(|| {
        EngineError::invalid(
            format!("{}: no such file or folder", given.display()),
            "pass a path in the project or in the store's exports folder",
        )
    })?;
    if allowed.iter().flatten().any(|folder| real.starts_with(folder)) {
        return Ok(real);
    }
    Err(EngineError::invalid(
        format!("{} is outside the project", given.display()),
        "a tool reads only files of the project and of the store's exports folder; the user can name any file in \
         their own terminal",
    ))
}

/// Where an export goes: into the folder for exports if a tool makes it, whatever folder was named.
pub(crate) fn writable(
    engine: &Engine,
    caller: &Caller,
    given: Option<&Path>,
    default: &str,
) -> Result<Option<PathBuf>, EngineError> {
    if caller.connection.is_none() {
        return Ok(given.map(Path::to_owned));
    }
    not_over_http(caller)?;
    let name = given.unwrap_or_else(|| Path::new(default));
    let mut parts = name.components();
    let (Some(Component::Normal(file)), None) = (parts.next(), parts.next()) else {
        return Err(EngineError::invalid(
            format!("{} is not a file name", name.display()),
            "a tool exports into the store's exports folder: pass a name without a folder, or none",
        ));
    };
    let layout = engine.store.layout();
    let exports = layout.exports();
    layout.door().create_folder(&exports).map_err(|e| hark_store::StoreError::io(&exports, e))?;
    Ok(Some(exports.join(file)))
}

fn not_over_http(caller: &Caller) -> Result<(), EngineError> {
    if !caller.is_remote() {
        return Ok(());
    }
    Err(EngineError::invalid(
        "files are not read or written for clients over HTTP",
        "use a server that the client starts (`hark mcp`), or run the command in a terminal",
    ))
}

/// The folder of the caller's project; a home folder or root is none.
fn project_folder(caller: &Caller) -> Option<PathBuf> {
    let tree = std::fs::canonicalize(project::work_tree(caller.cwd.as_deref()?)).ok()?;
    let home = std::env::home_dir().and_then(|home| std::fs::canonicalize(home).ok());
    let is_catch_all = home.is_some_and(|home| home.starts_with(&tree));
    (!is_catch_all).then_some(tree)
}
