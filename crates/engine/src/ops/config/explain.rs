//! Lists every setting with its value, its default and what it means, for pages and scripts.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{self, Config};
use crate::error::EngineError;
use crate::operation::text::safe;
use crate::operation::{
    BOLD, Call, Code, DIM, EVERYWHERE, Effect, Group, OperateHere, Operation, Page, Reply, Tool, Who,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Explain {}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Explained {
    pub settings: Vec<Line>,
    /// The file that holds what you changed.
    pub path: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Line {
    pub name: String,
    /// As it is written in the file.
    pub value: String,
    pub default: String,
    pub changed: bool,
    /// What it means.
    pub meaning: String,
}

impl OperateHere for Explain {
    type Response = Explained;

    fn run(&self, call: &mut Call<'_>) -> Result<Explained, EngineError> {
        let current = call.machine.config()?;
        let line = |(name, default): (String, String)| {
            let value = current.get(&name).unwrap_or_else(|| default.clone());
            Line { changed: value != default, meaning: meaning(&name), name, value, default }
        };
        let settings = Config::default().entries().into_iter().map(line).collect();
        Ok(Explained { settings, path: call.machine.user_file()?.display().to_string() })
    }
}

/// The comment above a setting in the defaults.
fn meaning(name: &str) -> String {
    let (section, key) = name.rsplit_once('.').unwrap_or(("", name));
    let mut here = String::new();
    let mut comment: Vec<&str> = Vec::new();
    for line in config::DEFAULTS.lines() {
        if let Some(text) = line.strip_prefix('#') {
            comment.push(text.trim());
            continue;
        }
        if let Some(title) = line.strip_prefix('[') {
            here = title.trim_end_matches(']').to_owned();
        } else if here == section && line.split('=').next().is_some_and(|word| word.trim() == key) {
            return comment.join(" ");
        }
        comment.clear();
    }
    String::new()
}

pub const OPERATION: Operation = Operation {
    name: "config explain",
    also: &[],
    summary: "List every setting with its value, default and meaning",
    help: "",
    examples: &[("hark config explain --json", "Print every setting for a script")],
    group: Group::Store,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("settings are for the user to change"),
    surfaces: EVERYWHERE,
    code: Code::here::<Explain>(),
};

impl Reply for Explained {
    fn print(&self, page: &mut Page) {
        for line in &self.settings {
            let default = match line.changed {
                true => format!("  {DIM}default {}{DIM:#}", safe(&line.default)),
                false => String::new(),
            };
            let (name, value) = (&line.name, safe(&line.value));
            page.print(&format!("{BOLD}{name}{BOLD:#} = {value}{default}\n  {}\n", line.meaning));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_meaning() {
        for (name, _) in Config::default().entries() {
            assert!(meaning(&name).len() > 10, "{name}: {:?}", meaning(&name));
        }
        assert!(meaning("recall.limit").starts_with("The maximum number of memories"));
    }
}
