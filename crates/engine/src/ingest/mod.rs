//! Reads transcripts: what happened before hark was installed, or without its hooks. Everything takes the
//! same path as hook events.
//!
//! Reading may stop anywhere and resume later: the cursor of a file moves in the same transaction as its
//! events, and the assistant's own id identifies an event. One process reads at a time; others wait for it
//! and find nothing left to do.

mod batch;
mod find;
mod finish;
mod lines;
mod mark;
mod read;
mod report;
mod watch;

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use hark_core::Timestamp;
use hark_hosts::Surroundings;
use hark_store::StoreError;

pub(crate) use find::{places, times as times_of_use};
pub use finish::after_session;
pub use report::{Events, Files, Report, Sessions, Trouble};
pub use watch::Progress;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::project_store::may_be_written_down;
use find::Found;
use watch::Watch;

/// What to read.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Only this assistant.
    pub host: Option<String>,
    /// Only files that changed since.
    pub since: Option<Timestamp>,
    /// These files and folders; if empty, the assistants' default places.
    pub paths: Vec<PathBuf>,
}

/// Reads everything that is requested and not yet read.
pub fn run(
    engine: &mut Engine,
    wanted: &Wanted,
    around: &Surroundings,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Report, EngineError> {
    let _lock = lock(engine, true)?;
    let of_host = |host: &str| wanted.host.as_deref().is_none_or(|only| only == host);
    let found = if wanted.paths.is_empty() {
        let mut found = find::usual(around, &of_host);
        let more = find::named(&more_places(engine, around), &of_host);
        found.missing.extend(more.missing.iter().cloned());
        found.join(more);
        found
    } else {
        find::named(&wanted.paths, &of_host)
    };
    let mut report = Report::default();
    for path in &found.missing {
        report.trouble(&engine.clean(&path.to_string_lossy()), &"does not exist");
    }
    read_all(engine, found, wanted.since, None, &mut report, tell)?;
    Ok(report)
}

/// Reads what live sessions wrote since the last time, as far as the time allows: transcripts that hooks
/// named, and those of assistants that were read before.
pub(crate) fn tail(
    engine: &mut Engine,
    around: Option<&Surroundings>,
    until: Instant,
) -> Result<Report, EngineError> {
    /// A transcript without events for longer is not expected to grow.
    const GROWING_MS: i64 = 2 * hark_core::time::DAY_MS;
    let mut report = Report::default();
    let Ok(Some(_lock)) = lock(engine, false) else { return Ok(report) };
    let read_before = engine.store.hosts_read()?;
    let mut found = match around {
        Some(around) => find::usual(around, &|host| read_before.iter().any(|known| known == host)),
        None => Found::default(),
    };
    if let Some(around) = around {
        found.join(find::named(&more_places(engine, around), &|_| true));
    }
    for (host, path) in engine.store.transcripts_since(engine.now().minus_millis(GROWING_MS))? {
        let path = PathBuf::from(path);
        if !found.jobs.iter().any(|job| job.path == path) {
            found.jobs.extend(find::one(path, &host));
        }
    }
    read_all(engine, found, None, Some(until), &mut report, &mut |_| {})?;
    Ok(report)
}

/// The places that the settings add. `~` is the home folder.
pub(crate) fn more_places(engine: &Engine, around: &Surroundings) -> Vec<PathBuf> {
    let expand = |path: &PathBuf| match path.strip_prefix("~") {
        Ok(rest) => around.home.join(rest),
        Err(_) => path.clone(),
    };
    engine.config.ingest.paths.iter().map(expand).collect()
}

/// What a running service reads.
pub(crate) enum Follow<'a> {
    /// Everything that is new or has grown.
    All,
    /// Of these files and folders.
    Changed(&'a [PathBuf]),
}

/// Reads the transcripts of every assistant on this machine while they grow. Another process that reads them goes first.
pub(crate) fn follow(
    engine: &mut Engine,
    around: &Surroundings,
    follow: &Follow<'_>,
    until: Instant,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Report, EngineError> {
    let mut report = Report::default();
    let Ok(Some(_lock)) = lock(engine, false) else { return Ok(report) };
    let more = more_places(engine, around);
    let mut found;
    match follow {
        Follow::All => {
            found = find::usual(around, &|_| true);
            found.join(find::named(&more, &|_| true));
        }
        Follow::Changed(changed) => {
            found = find::usual_changed(around, changed);
            let named: Vec<PathBuf> = more.iter().flat_map(|place| find::below(place, changed)).collect();
            found.join(find::named(&named, &|_| true));
        }
    }
    read_all(engine, found, None, Some(until), &mut report, tell)?;
    Ok(report)
}

fn read_all(
    engine: &mut Engine,
    found: Found,
    since: Option<Timestamp>,
    until: Option<Instant>,
    report: &mut Report,
    tell: &mut dyn FnMut(&Progress),
) -> Result<(), EngineError> {
    let started = Instant::now();
    let redactor = engine.redactor();
    for path in &found.unrecognised {
        report.unrecognised(&redactor.clean(hark_core::Raw::new(path.to_string_lossy())));
    }
    let (found, secret): (Vec<_>, Vec<_>) =
        found.jobs.into_iter().partition(|job| may_be_written_down(&job.path, &redactor));
    for _ in &secret {
        report.trouble("a transcript", &"was skipped: its path seems to contain a secret; rename its folder");
    }
    let (jobs, older): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|job| since.is_none_or(|since| job.mtime >= since.as_millis()));
    report.files.older = older.len() as u64;
    let progress = Progress {
        total_bytes: jobs.iter().map(|job| job.size).sum(),
        total_files: jobs.len() as u64,
        ..Progress::default()
    };
    let mut watch = Watch { progress, tell, until };
    for job in &jobs {
        if watch.is_over() {
            break;
        }
        read::file(engine, job, report, &mut watch)?;
        watch.progress.files += 1;
        watch.read(0);
    }
    // Includes sessions that an earlier, killed run did not reach.
    for session in engine.store.unsettled()? {
        if watch.is_over() {
            break;
        }
        after_session(engine, session)?;
    }
    report.seconds = started.elapsed().max(Duration::from_millis(1)).as_secs_f64();
    Ok(())
}

/// The lock for reading into this store; released when the process ends.
fn lock(engine: &Engine, wait: bool) -> Result<Option<File>, EngineError> {
    let path = engine.store.layout().ingest_lock();
    let fail = |e| EngineError::from(StoreError::io(&path, e));
    let file = engine.store.layout().lock_file(&path).map_err(fail)?;
    if wait {
        file.lock().map_err(fail)?;
        return Ok(Some(file));
    }
    Ok(file.try_lock().is_ok().then_some(file))
}
