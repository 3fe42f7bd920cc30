//! Warns at the tool call that is about to repeat what failed: an open failure, one that keeps coming back, or an
//! edit that takes back a fix. A lookup by file, command and symbol, never a search.

use std::path::Path;

use hark_core::failure::Place;
use hark_core::failure::command::{acts_on, main_of};
use hark_core::failure::region::{Region, names_of};
use hark_core::time::DAY_MS;
use hark_core::{Timestamp, redact::Redactor};
use hark_hosts::hook::tools::{ToolClass, ToolUse};
use hark_store::{FailureHit, FailureRow, ProjectNum, Store};

use crate::error::EngineError;
use crate::hooks::capture;

/// A fix that has held for this long is over, whatever else changed in its file.
const FIXED_MS: i64 = 14 * DAY_MS;
/// What nobody met for this long was probably fixed where nobody saw it.
const OPEN_MS: i64 = 7 * DAY_MS;
/// A source file is never larger.
const MOST_BYTES: u64 = 2 * 1024 * 1024;
const MOST_TARGETS: usize = 8;
/// How much of an edit is read.
const INPUT: usize = 16_000;

/// What a tool is about to do, with paths relative to the project.
#[derive(Debug, Default)]
pub(crate) struct Act {
    pub(crate) files: Vec<String>,
    pub(crate) command: Option<String>,
    /// What an edit changes.
    pub(crate) region: Region,
}

impl Act {
    pub(crate) fn of(tool: &ToolUse, redactor: &Redactor, root: Option<&Path>, place: &Place) -> Option<Act> {
        if tool.ours {
            return None;
        }
        let act = match tool.class {
            ToolClass::Edit => {
                let touches = capture::touches(redactor, &tool.touches, root);
                let files = touches
                    .iter()
                    .take(MOST_TARGETS)
                    .map(|t| t.path.trim_start_matches("./").to_owned())
                    .collect();
                let input = hark_core::event::excerpt(redactor, &tool.input, INPUT);
                Act { files, command: None, region: Region::of(&input) }
            }
            ToolClass::Shell => {
                let command = capture::target(redactor, tool, root)?;
                let files =
                    acts_on(&command).iter().filter_map(|path| place.file(path)).take(MOST_TARGETS).collect();
                let region = Region::about(&command);
                Act { files, command: main_of(&command).map(|ran| ran.key), region }
            }
            _ => return None,
        };
        (!act.files.is_empty() || act.command.is_some()).then_some(act)
    }
}

/// Why a failure is worth a warning now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// The edit takes back what fixed it.
    Undone,
    /// It has not passed since.
    Open,
    /// It was fixed before and came back.
    Returning,
}

/// A failure to warn about.
#[derive(Debug)]
pub(crate) struct Warning {
    pub(crate) hit: FailureHit,
    pub(crate) reason: Reason,
}

/// Looks up what is known about an action, using only the index.
pub(crate) struct Lookup<'a> {
    pub(crate) store: &'a Store,
    pub(crate) project: ProjectNum,
    /// The acting session; its own failures are already in its context.
    pub(crate) session: Option<i64>,
    /// The project's files, if the action has not changed them yet.
    pub(crate) root: Option<&'a Path>,
    pub(crate) now: Timestamp,
}

