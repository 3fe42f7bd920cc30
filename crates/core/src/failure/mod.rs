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
    /// Without findings if the output does not say what went wrong.
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
    // The client skipped it because a call beside it failed, or refused its input.
    "<tool_use_error>",
    "Command was aborted",
];

/// Judges a shell command. `None` if it says nothing about the project: looking around, searching, a command
/// that never ran.
pub fn judge(command: &str, ok: Option<bool>, output: &str, place: &Place) -> Option<Judged> {
    let line = command::line_of(command)?;
    let ran = line.main();
    if ok == Some(false) && NOT_RUN.iter().any(|mark| output.contains(mark)) {
        return None;
    }
    // Printing the exit code of a program that checks nothing means that a failure is expected.
    if line.asks_for_exit && ran.step == Step::Other {
        return None;
    }
    let output = read::plain(output);
    if ok != Some(true) && outcome::never_began(&output) {
        return None;
    }
    let masked = line.is_masked();
    let evidence = outcome::told(&output, ran.step);
    let verdict = match (ok, evidence) {
        (Some(false), Some(true)) if ran.followed => {
            // The tests passed; what followed `&&` did not.
            return None;
        }
        (Some(false), _) if !masked => failed(&output, &ran, place),
        (Some(true), _) if !masked => Verdict::Passed,
        (_, Some(true)) => Verdict::Passed,
        (_, Some(false)) => failed(&output, &ran, place),
        // A checker that finds nothing prints nothing; a failing one always prints something.
        (None | Some(true), None)
            if output.trim().is_empty() && !line.is_filtered() && ran.step.is_silent_when_well() =>
        {
            if ok.is_none() && masked { Verdict::Unknown } else { Verdict::Passed }
        }
        (_, None) => Verdict::Unknown,
    };
    let ran = match &verdict {
        Verdict::Failed(found) => line.reporter(found.first().map(|f| f.class)),
        _ => ran,
    };
    Some(Judged { ran, verdict })
}

fn failed(output: &str, ran: &Ran, place: &Place) -> Verdict {
    let place = place.within(ran.folder.as_deref());
    let mut found = read::findings(output, &place);
    if found.is_empty()
        && let Some(finding) = read::anything(output, ran, &place)
    {
        found.push(finding);
    }
    found.truncate(MOST_FINDINGS);
    Verdict::Failed(found)
}

#[cfg(test)]
fn read_for_tests(message: &str) -> Finding {
    read::finding_of(message).expect("a finding")
}

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;
