//! Extracts lasting things from finished sessions and stores them as memories.
//!
//! [`hark_core::distil`] decides what deserves a memory, from what the user said and which commands ran; it
//! never reads tool output. This module turns candidates into memories of the session's project: redacted
//! like everything else, with lower certainty and importance than memories stored on purpose, and with the
//! turn they came from. Each session is read once; if it continues, only the new part is read. Never runs
//! inside a hook; the worker does it.

mod inbox;
mod propose;
mod store;

use std::time::{Duration, Instant};

use hark_core::memory::{Importance, one_line};
use hark_core::{Clean, Memory, MemoryId, Scope, Session, Timestamp};
use hark_store::{StoreError, StoredSession};

use crate::engine::Engine;
use crate::error::EngineError;
use propose::Proposal;
pub(crate) use store::StoredAs;

/// Marks memories that were not stored on purpose.
const TAG: &str = "distilled";
/// The name of the wide net among the rules.
const HEARD: &str = "heard";
/// Lower than that of memories stored on purpose.
const IMPORTANCE: u8 = 2;

/// One candidate and its outcome.
pub(crate) struct Item {
    pub(crate) memory: Memory,
    pub(crate) rule: &'static str,
    pub(crate) outcome: StoredAs,
}

/// Reads a session and stores what it yields. With `dry_run`, only reports what it would store, from the
/// beginning of the session.
pub(crate) fn session(
    engine: &mut Engine,
    stored: &StoredSession,
    dry_run: bool,
) -> Result<Vec<Item>, EngineError> {
    let (now, num) = (engine.now(), stored.num);
    let moments = engine.store.moments(num)?;
    let read_before = engine.store.distilled_until(num)?;
    let last = moments.iter().map(|moment| moment.seq).max().unwrap_or(0);
    let since = if dry_run { 0 } else { read_before };
    // An assistant starts a subagent, so the prompts of a subagent are not the user's words.
    let proposals = propose::proposals(&moments, since, stored.session.parent.is_some());
    let most = engine.config.distil.most;
    let mut drafts = Vec::new();
    if stored.session.project.is_some() {
        for proposal in propose::surest(proposals, most) {
            drafts.push((proposal.candidate.rule, draft(engine, stored, proposal)));
        }
    }
    let waiting = inbox::read(engine, stored, &moments, since)?;
    if dry_run {
        return engine.store.write(now, |writer| {
            let mut items = Vec::new();
            for (rule, memory) in drafts {
                let outcome = store::look(writer, &memory)?;
                items.push(Item { memory, rule, outcome });
            }
            for memory in waiting.drafts.iter().filter(|draft| !waiting.is_stored(draft)) {
                let outcome = inbox::look(writer, memory)?;
                items.push(Item { memory: memory.clone(), rule: HEARD, outcome });
            }
            Ok(items)
        });
    }
    if drafts.is_empty() && last <= read_before {
        return Ok(Vec::new());
    }
    let items = engine.store.write(now, |writer| {
        // Another process was faster.
        if writer.distilled_until(num)? != read_before {
            return Ok(Vec::new());
        }
        let mut room = most.saturating_sub(writer.distilled_from(num)?);
        let mut items = Vec::new();
        for (rule, mut memory) in drafts {
            if room == 0 {
                break;
            }
            let outcome = store::store(writer, &mut memory, now)?;
            room -= usize::from(outcome == StoredAs::Stored);
            items.push(Item { memory, rule, outcome });
        }
        for memory in waiting.drafts.iter().filter(|draft| !waiting.is_stored(draft)) {
            let outcome = inbox::keep(writer, memory)?;
            items.push(Item { memory: memory.clone(), rule: HEARD, outcome });
        }
        let stored = items.iter().filter(|item: &&Item| item.outcome == StoredAs::Stored).count();
        writer.set_distilled(num, last, stored)?;
        Ok::<_, EngineError>(items)
    })?;
    if items.iter().any(|item| item.outcome == StoredAs::Proposed) {
        inbox::tidy(engine)?;
    }
    Ok(items)
}

/// What a run over sessions did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) sessions: usize,
    pub(crate) stored: usize,
}

/// Sessions per batch, so that no session waits forever behind the others.
const BATCH: usize = 200;

/// Reads every finished, unread session until the time is up.
pub(crate) fn pending(engine: &mut Engine, started: Instant, limit: Duration) -> Result<Sum, EngineError> {
    let mut sum = Sum::default();
    if !engine.config.distil.enabled {
        return Ok(sum);
    }
    for num in engine.store.undistilled(BATCH)? {
        if started.elapsed() > limit {
            break;
        }
        let now = engine.now();
        let outcome = engine
            .store
            .write(now, |writer| writer.session(num).map_err(EngineError::from))
            .and_then(|stored| stored.map_or(Ok(Vec::new()), |stored| session(engine, &stored, false)));
        match outcome {
            Ok(items) => {
                sum.sessions += 1;
                sum.stored += items.iter().filter(|item| item.outcome == StoredAs::Stored).count();
            }
            // The caller repairs the index; any other error may be gone next time.
            Err(e @ EngineError::Store(StoreError::Corrupt { .. })) => return Err(e),
            Err(_) => {}
        }
    }
    inbox::tidy(engine)?;
    Ok(sum)
}

/// The same turn gives the same id, so reading a transcript again creates no duplicates.
fn id_of(session: &Session, what: &str, turn: &str, at: Timestamp) -> MemoryId {
    let source = format!("{}\n{}\n{turn}\n{what}", session.host, session.host_session);
    let mut own = [0; 10];
    own.copy_from_slice(&blake3::hash(source.as_bytes()).as_bytes()[..10]);
    MemoryId::new(at, own)
}

/// A candidate as a memory. It is as old as the turn it came from.
fn draft(engine: &Engine, stored: &StoredSession, proposal: Proposal) -> Memory {
    let session = &stored.session;
    let id = id_of(session, &proposal.candidate.kind.to_string(), &proposal.turn, proposal.at);
    let candidate = proposal.candidate;
    let scope = session.project.clone().map_or(Scope::Global, Scope::Project);
    Memory {
        scope,
        title: one_line(&engine.clean(&candidate.title)),
        why: candidate.why.as_deref().map(|why| engine.clean(why)),
        tags: vec![Clean::trusted_constant(TAG)],
        importance: Importance::clamped(i64::from(IMPORTANCE)),
        confidence: candidate.confidence,
        session: Some(session.host_session.clone()),
        turn: Some(engine.clean(&proposal.turn)),
        ..Memory::new(id, candidate.kind, candidate.origin, engine.clean(&candidate.body), proposal.at)
    }
}