impl Lookup<'_> {
    /// Failures to warn about, most significant first.
    pub(crate) fn find(&self, act: &Act) -> Result<Vec<Warning>, EngineError> {
        let mut kept: Vec<Warning> = Vec::new();
        let mut consider = |hit: FailureHit, reason: Option<Reason>| -> Result<(), EngineError> {
            let known = kept.iter().any(|k| k.hit.failure.num == hit.failure.num);
            let Some(reason) = reason.filter(|_| !known) else { return Ok(()) };
            if !self.is_known(&hit.failure)? {
                kept.push(Warning { hit, reason });
            }
            Ok(())
        };
        for file in &act.files {
            for hit in self.store.failures_of_file(self.project, file)? {
                let reason = self.at_an_edit(&hit, file, &act.region);
                // A runner may have printed only the end of the path.
                consider(FailureHit { target: file.clone(), ..hit }, reason)?;
            }
        }
        if let Some(command) = &act.command {
            for hit in self.store.failures_of_command(self.project, command)? {
                let reason = self.at_a_run(&hit)?;
                consider(hit, reason)?;
            }
        }
        kept.sort_by_key(|warning| {
            let row = &warning.hit.failure;
            (warning.reason, std::cmp::Reverse((row.record.relapses, row.last_at)))
        });
        Ok(kept)
    }

    fn at_an_edit(&self, hit: &FailureHit, file: &str, region: &Region) -> Option<Reason> {
        let row = &hit.failure;
        let record = &row.record;
        if !self.may_warn(row) {
            return None;
        }
        if row.open {
            // Written down by a person: the file is all that is known of its place.
            let named = record.command.is_empty() || (record.has_worth() && is_about(row, region));
            // The place of an earlier fix is not itself broken.
            return (named && hit.role != "fix").then_some(Reason::Open);
        }
        if record.fix_files.iter().any(|fixed| fixed == file) && self.is_undone(row, file, region) {
            return Some(Reason::Undone);
        }
        let returns = record.relapses > 0 && record.has_worth() && is_about(row, region);
        returns.then_some(Reason::Returning)
    }

    fn at_a_run(&self, hit: &FailureHit) -> Result<Option<Reason>, EngineError> {
        let row = &hit.failure;
        if !row.open || !row.record.has_worth() || !self.may_warn(row) {
            return Ok(None);
        }
        // Somebody has worked on it since: the run will tell.
        let untouched = self.store.last_change(row.num)? <= row.last_at;
        Ok(untouched.then_some(Reason::Open))
    }

    /// Whether the edit takes back what fixed it. The compiler itself says so at once.
    fn is_undone(&self, row: &FailureRow, file: &str, region: &Region) -> bool {
        let record = &row.record;
        if record.class.is_of_a_compiler() && !record.has_worth()
            || !region.undoes(&record.fix_removed, &record.fix_added)
        {
            return false;
        }
        // A line that a fix only removed says nothing about its place.
        if record.fix_added.is_empty() && !is_about(row, region) {
            return false;
        }
        // A line that the file has anyway is a common one, not what the fix was about.
        let path = self.root.map(|root| root.join(file));
        let text =
            path.and_then(|path| hark_files::regular::read(&path, MOST_BYTES).ok()).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        !text.lines().any(|line| {
            let line = Region::kept(&[line.to_owned()]);
            record.fix_removed.iter().any(|removed| line.contains(removed) && region.added.contains(removed))
        })
    }

    /// What says nothing, is over, or was over with its merge warns nobody.
    fn may_warn(&self, row: &FailureRow) -> bool {
        let (last, most) = if row.open { (row.last_at, OPEN_MS) } else { (row.fixed_at, FIXED_MS) };
        let quiet = self.now.as_millis() - last.as_millis() > most;
        let by_hand = row.open && row.record.command.is_empty();
        (by_hand || !quiet) && row.record.tells_something() && !row.record.is_a_conflict()
    }

    /// Whether the session saw it itself or was told, and still has that in its context.
    fn is_known(&self, row: &FailureRow) -> Result<bool, EngineError> {
        let Some(session) = self.session else { return Ok(false) };
        if self.store.was_told(session, &item(row))? {
            return Ok(true);
        }
        if row.session != session {
            return Ok(false);
        }
        Ok(self.store.last_compaction(session)?.is_none_or(|at| at < row.last_at))
    }
}

/// Whether the edited region names what failed: the function or test, or a name in the message.
fn is_about(row: &FailureRow, region: &Region) -> bool {
    let record = &row.record;
    let last =
        |symbol: &str| symbol.rsplit(['.', ':', '/', '#', '>', ' ']).next().unwrap_or(symbol).to_owned();
    record
        .symbols
        .iter()
        .map(|symbol| last(symbol))
        .chain(names_of(&record.message))
        .any(|name| region.has(&name))
        || record.fix_added.iter().any(|line| region.removed.contains(line))
}

/// The ledger's name for a failure, so that a session is warned only once.
pub(crate) fn item(row: &FailureRow) -> String {
    format!("f-{}", &blake3::hash(row.record.signature.as_bytes()).to_hex()[..10])
}
