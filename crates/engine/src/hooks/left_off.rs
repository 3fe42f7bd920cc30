//! Where the last substantial session left off: which one that is, and what to say about it.

use std::path::Path;

use hark_core::budget::estimate_tokens;
use hark_core::event::EventKind;
use hark_core::memory::{one_line, title_from_body};
use hark_core::session::SessionStatus;
use hark_core::session::asked::{is_question, request_in};
use hark_core::session::{Turn, title_of_prompt};
use hark_core::time::DAY_MS;
use hark_core::{Clean, Session, Timestamp};
use hark_store::{SessionFilter, StoredSession};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::hooks::boot::{MARK, Place};
use crate::hooks::ending::Ending;
use crate::hooks::inject::Words;
use crate::hooks::page::{Page, short};
use crate::live::{Liveness, share_process};
use crate::recall::gate::is_trivial;

/// Older work is history, not where you left off.
const LEFT_OFF_MS: i64 = 30 * DAY_MS;
/// A session of this branch or work tree comes first if it is this recent.
const HERE_MS: i64 = 14 * DAY_MS;
/// Fewer edits are a change in passing.
const EDITS: u32 = 3;
/// A conversation with this many requests is worth continuing, even if it was only talk …
const CONVERSATION: usize = 3;
/// … and so is one with a request of this many words.
const LONG_REQUEST: usize = 40;
/// All that is said about it, its goal, and the fewest that last words need.
const TOKENS: usize = 112;
const GOAL: usize = 32;
const FEWEST: usize = 16;
/// What a line costs besides its text.
const LABEL: usize = 6;
const PROMPTS: usize = 50;
/// Words with which a prompt refers to work that is under way.
const CONTINUES: [&str; 12] = [
    "continue",
    "carry on",
    "go on with",
    "keep going",
    "pick up where",
    "left off",
    "where were we",
    "where was i",
    "last session",
    "last time",
    "yesterday",
    "resume where",
];
/// A longer prompt says itself what it is about.
const SHORT_PROMPT: usize = 200;
/// Files of the last turn that are named.
const FILES: usize = 2;
const CANDIDATES: usize = 40;

/// The session of this project to go on from: of the current branch if there is one, else the newest.
pub(crate) fn last_session(
    engine: &Engine,
    place: &Place,
    not_of: Option<&str>,
    now: Timestamp,
) -> Result<Option<StoredSession>, EngineError> {
    let filter = SessionFilter {
        projects: Some(place.here(engine)?),
        since: Some(now.minus_millis(LEFT_OFF_MS)),
        with_file: true,
        without_subagents: true,
        except: if place.goes_on { None } else { place.own },
        ..SessionFilter::default()
    };
    let found = engine.store.sessions(&filter, CANDIDATES)?;
    let own = found.iter().position(|s| place.goes_on && Some(s.num) == place.own);
    if let Some(own) = own.filter(|_| !place.only_news) {
        return Ok(found.into_iter().nth(own));
    }
    // A resumed conversation knows what was done before it.
    let known_until = match place.own.filter(|_| place.only_news) {
        Some(own) => engine.store.told_at(own, MARK)?,
        None => None,
    };
    let mut best: Option<((bool, bool, bool, Timestamp), StoredSession)> = None;
    for stored in found {
        let session = &stored.session;
        let is_wanted = Some(stored.num) != place.own
            && not_of.is_none_or(|host| *session.host != *host)
            && session.has_substance()
            && known_until.is_none_or(|at| session.updated >= at);
        if !is_wanted || !place.is_news(engine, &session.id.short())? {
            continue;
        }
        let liveness = Liveness::of(engine, &stored, now)?;
        // Another assistant is working in it; the list of active sessions names it.
        if liveness == Liveness::Running && !is_of_same_process(engine, place, &stored)? {
            continue;
        }
        if !is_substantial(engine, &stored)? {
            continue;
        }
        // What happened here long ago is not newer than what happened elsewhere since.
        let is_recent = session.updated >= now.minus_millis(HERE_MS);
        let here = match (&place.branch, &session.branch) {
            (Some(here), Some(there)) => **here == **there,
            _ => true,
        };
        let rank = (
            here && is_recent,
            is_recent && place.is_tree_of(session),
            liveness == Liveness::Over || session.goal.is_some(),
            session.updated,
        );
        if best.as_ref().is_none_or(|(known, _)| rank > *known) {
            best = Some((rank, stored));
        }
    }
    Ok(best.map(|(_, stored)| stored))
}

