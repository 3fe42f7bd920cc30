//! Detects failures and their outcome: from a command, its exit code and its output to findings with a
//! signature, a class, files and symbols.
//!
//! Everything here reads text and decides; the store keeps failures, and the engine decides when to warn. The
//! text has passed redaction.

mod class;
pub mod command;
mod outcome;
mod place;
mod read;
pub mod record;
pub mod region;
mod signature;
pub mod trail;
mod worth;

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
    /// The same for the same failure tomorrow, on another line and on another machine.
    pub signature: String,
    /// Relative to the project, most relevant first.
    pub files: Vec<String>,
    /// Functions and tests in which it happened.
    pub symbols: Vec<String>,
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed(Vec<Finding>),
    /// Cannot be determined, for example because a pipe hides the exit code.
    Unknown,
}

/// A command and its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    pub ran: Ran,
    pub verdict: Verdict,
}

/// More findings of one run than this are repeats.
const MOST_FINDINGS: usize = 6;
/// Something that a person refused or stopped did not fail.
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

/// Judges a shell command. `None` if it says nothing about the project: looking around, searching, a command
/// that never ran.
pub fn judge(command: &str, ok: Option<bool>, output: &str, place: &Place) -> Option<Judged> {
    let ran = command::main_of(command)?;
    if ok == Some(false) && NOT_RUN.iter().any(|mark| output.contains(mark)) {
        return None;
    }
    let output = read::plain(output);
    let evidence = outcome::told(&output, ran.step);
    let verdict = match (ok, evidence) {
        (Some(false), Some(true)) if ran.followed => {
            // The tests passed; what followed `&&` did not.
            return None;
        }
        (Some(false), _) => failed(&output, &ran, place, true),
        (Some(true), _) if !ran.masked => Verdict::Passed,
        (_, Some(true)) => Verdict::Passed,
        (_, Some(false)) => failed(&output, &ran, place, false),
        // A checker that finds nothing prints nothing; a failing one always prints something.
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
