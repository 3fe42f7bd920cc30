//! Files as a project knows them: relative to its root, wherever in it the caller stands.

use std::path::{Component, Path, PathBuf};

use crate::engine::{Caller, Engine};
use crate::project;

/// `text` is relative to the caller's folder, or absolute. The result is relative to the root of the project, or the text
/// as it is if it names nothing in the project. A path that exists only below the root was meant from there: assistants
/// often write it so.
pub(crate) fn in_project(engine: &Engine, caller: &Caller, text: &str) -> String {
    let text = text.trim();
    let known = || caller.cwd.as_deref().and_then(|cwd| within(&project::root(engine, cwd), cwd, text));
    known().unwrap_or_else(|| slashes(Path::new(text)))
}

fn within(root: &Path, cwd: &Path, text: &str) -> Option<String> {
    let given = Path::new(text);
    if text.is_empty() || text.contains("://") || text.starts_with('~') {
        return None;
    }
    let cwd = std::fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned());
    let path = plain(&cwd.join(given));
    let from_root = plain(&root.join(given));
    if given.is_relative() && !path.exists() && from_root.exists() {
        return below(root, &from_root);
    }
    below(root, &path).or_else(|| {
        // The same place under another name, such as a link to the project's folder.
        let folder = std::fs::canonicalize(path.parent()?).ok()?;
        below(root, &folder.join(path.file_name()?))
    })
}

fn below(root: &Path, path: &Path) -> Option<String> {
    let inner = path.strip_prefix(root).ok()?;
    (!inner.as_os_str().is_empty()).then(|| slashes(inner))
}

/// Without `.` and `..`, which need not exist on disk.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

fn slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = text.strip_prefix("./").unwrap_or(&text);
    if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_the_root() {
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        let web = root.join("packages/web");
        std::fs::create_dir_all(&web).unwrap();
        std::fs::write(web.join("vite.config.ts"), "").unwrap();
        let absolute = web.join("vite.config.ts");
        for (cwd, text, expected) in [
            (&web, "vite.config.ts", Some("packages/web/vite.config.ts")),
            (&web, "./vite.config.ts", Some("packages/web/vite.config.ts")),
            (&web, "../api/new.ts", Some("packages/api/new.ts")),
            (&web, "packages/web/vite.config.ts", Some("packages/web/vite.config.ts")),
            (&web, absolute.to_str().unwrap(), Some("packages/web/vite.config.ts")),
            (&root, "packages/web/vite.config.ts", Some("packages/web/vite.config.ts")),
            (&root, "not/there.rs", Some("not/there.rs")),
            (&root, "../elsewhere.rs", None),
            (&root, "/etc/hosts", None),
            (&root, "~/.zshrc", None),
            (&root, ".", None),
            (&root, "", None),
        ] {
            assert_eq!(within(&root, cwd, text).as_deref(), expected, "{text}");
        }
    }
}
