//! What a session struggled with: its failures from the first time to the last, what was tried in vain, and what helped.

use std::collections::BTreeMap;

use crate::failure::command::edits_by;
use crate::failure::record::{Record, Sight, gist};
use crate::failure::region::Region;
use crate::failure::trail::{Change, Trail};
use crate::failure::{Place, judge};
use crate::time::Timestamp;

/// Longer pauses are breaks and not work.
const BREAK_MS: i64 = 5 * 60 * 1000;

/// One failure in one session.
#[derive(Debug, Clone, PartialEq)]
pub struct Trouble {
    pub record: Record,
    pub first: Timestamp,
    pub last: Timestamp,
    /// When it was gone for the last time; `None` if it was still there at the end.
    pub fixed: Option<Timestamp>,
    /// Time at work between the first failure and the fix.
    pub active_ms: i64,
}

/// Follows a session, one event after the other.
#[derive(Debug, Default)]
pub struct Troubles {
    place: Place,
    trail: Trail,
    found: BTreeMap<String, Trouble>,
    /// Time at work until now.
    worked_ms: i64,
    /// The same when each failure was first seen.
    began: BTreeMap<String, i64>,
    before: Option<Timestamp>,
    pub edits: u32,
    pub failed_runs: u32,
}

impl Troubles {
    pub fn new(place: Place) -> Self {
        Troubles { place, ..Troubles::default() }
    }

    /// Something happened, whatever it was.
    pub fn passed(&mut self, at: Timestamp) {
        if let Some(before) = self.before {
            self.worked_ms += (at.as_millis() - before.as_millis()).clamp(0, BREAK_MS);
        }
        self.before = Some(at);
    }

    pub fn edited(&mut self, path: &str, input: &str, at: Timestamp) {
        self.passed(at);
        self.edits += 1;
        self.trail.edited(path, &gist(input), &Region::of(input));
    }

    pub fn ran(&mut self, command: &str, ok: Option<bool>, output: &str, at: Timestamp) {
        self.passed(at);
        if ok != Some(false) {
            for path in edits_by(command).into_iter().filter_map(|path| self.place.file(&path)) {
                self.trail.edited(&path, "", &Region::default());
            }
        }
        let Some(judged) = judge(command, ok, output, &self.place) else { return };
        let changes = self.trail.ran(&judged.ran, &judged.verdict);
        if changes.iter().any(|change| matches!(change, Change::Seen { .. })) {
            self.failed_runs += 1;
        }
        for change in changes {
            self.apply(change, at);
        }
    }

    fn apply(&mut self, change: Change, at: Timestamp) {
        match change {
            Change::Seen { finding, ran, suspects, again } => {
                let worked = self.worked_ms;
                self.began.entry(finding.signature.clone()).or_insert(worked);
                let trouble = self.found.entry(finding.signature.clone()).or_insert_with(|| Trouble {
                    record: Record::new(&finding, &ran, &suspects),
                    first: at,
                    last: at,
                    fixed: None,
                    active_ms: 0,
                });
                trouble.record.happened(&finding, &suspects, Sight { at, again, elsewhere: false });
                (trouble.last, trouble.fixed) = (at, None);
            }
            Change::Tried { signature, outcome, edits } => {
                if let Some(trouble) = self.found.get_mut(&signature) {
                    trouble.record.attempt(outcome, &edits);
                }
            }
            Change::Fixed { signature, by } => {
                let began = self.began.get(&signature).copied().unwrap_or(self.worked_ms);
                if let Some(trouble) = self.found.get_mut(&signature) {
                    trouble.record.repaired(&by, at);
                    trouble.fixed = trouble.record.fixed.then_some(at);
                    trouble.active_ms = self.worked_ms - began;
                }
            }
        }
    }

    /// Everything that failed, in the order in which it first did.
    pub fn all(&self) -> Vec<Trouble> {
        let mut all: Vec<Trouble> = self
            .found
            .iter()
            .map(|(signature, trouble)| {
                let mut trouble = trouble.clone();
                if trouble.fixed.is_none() && trouble.active_ms == 0 {
                    let began = self.began.get(signature).copied().unwrap_or(self.worked_ms);
                    trouble.active_ms = self.worked_ms - began;
                }
                trouble
            })
            .collect();
        all.sort_by(|a, b| (a.first, &a.record.signature).cmp(&(b.first, &b.record.signature)));
        all
    }

    /// Time at work in the whole session.
    pub fn worked_ms(&self) -> i64 {
        self.worked_ms
    }
}
