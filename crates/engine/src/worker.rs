//! Work that no hook has time for, done by one short-lived process: events that wait, sessions that
//! nobody ended, what live transcripts tell, what lasts of sessions, old events, the parts
//! of the full-text index, the write-ahead log.

use std::fs::File;
use std::time::{Duration, Instant};

use hark_core::session::CheckpointBy;
use hark_core::time::parse_span;
use hark_hosts::Surroundings;
use hark_store::{Layout, spool};

use crate::capture;
use crate::digest;
use crate::distil;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::ingest;
use crate::ops::{backup, embed, retention};

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Done {
    /// Another worker is at it.
    pub busy: bool,
    pub events: usize,
    pub expired: usize,
    /// Events that transcripts told and no hook did.
    pub read: u64,
    /// Sessions whose events were put in short.
    pub digested: usize,
    /// Memories that retention put aside or removed.
    pub retired: usize,
    /// A snapshot was made.
    pub backed_up: bool,
    /// Memories made of what was said in sessions.
    pub distilled: usize,
    /// Passages that got a vector of the chosen encoder.
    pub embedded: usize,
}

/// The lock of the one worker of a data directory; freed with the process, however it ends.
pub fn lock(layout: &Layout) -> Option<File> {
    let file = layout.lock_file(&layout.worker_lock()).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

/// Works until nothing is left or the time is up. Without surroundings only those transcripts are
/// read that hooks named.
pub fn run(engine: &mut Engine, limit: Duration, around: Option<&Surroundings>) -> Result<Done, EngineError> {
    let started = Instant::now();
    let Some(_lock) = lock(engine.store.layout()) else { return Ok(Done { busy: true, ..Done::default() }) };
    engine.store.be_courteous();
    // Half a snapshot that a killed process left is a copy of memories.
    let _ = engine.store.remove_leftovers();
    let mut done = Done { events: drain(engine, started, limit)?, ..Done::default() };
    let now = engine.now();
    engine.store.note_day(now);
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
    done.digested = digest::run(engine, until)?.sessions;
    if started.elapsed() < limit {
        done.retired = retention::in_background(engine, now)?;
    }
    if started.elapsed() < limit {
        done.backed_up = backup::in_background(engine, now)?;
    }
    if started.elapsed() < limit {
        done.embedded = embed::in_background(engine, until)?;
    }
    // What was done is done, joined and folded or not.
    let _ = engine.store.join_segments(now, until);
    let _ = engine.fold_log();
    Ok(done)
}

/// Stores the events that wait, each in a transaction of its own.
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
