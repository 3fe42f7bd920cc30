//! Failures that come back, and kinds of failures that no rule or skill covers.

use std::collections::{BTreeMap, BTreeSet};

use hark_core::Memory;
use hark_core::failure::record::Record;
use hark_core::rule::{Deed, Trigger};
use hark_core::text::terms;
use hark_store::FailureRow;

use super::{Finding, Ground, Sort, head, shell_word};
use crate::operation::text::count;

/// Failures of a kind that nothing covers, before they are a blind spot.
const FEWEST: u32 = 3;
/// Words that a rule shares with a message, to be about it.
const SHARED: usize = 2;
const CHARS: usize = 90;

/// Failures that came back after a fix, or that another session met again.
pub(super) fn recurring(ground: &Ground<'_>) -> Vec<Finding> {
    let comes_back = |row: &&FailureRow| {
        let record = &row.record;
        // Within one session, a run that fails again is part of the same work.
        record.has_worth() && record.came_back() && (record.relapses > 0 || row.open)
    };
    let found = ground.failures.iter().filter(comes_back).map(|row| {
        let record = &row.record;
        let what = match record.relapses {
            0 => format!("met in {}", count(record.sessions.max(record.seen), "session", "sessions")),
            times => format!("came back {} after a fix", count(times, "time", "times")),
        };
        let state = if row.open { "open" } else { "fixed for now" };
        let file = record.files.first().or(record.fix_files.first());
        let file = file.map(|file| format!(" --file {}", shell_word(file))).unwrap_or_default();
        Finding {
            sort: Sort::RecurringFailure,
            text: format!(
                "`{}`: {} ({what}, {state})",
                head(&record.command, CHARS),
                head(&record.message, CHARS)
            ),
            ids: row.memory.iter().map(|id| id.short()).collect(),
            count: record.relapses.max(record.sessions).max(record.seen),
            command: format!("hark remember '…' --kind lesson{file}"),
        }
    });
    found.collect()
}

/// Failures by class and command of which none is covered.
pub(super) fn blind_spots(ground: &Ground<'_>) -> Vec<Finding> {
    let covering: Vec<(&Memory, Cover)> =
        ground.covering().map(|memory| (memory, Cover::of(memory))).collect();
    let mut groups: BTreeMap<(&str, &str), Vec<&FailureRow>> = BTreeMap::new();
    for row in &ground.failures {
        let record = &row.record;
        let counts =
            record.tells_something() && !record.is_a_conflict() && !record.class.is_about_surroundings();
        if counts && !covering.iter().any(|(_, cover)| cover.covers(record)) {
            groups.entry((record.class.name(), record.family.as_str())).or_default().push(row);
        }
    }
    let found = groups.into_iter().filter_map(|((class, family), rows)| {
        let failures = rows.len() as u32;
        let sessions: BTreeSet<i64> = rows.iter().map(|row| row.session).collect();
        let costly = rows.iter().any(|row| row.record.was_costly() || row.record.came_back());
        // In one session, they are one mistake.
        if failures < FEWEST || sessions.len() < 2 || !costly {
            return None;
        }
        let example = rows.iter().max_by_key(|row| (row.record.runs, row.last_at, row.num))?;
        Some(Finding {
            sort: Sort::BlindSpot,
            text: format!(
                "{} of `{family}` are about {class} errors, such as: {}",
                count(failures, "failure", "failures"),
                head(&example.record.message, CHARS)
            ),
            ids: Vec::new(),
            count: failures,
            command: "hark remember '…' --kind rule".to_owned(),
        })
    });
    found.collect()
}

/// What a rule or skill is about.
struct Cover {
    triggers: Vec<Trigger>,
    words: BTreeSet<String>,
    text: String,
}

impl Cover {
    fn of(memory: &Memory) -> Cover {
        let text = format!("{}\n{}", memory.title, memory.searchable_body());
        Cover {
            triggers: memory.guidance.when.iter().filter_map(|when| when.parse().ok()).collect(),
            words: terms(&text).into_iter().collect(),
            text: text.to_lowercase(),
        }
    }

    /// Whether a trigger matches its command or file, or the text speaks of it: names its command, or shares words with
    /// its message.
    fn covers(&self, record: &Record) -> bool {
        let files = record.files.iter().chain(&record.suspects).chain(&record.fix_files).cloned().collect();
        let deed = Deed { files, ..Deed::command(&record.command) };
        if self.triggers.iter().any(|trigger| trigger.matches(&deed)) {
            return true;
        }
        let message: BTreeSet<String> = terms(&record.message).into_iter().collect();
        let shared = message.intersection(&self.words).count();
        let names_command = !record.family.is_empty() && self.text.contains(&record.family.to_lowercase());
        shared >= SHARED.min(message.len().max(1)) || names_command
    }
}
