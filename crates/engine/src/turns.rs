//! Work done before: makes a turn of each finished piece of work, and finds the one that is most like what is asked.

use std::path::Path;

use hark_core::budget::truncate_to_tokens;
use hark_core::event::EventKind;
use hark_core::failure::{Place, Step, Verdict, judge};
use hark_core::quote::quoted;
use hark_core::rank::similar::{self, Asked, Bag, WORTH_ASKED};
use hark_core::session::asked::request_in;
use hark_core::session::{Check, Turn};
use hark_core::{Clean, Timestamp};
use hark_hosts::hook::tools::{ToolClass, class_of};
use hark_store::{PastEvent, ProjectNum, Store, StoredTurn, Writer};

use crate::error::EngineError;
use crate::recall::gate::is_trivial;

/// The newest events of a session that are read for its latest turn.
const LATEST: usize = 400;
/// And for all of its turns.
const ALL: usize = 20_000;
/// Older turns than the newest of these are not compared.
const COMPARED: usize = 2_000;
/// Fewer turns say nothing about how rare a word is.
const FEWEST_TURNS: usize = 12;
/// Files that a session looked at or changed lately.
const TARGETS: usize = 60;
const FILES_SO_FAR: usize = 12;
/// What was asked and said before, in characters.
const ASKED_BEFORE: usize = 500;
const SAID_BEFORE: usize = 600;
/// The parts of a line, in tokens.
const ASKED_TOKENS: usize = 40;
const SAID_TOKENS: usize = 40;
const FILES_SHOWN: usize = 4;
/// A sentence with fewer words says nothing.
const FEWEST_SAID: usize = 5;
/// A request with fewer words of its own continues the turn before.
const FEWEST_ASKED: usize = 5;

/// The turn at the end of a session, if it is real work.
pub(crate) fn latest(writer: &Writer<'_>, session: i64) -> Result<Option<Turn>, EngineError> {
    let events = writer.events(session, &KINDS, LATEST)?;
    let start = events.iter().rposition(is_request);
    let Some(start) = start else { return Ok(None) };
    let changed = writer.files_changed_since(session, events[start].at)?;
    Ok(told(&events[start..], &changed))
}

/// All turns of a session, from events that a transcript brought.
pub(crate) fn all(writer: &Writer<'_>, session: i64) -> Result<Vec<Turn>, EngineError> {
    let events = writer.events(session, &KINDS, ALL)?;
    let starts: Vec<usize> = (0..events.len()).filter(|at| is_request(&events[*at])).collect();
    let ends = starts.iter().skip(1).copied().chain([events.len()]);
    Ok(starts.iter().zip(ends).filter_map(|(start, end)| told(&events[*start..end], &[])).collect())
}

const KINDS: [EventKind; 3] = [EventKind::Prompt, EventKind::Tool, EventKind::Reply];

/// "Yes, do it" continues the turn before.
fn is_request(event: &PastEvent) -> bool {
    if event.kind != EventKind::Prompt.name() {
        return false;
    }
    request_in(&event.body).is_some_and(|text| !is_trivial(&text) && Bag::of(&text).len() >= FEWEST_ASKED)
}

/// The story of one turn. `changed` are files that its tools changed without naming them.
fn told(events: &[PastEvent], changed: &[Clean]) -> Option<Turn> {
    let request = request_in(&events.first()?.body)?;
    let tools = || events.iter().filter(|event| event.kind == EventKind::Tool.name());
    let is_edit = |event: &&PastEvent| class_of(&event.tool) == ToolClass::Edit && event.ok != Some(false);
    let files = tools().filter(is_edit).map(|event| event.target.clone());
    let files = files.filter(|path| !path.is_empty() && !path.contains('\n'));
    let mut files: Vec<Clean> = files.map(Clean::already_redacted).collect();
    files.extend(changed.iter().cloned());
    // Files outside the project say nothing about it.
    files.retain(|path| !Path::new(path.as_str()).is_absolute());
    if files.is_empty() {
        return None;
    }
    let check = tools().rev().filter(|event| class_of(&event.tool) == ToolClass::Shell).find_map(|event| {
        let judged = judge(&event.target, event.ok, &event.body, &Place::default())?;
        let passed = match judged.verdict {
            Verdict::Passed => true,
            Verdict::Failed(_) => false,
            Verdict::Unknown => return None,
        };
        let is_check = !matches!(judged.ran.step, Step::Other | Step::Install);
        is_check.then(|| Check { command: Clean::already_redacted(judged.ran.key), passed })
    });
    let said =
        events.iter().rev().find(|event| event.kind == EventKind::Reply.name() && !event.body.is_empty());
    let said = said.map(|event| event.body.clone()).unwrap_or_default();
    Turn::new(events.first()?.at, &request, files, check, &said)
}

