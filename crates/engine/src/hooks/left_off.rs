//! Where the last session left off: which one that is, and what to say about it.

use hark_core::event::EventKind;
use hark_core::memory::{one_line, title_from_body};
use hark_core::session::asked::{is_question, request_in};
use hark_core::time::DAY_MS;
use hark_core::{Clean, Session, Timestamp};
use hark_store::{SessionFilter, StoredSession};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::hooks::boot::{MARK, Place};
use crate::hooks::page::{Page, short};
use crate::live::{Liveness, share_process};
use crate::recall::gate::is_trivial;

/// Older work is history, not where you left off.
const LEFT_OFF_MS: i64 = 30 * DAY_MS;
/// A conversation with this many requests is worth continuing, even if it was only talk …
const CONVERSATION: usize = 3;
/// … and so is one with a request of this many words.
const LONG_REQUEST: usize = 40;
const PROMPTS: usize = 50;
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
    let mut best: Option<((bool, bool, Timestamp), StoredSession)> = None;
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
        if !is_worth_continuing(engine, &stored)? {
            continue;
        }
        let here = match (&place.branch, &session.branch) {
            (Some(here), Some(there)) => **here == **there,
            _ => true,
        };
        let rank = (here, liveness == Liveness::Over || session.goal.is_some(), session.updated);
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

/// More than a command to the client or a question that was answered.
fn is_worth_continuing(engine: &Engine, stored: &StoredSession) -> Result<bool, EngineError> {
    let session = &stored.session;
    if session.has_work() || session.summary.as_ref().is_some_and(|summary| !summary.extracted) {
        return Ok(true);
    }
    let asked = requests(engine, stored.num)?;
    let counts = |text: &Clean| !is_question(text) || text.split_whitespace().count() >= LONG_REQUEST;
    Ok(asked.len() >= CONVERSATION || asked.iter().any(counts))
}

/// What the user asked for, oldest first, without small talk and commands to the client.
fn requests(engine: &Engine, session: i64) -> Result<Vec<Clean>, EngineError> {
    let events = engine.store.events(session, &[EventKind::Prompt], PROMPTS)?;
    let asked = events.iter().filter_map(|event| request_in(&event.body));
    Ok(asked.filter(|text| !is_trivial(text)).collect())
}

/// Adds what to know about it.
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
        (Some(there), _) => format!(", branch {there}"),
        (None, _) => String::new(),
    };
    let id = session.id.short();
    let head = format!("Where you left off ({id}, {}, {}{branch}):", session.host, session.updated.ago(now));
    let asked = requests(engine, stored.num)?;
    let about = about(session, &asked);
    let shown = about.as_ref().map_or_else(|| "no goal recorded".to_owned(), |goal| short(goal, 60));
    if !page.add(&format!("{head} {shown}")) {
        return Ok(());
    }
    page.items.push(id);
    for pending in session.pending.iter().take(8) {
        page.add(&format!("- pending: {}", short(pending, 50)));
    }
    for decision in session.decisions.iter().rev().take(3) {
        page.add(&format!("- decided: {}", short(decision, 50)));
    }
    for done in session.done.iter().rev().take(3) {
        page.add(&format!("- done: {}", short(done, 40)));
    }
    if let Some(last) = session.checkpoints.last() {
        page.add(&format!("- last checkpoint: {} by {}, {}", last.at.ago(now), last.by.name(), last.note));
    }
    if session.pending.is_empty() && session.done.is_empty() {
        if let Some(summary) = &session.summary {
            page.add(&format!("- summary: {}", short(&summary.text, 120)));
        } else if let Some(last) = asked.last().map(|text| one_line(&title_from_body(text)))
            && Some(&last) != about.as_ref()
        {
            page.add(&format!("- last request: {}", short(&last, 50)));
        }
    }
    Ok(())
}

/// The goal, or the request that says most: neither a command to the client nor, if there is another, a question.
fn about(session: &Session, asked: &[Clean]) -> Option<Clean> {
    if session.goal.is_some() {
        return session.goal.clone();
    }
    let title = session.title.as_ref().and_then(request_in);
    let request = asked.iter().find(|text| !is_question(text)).map(|text| one_line(&title_from_body(text)));
    match title {
        Some(title) if !is_question(&title) => Some(title),
        title => request.or(title),
    }
}
