//! The stores of a long-lived process: many readers in parallel and one writer, chosen by the operation's effect.
//!
//! A process can serve several folders (a client's roots, projects whose stores are trusted), so connections are
//! opened per set of settings, on first use, and kept until the process is idle.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hark_engine::operation::{Answer, Effect, Needs, Prepared};
use hark_engine::{Caller, Config, Engine, EngineError, Layout, Machine, Operation, fold_beside};
use hark_files::Door;
use serde_json::{Map, Value};

pub struct Pool {
    machine: Machine,
    table: &'static [&'static Operation],
    /// Connections that no call uses.
    idle: Mutex<Idle>,
    /// Held by the call that writes.
    writer: Mutex<HashMap<PathBuf, Engine>>,
    /// Held while logs are folded into their databases. No call waits for it.
    folding: Mutex<()>,
}

#[derive(Default)]
struct Idle {
    readers: HashMap<PathBuf, Vec<Engine>>,
    /// Stores whose log has grown long since it was last folded.
    long_logs: Vec<Layout>,
}

impl Pool {
    pub fn new(machine: Machine) -> Self {
        Self::of(machine, hark_engine::ops::TABLE)
    }

    /// Serves another table, for tests.
    pub fn of(machine: Machine, table: &'static [&'static Operation]) -> Self {
        let (idle, writer) = (Mutex::default(), Mutex::default());
        Pool { machine, table, idle, writer, folding: Mutex::new(()) }
    }

    pub(crate) fn table(&self) -> &'static [&'static Operation] {
        self.table
    }

    /// Runs an operation on the calling thread.
    pub(crate) fn call(
        &self,
        operation: &Operation,
        arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Result<Answer, EngineError> {
        operation.permit(caller)?;
        hark_engine::trace::call(operation.name);
        let prepared = operation.code.parsed(Value::Object(arguments))?;
        let machine = Machine { cwd: caller.cwd.clone(), ..self.machine.clone() };
        match operation.code.needs {
            Needs::Machine => machine.unattended(caller, |call| prepared.run_here(call)?.answer()),
            Needs::Store => {
                let place = Place::of(&machine)?;
                match operation.effect {
                    Effect::Read => self.read(&place, &prepared, &machine, caller),
                    Effect::Write | Effect::Destroy => self.write(&place, &prepared, &machine, caller),
                }
            }
        }
    }

    fn read(
        &self,
        place: &Place,
        prepared: &Prepared,
        machine: &Machine,
        caller: &Caller,
    ) -> Result<Answer, EngineError> {
        let idle = self.idle().readers.get_mut(&place.key).and_then(Vec::pop);
        let engine = match idle {
            Some(engine) => engine,
            None => place.open(machine)?,
        };
        let (engine, outcome) = run(engine, prepared, machine, caller);
        if let Some(engine) = engine {
            self.idle().readers.entry(place.key.clone()).or_default().push(engine);
        }
        outcome
    }

    fn write(
        &self,
        place: &Place,
        prepared: &Prepared,
        machine: &Machine,
        caller: &Caller,
    ) -> Result<Answer, EngineError> {
        // A panic in another call leaves nothing half done: an engine is taken out of the map to work.
        let mut writers = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let engine = match writers.remove(&place.key) {
            Some(engine) => engine,
            None => place.open(machine)?,
        };
        let (engine, outcome) = run(engine, prepared, machine, caller);
        if let Some(engine) = engine {
            if let Some(layout) = engine.with_long_log() {
                self.idle().long_logs.push(layout);
            }
            writers.insert(place.key.clone(), engine);
        }
        outcome
    }

    /// Work that a write leaves for later and that must not wait for a pause. The next write does the rest.
    pub(crate) fn fold_long_logs(&self) {
        let Ok(_folding) = self.folding.try_lock() else { return };
        let long = std::mem::take(&mut self.idle().long_logs);
        for layout in &long {
            let _ = fold_beside(layout);
        }
    }

    /// Prepares the store for questions, while no call is running.
    pub(crate) fn prepare_for_questions(&self) {
        let Ok(writers) = self.writer.try_lock() else { return };
        for engine in writers.values() {
            let _ = engine.prepare_for_questions();
        }
    }

    /// Closes every connection that no call uses. The next call opens one in a few milliseconds.
    pub(crate) fn close_idle(&self) {
        let closed = std::mem::take(&mut self.idle().readers);
        drop(closed);
        if let Ok(mut writers) = self.writer.try_lock() {
            writers.clear();
        }
        hark_engine::embed::release_models();
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn run(
    mut engine: Engine,
    prepared: &Prepared,
    machine: &Machine,
    caller: &Caller,
) -> (Option<Engine>, Result<Answer, EngineError>) {
    if let Some(folder) = &caller.cwd
        && let Err(error) = engine.enter(folder)
    {
        return (Some(engine), Err(error));
    }
    engine.recovering(|engine| {
        machine.unattended(caller, |call| prepared.run(engine, call).and_then(|done| done.answer()))
    })
}

/// Whose settings a call runs with.
struct Place {
    key: PathBuf,
    project: Option<Door>,
}

impl Place {
    fn of(machine: &Machine) -> Result<Place, EngineError> {
        // A project whose store is trusted has settings of its own.
        let project = machine.project_settings(machine.cwd.as_deref())?;
        let key = match &project {
            Some(door) => door.root().to_owned(),
            None => machine.home()?.path,
        };
        Ok(Place { key, project })
    }

    fn open(&self, machine: &Machine) -> Result<Engine, EngineError> {
        let config = Config::load(machine.user_config.as_deref(), self.project.as_ref())?;
        let mut engine = Engine::open(machine.home()?, config, machine.clock)?;
        engine.assume_project(machine.project.as_deref());
        engine.rest_between_calls()?;
        Ok(engine)
    }
}
