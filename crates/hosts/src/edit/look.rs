//! Reads settings without changing them, for `hark doctor`.

use std::path::Path;

use serde_json::Value;

use super::{Edit, Text, atomic, json, toml};

/// The text of a file; `None` if there is none that can be read.
pub(crate) fn readable(file: &Path) -> Option<String> {
    Text::decode(&atomic::read(file).ok()??).ok().map(|text| text.body)
}

/// A value in a settings file, JSON or TOML.
pub(crate) fn setting(file: &Path, path: &[String]) -> Option<Value> {
    let text = readable(file)?;
    let is_toml = file.extension().is_some_and(|extension| extension == "toml");
    let found = if is_toml { toml::entry(&text, path) } else { json::entry(&text, path) };
    found.ok().flatten()
}

impl Edit {
    /// Names of other servers next to a server's entry that start hark as well.
    pub(crate) fn siblings(&self, text: &str) -> Vec<String> {
        let (Edit::JsonEntry { path, value } | Edit::TomlTable { path, value }) = self else {
            return Vec::new();
        };
        let Some((own, outer)) = path.split_last().filter(|_| value.get("command").is_some()) else {
            return Vec::new();
        };
        let all = match self {
            Edit::TomlTable { .. } => toml::entry(text, outer),
            _ => json::entry(text, outer),
        };
        let Ok(Some(Value::Object(all))) = all else { return Vec::new() };
        let starts_hark = |entry: &Value| {
            let command = &entry["command"];
            let mut words: Vec<&str> = command.as_str().into_iter().collect();
            for list in [command, &entry["args"]] {
                words.extend(list.as_array().into_iter().flatten().filter_map(Value::as_str));
            }
            let is_hark = |word: &&str| Path::new(word).file_stem().is_some_and(|name| name == "hark");
            words.first().is_some_and(is_hark) && words.get(1) == Some(&"mcp")
        };
        let others = all.iter().filter(|(name, entry)| *name != own && starts_hark(entry));
        others.map(|(name, _)| name.clone()).collect()
    }

    /// Where hark's handler is in the list of an event: the index of its group, and its index there.
    pub(crate) fn position(&self, text: &str, mark: &str) -> Option<(usize, usize)> {
        let Edit::JsonItem { path, .. } = self else { return None };
        let elements = json::entry(text, path).ok()??;
        let elements = elements.as_array()?;
        let group = elements.iter().position(|element| json::mentions(element, mark))?;
        let handlers = elements[group].get("hooks").and_then(Value::as_array);
        let handler = handlers.and_then(|list| list.iter().position(|one| json::mentions(one, mark)));
        Some((group, handler.unwrap_or(0)))
    }

    /// The command line of hark's handler.
    pub(crate) fn command_in(&self, text: &str, mark: &str) -> Option<String> {
        let Edit::JsonItem { path, .. } = self else { return None };
        let elements = json::entry(text, path).ok()??;
        elements.as_array()?.iter().find_map(|element| json::mentioning(element, mark)).map(str::to_owned)
    }
}