/// What the asking session has done so far.
pub(crate) fn context(store: &Store, session: Option<i64>, prompt: &str) -> Result<Asked, EngineError> {
    let Some(session) = session else { return Ok(Asked::new(prompt, "", std::iter::empty())) };
    let spoken = store.events(session, &[EventKind::Prompt, EventKind::Reply], 6)?;
    let is_prompt = |event: &&PastEvent| event.kind == EventKind::Prompt.name();
    // The newest prompt is the one that is asked.
    let before =
        spoken.iter().rev().filter(is_prompt).map(|event| event.body.as_str()).find(|text| *text != prompt);
    let said = spoken.iter().rev().find(|event| !is_prompt(event)).map(|event| event.body.as_str());
    let head = |text: Option<&str>, chars: usize| -> String {
        text.unwrap_or_default().chars().take(chars).collect()
    };
    let text = format!("{}\n{}", head(before, ASKED_BEFORE), head(said, SAID_BEFORE));
    let mut files: Vec<String> = Vec::new();
    for (tool, target) in store.recent_targets(session, TARGETS)? {
        let is_file = matches!(class_of(&tool), ToolClass::Edit | ToolClass::Read) && !target.contains('\n');
        if is_file && !files.contains(&target) && files.len() < FILES_SO_FAR {
            files.push(target);
        }
    }
    Ok(Asked::new(prompt, &text, files.iter().map(String::as_str)))
}

/// An earlier turn, and why it may be mentioned.
pub(crate) struct Similar {
    pub(crate) turn: StoredTurn,
    /// How probable it is that it helps.
    pub(crate) likely: f32,
    /// It is of the session that worked here last.
    pub(crate) of_last: bool,
}

/// Earlier turns that are worth mentioning, the most probable first.
pub(crate) fn similar(
    store: &Store,
    projects: &[ProjectNum],
    except: Option<i64>,
    asked: &Asked,
    least: f32,
    now: Timestamp,
    most: usize,
) -> Result<Vec<Similar>, EngineError> {
    if !asked.says_enough() {
        return Ok(Vec::new());
    }
    let past = store.past_turns(projects, except, now, COMPARED)?;
    // Among a handful of turns nothing stands out, so nothing is volunteered.
    if least > WORTH_ASKED && past.keys.len() < FEWEST_TURNS {
        return Ok(Vec::new());
    }
    let likely = similar::likely(asked, &past.stories);
    let mut order: Vec<usize> = (0..likely.len()).filter(|at| likely[*at] >= least).collect();
    order.sort_by(|a, b| likely[*b].total_cmp(&likely[*a]).then(past.keys[*b].1.cmp(&past.keys[*a].1)));
    let mut found = Vec::new();
    for at in order.into_iter().take(most) {
        if let Some(turn) = store.turn(past.keys[at])? {
            // Turns come newest first.
            let of_last = past.keys[at].0 == past.keys[0].0;
            found.push(Similar { turn, likely: likely[at], of_last });
        }
    }
    Ok(found)
}

/// A turn in one line.
pub(crate) fn line(stored: &StoredTurn, now: Timestamp) -> String {
    let turn = &stored.turn;
    let asked = truncate_to_tokens(&quoted(&turn.asked), ASKED_TOKENS);
    let names: Vec<&str> = turn.files.iter().map(Clean::as_str).collect();
    let names = names.iter().take(FILES_SHOWN).copied().collect::<Vec<_>>().join(", ");
    let more = turn.files.len().saturating_sub(FILES_SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let check =
        turn.check.as_ref().map(|check| format!("; `{}` {}", quoted(&check.command), check.verdict()));
    let said = first_sentence(&turn.said);
    let said = if said.is_empty() { String::new() } else { format!(". {}", quoted(&said)) };
    format!(
        "- [{}] {}, a similar task: \"{asked}\" → changed {}{more}{}{said}",
        stored.id(),
        turn.at.ago(now),
        quoted(&names),
        check.unwrap_or_default(),
    )
}

/// What the assistant said first that says something, without markup. "Perfect!" and "Here is a summary:" do not.
fn first_sentence(said: &str) -> String {
    let plain = said.replace(['#', '*', '`'], "");
    let says_something = |sentence: &&str| {
        let sentence = sentence.trim();
        sentence.split_whitespace().count() >= FEWEST_SAID && !sentence.ends_with([':', '!'])
    };
    let ends = |(at, c): (usize, char)| {
        let next = plain[at + c.len_utf8()..].chars().next();
        (matches!(c, '.' | '!' | ':') && next.is_none_or(char::is_whitespace)).then_some(at + c.len_utf8())
    };
    let mut start = 0;
    let mut sentences = Vec::new();
    for end in plain.char_indices().filter_map(ends).chain([plain.len()]) {
        sentences.push(&plain[start..end]);
        start = end;
    }
    let found = sentences.into_iter().find(says_something);
    found.map(|sentence| truncate_to_tokens(sentence.trim(), SAID_TOKENS)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn empty_phrases_are_skipped() {
        let said = "Perfect! You were absolutely right. ## Summary: The cart keeps its codes in manual_commit.go now. More.";
        assert_eq!(first_sentence(said), "The cart keeps its codes in manual_commit.go now.");
        assert_eq!(first_sentence("Done. All tests pass."), "");
        assert_eq!(first_sentence(""), "");
    }
}
