//! Editing other people's files: one thing in, the same thing out again, and not a byte besides.
//!
//! Every edit is a splice into the text. What the file looks like afterwards is read again and
//! compared with what was meant; an edit that would do anything else is refused.

pub(crate) mod atomic;
mod json;
mod markdown;
mod splice;
mod text;
mod toml;
mod yaml;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use text::Text;

/// One thing of ours in a file. Kept in the manifest, so that it can be found and removed again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Edit {
    /// A property of a JSON object.
    JsonEntry { path: Vec<String>, value: Value },
    /// An element of a JSON array. `mark` is in one of its strings and in nobody else's.
    JsonItem { path: Vec<String>, value: Value, mark: String },
    /// A table of a TOML file.
    TomlTable { path: Vec<String>, value: Value },
    /// An element of a list at the top of a YAML file. `seed` is what a new file begins with.
    YamlItem { key: String, value: Value, seed: String },
    /// A block between markers in a text that people write.
    Block { text: String },
    /// A file that is ours from the first byte to the last.
    Whole { text: String, executable: bool },
}

/// What the text looked like where we put something; without it a removal would be a guess.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// What we put before ours to stand apart: line ends.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lead: String,
    /// How many containers around ours did not exist before.
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

/// Whether ours is in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Absent,
    Same,
    /// Something is in its place that is not what we would write.
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

    /// The line of a byte in the text.
    fn at(mut self, text: &str, byte: usize) -> Self {
        let head = text.as_bytes().get(..byte).unwrap_or(text.as_bytes());
        self.line = Some(1 + head.iter().filter(|b| **b == b'\n').count());
        self
    }
}

impl Edit {
    /// Two edits with the same key are about the same place in a file.
    pub(crate) fn key(&self) -> String {
        match self {
            Edit::JsonEntry { path, .. } => format!("json {}", path.join("\u{1f}")),
            Edit::JsonItem { path, mark, .. } => format!("item {} {mark}", path.join("\u{1f}")),
            Edit::TomlTable { path, .. } => format!("toml {}", path.join("\u{1f}")),
            Edit::YamlItem { key, .. } => format!("yaml {key}"),
            Edit::Block { .. } => "block".to_owned(),
            Edit::Whole { .. } => "whole".to_owned(),
        }
    }

    /// How people would name it.
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

    /// What is where a server's entry would be. None for other edits.
    pub(crate) fn in_its_place(&self, text: &str) -> Result<Option<Value>, Refusal> {
        match self {
            Edit::JsonEntry { path, value } if value.get("command").is_some() => json::entry(text, path),
            Edit::TomlTable { path, value } if value.get("command").is_some() => toml::entry(text, path),
            Edit::YamlItem { key, value, .. } if value.get("command").is_some() => {
                yaml::entry(text, key, value)
            }
            _ => Ok(None),
        }
    }

    pub(crate) fn state(&self, text: &str) -> Result<State, Refusal> {
        match self {
            Edit::JsonEntry { path, value } => json::entry_state(text, path, value),
            Edit::JsonItem { path, value, mark } => json::item_state(text, path, value, mark),
            Edit::TomlTable { path, value } => toml::state(text, path, value),
            Edit::YamlItem { key, value, .. } => yaml::state(text, key, value),
            Edit::Block { text: block } => markdown::state(text, block),
            Edit::Whole { text: whole, .. } if text.is_empty() && !whole.is_empty() => Ok(State::Absent),
            Edit::Whole { text: whole, .. } => Ok(if whole == text { State::Same } else { State::Differs }),
        }
    }

    /// Puts it where it is absent.
    pub(crate) fn insert(&self, text: &str) -> Result<(String, Trace), Refusal> {
        match self {
            Edit::JsonEntry { path, value } => json::insert_entry(text, path, value),
            Edit::JsonItem { path, value, .. } => json::insert_item(text, path, value),
            Edit::TomlTable { path, value } => toml::insert(text, path, value),
            Edit::YamlItem { key, value, seed } => yaml::insert(text, key, value, seed),
            Edit::Block { text: block } => Ok(markdown::insert(text, block)),
            Edit::Whole { text: whole, .. } => Ok((whole.clone(), Trace::default())),
        }
    }

    /// Puts it in the place of an earlier one of ours.
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
            (Edit::Block { text: block }, Edit::Block { .. }) => {
                Ok((markdown::replace(text, block), trace.clone()))
            }
            _ => self.insert(&former.remove(trace, text)?),
        }
    }

    /// Takes it out; a text without it is returned as it is.
    pub(crate) fn remove(&self, trace: &Trace, text: &str) -> Result<String, Refusal> {
        match self {
            Edit::JsonEntry { path, .. } => json::remove_entry(text, path, trace),
            Edit::JsonItem { path, value, mark } => json::remove_item(text, path, value, mark, trace),
            Edit::TomlTable { path, .. } => toml::remove(text, path, trace),
            Edit::YamlItem { key, value, .. } => yaml::remove(text, key, value, trace),
            Edit::Block { .. } => markdown::remove(text, trace),
            Edit::Whole { text: whole, .. } => {
                Ok(if whole == text { String::new() } else { text.to_owned() })
            }
        }
    }
}
