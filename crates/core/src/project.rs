//! The key under which a project's memories are stored.
//!
//! A key is a plain string in the files, so that an index can be rebuilt from them alone. The engine decides
//! how a folder gets its key (git remote, root commit, path).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::redact::{Clean, Raw, Unredacted, cut_at};

/// `ProjectKey<Raw>` is a key that has not passed redaction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProjectKey<T = Clean>(T);

impl ProjectKey {
    pub const MAX_CHARS: usize = 200;

    /// Turns any text into a safe key: removes control characters, folds spaces, limits the length. `None` if
    /// nothing is left.
    pub fn new(text: &Clean) -> Option<Self> {
        let kept: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let folded = kept.split_whitespace().collect::<Vec<_>>().join("-");
        let end = folded.char_indices().nth(Self::MAX_CHARS).map_or(folded.len(), |(end, _)| end);
        let capped = folded[..cut_at(&folded, end)].to_owned();
        (!capped.is_empty()).then(|| ProjectKey(Clean::already_redacted(capped)))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last part, for display: `github.com/acme/shop` → `shop`.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The name of a git remote: host and path, the same for its SSH and HTTPS spellings.
    pub fn from_remote(url: &str) -> Option<Raw> {
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
        Some(Raw::new(format!("{}/{path}", host.to_ascii_lowercase())))
    }
}

/// `None` if nothing of the key is left.
impl Unredacted for ProjectKey<Raw> {
    type Redacted = Option<ProjectKey>;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Option<ProjectKey> {
        ProjectKey::new(&clean(self.0))
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
            assert_eq!(ProjectKey::from_remote(url), Some(Raw::new("github.com/acme/shop")), "{url}");
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
        let key = |text: &'static str| ProjectKey::new(&Clean::trusted_constant(text));
        assert_eq!(key(" my \n shop ").unwrap().as_str(), "my-shop");
        assert_eq!(key(" \t"), None);
    }
}
