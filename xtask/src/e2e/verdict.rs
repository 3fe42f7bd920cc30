//! The checks of one client and their results, kept until the client is done: two clients run at a time.

use std::fmt::{Debug, Display};
use std::fs;
use std::path::Path;

use hark_testkit::model::Asked;

use super::clients::Client;
use super::proven::{Promise, Row};

pub(super) struct Verdict {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) row: Row,
    /// What to print.
    pub(super) said: String,
}

impl Verdict {
    pub(super) fn new(client: &Client) -> Self {
        let (row, said) = (Row::new(client.id, client.absent), String::new());
        Verdict { passed: 0, failed: 0, row, said }
    }

    pub(super) fn say(&mut self, line: impl Display) {
        self.said.push_str(&format!("{line}\n"));
    }

    pub(super) fn check(&mut self, what: impl Display, holds: bool) {
        if holds {
            self.passed += 1;
            self.say(format!("ok    {what}"));
        } else {
            self.failed += 1;
            self.say(format!("FAIL  {what}"));
        }
    }

    /// A check that proves a promise, or shows that it was broken.
    pub(super) fn prove(&mut self, promise: Promise, what: impl Display, holds: bool) {
        let what = what.to_string();
        self.row.note(promise, &what, holds);
        self.check(format!("{}: {what}", promise.name()), holds);
    }

    /// A check, with what was there instead.
    pub(super) fn equal<T: PartialEq + Debug>(&mut self, what: impl Display, found: &T, expected: &T) {
        self.check(compared(what, found, expected), found == expected);
    }

    pub(super) fn prove_equal<T: PartialEq + Debug>(
        &mut self,
        promise: Promise,
        what: impl Display,
        found: &T,
        expected: &T,
    ) {
        self.prove(promise, compared(what, found, expected), found == expected);
    }

    /// Whether the client has a place for this.
    pub(super) fn has(&self, promise: Promise) -> bool {
        !self.row.lacks(promise)
    }

    /// For debugging: the end of the log, and what was asked and answered. Whole requests are put into
    /// `kept`.
    pub(super) fn explain(&mut self, log: &Path, asked: &[Asked], kept: &Path) {
        let said = fs::read_to_string(log).unwrap_or_default();
        let lines: Vec<&str> = said.lines().collect();
        self.say(format!("      the end of {}:", log.display()));
        for line in &lines[lines.len().saturating_sub(MOST_LINES)..] {
            self.say(format!("      | {}", line.chars().take(MOST_CHARS).collect::<String>()));
        }
        self.say(format!("      what the model was asked ({}):", kept.display()));
        let mut all = String::new();
        for request in asked {
            let script = request.script.as_deref().unwrap_or("-");
            let reply: String = request.reply.chars().take(MOST_CHARS).collect();
            self.say(format!("      {script} {} → {reply}", request.path));
            let whole = serde_json::json!({ "path": request.path, "script": script, "body": request.body,
                "reply": request.reply });
            all.push_str(&format!("{whole}\n"));
        }
        let _ = fs::write(kept, all);
    }
}

fn compared<T: PartialEq + Debug>(what: impl Display, found: &T, expected: &T) -> String {
    if found == expected { what.to_string() } else { format!("{what}: {found:?} instead of {expected:?}") }
}

const MOST_LINES: usize = 15;
const MOST_CHARS: usize = 400;
