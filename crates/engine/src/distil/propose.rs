//! Finds candidates in the moments of a session, each with the turn it came from.

use hark_core::Timestamp;
use hark_core::distil::{self, Heard, Statement, Step};
use hark_hosts::hook::tools::{ToolClass, class_of};
use hark_store::{Deed, Moment};

pub(super) struct Proposal {
    pub(super) candidate: Statement,
    pub(super) at: Timestamp,
    /// The event it came from, by a name that stays the same when the transcript is read again, and the
    /// position in its text.
    pub(super) turn: String,
}

/// A statement that may be lasting.
pub(super) struct Undecided {
    pub(super) heard: Heard,
    pub(super) at: Timestamp,
    /// As in [`Proposal`].
    pub(super) turn: String,
}

/// Statements in the moments after `since` that may be lasting and make sense later, best first.
pub(super) fn undecided(moments: &[Moment], since: i64) -> Vec<Undecided> {
    let mut found = Vec::new();
    let mut before = None;
    for moment in moments {
        match &moment.what {
            Deed::Reply(text) => before = Some(text.as_str()),
            Deed::Prompt(text) if moment.seq > since => {
                for heard in distil::heard(text, before).into_iter().filter(|heard| !heard.is_dangling) {
                    let turn = format!("{}@{}", moment.once, heard.span.start);
                    found.push(Undecided { heard, at: moment.at, turn });
                }
            }
            Deed::Prompt(_) | Deed::Tool { .. } => {}
        }
    }
    found.sort_by(|a, b| b.heard.score.total_cmp(&a.heard.score));
    found
}

/// Candidates from the moments after `since`; earlier ones are context.
pub(super) fn proposals(moments: &[Moment], since: i64, is_subagent: bool) -> Vec<Proposal> {
    let mut found = Vec::new();
    let mut before = None;
    for moment in moments {
        match &moment.what {
            Deed::Reply(text) => before = Some(text.as_str()),
            Deed::Prompt(text) if moment.seq > since && !is_subagent => {
                for candidate in distil::turn(text, before) {
                    let turn = format!("{}@{}", moment.once, candidate.span.start);
                    found.push(Proposal { candidate, at: moment.at, turn });
                }
            }
            Deed::Prompt(_) | Deed::Tool { .. } => {}
        }
    }
    let steps: Vec<Step<'_>> = moments.iter().map(step).collect();
    for (place, candidate) in distil::recoveries(&steps) {
        let moment = &moments[place];
        if moment.seq > since {
            found.push(Proposal { candidate, at: moment.at, turn: moment.once.clone() });
        }
    }
    found
}

fn step(moment: &Moment) -> Step<'_> {
    match &moment.what {
        Deed::Prompt(_) | Deed::Reply(_) => Step::Spoke,
        Deed::Tool { name, target, ok } => match class_of(name) {
            ToolClass::Shell => Step::Ran { command: target, ok: *ok },
            ToolClass::Read | ToolClass::Search => Step::Spoke,
            // An unknown tool may have changed anything.
            ToolClass::Edit | ToolClass::Other => Step::Edited,
        },
    }
}

/// The candidates with the highest certainty, in the order in which they were said.
pub(super) fn surest(mut all: Vec<Proposal>, most: usize) -> Vec<Proposal> {
    if all.len() > most {
        all.sort_by(|a, b| b.candidate.confidence.total_cmp(&a.candidate.confidence));
        all.truncate(most);
        all.sort_by_key(|one| one.at);
    }
    all
}
