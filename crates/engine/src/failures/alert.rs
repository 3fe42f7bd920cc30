//! Warns before an assistant repeats something that failed before: what broke, what was tried, what fixed it.
//! Short, once per session, and silent about failures that were fixed and whose files have not changed since.

use std::path::{Path, PathBuf};

use hark_core::budget::{estimate_tokens, truncate_to_tokens};
use hark_core::failure::Place;
use hark_core::failure::command::{acts_on, main_of};
use hark_core::quote::quoted;
use hark_core::time::DAY_MS;
use hark_core::{Timestamp, redact::Redactor};
use hark_hosts::hook::tools::{ToolClass, ToolUse};
use hark_store::{FailureHit, FailureRow, ProjectNum, Store};

use super::mark_of;
use crate::error::EngineError;
use crate::hooks::capture;
use crate::hooks::inject::{Words, brief_frame};

/// A fix that has held for this long is history.
const REMEMBERED_MS: i64 = 60 * DAY_MS;
const MOST_TARGETS: usize = 8;

/// What a tool is about to do, with paths relative to the project.
#[derive(Debug, Default)]
pub(crate) struct Act {
    pub(crate) files: Vec<String>,
    pub(crate) command: Option<String>,
    /// Names that an edit defines.
    pub(crate) symbols: Vec<String>,
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
                let input = hark_core::event::excerpt(redactor, &tool.input, 4_000);
                Act { files, command: None, symbols: defined(&input) }
            }
            ToolClass::Shell => {
                let command = capture::target(redactor, tool, root)?;
                let files =
                    acts_on(&command).iter().filter_map(|path| place.file(path)).take(MOST_TARGETS).collect();
                Act { files, command: main_of(&command).map(|ran| ran.key), symbols: Vec::new() }
            }
            _ => return None,
        };
        (!act.files.is_empty() || act.command.is_some()).then_some(act)
    }
}

/// Names after `def`, `fn`, `function`, `func`, `class`: only long ones, which are unique in a project.
fn defined(input: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let words: Vec<&str> =
        input.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty()).collect();
    for pair in words.windows(2) {
        let defines =
            matches!(pair[0], "def" | "fn" | "function" | "func" | "class" | "ndef" | "nfn" | "nfunc");
        if defines && pair[1].len() >= 8 && !found.iter().any(|f| f == pair[1]) && found.len() < MOST_TARGETS
        {
            found.push(pair[1].to_owned());
        }
    }
    found
}

/// Looks up what is known about an action, using only the index.
pub(crate) struct Lookup<'a> {
    pub(crate) store: &'a Store,
    pub(crate) project: ProjectNum,
    /// The acting session; its own failures are already in its context.
    pub(crate) session: Option<i64>,
    /// The project root, if its files are still unchanged by the action.
    pub(crate) root: Option<PathBuf>,
    pub(crate) now: Timestamp,
}

impl Lookup<'_> {
    /// Failures to warn about, most significant first.
    pub(crate) fn find(&self, act: &Act) -> Result<Vec<FailureHit>, EngineError> {
        let mut found: Vec<FailureHit> = Vec::new();
        for file in &act.files {
            found.extend(self.store.failures_of_file(self.project, file)?);
        }
        for symbol in &act.symbols {
            let by_symbol = self.store.failures_of_symbol(self.project, symbol)?;
            found.extend(by_symbol.into_iter().filter(|hit| hit.failure.open));
        }
        if let Some(command) = &act.command {
            let by_command = self.store.failures_of_command(self.project, command)?;
            found.extend(by_command.into_iter().filter(|hit| hit.failure.open));
        }
        let mut kept: Vec<FailureHit> = Vec::new();
        for hit in found {
            let known = kept.iter().any(|k| k.failure.num == hit.failure.num);
            if !known && self.is_worth_saying(&hit)? {
                kept.push(hit);
            }
        }
        kept.sort_by_key(|hit| {
            let row = &hit.failure;
            (
                !row.open,
                row.record.fix.is_empty(),
                std::cmp::Reverse(row.record.relapses),
                std::cmp::Reverse(row.last_at),
            )
        });
        Ok(kept)
    }

    fn is_worth_saying(&self, hit: &FailureHit) -> Result<bool, EngineError> {
        let row = &hit.failure;
        if let Some(session) = self.session
            && (row.session == session || self.store.was_told(session, &item(row))?)
        {
            return Ok(false);
        }
        if row.open {
            // The place of a fix is not itself broken.
            return Ok(hit.role != "fix");
        }
        let recent = self.now.as_millis() - row.fixed_at.as_millis() <= REMEMBERED_MS;
        Ok((recent || row.record.relapses > 0) && self.has_changed(hit))
    }

    /// Whether the file changed since the fix.
    fn has_changed(&self, hit: &FailureHit) -> bool {
        if hit.changed > hit.failure.fixed_at {
            return true;
        }
        match &self.root {
            Some(root) if !hit.mark.is_empty() => {
                let mark = mark_of(root, &hit.target);
                !mark.is_empty() && mark != hit.mark
            }
            _ => false,
        }
    }
}

