//! A warning in words: what failed and where, what fixed it, what was tried in vain. Whole sentences; what does not
//! fit is left out.

use hark_core::Timestamp;
use hark_core::budget::{estimate_tokens, truncate_to_tokens};
use hark_core::quote::quoted;
use hark_store::FailureRow;

use super::alert::{Reason, Warning, item};
use crate::hooks::inject::{Words, brief_frame};

/// A message of more tokens is cut.
const MESSAGE_TOKENS: usize = 56;

/// The warning. `None` if there is nothing to warn about.
pub(crate) fn warning(found: &[Warning], now: Timestamp, budget: usize) -> Option<Words> {
    let first = found.first()?;
    let row = &first.hit.failure;
    let record = &row.record;
    let ago = row.last_at.ago(now);
    let at_a_run = first.hit.role == "command";
    let about = if at_a_run || record.command.is_empty() {
        String::new()
    } else {
        format!("`{}`", truncate_to_tokens(&record.command, 24))
    };
    let target = if at_a_run { format!("`{}`", first.hit.target) } else { first.hit.target.clone() };
    let head = match first.reason {
        Reason::Open if at_a_run => format!("{target} failed {ago} and has not passed since"),
        Reason::Open if about.is_empty() => format!("{target} failed {ago}"),
        Reason::Open => format!("{target}: {about} failed here {ago} and has not passed since"),
        Reason::Returning => {
            format!("{target}: {about} failed here in {} sessions, last {ago}", record.sessions.max(2))
        }
        Reason::Undone => format!("This edit takes back a fix in {target}: {about} failed {ago}"),
    };
    told(&found.iter().map(|w| &w.hit.failure).collect::<Vec<_>>(), &head, budget, "this failed before")
}

/// The earlier fix of a failure that is back.
pub(crate) fn known_fix(rows: &[FailureRow], now: Timestamp, budget: usize) -> Option<Words> {
    let row = rows.first()?;
    let ago = if row.fixed_at.as_millis() > 0 { row.fixed_at.ago(now) } else { "before".to_owned() };
    let head = format!("This failure is known, it failed before and was fixed {ago}");
    told(&rows.iter().collect::<Vec<_>>(), &head, budget, "a known failure is back")
}

fn told(rows: &[&FailureRow], head: &str, budget: usize, why: &'static str) -> Option<Words> {
    let row = rows.first()?;
    let room = budget.checked_sub(estimate_tokens(&brief_frame("")) + 1)?;
    let text = sentences(row, head, room)?;
    let mut items = vec![item(row)];
    items.extend(row.memory.map(|id| id.short()));
    // The same message about another place is not news.
    items.extend(rows.iter().filter(|r| r.record.message == row.record.message).map(|r| item(r)));
    items.sort_unstable();
    items.dedup();
    Some(Words { text: brief_frame(&text), items, why })
}

/// What broke must fit; then what fixed it, then what was tried.
fn sentences(row: &FailureRow, head: &str, room: usize) -> Option<String> {
    let record = &row.record;
    let message = truncate_to_tokens(&quoted(record.message.trim_end_matches('.')), MESSAGE_TOKENS);
    let place = match record.symbols.first() {
        Some(symbol) if !record.message.contains(symbol.as_str()) => format!(" (in {})", quoted(symbol)),
        _ => String::new(),
    };
    let id = row.memory.map(|id| format!(" [{}]", id.short())).unwrap_or_default();
    let mut text = format!("{}: {message}{place}.", quoted(head));
    if estimate_tokens(&text) + estimate_tokens(&id) > room {
        return None;
    }
    let mut add = |part: String| {
        let fits = estimate_tokens(&text) + estimate_tokens(&part) + estimate_tokens(&id) <= room;
        if fits {
            text.push_str(&part);
        }
        fits
    };
    if !record.fix.is_empty() {
        let label = if row.open { "Last time fixed by" } else { "Fixed by" };
        let whole = !record.fix.contains('…') && add(format!(" {label}: {}.", quoted(&record.fix)));
        if !whole && !record.fix_files.is_empty() {
            add(format!(" {label}: a change of {}.", quoted(&record.fix_files.join(", "))));
        }
    } else if !record.suspects.is_empty() {
        add(format!(" Edited before it: {}.", quoted(&record.suspects.join(", "))));
    }
    if let Some(last) = record.tried.last().filter(|tried| !tried.contains('…')) {
        add(format!(" Tried without success: {}.", quoted(last)));
    }
    text.push_str(&id);
    Some(text)
}
