//! The work of a process that lives on: `hark serve` hosts it beside its answers, `hark work --watch` does nothing else.
//!
//! One service works on a store at a time: it holds the worker's lock, and others stand by. The work runs on threads of
//! its own. When it fails, panics or hangs, the host goes on answering, the trouble is logged and shown by
//! `hark doctor`, and the work begins again after a pause.

mod eye;
mod rounds;
mod state;
mod supervise;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hark_core::Raw;
use hark_core::redact::Redactor;
use hark_store::{Layout, StoreError};
use serde::{Deserialize, Serialize};

pub use state::{ServiceState, Watches};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::machine::Machine;
use crate::worker;
use rounds::Rounds;
use state::Board;
use supervise::{Job, Pulse, RULES, Supervisor, Trouble};

/// How often a service that stands by looks whether it is its turn.
const STAND_BY: Duration = Duration::from_secs(2);

/// The command that hosts the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Host {
    Serve,
    Work,
}

impl Host {
    pub fn command(self) -> &'static str {
        match self {
            Host::Serve => "hark serve",
            Host::Work => "hark work --watch",
        }
    }
}

/// A line for the log of the process.
pub type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// Running work. Ends with [`Service::stop`].
pub struct Service {
    supervisor: Supervisor,
    board: Arc<Board>,
    lock: Turn,
}

/// The worker's lock, once it is ours. Held as long as the service lives, so that work that begins again need not wait
/// for work that hangs.
type Turn = Arc<Mutex<Option<std::fs::File>>>;

impl Service {
    /// Starts the work for the user's store, with the settings of no project.
    pub fn start(machine: &Machine, host: Host, say: Say) -> Result<Service, EngineError> {
        let machine = Machine { cwd: None, project: None, ..machine.clone() };
        let layout = Layout::new(machine.home()?.path);
        let redactor = Engine::redactor_of(&machine.home()?, &machine.config()?)?;
        let board = Arc::new(Board::new(layout.clone(), machine.clock, host));
        let lock = Turn::default();
        let job: Job = {
            let (board, lock, say) = (Arc::clone(&board), Arc::clone(&lock), Arc::clone(&say));
            let stands_by = AtomicBool::new(false);
            Arc::new(move |pulse| {
                take_turn(&layout, pulse, &lock, &stands_by, &say);
                rounds(&machine, pulse, &board).map_err(|error| error.to_string())
            })
        };
        let told = {
            let board = Arc::clone(&board);
            move |trouble: &Trouble| tell(trouble, &board, &redactor, &say)
        };
        Ok(Service { supervisor: Supervisor::start(job, RULES, told), board, lock })
    }

    /// Ends the work after what it is doing, or in a few seconds at the latest.
    pub fn stop(self) {
        self.supervisor.stop();
        if self.lock.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            self.board.remove();
        }
    }
}

fn rounds(machine: &Machine, pulse: &Pulse, board: &Board) -> Result<(), EngineError> {
    while !pulse.is_over() {
        match Rounds::new(machine, pulse, board).and_then(|mut rounds| rounds.run()) {
            Err(EngineError::Store(StoreError::Corrupt { .. })) => {
                // Moves it aside and rebuilds it, as every command does.
                let moment = Duration::from_secs(1);
                let work = |engine: &mut Engine| worker::pass(engine, moment, None, &mut |_| pulse.beat());
                machine.engine()?.recovering(work).1?;
            }
            outcome => return outcome,
        }
    }
    Ok(())
}

/// Waits until no other worker works on this store.
fn take_turn(layout: &Layout, pulse: &Pulse, lock: &Turn, stands_by: &AtomicBool, say: &Say) {
    while !pulse.is_over() {
        pulse.beat();
        let mut held = lock.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            *held = worker::lock(layout);
        }
        if held.is_some() {
            return;
        }
        drop(held);
        if !stands_by.swap(true, Ordering::Relaxed) {
            say("another worker is at work on this store; standing by");
        }
        pulse.pause(STAND_BY);
    }
}

fn tell(trouble: &Trouble, board: &Board, redactor: &Redactor, say: &Say) {
    // What a panic says may quote what it worked on.
    let clean = |text: &str| redactor.clean(Raw::new(text)).to_string();
    let (what, hangs) = match trouble {
        Trouble::Failed(why) => (clean(why), false),
        Trouble::Panicked(why) => (format!("it panicked: {}", clean(why)), false),
        Trouble::Hangs => ("it gave no sign of life".to_owned(), true),
    };
    board.note_error(&what, hangs);
    tracing::error!(hangs, "the worker ended and begins again");
    say(&format!("the worker ended and begins again in a while: {what}"));
}
