//! A tool call as triggers see it.

use std::path::Path;

use hark_core::event::excerpt;
use hark_core::failure::command::edits_by;
use hark_core::failure::region::added_by;
use hark_core::redact::Redactor;
use hark_core::rule::Deed;
use hark_hosts::hook::tools::{ToolClass, ToolUse};

use crate::hooks::capture;

/// How much of a command and of an edit is read.
const COMMAND: usize = 4_000;
const INPUT: usize = 16_000;
const MOST_FILES: usize = 20;

/// What a call does, and the text in which its mistake would be.
pub(super) struct Call {
    pub(super) deed: Deed,
    /// The command, or the lines that an edit adds.
    text: String,
    /// Tells this call from others.
    pub(super) key: String,
}

impl Call {
    pub(super) fn of(tool: &ToolUse, once: Option<&str>, redactor: &Redactor, root: Option<&Path>) -> Call {
        let mut deed = Deed { tool: Some(tool.name.clone()), ..Deed::default() };
        let mut text = String::new();
        match tool.class {
            ToolClass::Shell => {
                if let Some(command) = &tool.target {
                    let line = excerpt(redactor, command, COMMAND);
                    deed.commands = Deed::command(&line).commands;
                    deed.files = edits_by(&line);
                    text = line.into_string();
                }
            }
            ToolClass::Edit => {
                let touches = capture::touches(redactor, &tool.touches, root);
                let paths = touches.iter().take(MOST_FILES).map(|touch| touch.path.trim_start_matches("./"));
                deed.files = paths.map(str::to_owned).collect();
                text = added_by(&excerpt(redactor, &tool.input, INPUT));
            }
            ToolClass::Read | ToolClass::Search | ToolClass::Other => {}
        }
        let key = once.map_or_else(
            || {
                let input = excerpt(redactor, &tool.input, INPUT);
                let said = format!("{}\n{}", tool.name, &*input);
                blake3::hash(said.as_bytes()).to_hex()[..16].to_owned()
            },
            |once| blake3::hash(once.as_bytes()).to_hex()[..16].to_owned(),
        );
        Call { deed, text, key }
    }

    /// Whether the call contains one of these, as whole words.
    pub(super) fn contains_any<'a>(&self, wanted: impl IntoIterator<Item = &'a str>) -> bool {
        wanted.into_iter().any(|wanted| contains_word(&self.text, wanted))
    }
}

/// Whether `text` contains `wanted`, and not as a part of a longer name: `npm` is not in `pnpm`.
fn contains_word(text: &str, wanted: &str) -> bool {
    let wanted = wanted.trim();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    !wanted.is_empty()
        && text.match_indices(wanted).any(|(at, _)| {
            let before = text[..at].chars().next_back().filter(|_| wanted.starts_with(is_name));
            let after = text[at + wanted.len()..].chars().next().filter(|_| wanted.ends_with(is_name));
            !before.is_some_and(is_name) && !after.is_some_and(is_name)
        })
}

#[cfg(test)]
mod tests {
    use super::contains_word;

    #[test]
    fn a_part_of_a_longer_name_is_another_name() {
        assert!(contains_word("run npm install", "npm") && contains_word("x.unwrap();", "unwrap()"));
        assert!(contains_word("let a = b.unwrap()", ".unwrap()"));
        assert!(!contains_word("pnpm install", "npm") && !contains_word("npm_config", "npm"));
        assert!(!contains_word("anything", " "));
    }
}
