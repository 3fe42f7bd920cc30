//! Condenses old events in the background, one session at a time.

use std::collections::HashMap;
use std::time::Instant;

use hark_core::digest::{self, FAN_OUT, Seen};
use hark_core::time::{DAY_MS, parse_span};
use hark_core::{Clean, Timestamp};
use hark_hosts::hook::tools::{ToolClass, class_of};
use hark_store::HeldEvent;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::summarise;

/// The number of sessions per batch.
const SESSIONS: usize = 50;
/// The number of events whose text is removed in one transaction.
const AT_ONCE: usize = 1_000;

/// What a run did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Digested {
    pub(crate) sessions: usize,
    /// Events that lost their text.
    pub(crate) forgotten: usize,
}

/// Condenses events that are old enough, and removes the text of events that were condensed long ago.
pub(crate) fn run(engine: &mut Engine, until: Instant) -> Result<Digested, EngineError> {
    let now = engine.now();
    let mut done = Digested::default();
    let Some(age) = parse_span(&engine.config.history.digest) else { return Ok(done) };
    let (tokens, tail) = (engine.config.history.tokens, engine.config.history.tail);
    if tokens > 0 {
        for session in engine.store.long_sessions(tokens, tail)? {
            if Instant::now() >= until {
                return Ok(done);
            }
            one(engine, session, tail, until)?;
            done.sessions += 1;
        }
    }
    loop {
        let sessions = engine.store.undigested(now.minus_millis(age), SESSIONS)?;
        for session in &sessions {
            if Instant::now() >= until {
                return Ok(done);
            }
            one(engine, *session, 0, until)?;
            done.sessions += 1;
        }
        if sessions.is_empty() {
            break;
        }
    }
    let keep = parse_span(&engine.config.history.keep);
    if let Some(keep) = keep {
        engine.store.note_arrivals(now, keep);
    }
    if let Some(keep) = keep
        && let Some(before) = old_by_use(engine, keep)?
    {
        while Instant::now() < until {
            let count = engine.store.write(now, |writer| writer.forget_digested(before, AT_ONCE))?;
            done.forgotten += count;
            if count < AT_ONCE {
                break;
            }
        }
    }
    Ok(done)
}

/// The time before which everything is older than `keep`, both by the calendar and by days of use: forgotten
/// text does not come back when a wrong clock is corrected.
fn old_by_use(engine: &Engine, keep: i64) -> Result<Option<Timestamp>, EngineError> {
    let now = engine.now();
    let days = u32::try_from(keep / DAY_MS).unwrap_or(u32::MAX);
    let by_use = engine.store.calendar(now)?.before(days);
    Ok(by_use.map(|before| before.min(now.minus_millis(keep))))
}

/// Whether a session that goes on has grown long enough to condense its older events.
pub(crate) fn is_due(engine: &Engine, session: i64) -> Result<bool, EngineError> {
    let history = &engine.config.history;
    Ok(history.tokens > 0 && engine.store.undigested_tokens(session, history.tail)? > history.tokens)
}

/// Condenses a session, except for its `tail` newest events: creates missing leaves and rebuilds everything above
/// them.
pub(crate) fn one(engine: &mut Engine, session: i64, tail: usize, until: Instant) -> Result<(), EngineError> {
    let now = engine.now();
    let told = ask(engine, session, tail, until)?;
    engine.store.write(now, |writer| {
        let mut events = writer.undigested_events(session)?;
        events.truncate(events.len().saturating_sub(tail));
        let seen: Vec<Seen<'_>> = events.iter().map(seen).collect();
        let mut from = 0;
        for end in digest::stretches(&seen) {
            let told = told.get(&(events[from].seq, end - from));
            writer.add_leaf(session, &events[from..end], &digest::leaf(&seen[from..end], told))?;
            from = end;
        }
        Ok(writer.condense_digests(session, FAN_OUT, digest::condense)?)
    })
}

/// The summary of each stretch by the user's own command, by its first event and length. Runs before any lock
/// is taken.
fn ask(
    engine: &mut Engine,
    session: i64,
    tail: usize,
    until: Instant,
) -> Result<HashMap<(i64, usize), Clean>, EngineError> {
    let command = engine.config.history.summarise.clone();
    let mut told = HashMap::new();
    if command.is_empty() {
        return Ok(told);
    }
    let now = engine.now();
    let mut events = engine.store.write(now, |writer| writer.undigested_events(session))?;
    events.truncate(events.len().saturating_sub(tail));
    let seen: Vec<Seen<'_>> = events.iter().map(seen).collect();
    let mut from = 0;
    for end in digest::stretches(&seen) {
        if let Some(text) = summarise::ask(&command, &events[from..end], until) {
            told.insert((events[from].seq, end - from), engine.clean(&text));
        }
        from = end;
    }
    Ok(told)
}

fn seen(event: &HeldEvent) -> Seen<'_> {
    Seen {
        kind: &event.kind,
        tool: &event.tool,
        target: &event.target,
        ok: event.ok,
        tier: event.tier,
        body: &event.body,
        changes: class_of(&event.tool) == ToolClass::Edit,
    }
}
