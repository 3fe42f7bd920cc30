//! The checks and their results.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use hark_testkit::model::Asked;

/// Checks of one client, printed as they are made.
#[derive(Default)]
pub(super) struct Verdict {
    pub(super) passed: usize,
    pub(super) failed: usize,
}

impl Verdict {
    pub(super) fn check(&mut self, what: impl Display, holds: bool) {
        if holds {
            self.passed += 1;
            println!("ok    {what}");
        } else {
            self.failed += 1;
            println!("FAIL  {what}");
        }
    }

    /// The same, with what was there instead.
    pub(super) fn equal<T: PartialEq + std::fmt::Debug>(
        &mut self,
        what: impl Display,
        found: &T,
        expected: &T,
    ) {
        if found == expected {
            self.check(what, true);
        } else {
            self.check(format!("{what}: {found:?} instead of {expected:?}"), false);
        }
    }
}

const MOST_LINES: usize = 25;
const MOST_CHARS: usize = 400;

/// For debugging: the end of the log, and what was asked and answered. Whole
/// requests are put into `kept`.
pub(super) fn explain(log: &Path, asked: &[Asked], kept: &Path) {
    let said = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = said.lines().collect();
    println!("      the end of its log:");
    for line in &lines[lines.len().saturating_sub(MOST_LINES)..] {
        println!("      | {}", line.chars().take(MOST_CHARS).collect::<String>());
    }
    println!("      what the model was asked ({}):", kept.display());
    let mut all = String::new();
    for request in asked {
        let mark = if request.scripted { "*" } else { " " };
        let reply: String = request.reply.chars().take(MOST_CHARS).collect();
        println!("      {mark} {} → {reply}", request.path);
        all.push_str(&format!(
            "{}\n",
            serde_json::json!({ "path": request.path, "body": request.body, "reply": request.reply })
        ));
    }
    let _ = fs::write(kept, all);
}
