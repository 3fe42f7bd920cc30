//! Which sessions are at work: an assistant is working in them now, as far as its process and its events tell.

use hark_core::Timestamp;
use hark_core::session::{LIVE_MS, SessionStatus};
use hark_store::{ProjectNum, SessionFilter, StoredSession};

use crate::engine::Engine;
use crate::error::EngineError;

/// Whether an assistant is still working in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Liveness {
    /// It ended, its process is gone, or nothing happened in it for long.
    Over,
    /// It was active lately, and nothing is known about its process.
    Likely,
    /// It was active lately, and its process is running.
    Running,
}

impl Liveness {
    pub(crate) fn of(
        engine: &Engine,
        stored: &StoredSession,
        now: Timestamp,
    ) -> Result<Liveness, EngineError> {
        if !stored.session.is_live(now) {
            return Ok(Liveness::Over);
        }
        Ok(match is_running(engine, stored.num)? {
            Some(true) => Liveness::Running,
            Some(false) => Liveness::Over,
            None => Liveness::Likely,
        })
    }
}

/// Whether the process of the assistant that reported a session is running; `None` if that cannot be known.
pub(crate) fn is_running(engine: &Engine, session: i64) -> Result<Option<bool>, EngineError> {
    let Some(known) = engine.store.session_process(session)? else { return Ok(None) };
    Ok(match hark_hosts::process::is_alive(&known.process) {
        // Perhaps a wrapper that lived for one event.
        Some(false) if !known.confirmed => None,
        known => known,
    })
}

/// Whether one process of an assistant reported both sessions: it does one after the other.
pub(crate) fn share_process(engine: &Engine, one: i64, other: i64) -> Result<bool, EngineError> {
    let process = |session| engine.store.session_process(session).map(|found| found.map(|f| f.process));
    let (one, other) = (process(one)?, process(other)?);
    Ok(one.is_some() && one == other)
}

/// Open sessions that are over: their process is gone, or the session that started them has ended.
pub(crate) fn gone(engine: &Engine) -> Result<Vec<i64>, EngineError> {
    let mut found = engine.store.orphans()?;
    for num in engine.store.open_with_process()? {
        if !found.contains(&num) && is_running(engine, num)? == Some(false) {
            found.push(num);
        }
    }
    Ok(found)
}

/// Other sessions of these projects in which an assistant is working now, newest first. Subagents belong to the
/// session that started them, and of a session that is known only from a transcript nobody knows when it ends.
pub(crate) fn others_at_work(
    engine: &Engine,
    projects: Vec<ProjectNum>,
    own: Option<i64>,
    now: Timestamp,
) -> Result<Vec<StoredSession>, EngineError> {
    let filter = SessionFilter {
        projects: Some(projects),
        status: Some(SessionStatus::Open),
        since: Some(now.minus_millis(LIVE_MS)),
        without_subagents: true,
        reported: true,
        except: own,
        ..SessionFilter::default()
    };
    // A subagent knows who started it.
    let own = own.and_then(|num| engine.store.session_at(num).ok().flatten());
    let parent = own.and_then(|stored| stored.session.parent);
    let mut found = Vec::new();
    for stored in engine.store.sessions(&filter, MOST_OTHERS)? {
        if parent.as_ref() == Some(&stored.session.host_session) {
            continue;
        }
        if Liveness::of(engine, &stored, now)? != Liveness::Over {
            found.push(stored);
        }
    }
    Ok(found)
}

/// More at once are not a list for anybody to read.
const MOST_OTHERS: usize = 20;
