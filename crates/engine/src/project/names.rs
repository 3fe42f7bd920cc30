//! What people call a project: the name they gave it, or that of its folder or repository. Two projects of one name
//! are shown by their keys.

use std::collections::{BTreeMap, HashMap};

use hark_core::ProjectKey;
use hark_store::untrusted_key;

use crate::engine::Engine;
use crate::error::EngineError;

/// Names by key. A key that is not in it has the name that [`short`] gives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names(BTreeMap<String, String>);

impl Names {
    pub fn of(&self, key: &str) -> String {
        self.0.get(key).cloned().unwrap_or_else(|| short(key).to_owned())
    }
}

/// The last part of a key, without the mark that tells folders of one name apart: `github.com/acme/shop` and
/// `shop-1a2b3c4d` are both `shop`.
pub(crate) fn short(key: &str) -> &str {
    let last = key.rsplit('/').next().unwrap_or(key);
    if last.len() < key.len() {
        return last;
    }
    let mark = |mark: &str| mark.len() == super::MARK_CHARS && mark.bytes().all(|b| b.is_ascii_hexdigit());
    match last.rsplit_once('-') {
        Some((name, end)) if mark(end) && !name.is_empty() && !last.starts_with("untrusted-store-") => name,
        _ => last,
    }
}

impl Engine {
    /// The names of all projects.
    pub fn project_names(&self) -> Result<Names, EngineError> {
        let given = self.store.project_book().names;
        let mut keys: Vec<String> = self.store.project_keys()?.iter().map(ToString::to_string).collect();
        keys.extend(given.keys().filter(|key| !keys.contains(key)).cloned().collect::<Vec<_>>());
        let name = |key: &str| given.get(key).map_or_else(|| short(key).to_owned(), Clone::clone);
        let mut count: HashMap<String, usize> = HashMap::new();
        for key in &keys {
            *count.entry(name(key)).or_default() += 1;
        }
        let shown = keys.into_iter().map(|key| {
            let name = name(&key);
            let is_shared = count[&name] > 1;
            // A name that was given by hand stays visible beside the key.
            let name = match (is_shared, given.contains_key(&key)) {
                (false, _) => name,
                (true, false) => key.clone(),
                (true, true) => format!("{name} ({key})"),
            };
            (key, name)
        });
        Ok(Names(shown.collect()))
    }

    /// Whether a key stands for the untrusted store of some repository, and is thus nobody's project.
    pub(crate) fn is_untrusted_key(&self, key: &ProjectKey) -> bool {
        self.store.layers().iter().any(|layer| untrusted_key(layer.path()) == *key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_by_its_name() {
        for (key, name) in [
            ("shop-330c6760", "shop"),
            ("my-shop-330c6760", "my-shop"),
            ("github.com/acme/shop", "shop"),
            ("github.com/acme/shop-330c6760", "shop-330c6760"),
            ("shop", "shop"),
            ("-330c6760", "-330c6760"),
            ("untrusted-store-330c6760", "untrusted-store-330c6760"),
        ] {
            assert_eq!(short(key), name, "{key}");
        }
    }
}
