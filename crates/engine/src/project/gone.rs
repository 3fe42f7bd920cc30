//! The project of a folder that no longer exists: transcripts and sessions name worktrees that were deleted and
//! repositories that were moved.

use std::path::{Component, Path, PathBuf};

use hark_core::ProjectKey;

use super::{git, identify};
use crate::engine::Engine;
use crate::error::EngineError;

/// Where assistants and people put worktrees inside a repository: `<repository>/.worktrees/<name>`.
const WORKTREES: &[&[&str]] =
    &[&[".claude", "worktrees"], &[".worktrees"], &[".git", "worktrees"], &[".trees"]];

/// The project that a missing folder belonged to; `None` if nothing says so.
pub(super) fn project(engine: &mut Engine, folder: &Path) -> Option<ProjectKey> {
    if let Some(repository) = repository_of_worktree(folder) {
        if git::find(&repository).is_some_and(|found| found.work_tree == repository) {
            return identify(engine, &repository);
        }
        // The repository is gone too. Several worktrees of it are one project all the same.
        return match recorded(engine, folder, false) {
            Some((_, key)) => Some(key),
            None => identify(engine, &repository),
        };
    }
    let (place, key) = recorded(engine, folder, true)?;
    // A repository that still exists around the folder, and inside of what was recorded, is nearer.
    let around = git::find(folder).map(|repository| repository.work_tree);
    let is_nearer = around.is_some_and(|tree| tree.starts_with(&place) && tree != place);
    (!is_nearer).then_some(key)
}

/// The nearest repository or worktree around this folder that was seen as a project; or the folder itself, if it
/// may be a `plain` one.
fn recorded(engine: &Engine, folder: &Path, plain: bool) -> Option<(PathBuf, ProjectKey)> {
    folder.ancestors().find_map(|dir| {
        let place = engine.store.place_at(dir)?;
        (place.is_git || (plain && dir == folder)).then_some((place.path, place.key))
    })
}

/// Projects that are nothing but deleted worktrees of a repository, each with the project of that repository:
/// earlier versions took each worktree for a project.
pub(super) fn scattered(engine: &mut Engine) -> Result<Vec<(ProjectKey, ProjectKey)>, EngineError> {
    let mut found: Vec<(ProjectKey, ProjectKey)> = Vec::new();
    for place in engine.store.places()? {
        let Some(repository) = repository_of_worktree(&place.path).filter(|_| !place.path.exists()) else {
            continue;
        };
        if git::find(&repository).is_none_or(|there| there.work_tree != repository)
            || found.iter().any(|(from, _)| *from == place.key)
        {
            continue;
        }
        let into = identify(engine, &repository);
        found.extend(into.filter(|into| *into != place.key).map(|into| (place.key, into)));
    }
    Ok(found)
}

/// The repository that a worktree at this path belongs to, by where it is.
fn repository_of_worktree(folder: &Path) -> Option<PathBuf> {
    let parts: Vec<Component<'_>> = folder.components().collect();
    let names = |part: &Component<'_>, name: &str| part.as_os_str() == name;
    (1..parts.len()).find_map(|at| {
        let rest = &parts[at..];
        let fits = |shape: &&&[&str]| {
            rest.len() > shape.len() && shape.iter().zip(rest).all(|(name, part)| names(part, name))
        };
        WORKTREES.iter().find(fits).map(|_| parts[..at].iter().collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worktrees_are_known_by_where_they_are() {
        let repository =
            |path: &str| repository_of_worktree(Path::new(path)).map(|p| p.display().to_string());
        for path in [
            "/home/ann/cli/.worktrees/3",
            "/home/ann/cli/.worktrees/3/src/deep",
            "/home/ann/cli/.claude/worktrees/calm-fox",
            "/home/ann/cli/.trees/x",
        ] {
            assert_eq!(repository(path).as_deref(), Some("/home/ann/cli"), "{path}");
        }
        for path in [
            "/home/ann/cli",
            "/home/ann/cli/.worktrees",
            "/home/ann/.claude/projects/x",
            "/home/ann/worktrees/x",
        ] {
            assert_eq!(repository(path), None, "{path}");
        }
    }
}
