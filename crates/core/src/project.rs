//! The name under which a project's memories are kept.
//!
//! A key is a plain string that files carry, so that an index can be rebuilt from them alone. How
//! a folder gets its key (git remote, root commit, path) is the engine's business.

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProjectKey(String);

impl ProjectKey {
    pub const MAX_CHARS: usize = 200;

    /// Any text becomes a safe key: control characters go, spaces fold, length is capped.
    /// `None` when nothing is left.
    pub fn new(text: &str) -> Option<Self> {
        let kept: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let folded = kept.split_whitespace().collect::<Vec<_>>().join("-");
        let capped: String = folded.chars().take(Self::MAX_CHARS).collect();
        (!capped.is_empty()).then_some(ProjectKey(capped))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last part, for people: `github.com/acme/shop` → `shop`.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The key of a git remote: host and path, the same for its SSH and HTTPS spellings.
    pub fn from_remote(url: &str) -> Option<Self> {
        let url = url.trim();
        let (host, path) = match url.split_once("://") {
            Some((scheme, rest)) if scheme != "file" => {
                let (authority, path) = rest.split_once('/')?;
                let host = authority.rsplit('@').next()?;
                let host = host.split(':').next()?;
                (host, path)
            }
            Some(_) => return None,
            None => {
                let (authority, path) = url.split_once(':')?;
                if authority.len() < 2 || authority.contains(['/', '\\']) {
                    return None;
                }
                (authority.rsplit('@').next()?, path)
            }
        };
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        if host.is_empty() || path.is_empty() {
            return None;
        }
        ProjectKey::new(&format!("{}/{path}", host.to_ascii_lowercase()))
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_remote_is_one_project() {
        let spellings = [
            "git@github.com:acme/shop.git",
            "https://github.com/acme/shop",
            "https://someone:pass@github.com/acme/shop.git/",
            "ssh://git@GitHub.com:22/acme/shop.git",
            "git://github.com/acme/shop",
        ];
        for url in spellings {
            assert_eq!(ProjectKey::from_remote(url).unwrap().as_str(), "github.com/acme/shop", "{url}");
        }
    }

    #[test]
    fn local_remotes_are_not_identities() {
        for url in ["/srv/git/shop.git", "../shop", "C:\\code\\shop", "file:///srv/shop.git", ""] {
            assert_eq!(ProjectKey::from_remote(url), None, "{url}");
        }
    }

    #[test]
    fn keys_are_safe_text() {
        assert_eq!(ProjectKey::new(" my \n shop ").unwrap().as_str(), "my-shop");
        assert_eq!(ProjectKey::new(" \t"), None);
    }
}
