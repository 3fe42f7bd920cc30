//! What was proven of each client, as a table: one row per client, one column per promise.

use std::collections::BTreeMap;

/// Something that hark promises of every client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Promise {
    /// A new session receives its context.
    Boot,
    /// A memory comes along with a prompt about it.
    Prompt,
    /// Nothing comes along with an unrelated prompt.
    Silence,
    /// A session is told the same thing once.
    NoRepeat,
    /// A warning about what failed before.
    Alert,
    /// What a compaction removed is told again.
    AfterCompaction,
    /// The end of the session is recorded.
    End,
    /// A rule that denies refuses the call, or its model is told where the client cannot refuse.
    Rule,
    /// `hark doctor` tells sound from broken.
    Doctor,
    /// The ledger and the requests to the model contain the same texts.
    Ledger,
}

impl Promise {
    pub(super) const ALL: [Promise; 10] = [
        Promise::Boot,
        Promise::Prompt,
        Promise::Silence,
        Promise::NoRepeat,
        Promise::Alert,
        Promise::AfterCompaction,
        Promise::End,
        Promise::Rule,
        Promise::Doctor,
        Promise::Ledger,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Promise::Boot => "boot",
            Promise::Prompt => "prompt",
            Promise::Silence => "silence",
            Promise::NoRepeat => "no repeat",
            Promise::Alert => "alert",
            Promise::AfterCompaction => "after compaction",
            Promise::End => "end of session",
            Promise::Rule => "rule",
            Promise::Doctor => "doctor truth",
            Promise::Ledger => "ledger",
        }
    }
}

/// What came of one promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cell {
    Yes,
    No(String),
    /// The client has no place for it, for this reason.
    NotApplicable(&'static str),
}

/// One client's row.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) client: String,
    cells: BTreeMap<Promise, Cell>,
}

impl Row {
    /// With reasons why some promises do not apply to this client.
    pub(super) fn new(client: &str, absent: &[(Promise, &'static str)]) -> Self {
        let cells = absent.iter().map(|(promise, why)| (*promise, Cell::NotApplicable(why))).collect();
        Row { client: client.to_owned(), cells }
    }

    /// One check of a promise. The first that fails decides.
    pub(super) fn note(&mut self, promise: Promise, what: &str, holds: bool) {
        let cell = self.cells.entry(promise).or_insert(Cell::Yes);
        let is_open = !matches!(cell, Cell::No(_));
        if !holds && is_open {
            *cell = Cell::No(what.to_owned());
        }
    }

    /// Whether this was said not to apply.
    pub(super) fn lacks(&self, promise: Promise) -> bool {
        matches!(self.cells.get(&promise), Some(Cell::NotApplicable(_)))
    }

    pub(super) fn cell(&self, promise: Promise) -> Cell {
        self.cells.get(&promise).cloned().unwrap_or_else(|| Cell::No("not checked".to_owned()))
    }

    /// The promises that were not kept, and nothing excuses them.
    pub(super) fn broken(&self) -> usize {
        Promise::ALL.into_iter().filter(|promise| matches!(self.cell(*promise), Cell::No(_))).count()
    }
}

/// The table, then why something was not proven.
pub(super) fn table(rows: &[Row]) -> String {
    let widest = rows.iter().map(|row| row.client.len()).max().unwrap_or(0).max("client".len());
    let mut text = format!("{:<widest$}", "client");
    for promise in Promise::ALL {
        text.push_str(&format!("  {}", promise.name()));
    }
    let mut notes = String::new();
    for row in rows {
        text.push_str(&format!("\n{:<widest$}", row.client));
        for promise in Promise::ALL {
            let (word, why) = match row.cell(promise) {
                Cell::Yes => ("yes", None),
                Cell::No(why) => ("no", Some(format!("no ({why})"))),
                Cell::NotApplicable(why) => ("n/a", Some(format!("n/a: {why}"))),
            };
            text.push_str(&format!("  {word:<width$}", width = promise.name().len()));
            if let Some(why) = why {
                let why: String = why.chars().take(300).collect();
                notes.push_str(&format!("{:<widest$}  {}: {why}\n", row.client, promise.name()));
            }
        }
        text.truncate(text.trim_end().len());
    }
    format!("{text}\n\n{notes}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_is_kept_if_every_check_of_it_passes() {
        let mut row = Row::new("droid", &[(Promise::Prompt, "no such hook")]);
        row.note(Promise::Boot, "one", true);
        row.note(Promise::Boot, "two", true);
        row.note(Promise::End, "open", false);
        row.note(Promise::End, "closed", true);
        assert_eq!(row.cell(Promise::Boot), Cell::Yes);
        assert_eq!(row.cell(Promise::End), Cell::No("open".to_owned()));
        assert!(row.lacks(Promise::Prompt));
        assert_eq!(row.cell(Promise::Alert), Cell::No("not checked".to_owned()));
        assert_eq!(row.broken(), 8, "one failed, seven not checked");
    }

    #[test]
    fn an_excuse_that_is_no_longer_true_is_a_failure() {
        let mut row = Row::new("droid", &[(Promise::Prompt, "no such hook")]);
        row.note(Promise::Prompt, "it has one now", false);
        assert_eq!(row.cell(Promise::Prompt), Cell::No("it has one now".to_owned()));
    }

    #[test]
    fn the_table_gives_reasons_below() {
        let mut row = Row::new("cline", &[(Promise::Prompt, "no such hook")]);
        row.note(Promise::Boot, "", true);
        let text = table(&[row]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("client  boot  prompt  silence"), "{text}");
        assert!(lines[1].starts_with("cline   yes   n/a     no "), "{text}");
        assert!(text.contains("cline   prompt: n/a: no such hook\n"), "{text}");
        assert!(text.contains("cline   silence: no (not checked)\n"), "{text}");
    }
}
