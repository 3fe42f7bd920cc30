//! What failed, and what came of it: from a command, its exit and what it printed, to findings that
//! have a signature, a class, files and symbols.
//!
//! Everything here reads text and decides; where failures are kept is the store's business, when
//! somebody is warned the engine's. Text given here has passed redaction.

mod class;
pub mod command;
mod outcome;
mod place;
mod read;
pub mod record;
mod signature;
pub mod trail;

use serde::{Deserialize, Serialize};

pub use class::Class;
pub use command::{Ran, Step};
pub use place::Place;
pub use signature::normalise;

/// One thing that went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub class: Class,
    /// One line, as it was printed.
    pub message: String,
    /// The same failure tomorrow, on another line and another machine, has the same signature.
    pub signature: String,
    /// Relative to the project, the most telling one first.
    pub files: Vec<String>,
    /// Functions and tests that it happened in.
    pub symbols: Vec<String>,
}

/// What became of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed(Vec<Finding>),
    /// It cannot be told: the exit code is hidden behind a pipe, say.
    Unknown,
}

/// A command that ran and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    pub ran: Ran,
    pub verdict: Verdict,
}

/// More findings of one run than this repeat each other.
const MOST_FINDINGS: usize = 6;
/// What a person refused or stopped did not fail.
const NOT_RUN: &[&str] = &[
    "doesn't want to proceed",
    "doesn't want to take this action",
    "Request interrupted by user",
    "interrupted by the user",
    "rejected by user",
    "denied by the user",
    "requires approval",
    "Command was aborted",
];

/// Judges a shell command. `None` for what says nothing about the project: looking around, searching,
/// a command that never ran.
pub fn judge(command: &str, ok: Option<bool>, output: &str, place: &Place) -> Option<Judged> {
    let ran = command::main_of(command)?;
    if ok == Some(false) && NOT_RUN.iter().any(|mark| output.contains(mark)) {
        return None;
    }
    let output = read::plain(output);
    let evidence = outcome::told(&output, ran.step);
    let verdict = match (ok, evidence) {
        (Some(false), Some(true)) if ran.followed => {
            // The tests passed; what came behind `&&` did not.
            return None;
        }
        (Some(false), _) => failed(&output, &ran, place, true),
        (Some(true), _) if !ran.masked => Verdict::Passed,
        (_, Some(true)) => Verdict::Passed,
        (_, Some(false)) => failed(&output, &ran, place, false),
        // A checker that finds nothing says nothing; one that fails never does.
        (None, None) if output.trim().is_empty() && !ran.masked && ran.step.is_silent_when_well() => {
            Verdict::Passed
        }
        (_, None) => Verdict::Unknown,
    };
    Some(Judged { ran, verdict })
}

fn failed(output: &str, ran: &Ran, place: &Place, certain: bool) -> Verdict {
    let place = place.within(ran.folder.as_deref());
    let mut found = read::findings(output, &place);
    if found.is_empty()
        && let Some(finding) = read::anything(output, ran, &place)
    {
        found.push(finding);
    }
    found.truncate(MOST_FINDINGS);
    if found.is_empty() && !certain {
        return Verdict::Unknown;
    }
    Verdict::Failed(found)
}

#[cfg(test)]
fn read_for_tests(message: &str) -> Finding {
    let ran = command::main_of("pytest").expect("a run");
    read::anything(message, &ran, &Place::default()).expect("a finding")
}

#[cfg(test)]
mod tests;
