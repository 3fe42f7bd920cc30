//! Runs operations for every surface: on blocking threads, as many at a time as there are readers, one that writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use hark_engine::operation::Effect;
use hark_engine::ops::metrics::{family, sample};
use hark_engine::{Caller, Engine, EngineError, Operation};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::pool::Pool;

/// Without a call for this long, deferred work holds nobody up.
const PAUSE: Duration = Duration::from_millis(5);

/// While calls follow each other without a pause, long logs are folded after every so many of them.
const CALLS_BETWEEN: usize = 16;

/// After this long without a call, connections and models are closed and their memory is returned.
const IDLE: Duration = Duration::from_secs(20);

/// Reads that run at the same time. One more than cores, so that a slow one does not hold up the others; each costs
/// memory for its own connection.
pub(crate) fn readers() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).max(2) + 1
}

/// Threads for calls: the readers, the writer, and one for deferred work.
pub(crate) fn threads() -> usize {
    readers() + 2
}

pub(crate) struct Calls {
    pool: Arc<Pool>,
    reading: Arc<Semaphore>,
    writing: Arc<Semaphore>,
    running: AtomicUsize,
    begun: AtomicUsize,
    /// Whether somebody waits for the process to become idle.
    watched: AtomicBool,
}

/// Why a call has no answer.
#[derive(Debug)]
pub(crate) enum Trouble {
    Failed(EngineError),
    /// A bug.
    Panicked,
}

impl Calls {
    pub(crate) fn new(pool: Arc<Pool>) -> Arc<Self> {
        Arc::new(Self {
            pool,
            reading: Arc::new(Semaphore::new(readers())),
            writing: Arc::new(Semaphore::new(1)),
            running: AtomicUsize::new(0),
            begun: AtomicUsize::new(0),
            watched: AtomicBool::new(false),
        })
    }

    pub(crate) fn table(&self) -> &'static [&'static Operation] {
        self.pool.table()
    }

    /// A connection for somebody who keeps it.
    pub(crate) fn engine(&self) -> Result<Engine, EngineError> {
        self.pool.engine()
    }

    /// Calls by operation, for `/metrics`.
    pub(crate) fn write_counts(&self, out: &mut String) {
        family(out, "hark_operations_total", "counter", "Operations run by this process.");
        for (operation, (done, failed)) in self.pool.counts() {
            for (outcome, count) in [("done", done), ("failed", failed)] {
                sample(
                    out,
                    "hark_operations_total",
                    &[("operation", operation), ("outcome", outcome)],
                    &count,
                );
            }
        }
    }

    /// How many calls are running.
    pub(crate) fn running(&self) -> usize {
        self.running.load(Ordering::Relaxed)
    }

    /// An operation's whole answer, as `--json` prints it. Arguments are checked by the operation itself.
    pub(crate) async fn data(
        self: &Arc<Self>,
        operation: &'static Operation,
        arguments: Map<String, Value>,
        caller: Caller,
    ) -> Result<Value, Trouble> {
        self.run(operation.effect, move |pool| pool.data(operation, arguments, &caller)).await
    }

    /// Runs `work` on a blocking thread, when its turn has come. Work that has not begun when the future is dropped
    /// never begins; work that has begun keeps its turn until it ends.
    pub(crate) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        effect: Effect,
        work: impl FnOnce(&Pool) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Trouble> {
        self.running.fetch_add(1, Ordering::Relaxed);
        self.begun.fetch_add(1, Ordering::Relaxed);
        let running = Running(Arc::clone(self));
        let turns = if effect == Effect::Read { &self.reading } else { &self.writing };
        let turn = Arc::clone(turns).acquire_owned().await;
        let mut task = Task(tokio::task::spawn_blocking(move || {
            let outcome = work(&running.0.pool);
            drop(turn);
            outcome
        }));
        let outcome = match (&mut task.0).await {
            Ok(outcome) => outcome.map_err(Trouble::Failed),
            Err(_) => Err(Trouble::Panicked),
        };
        if effect != Effect::Read {
            tokio::spawn(after_write(Arc::clone(self)));
        }
        tokio::spawn(close_when_idle(Arc::clone(self)));
        outcome
    }
}

struct Running(Arc<Calls>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Task<T>(JoinHandle<T>);

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Deferred work, once the answer to a call that wrote is on its way. Not at once: the same client mostly sends the next
/// call, which would have to wait.
async fn after_write(calls: Arc<Calls>) {
    let begun = calls.begun.load(Ordering::Relaxed);
    tokio::time::sleep(PAUSE).await;
    let paused = calls.begun.load(Ordering::Relaxed) == begun;
    if paused || begun.is_multiple_of(CALLS_BETWEEN) {
        let _ = tokio::task::spawn_blocking(move || {
            calls.pool.fold_long_logs();
            if paused {
                calls.pool.prepare_for_questions();
            }
        })
        .await;
    }
}

/// Waits until no call has come for a while, then closes what is idle. One at a time.
async fn close_when_idle(calls: Arc<Calls>) {
    if calls.watched.swap(true, Ordering::Relaxed) {
        return;
    }
    loop {
        let begun = calls.begun.load(Ordering::Relaxed);
        tokio::time::sleep(IDLE).await;
        if calls.begun.load(Ordering::Relaxed) == begun && calls.running() == 0 {
            break;
        }
    }
    calls.watched.store(false, Ordering::Relaxed);
    let _ = tokio::task::spawn_blocking(move || calls.pool.close_idle()).await;
}
