//! Work done before: one finished turn of real work as a small story. What was asked, which files were changed,
//! whether the check passed, and the assistant's closing words.

use serde::{Deserialize, Serialize};

use super::SessionId;
use crate::id::tail_of;
use crate::memory::one_line;
use crate::redact::{Clean, Raw, Unredacted, cut_at};
use crate::time::Timestamp;

/// More of each would not fit a line that people read.
const ASKED: usize = 300;
const SAID: usize = 500;
const COMMAND: usize = 80;
const FILES: usize = 12;

/// A finished turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Turn<T = Clean> {
    /// When it was asked. It identifies the turn within its session.
    pub at: Timestamp,
    pub asked: T,
    /// Files that were changed, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Check<T>>,
    pub said: T,
}

/// The last test, build or lint of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Check<T = Clean> {
    pub command: T,
    pub passed: bool,
}

impl Turn {
    /// A turn in the form that a line of the session's file gives back unchanged. `None` if it says nothing.
    pub fn new(
        at: Timestamp,
        asked: &Clean,
        files: Vec<Clean>,
        check: Option<Check>,
        said: &Clean,
    ) -> Option<Self> {
        let asked = line(asked, ASKED);
        if asked.is_empty() {
            return None;
        }
        let mut kept: Vec<Clean> = Vec::new();
        for file in files {
            // The mark separates the parts of a turn.
            if !kept.contains(&file) && kept.len() < FILES && !file.contains('|') {
                kept.push(file);
            }
        }
        let check = check.map(|check| {
            let command = line(&check.command, COMMAND).replace('`', "'");
            Check { command: Clean::already_redacted(command), ..check }
        });
        let check = check.filter(|check| !check.command.is_empty());
        Some(Turn { at, asked, files: kept, check, said: line(said, SAID) })
    }

    /// The eight characters after `t-`: the same whether a hook or a transcript reported the turn.
    pub fn tail(&self, session: &SessionId) -> String {
        let mut hash = blake3::Hasher::new();
        hash.update(session.as_bytes());
        hash.update(&self.at.as_millis().to_be_bytes());
        let bytes = hash.finalize();
        tail_of(bytes.as_bytes()[..5].iter().fold(0u64, |bits, byte| (bits << 8) | u64::from(*byte)))
    }

    /// What people see and copy.
    pub fn id(&self, session: &SessionId) -> String {
        format!("t-{}", self.tail(session))
    }

    /// All of it, for searching and for reading.
    pub fn story(&self) -> String {
        let mut text = format!("Asked: {}", self.asked);
        if !self.files.is_empty() {
            let files: Vec<&str> = self.files.iter().map(Clean::as_str).collect();
            text.push_str(&format!("\nChanged: {}", files.join(", ")));
        }
        if let Some(check) = &self.check {
            text.push_str(&format!("\n`{}` {}", check.command, check.verdict()));
        }
        if !self.said.is_empty() {
            text.push_str(&format!("\nThen said: {}", self.said));
        }
        text
    }
}

impl<T> Check<T> {
    pub const fn verdict(&self) -> &'static str {
        if self.passed { "passed" } else { "failed" }
    }
}

/// One line without the mark that separates the parts of a turn in the file.
fn line(text: &Clean, chars: usize) -> Clean {
    let text = one_line(text).replace('|', "¦");
    let end = text.char_indices().nth(chars).map(|(end, _)| cut_at(&text, end));
    Clean::already_redacted(match end {
        Some(end) => format!("{}…", text[..end].trim_end()),
        None => text,
    })
}

impl Unredacted for Turn<Raw> {
    type Redacted = Turn;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Turn {
        Turn {
            at: self.at,
            asked: self.asked.redacted(clean),
            files: self.files.redacted(clean),
            check: self.check.redacted(clean),
            said: self.said.redacted(clean),
        }
    }
}

impl Unredacted for Check<Raw> {
    type Redacted = Check;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Check {
        Check { command: self.command.redacted(clean), passed: self.passed }
    }
}
