//! Edits files of other programs: adds one thing, later removes exactly that, and changes nothing else.
//!
//! Every edit is a splice into the text. The result is parsed again and compared with what was intended; an
//! edit that would change anything else is refused.

pub(crate) mod atomic;
mod json;
mod look;
mod markdown;
mod splice;
mod text;
mod toml;
mod yaml;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use look::{readable, setting};
pub(crate) use markdown::Block;
pub(crate) use text::Text;

/// Replaces a settings file completely or not at all. An existing file keeps its permissions.
pub fn write_settings(path: &std::path::Path, bytes: &[u8]) -> std::io::Result<()> {
    atomic::write(path, bytes, atomic::Mode::Usual)
}

/// One thing that hark adds to a file. Recorded in the manifest so that hark can find and remove it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Edit {
    /// A property of a JSON object.
    JsonEntry { path: Vec<String>, value: Value },
    /// An element of a JSON array. `mark` occurs in one of its strings and in no other element.
    JsonItem { path: Vec<String>, value: Value, mark: String },
    /// A table of a TOML file.
    TomlTable { path: Vec<String>, value: Value },
    /// An element of a top-level list in a YAML file. `seed` is the start of a new file.
    YamlItem { key: String, value: Value, seed: String },
    /// A block between markers in a text that people edit.
    Block {
        text: String,
        /// The instructions for assistants, or the user's rules.
        #[serde(default, skip_serializing_if = "Block::is_usual")]
        of: Block,
    },
    /// A file that belongs to hark as a whole.
    Whole { text: String, executable: bool },
}

/// How the text looked where hark added something. Without it, removal would be a guess.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The line ends that separate the addition from the text before it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lead: String,
    /// The number of containers that were created around it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub created: usize,
    /// The white space in a container that was empty before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hollow: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Whether a text contains the edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Absent,
    Same,
    /// Something else is in its place.
    Differs,
}

/// Why a file is left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub line: Option<usize>,
    pub what: String,
    pub fix: String,
}

impl Refusal {
    fn new(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Refusal { line: None, what: what.into(), fix: fix.into() }
    }

    /// Sets the line from a byte position in the text.
    fn at(mut self, text: &str, byte: usize) -> Self {
        let head = text.as_bytes().get(..byte).unwrap_or(text.as_bytes());
        self.line = Some(1 + head.iter().filter(|b| **b == b'\n').count());
        self
    }
}

/// Whether an entry starts a server or calls one; assistants name the address differently.
fn is_server(entry: &Value) -> bool {
    ["command", "url", "httpUrl", "serverUrl", "uri"].iter().any(|name| entry.get(name).is_some())
}

impl Edit {
    /// Two edits with the same key concern the same place in a file.
    pub(crate) fn key(&self) -> String {
        match self {
            Edit::JsonEntry { path, .. } => format!("json {}", path.join("\u{1f}")),
            Edit::JsonItem { path, mark, .. } => format!("item {} {mark}", path.join("\u{1f}")),
            Edit::TomlTable { path, .. } => format!("toml {}", path.join("\u{1f}")),
            Edit::YamlItem { key, .. } => format!("yaml {key}"),
            Edit::Block { of, .. } => of.name().to_owned(),
            Edit::Whole { .. } => "whole".to_owned(),
        }
    }

    /// The name shown to people.
    pub(crate) fn label(&self) -> String {
        match self {
            Edit::JsonEntry { path, .. } | Edit::JsonItem { path, .. } | Edit::TomlTable { path, .. } => {
                path.join(".")
            }
            Edit::YamlItem { key, .. } => key.clone(),
            Edit::Block { .. } => "the block between the hark markers".to_owned(),
            Edit::Whole { .. } => "the whole file".to_owned(),
        }
    }

    /// The entry of a server, if this is one.
    pub(crate) fn server(&self) -> Option<&Value> {
        match self {
            Edit::JsonEntry { value, .. } | Edit::TomlTable { value, .. } | Edit::YamlItem { value, .. } => {
                Some(value).filter(|value| is_server(value))
            }
            _ => None,
        }
    }

    /// The entry that exists where a server's entry would go. `None` for other edits.
    pub(crate) fn in_its_place(&self, text: &str) -> Result<Option<Value>, Refusal> {
        match self {
            Edit::JsonEntry { path, value } if is_server(value) => json::entry(text, path),
            Edit::TomlTable { path, value } if is_server(value) => toml::entry(text, path),
            Edit::YamlItem { key, value, .. } if is_server(value) => yaml::entry(text, key, value),
            _ => Ok(None),
        }
    }