/// Whether the assistant that asks worked in this session before.
fn is_of_same_process(engine: &Engine, place: &Place, stored: &StoredSession) -> Result<bool, EngineError> {
    place.own.map_or(Ok(false), |own| share_process(engine, own, stored.num))
}

/// More than a command to the client, a question that was answered, or a change in passing.
fn is_substantial(engine: &Engine, stored: &StoredSession) -> Result<bool, EngineError> {
    let session = &stored.session;
    let is_written = session.summary.as_ref().is_some_and(|summary| !summary.extracted);
    let edits: u32 = session.files.iter().map(|file| file.edits).sum();
    if session.has_report() || is_written || edits >= EDITS {
        return Ok(true);
    }
    let asked = requests(engine, stored.num)?;
    let is_long = |text: &Clean| text.split_whitespace().count() >= LONG_REQUEST;
    if asked.iter().any(is_long)
        || (asked.len() >= CONVERSATION && !asked.iter().all(|text| is_question(text)))
    {
        return Ok(true);
    }
    Ok(Ending::of(engine, stored)?.is_open())
}

/// Whether a new session should know of it before anybody says what the session is about: something is open, the
/// assistant wrote it down for later, or it was cut short.
pub(crate) fn is_pressing(engine: &Engine, stored: &StoredSession) -> Result<bool, EngineError> {
    let session = &stored.session;
    let is_written = session.summary.as_ref().is_some_and(|summary| !summary.extracted);
    // Nobody said that it ended: its client was killed.
    let is_killed = session.status != SessionStatus::Closed;
    if session.has_report() || is_written || is_killed {
        return Ok(true);
    }
    let ending = Ending::of(engine, stored)?;
    Ok(ending.is_open() || ending.is_cut_short)
}

/// Where the last session left off, told with the first prompt of a new one if that prompt says that it continues it.
/// If it only is about the same things, the piece of work that is most like it says more
/// ([`done_before`](super::prompt)).
pub(crate) fn with_first_prompt(
    engine: &mut Engine,
    session: i64,
    folder: Option<&Path>,
    prompt: &Clean,
) -> Result<Option<Words>, EngineError> {
    let budget = engine.config.inject.boot;
    let is_wanted = budget > 0 && engine.config.boot.left_off && continues(prompt);
    if !is_wanted || engine.store.prompts_of(session)? != 1 {
        return Ok(None);
    }
    let now = engine.now();
    let place = Place::of(engine, folder, Some(session), false)?;
    let Some(stored) = last_session(engine, &place, None, now)? else { return Ok(None) };
    if engine.store.was_told(session, &stored.session.id.short())? {
        return Ok(None);
    }
    let mut page = Page::new(budget);
    add_lines(engine, &place, &stored, now, &mut page)?;
    if page.lines.is_empty() {
        return Ok(None);
    }
    // With a prompt, each line is one thing to know.
    let parts: Vec<&str> = page.lines.iter().map(|line| line.trim_start_matches("- ")).collect();
    page.lines = vec![format!("- {}", parts.join("; "))];
    Ok(page.done("continues the last session"))
}

/// Whether a prompt says that it goes on with work that is under way.
fn continues(prompt: &str) -> bool {
    prompt.len() <= SHORT_PROMPT && {
        let lower = prompt.to_lowercase();
        CONTINUES.iter().any(|words| lower.contains(words))
    }
}

/// What the user asked for, oldest first, without small talk and commands to the client.
fn requests(engine: &Engine, session: i64) -> Result<Vec<Clean>, EngineError> {
    let events = engine.store.events(session, &[EventKind::Prompt], PROMPTS)?;
    let asked = events.iter().filter_map(|event| request_in(&event.body));
    Ok(asked.filter(|text| !is_trivial(text)).collect())
}

