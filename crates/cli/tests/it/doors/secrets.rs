//! Secrets that tell where they were planted, and the search for them.

use std::path::Path;

use hark_testkit::{Home, Seeded, disk};
use serde_json::Value;

pub(crate) fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark")).at("2026-06-01T00:00:00Z")
}

/// As much of a secret as counts as a leak.
const TELLING: usize = 14;

/// One secret for each place.
pub(crate) struct Planted {
    random: Seeded,
    places: Vec<(String, String)>,
}

impl Planted {
    pub(crate) fn new() -> Self {
        Planted { random: Seeded::new(17), places: Vec::new() }
    }

    /// A token that the redactor knows, and that stands nowhere else.
    pub(crate) fn secret(&mut self, place: impl Into<String>) -> String {
        const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        let tail: String = (0..36).map(|_| char::from(*self.random.pick(ALPHABET))).collect();
        self.places.push((tail[..TELLING].to_ascii_lowercase(), place.into()));
        format!("ghp_{tail}")
    }

    /// A sentence with a secret in it.
    pub(crate) fn words(&mut self, place: impl Into<String>) -> String {
        format!("the key {} opens it", self.secret(place))
    }

    pub(crate) fn count(&self) -> usize {
        self.places.len()
    }

    /// Searches every file below `folder`, and their names, in any case.
    pub(crate) fn assert_absent(&self, folder: &Path, is_ours: impl Fn(&Path) -> bool) {
        let mut leaks = Vec::new();
        for (path, bytes) in disk::files(folder) {
            let mut all = path.as_os_str().as_encoded_bytes().to_ascii_lowercase();
            if is_ours(&path) {
                all.extend(bytes.to_ascii_lowercase());
            }
            let text = String::from_utf8_lossy(&all);
            let found = self.places.iter().filter(|(needle, _)| text.contains(needle.as_str()));
            leaks.extend(found.map(|(_, place)| format!("{place} in {}", path.display())));
        }
        leaks.sort();
        leaks.dedup();
        assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
    }
}

/// Paths of every string in a value.
pub(crate) fn strings(value: &Value) -> Vec<String> {
    fn walk(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::String(_) => found.push(at.to_owned()),
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(i, item)| walk(item, &format!("{at}/{i}"), found));
            }
            Value::Object(map) => {
                for (key, item) in map {
                    walk(item, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(value, "", &mut found);
    found
}

/// Puts `text` in the place of a string.
pub(crate) fn put(value: &mut Value, place: &str, text: &str) {
    *value.pointer_mut(place).expect("a place of this value") = Value::from(text);
}

/// Adds `text` to a string.
pub(crate) fn add(value: &mut Value, place: &str, text: &str) {
    let before = value.pointer(place).and_then(Value::as_str).unwrap_or_default().to_owned();
    put(value, place, &format!("{before} {text}"));
}