/// The ledger's name for a failure, so that a session is warned only once.
pub(crate) fn item(row: &FailureRow) -> String {
    format!("f-{}", &blake3::hash(row.record.signature.as_bytes()).to_hex()[..10])
}

/// The warning. `None` if there is nothing to warn about.
pub(crate) fn words(hits: &[FailureHit], now: Timestamp, budget: usize) -> Option<Words> {
    let rows: Vec<&FailureRow> = hits.iter().map(|hit| &hit.failure).collect();
    let about = hits.first().map(|hit| hit.target.as_str()).unwrap_or_default();
    let head = |row: &FailureRow, first: bool| match (row.open, first) {
        (true, true) => format!("{about} failed before"),
        (false, true) => format!("{about} failed before, was fixed, and has changed since"),
        (_, false) => "Also".to_owned(),
    };
    told(&rows, now, budget, head, "this failed before")
}

/// The earlier fix of a failure that is back.
pub(crate) fn known_fix(rows: &[FailureRow], now: Timestamp, budget: usize) -> Option<Words> {
    let rows: Vec<&FailureRow> = rows.iter().collect();
    told(
        &rows,
        now,
        budget,
        |_, first| if first { "This failure is known".to_owned() } else { "Also".to_owned() },
        "a known failure is back",
    )
}

fn told(
    rows: &[&FailureRow],
    now: Timestamp,
    budget: usize,
    head: impl Fn(&FailureRow, bool) -> String,
    why: &'static str,
) -> Option<Words> {
    let mut room = budget.checked_sub(estimate_tokens(&brief_frame("")))?;
    let mut lines = Vec::new();
    let mut items = Vec::new();
    for (at, row) in rows.iter().take(2).enumerate() {
        let line = sentence(row, &head(row, at == 0), now, room);
        let cost = estimate_tokens(&line) + 1;
        if cost > room || (at > 0 && !line.contains(&*quoted(&row.record.message))) {
            break;
        }
        room -= cost;
        lines.push(line);
        items.push(item(row));
        items.extend(row.memory.map(|id| id.short()));
    }
    if lines.is_empty() {
        return None;
    }
    // The same message about another place is not news.
    let shown = |row: &&&FailureRow| lines.iter().any(|line| line.contains(&*quoted(&row.record.message)));
    items.extend(rows.iter().filter(shown).map(|row| item(row)));
    items.sort_unstable();
    items.dedup();
    Some(Words { text: brief_frame(&lines.join("\n")), items, why })
}

/// The fix matters most, then what broke, then what was tried.
fn sentence(row: &FailureRow, head: &str, now: Timestamp, room: usize) -> String {
    let record = &row.record;
    let age = row.last_at.ago(now);
    let id = row.memory.map(|id| format!(" [{}]", id.short())).unwrap_or_default();
    let repeats = record.command.is_empty() || head.starts_with(&record.command);
    let command =
        if repeats { String::new() } else { format!(", `{}`", truncate_to_tokens(&record.command, 14)) };
    let head = quoted(&format!("{head} ({age}{command}): ")).into_owned();
    let left = room.saturating_sub(estimate_tokens(&head) + estimate_tokens(&id) + 3);
    let message =
        truncate_to_tokens(&quoted(&record.message), left.min(if record.fix.is_empty() { 48 } else { 24 }));
    let left = left.saturating_sub(estimate_tokens(&message));
    let fix = match record.fix.is_empty() {
        true => String::new(),
        false => format!(" Fixed by: {}.", what_helped(&quoted(&record.fix), left.saturating_sub(6))),
    };
    let left = left.saturating_sub(estimate_tokens(&fix));
    let tried = match record.tried.last() {
        Some(last) if left > 16 => {
            format!(" Tried without success: {}.", truncate_to_tokens(&quoted(last), left - 8))
        }
        _ => String::new(),
    };
    let text = format!("{head}{message}.{tried}{fix}{id}");
    if estimate_tokens(&text) < room { text } else { truncate_to_tokens(&text, room.saturating_sub(1)) }
}

/// Shortens a fix to `tokens`, preferring the new state over the old one.
fn what_helped(fix: &str, tokens: usize) -> String {
    if estimate_tokens(fix) <= tokens {
        return fix.to_owned();
    }
    let parts = fix.split_once('`').and_then(|(place, rest)| Some((place, rest.split_once(" → ")?.1)));
    match parts {
        Some((place, now)) => truncate_to_tokens(&format!("{place}{now}"), tokens),
        None => truncate_to_tokens(fix, tokens),
    }
}
