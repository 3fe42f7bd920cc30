//! Makes paths in tool output relative to the project.

/// Where a command ran: the project's root and the folder inside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Absolute, with `/`; empty if unknown.
    root: String,
    /// Relative to the root; empty for the root itself.
    folder: String,
}

/// Folders that are not the project's own code, wherever they are.
const FOREIGN: &[&str] = &[
    "node_modules/",
    "site-packages/",
    "dist-packages/",
    ".venv/",
    "venv/lib",
    ".tox/",
    ".nox/",
    ".cargo/registry",
    "rustc/",
    "rustlib/",
    "/usr/lib",
    "/usr/local/lib",
    "go/pkg/mod/",
    ".rustup/",
    ".m2/",
    ".gradle/",
    ".pnpm/",
    ".yarn/",
    "__pycache__/",
    "webpack/bootstrap",
    "_virtual/",
];

impl Place {
    pub fn new(root: &str, folder: &str) -> Self {
        let slashed = |text: &str| text.replace('\\', "/").trim_end_matches('/').to_owned();
        let (root, folder) = (slashed(root), slashed(folder));
        let inside = folder.strip_prefix(&root).map(|rest| rest.trim_start_matches('/').to_owned());
        Place { root, folder: inside.unwrap_or_default() }
    }

    /// The place after `cd folder`.
    pub(super) fn within(&self, folder: Option<&str>) -> Place {
        let Some(folder) = folder else { return self.clone() };
        let folder = folder.replace('\\', "/");
        if folder.starts_with('/') {
            return Place::new(&self.root, &folder);
        }
        if folder.starts_with(['~', '$', '-']) {
            return self.clone();
        }
        let joined = join(&self.folder, &folder).unwrap_or_default();
        Place { root: self.root.clone(), folder: joined }
    }

    /// A file of the project; `None` for anything outside or not a file.
    pub fn file(&self, path: &str) -> Option<String> {
        let path = path.trim().trim_matches(['"', '\'', '`', '(', ')', '<', '>', ',']);
        let path = path.strip_prefix("file://").unwrap_or(path);
        let path = path.replace('\\', "/");
        if path.len() < 3
            || path.len() > 300
            || path.contains(['*', '<', '>', '|', '$', '"', '{', '}'])
            || path.contains(char::is_whitespace)
        {
            return None;
        }
        if path.contains("://") || path.starts_with("node:") || path.starts_with("internal/") {
            return None;
        }
        if FOREIGN.iter().any(|part| path.contains(part)) || !has_file_name(&path) {
            return None;
        }
        let absolute = path.starts_with('/') || path.get(1..3) == Some(":/");
        if absolute {
            if self.root.is_empty() {
                return None;
            }
            let inside = path.strip_prefix(&self.root)?.strip_prefix('/')?;
            return join("", inside).filter(|p| !p.is_empty());
        }
        join(&self.folder, &path).filter(|p| !p.is_empty())
    }
}

/// `a/b` and `../c` is `a/c`; `None` if it leaves the project.
fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Ends in something like `name.ext`, or in one of the names that have no extension.
fn has_file_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if matches!(
        name,
        "Makefile" | "Dockerfile" | "Rakefile" | "Gemfile" | "Justfile" | "Jenkinsfile" | "BUILD"
    ) {
        return true;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    !stem.is_empty()
        && (1..=10).contains(&ending.len())
        && ending.bytes().all(|b| b.is_ascii_alphanumeric())
        && ending.bytes().any(|b| b.is_ascii_alphabetic())
        && !stem.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_project_and_others() {
        let place = Place::new("/w/app", "/w/app/web");
        assert_eq!(place.file("/w/app/src/a.py").as_deref(), Some("src/a.py"));
        assert_eq!(place.file("./src/a.ts").as_deref(), Some("web/src/a.ts"));
        assert_eq!(place.file("../core/b.rs").as_deref(), Some("core/b.rs"));
        assert_eq!(place.within(Some("api")).file("x.go").as_deref(), Some("web/api/x.go"));
        assert_eq!(place.within(Some("/w/app/api")).file("x.go").as_deref(), Some("api/x.go"));
        for other in [
            "/usr/lib/python3/x.py",
            "/w/application/x.py",
            "node_modules/a/b.js",
            "../../x.py",
            "node:internal/x.js",
            "https://a.b/c.js",
            "1.5",
            "3.12.4",
            "word",
            "FAIL\texample.com/app/sum\t0.002s",
            "/",
            "",
        ] {
            assert_eq!(place.file(other), None, "{other}");
        }
    }
}