    pub(crate) fn state(&self, text: &str) -> Result<State, Refusal> {
        match self {
            Edit::JsonEntry { path, value } => json::entry_state(text, path, value),
            Edit::JsonItem { path, value, mark } => json::item_state(text, path, value, mark),
            Edit::TomlTable { path, value } => toml::state(text, path, value),
            Edit::YamlItem { key, value, .. } => yaml::state(text, key, value),
            Edit::Block { text: block, of } => markdown::state(text, block, *of),
            Edit::Whole { text: whole, .. } if text.is_empty() && !whole.is_empty() => Ok(State::Absent),
            Edit::Whole { text: whole, .. } => Ok(if whole == text { State::Same } else { State::Differs }),
        }
    }

    /// Adds it to a text that does not contain it.
    pub(crate) fn insert(&self, text: &str) -> Result<(String, Trace), Refusal> {
        match self {
            Edit::JsonEntry { path, value } => json::insert_entry(text, path, value),
            Edit::JsonItem { path, value, .. } => json::insert_item(text, path, value),
            Edit::TomlTable { path, value } => toml::insert(text, path, value),
            Edit::YamlItem { key, value, seed } => yaml::insert(text, key, value, seed),
            Edit::Block { text: block, of } => Ok(markdown::insert(text, block, *of)),
            Edit::Whole { text: whole, .. } => Ok((whole.clone(), Trace::default())),
        }
    }

    /// Replaces an earlier version of the edit.
    pub(crate) fn replace(
        &self,
        former: &Edit,
        trace: &Trace,
        text: &str,
    ) -> Result<(String, Trace), Refusal> {
        match (self, former) {
            (Edit::JsonEntry { path, value }, Edit::JsonEntry { .. }) => {
                Ok((json::replace_entry(text, path, value)?, trace.clone()))
            }
            (Edit::JsonItem { path, value, .. }, Edit::JsonItem { value: old, .. }) => {
                Ok((json::replace_item(text, path, old, value)?, trace.clone()))
            }
            (Edit::Block { text: block, of }, Edit::Block { of: former, .. }) if of == former => {
                Ok((markdown::replace(text, block, *of), trace.clone()))
            }
            _ => self.insert(&former.remove(trace, text)?),
        }
    }

    /// Parts of it that somebody else changed or added, by name: those that [`Edit::remove`] removes with it.
    pub(crate) fn changed_by_others(&self, text: &str) -> Result<Vec<String>, Refusal> {
        let (found, value) = match self {
            Edit::JsonEntry { path, value } => (json::entry(text, path)?, value),
            Edit::JsonItem { path, value, mark } => (json::item(text, path, mark)?, value),
            Edit::TomlTable { path, value } => (toml::entry(text, path)?, value),
            Edit::YamlItem { key, value, .. } => (yaml::entry(text, key, value)?, value),
            Edit::Block { .. } | Edit::Whole { .. } => return Ok(Vec::new()),
        };
        let Some(found) = found else { return Ok(Vec::new()) };
        let (Some(found), Some(value)) = (found.as_object(), value.as_object()) else {
            return Ok(Vec::new());
        };
        let changed = found.iter().filter(|(name, now)| value.get(*name) != Some(now));
        Ok(changed.map(|(name, _)| name.clone()).collect())
    }

    /// Whether [`Edit::remove`] leaves lines that somebody else wrote inside it.
    pub(crate) fn leaves_lines(&self, text: &str) -> bool {
        matches!(self, Edit::Block { text: block, of } if markdown::has_foreign(text, block, *of))
    }

    /// Removes it; a text that does not contain it stays unchanged.
    pub(crate) fn remove(&self, trace: &Trace, text: &str) -> Result<String, Refusal> {
        match self {
            Edit::JsonEntry { path, .. } => json::remove_entry(text, path, trace),
            Edit::JsonItem { path, value, mark } => json::remove_item(text, path, value, mark, trace),
            Edit::TomlTable { path, .. } => toml::remove(text, path, trace),
            Edit::YamlItem { key, value, .. } => yaml::remove(text, key, value, trace),
            Edit::Block { text: block, of } => markdown::remove(text, block, *of, trace),
            Edit::Whole { text: whole, .. } => {
                Ok(if whole == text { String::new() } else { text.to_owned() })
            }
        }
    }
}
