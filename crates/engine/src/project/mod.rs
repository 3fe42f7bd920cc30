//! Determines the project of a folder, so that worktrees, clones, renames and moves count as one project.
//!
//! A git remote names a project everywhere; without one, the root commit does; without git, the folder. A
//! known folder keeps its project when it gains a remote later, and when it is gone (see [`gone`]).

pub(crate) mod changes;
mod git;
mod gone;
pub mod names;
pub(crate) mod predecessor;

use std::path::{Path, PathBuf};

use hark_core::{ProjectKey, Raw};
use hark_store::ProjectPlace;

use crate::engine::Engine;
use crate::project_store::{self, Found};

const MARK_CHARS: usize = 8;

/// Settings for every call of git, because a repository's own settings may run programs.
pub(crate) const CAREFULLY: [&str; 4] = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

/// The project of `folder`; `None` for a home or root folder, which is not a project.
pub(crate) fn identify(engine: &mut Engine, folder: &Path) -> Option<ProjectKey> {
    let Ok(folder) = std::fs::canonicalize(folder) else {
        return match gone::project(engine, folder) {
            Some(key) => Some(engine.alias_of(key)),
            None => identify_at(engine, folder),
        };
    };
    identify_at(engine, &folder)
}

fn identify_at(engine: &mut Engine, folder: &Path) -> Option<ProjectKey> {
    let repository = git::find(folder);
    let root = match &repository {
        Some(repository) => repository.common_dir.clone(),
        None => project_folder(folder, &engine.home.path)?,
    };
    let root_text = hash(&root.to_string_lossy());
    let remote = repository.as_ref().and_then(git::Repository::remote);
    // A remote may contain a password, so only its hash is stored, to notice changes.
    let stamp = remote.as_deref().map(hash).unwrap_or_default();
    if let Ok(Some(key)) = engine.store.cached_project(&root_text, &stamp) {
        return Some(noted(engine, repository.as_ref(), &root, key, None));
    }
    let commit = repository.as_ref().and_then(git::Repository::root_commit);
    let key = match commit.as_deref().and_then(|commit| known_by_commit(engine, commit)) {
        // It had no remote when its first memories were stored.
        Some(key) => key,
        None => {
            let name = match remote.as_deref().and_then(ProjectKey::from_remote) {
                Some(name) => name,
                None => {
                    let folder = repository.as_ref().map_or(&root, |r| &r.work_tree);
                    local_name(engine, folder, commit.as_deref())?
                }
            };
            ProjectKey::new(&engine.redactor().clean(name))?
        }
    };
    engine.store.cache_project(&root_text, &stamp, &key);
    Some(noted(engine, repository.as_ref(), &root, key, commit))
}

/// The key that stands for this one, after a note of the folder, which may be gone when a transcript names it.
fn noted(
    engine: &Engine,
    repository: Option<&git::Repository>,
    root: &Path,
    key: ProjectKey,
    commit: Option<String>,
) -> ProjectKey {
    let key = engine.alias_of(key);
    let path = repository.map_or(root, |repository| &repository.work_tree);
    if engine.store.knows_place(path, &key)
        || !path.is_dir()
        || !project_store::may_be_written_down(path, &engine.redactor())
    {
        return key;
    }
    let commit = commit.or_else(|| repository.and_then(git::Repository::root_commit));
    engine.store.remember_place(&ProjectPlace {
        path: path.to_owned(),
        key: key.clone(),
        is_git: repository.is_some(),
        mark: commit.and_then(|commit| commit.get(..MARK_CHARS).map(str::to_owned)).unwrap_or_default(),
        seen: engine.now(),
    });
    key
}

/// The folder to which a project's relative paths refer.
pub fn work_tree(folder: &Path) -> PathBuf {
    git::find(folder).map_or_else(|| folder.to_owned(), |repository| repository.work_tree)
}

/// Branch and commit of the folder's repository.
pub(crate) fn head(folder: &Path) -> (Option<String>, Option<String>) {
    git::find(folder).map_or((None, None), |repository| repository.head())
}

impl Engine {
    /// The key that stands for this one: by the user's settings, and by what was merged.
    pub(crate) fn alias_of(&self, key: ProjectKey) -> ProjectKey {
        let book = self.store.project_book();
        let current = |name: &str| ProjectKey::new(&self.clean(book.current(name)));
        let alias = self.config.projects.alias.get(key.as_str());
        match alias
            .map(String::as_str)
            .or_else(|| book.merged.contains_key(key.as_str()).then_some(key.as_str()))
        {
            Some(name) => current(name).unwrap_or(key),
            None => key,
        }
    }

    /// Whether a folder that need not exist any more is known to be a project.
    pub(crate) fn knows_folder(&self, folder: &Path) -> bool {
        self.store.place_at(folder).is_some()
    }
}

/// A readable name plus a mark that distinguishes folders of the same name: the root commit, which survives
/// renames and moves, or else the path.
fn local_name(engine: &Engine, folder: &Path, root_commit: Option<&str>) -> Option<Raw> {
    // Cleaned on its own: followed by the mark, a token might no longer look like one.
    let name = engine.clean(&folder.file_name()?.to_string_lossy());
    let path_mark = || hash(&folder.to_string_lossy());
    let mark = root_commit.map_or_else(path_mark, str::to_owned);
    Some(Raw::new(format!("{name}-{}", &mark[..MARK_CHARS])))
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// A project named after this root commit, with any folder name.
fn known_by_commit(engine: &Engine, commit: &str) -> Option<ProjectKey> {
    let ending = format!("-{}", commit.get(..MARK_CHARS)?);
    engine.store.project_keys().ok()?.into_iter().find(|key| key.as_str().ends_with(&ending))
}

/// Without git: the folder itself, unless it is a catch-all place.
fn project_folder(folder: &Path, own: &Path) -> Option<PathBuf> {
    let home = std::env::home_dir();
    let is_home = home.as_deref().is_some_and(|home| home == folder);
    if let Found::Store(store) = project_store::find(folder, own) {
        return store.parent().map(Path::to_owned);
    }
    (!is_home && folder.parent().is_some()).then(|| folder.to_owned())
}
