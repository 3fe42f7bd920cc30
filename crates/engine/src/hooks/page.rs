//! The lines of a boot context, within a budget.

use hark_core::budget::{estimate_tokens, truncate_to_tokens};
use hark_core::quote::quoted;

use crate::hooks::inject::{Words, brief_frame};

/// A text on one line, quoted and cut.
pub(crate) fn short(text: &str, tokens: usize) -> String {
    truncate_to_tokens(&quoted(&text.split_whitespace().collect::<Vec<_>>().join(" ")), tokens)
}

/// Lines within a budget.
pub(crate) struct Page {
    pub(crate) lines: Vec<String>,
    /// Ids of the memories and sessions in them.
    pub(crate) items: Vec<String>,
    room: usize,
}

impl Page {
    pub(crate) fn new(budget: usize) -> Self {
        Page {
            lines: Vec::new(),
            items: Vec::new(),
            room: budget.saturating_sub(estimate_tokens(&brief_frame(""))),
        }
    }

    /// Adds a line if it fits, in its quoted form.
    pub(crate) fn add(&mut self, line: &str) -> bool {
        let line = quoted(line);
        let cost = estimate_tokens(&line) + 1;
        if cost > self.room {
            return false;
        }
        self.room -= cost;
        self.lines.push(line.into_owned());
        true
    }

    pub(crate) fn done(mut self, why: &'static str) -> Option<Words> {
        // A heading without lines below it is useless.
        while self.lines.last().is_some_and(|line| line.ends_with(':')) {
            self.lines.pop();
        }
        if self.lines.is_empty() {
            return None;
        }
        Some(Words { text: brief_frame(&self.lines.join("\n")), items: self.items, why })
    }
}
