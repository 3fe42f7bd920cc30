//! The work of a running service, round after round: transcripts as they grow, documents as they change, and what
//! `hark work` does whenever the store changed.

use std::time::{Duration, Instant};

use hark_hosts::Surroundings;
use hark_store::spool;

use super::eye::{Eye, Seen};
use super::state::{Board, Watches};
use super::supervise::Pulse;
use crate::config::Watch;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::ingest::{self, Follow};
use crate::machine::Machine;
use crate::operation::Progress;
use crate::transfer::documents::again;
use crate::worker;

/// How often to look whether there is something to do.
const TICK: Duration = Duration::from_millis(250);
/// How often to look whether the store changed.
const STORE: Duration = Duration::from_secs(1);
/// How often to look at documents and settings.
const DOCUMENTS: Duration = Duration::from_secs(5);
/// The shortest and the longest time between two passes. A quiet store still has sessions that end and snapshots that
/// are due.
const SOONEST: Duration = Duration::from_secs(10);
const LATEST: Duration = Duration::from_secs(600);
/// The longest stretch of work between two looks at the clock, and between two signs of life.
const STRETCH: Duration = Duration::from_secs(10);

pub(super) struct Rounds<'a> {
    machine: &'a Machine,
    pulse: &'a Pulse,
    board: &'a Board,
    /// Without a home folder there are no transcripts to look for.
    around: Option<Surroundings>,
    engine: Engine,
    eye: Option<Eye>,
    version: i64,
    /// Something changed that a pass has not dealt with.
    is_due: bool,
    passed: Option<Instant>,
    store_seen: Option<Instant>,
    documents_seen: Option<Instant>,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(
        machine: &'a Machine,
        pulse: &'a Pulse,
        board: &'a Board,
    ) -> Result<Rounds<'a>, EngineError> {
        let engine = machine.engine()?;
        let version = engine.store.others_version()?;
        Ok(Rounds {
            around: machine.surroundings().ok(),
            eye: eye(engine.config.ingest.watch),
            machine,
            pulse,
            board,
            engine,
            version,
            is_due: true,
            passed: None,
            store_seen: None,
            documents_seen: None,
        })
    }

    /// Works until it is told to stop. A damaged index is rebuilt by whoever starts this again.
    pub(super) fn run(&mut self) -> Result<(), EngineError> {
        while !self.pulse.is_over() {
            self.pulse.beat();
            let is_done = self.round()?;
            self.board.settle();
            if is_done {
                self.pulse.pause(TICK);
            }
        }
        Ok(())
    }

    /// One look at everything. `false` if there is more to do at once.
    fn round(&mut self) -> Result<bool, EngineError> {
        let now = Instant::now();
        let mut is_done = self.transcripts(now)?;
        if is_time(&mut self.store_seen, now, STORE) {
            let version = self.engine.store.others_version()?;
            let is_waiting = !spool::is_empty(self.engine.store.layout());
            self.is_due |= version != self.version || is_waiting;
            self.version = version;
            if is_waiting {
                worker::drain(&mut self.engine, now, STRETCH)?;
            }
        }
        if is_time(&mut self.documents_seen, now, DOCUMENTS) {
            self.settings()?;
            self.is_due |= again::read_changed(&mut self.engine)? > 0;
        }
        let since = self.passed.map(|at| now.duration_since(at));
        let is_time = since.is_none_or(|since| since >= LATEST || self.is_due && since >= SOONEST);
        if is_time && !self.pulse.is_over() {
            is_done &= self.pass()?;
        }
        Ok(is_done)
    }

    fn transcripts(&mut self, now: Instant) -> Result<bool, EngineError> {
        let (Some(eye), Some(around)) = (&mut self.eye, &self.around) else {
            self.board.change(|state| state.watches = Watches::Off);
            return Ok(true);
        };
        let seen = eye.seen(now);
        let follow = match &seen {
            Seen::Nothing => return Ok(true),
            Seen::Changed(changed) => Follow::Changed(changed),
            Seen::Look => {
                let mut places = ingest::places(around);
                places.extend(ingest::more_places(&self.engine, around));
                eye.watch(&places);
                Follow::All
            }
        };
        let (pulse, board) = (self.pulse, self.board);
        let until = Instant::now() + STRETCH;
        let report = ingest::follow(&mut self.engine, around, &follow, until, &mut |at| {
            pulse.beat();
            board.show(Progress { what: "reading bytes", done: at.bytes, total: at.total_bytes });
        })?;
        let is_done = Instant::now() < until;
        if is_done {
            board.clear_progress();
        } else {
            eye.look_again();
        }
        self.is_due |= report.events.new > 0;
        board.change(|state| {
            state.watches = eye.watches();
            state.polling_because.clone_from(&eye.why);
            state.folders = eye.folders();
            state.read += report.events.new;
        });
        Ok(is_done)
    }

    fn pass(&mut self) -> Result<bool, EngineError> {
        let (pulse, board) = (self.pulse, self.board);
        let began = Instant::now();
        // Transcripts in the usual places have been read above.
        worker::pass(&mut self.engine, STRETCH, None, &mut |progress| {
            pulse.beat();
            board.show(progress);
        })?;
        let is_done = began.elapsed() < STRETCH;
        if is_done {
            self.is_due = false;
            self.passed = Some(Instant::now());
            board.clear_progress();
            let at = self.engine.now();
            board.change(|state| {
                state.last_work = Some(at);
                state.hangs = false;
            });
        }
        Ok(is_done)
    }

    /// Settings may change while a service runs.
    fn settings(&mut self) -> Result<(), EngineError> {
        // A file that somebody is editing may be wrong for a moment.
        let Ok(config) = self.machine.config() else { return Ok(()) };
        if config == self.engine.config {
            return Ok(());
        }
        if config.ingest.watch != self.engine.config.ingest.watch {
            self.eye = eye(config.ingest.watch);
        } else if let Some(eye) = &mut self.eye {
            eye.look_again();
        }
        self.engine = self.machine.engine()?;
        self.version = self.engine.store.others_version()?;
        self.is_due = true;
        Ok(())
    }
}

fn eye(watch: Watch) -> Option<Eye> {
    (watch != Watch::Off).then(|| Eye::open(watch == Watch::Auto))
}

/// Whether so much time has passed since the last time.
fn is_time(last: &mut Option<Instant>, now: Instant, pause: Duration) -> bool {
    let is_time = last.is_none_or(|at| now.duration_since(at) >= pause);
    if is_time {
        *last = Some(now);
    }
    is_time
}
