//! Background work that no hook has time for, done by one short-lived process: waiting events, abandoned
//! sessions, live transcripts, distilling sessions, old events, segments of the full-text index, the
//! write-ahead log.

use std::fs::File;
use std::time::{Duration, Instant};

use hark_core::session::CheckpointBy;
use hark_core::time::parse_span;
use hark_hosts::Surroundings;
use hark_store::{Layout, spool};

use crate::digest;
use crate::distil;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::failures;
use crate::hooks::capture;
use crate::ingest;
use crate::learning;
use crate::live;
use crate::operation::Progress;
use crate::ops::{backup, embed, retention};

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Done {
    /// Another worker is already running.
    pub busy: bool,
    pub events: usize,
    pub expired: usize,
    /// Sessions whose assistant is gone.
    pub ended: usize,
    /// Events that came from transcripts and not from a hook.
    pub read: u64,
    /// Sessions whose events were condensed.
    pub digested: usize,
    /// Memories that retention archived or deleted.
    pub retired: usize,
    /// Whether a snapshot was taken.
    pub backed_up: bool,
    /// Memories made from what was said in sessions.
    pub distilled: usize,
    /// Passages that received a vector from the chosen encoder.
    pub embedded: usize,
}

/// The lock of the only worker of a data directory; released when the process ends.
pub fn lock(layout: &Layout) -> Option<File> {
    let file = layout.lock_file(&layout.worker_lock()).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

/// Works until nothing is left or the time is up. Without surroundings, reads only the transcripts that hooks
/// named.
pub fn run(engine: &mut Engine, limit: Duration, around: Option<&Surroundings>) -> Result<Done, EngineError> {
    let Some(_lock) = lock(engine.store.layout()) else { return Ok(Done { busy: true, ..Done::default() }) };
    pass(engine, limit, around, &mut |_| {})
}

/// The same for a caller that holds the lock.
pub(crate) fn pass(
    engine: &mut Engine,
    limit: Duration,
    around: Option<&Surroundings>,
    tell: &mut dyn FnMut(Progress),
) -> Result<Done, EngineError> {
    let started = Instant::now();
    engine.store.be_courteous();
    // A partial snapshot left by a killed process is a copy of memories.
    let _ = engine.store.remove_leftovers();
    let mut done = Done { events: drain(engine, started, limit)?, ..Done::default() };
    let now = engine.now();
    engine.store.note_day(now);
    for num in live::gone(engine)? {
        if started.elapsed() > limit {
            break;
        }
        end(engine, num)?;
        done.ended += 1;
    }
    let stale = parse_span(&engine.config.sessions.stale).unwrap_or(hark_core::time::DAY_MS);
    for num in engine.store.stale_sessions(now.minus_millis(stale), now.plus_millis(stale))? {
        if started.elapsed() > limit {
            break;
        }
        engine
            .store
            .write(now, |writer| capture::machine_checkpoint(writer, num, CheckpointBy::Expiry, None, now))?;
        done.expired += 1;
    }
    let until = started + limit;
    done.read = ingest::tail(engine, around, until)?.events.new;
    done.distilled = distil::pending(engine, started, limit)?.stored;
    done.distilled += learning::in_background(engine, started, limit)?;
    done.digested = digest::run(engine, until)?.sessions;
    if started.elapsed() < limit {
        done.retired = retention::in_background(engine, now)?;
    }
    while started.elapsed() < limit {
        let sorted = failures::sort::in_background(engine, now)?;
        done.retired += sorted;
        if sorted == 0 {
            break;
        }
    }
    if started.elapsed() < limit {
        done.backed_up = backup::in_background(engine, now)?;
    }
    if started.elapsed() < limit {
        done.embedded = embed::in_background(engine, until, tell)?;
    }
    // The work above is done, even if merging and folding fail.
    let _ = engine.store.join_segments(now, until);
    let _ = engine.fold_log();
    Ok(done)
}

/// Ends a session that is over although nobody said so, at the time of its last event.
fn end(engine: &mut Engine, num: i64) -> Result<(), EngineError> {
    let now = engine.now();
    engine.store.write(now, |writer| {
        let last = writer.last_seen(num)?.unwrap_or(now);
        capture::machine_checkpoint(writer, num, CheckpointBy::End, None, last)
    })
}

/// Stores the waiting events, each in its own transaction.
pub(crate) fn drain(engine: &mut Engine, started: Instant, limit: Duration) -> Result<usize, EngineError> {
    let mut count = 0;
    for (path, arrival) in spool::waiting(engine.store.layout()) {
        if started.elapsed() > limit {
            break;
        }
        capture::file(engine, &arrival)?;
        spool::done(engine.store.layout(), &path);
        count += 1;
    }
    Ok(count)
}