/// Adds what to know about it: the goal in the user's words, what is open, and how it ended in the assistant's words.
pub(crate) fn add_lines(
    engine: &Engine,
    place: &Place,
    stored: &StoredSession,
    now: Timestamp,
    page: &mut Page,
) -> Result<(), EngineError> {
    let session = &stored.session;
    let branch = match (&session.branch, &place.branch) {
        (Some(there), Some(here)) if **there != **here => format!(", branch {there}, now on {here}"),
        _ => String::new(),
    };
    let id = session.id.short();
    let head = format!("Where you left off ({id}, {}, {}{branch}):", session.host, session.updated.ago(now));
    let asked = requests(engine, stored.num)?;
    let last = engine.store.turns_of(stored.num)?.pop();
    let about = about(session, last.as_ref(), &asked);
    let shown = about.as_ref().map_or_else(|| "no goal recorded".to_owned(), |goal| short(goal, GOAL));
    let first = format!("{head} {shown}");
    if !page.add(&first) {
        return Ok(());
    }
    page.items.push(id);
    let mut room = Room(TOKENS.saturating_sub(estimate_tokens(&first)));
    let ending = Ending::of(engine, stored)?;
    if let Some(check) = &ending.failing {
        room.add(page, &format!("- failed last: `{}`", short(check, 16)));
    }
    let todos = ending.todos.iter().map(String::as_str);
    let pending: Vec<&str> = session.pending.iter().map(|text| text.as_str()).chain(todos).collect();
    for pending in pending.iter().take(4) {
        room.add(page, &format!("- pending: {}", short(pending, 24)));
    }
    for decision in session.decisions.iter().rev().take(2) {
        room.add(page, &format!("- decided: {}", short(decision, 24)));
    }
    // A session that goes on knows its own last words, or will say others.
    if place.own == Some(stored.num) {
        return Ok(());
    }
    let summary = session.summary.as_ref().filter(|summary| !summary.extracted);
    if let Some(summary) = summary {
        room.add(page, &format!("- summary: {}", short(&summary.text, room.0.saturating_sub(4))));
    } else if !session.done.is_empty() {
        for done in session.done.iter().rev().take(2) {
            room.add(page, &format!("- done: {}", short(done, 24)));
        }
    }
    if let Some(commit) = &ending.commit {
        room.add(page, &format!("- last commit: {}", short(commit, 18)));
    }
    if summary.is_none()
        && room.0 >= FEWEST
        && let Some(said) = ending.said(room.0 - LABEL)
    {
        room.add(page, &format!("- last said: {}", short(&said, room.0 - LABEL)));
    } else if let Some(last) = asked.last().filter(|last| Some(*last) != about.as_ref()) {
        room.add(page, &format!("- last request: {}", short(last, 20)));
    }
    if let Some(turn) = last.as_ref().filter(|_| session.goal.is_none()) {
        let names: Vec<&str> = turn.files.iter().take(FILES).map(Clean::as_str).collect();
        let more = turn.files.len().saturating_sub(FILES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        room.add(page, &format!("- changed: {}{more}", names.join(", ")));
    }
    Ok(())
}

/// What is left of the tokens for one session.
struct Room(usize);

impl Room {
    fn add(&mut self, page: &mut Page, line: &str) {
        let cost = estimate_tokens(line) + 1;
        if cost <= self.0 && page.add(line) {
            self.0 -= cost;
        }
    }
}

/// The goal, else what the last piece of work was asked for, else the request that says most: neither a command to the
/// client nor, if there is another, a question.
fn about(session: &Session, last: Option<&Turn>, asked: &[Clean]) -> Option<Clean> {
    if session.goal.is_some() {
        return session.goal.clone();
    }
    if let Some(turn) = last {
        return Some(turn.asked.clone());
    }
    let title = session.title.as_ref().and_then(request_in);
    let request = asked.iter().find(|text| !is_question(text) && title_of_prompt(text).is_some());
    // A title is one line; what the user wrote below it says what a colon promises.
    let goes_on = |title: &Clean| title.ends_with(':') || title.ends_with('…');
    match (title, request) {
        (Some(title), Some(request)) if is_question(&title) || goes_on(&title) => Some(one_line(request)),
        (Some(title), _) => Some(title),
        (None, request) => request
            .or(asked.first())
            .map(|text| one_line(&title_of_prompt(text).unwrap_or_else(|| title_from_body(text)))),
    }
}
