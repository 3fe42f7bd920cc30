//! The stores of a long-lived process: many readers in parallel and one writer, chosen by the operation's effect.
//!
//! A process can serve several folders (a client's roots, projects whose stores are trusted), so connections are
//! opened per set of settings, on first use, and kept until the process is idle.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hark_core::Timestamp;
use hark_engine::operation::{Answer, Done, Effect, Needs, Prepared};
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
    /// How many calls of each operation succeeded and failed.
    counts: Mutex<BTreeMap<&'static str, (u64, u64)>>,
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
        Pool { machine, table, idle, writer, counts: Mutex::default(), folding: Mutex::new(()) }
    }

    pub(crate) fn table(&self) -> &'static [&'static Operation] {
        self.table
    }

    /// The time, as operations see it.
    pub(crate) fn now(&self) -> Timestamp {
        self.machine.clock.now()
    }

    /// Runs an operation on the calling thread, and returns what a model reads.
    pub(crate) fn call(
        &self,
        operation: &Operation,
        arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Result<Answer, EngineError> {
        self.counted(operation, arguments, caller, Done::answer, Files::Look)
    }

    /// The same with everything in the answer, for programs and pages.
    pub(crate) fn data(
        &self,
        operation: &Operation,
        arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Result<Value, EngineError> {
        self.counted(operation, arguments, caller, Done::data, Files::Look)
    }

    /// The same, for a page that draws several answers and looked at the files before the first.
    pub(crate) fn data_again(
        &self,
        operation: &Operation,
        arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Result<Value, EngineError> {
        self.counted(operation, arguments, caller, Done::data, Files::Known)
    }

    /// A connection for somebody who keeps it.
    pub(crate) fn engine(&self) -> Result<Engine, EngineError> {
        let machine = Machine { cwd: None, ..self.machine.clone() };
        Place::of(&machine)?.open(&machine)
    }

    /// Calls of each operation so far: done, failed.
    pub(crate) fn counts(&self) -> BTreeMap<&'static str, (u64, u64)> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn counted<T>(
        &self,
        operation: &Operation,
        arguments: Map<String, Value>,
        caller: &Caller,
        told: Told<T>,
        files: Files,
    ) -> Result<T, EngineError> {
        let outcome = self.run(operation, arguments, caller, told, files);
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let (done, failed) = counts.entry(operation.name).or_default();
        *if outcome.is_ok() { done } else { failed } += 1;
        outcome
    }

    fn run<T>(
        &self,
        operation: &Operation,
        arguments: Map<String, Value>,
        caller: &Caller,
        told: Told<T>,
        files: Files,
    ) -> Result<T, EngineError> {
        operation.permit(caller)?;
        hark_engine::trace::call(operation.name);
        let prepared = operation.code.parsed(Value::Object(arguments))?;
        let machine = Machine { cwd: caller.cwd.clone(), ..self.machine.clone() };
        match operation.code.needs {
            Needs::Machine => machine.unattended(caller, |call| told(&prepared.run_here(call)?)),
            Needs::Store => {
                let place = Place::of(&machine)?;
                let request = Request { prepared: &prepared, machine: &machine, caller, told, files };
                match operation.effect {
                    Effect::Read => self.read(&place, &request),
                    Effect::Write | Effect::Destroy => self.write(&place, &request),
                }
            }
        }
    }

    fn read<T>(&self, place: &Place, request: &Request<'_, T>) -> Result<T, EngineError> {
        let idle = self.idle().readers.get_mut(&place.key).and_then(Vec::pop);
        let engine = match idle {
            Some(engine) => engine,
            None => place.open(request.machine)?,
        };
        let (engine, outcome) = request.run(engine);
        if let Some(engine) = engine {
            self.idle().readers.entry(place.key.clone()).or_default().push(engine);
        }
        outcome
    }

    fn write<T>(&self, place: &Place, request: &Request<'_, T>) -> Result<T, EngineError> {
        // A panic in another call leaves nothing half done: an engine is taken out of the map to work.
        let mut writers = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let engine = match writers.remove(&place.key) {
            Some(engine) => engine,
            None => place.open(request.machine)?,
        };
        let (engine, outcome) = request.run(engine);
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

/// How a response is told to whoever asked.
type Told<T> = fn(&Done) -> Result<T, EngineError>;

/// One request to an open store.
struct Request<'a, T> {
    prepared: &'a Prepared,
    machine: &'a Machine,
    caller: &'a Caller,
    told: Told<T>,
    files: Files,
}

/// Whether to pick up what people changed in the files. At ten thousand of them that takes some milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Files {
    Look,
    Known,
}

impl<T> Request<'_, T> {
    fn run(&self, mut engine: Engine) -> (Option<Engine>, Result<T, EngineError>) {
        if let Some(folder) = &self.caller.cwd
            && let Err(error) = engine.enter(folder)
        {
            return (Some(engine), Err(error));
        }
        engine.recovering(|engine| {
            if self.files == Files::Known {
                engine.skip_refresh();
            }
            self.machine.unattended(self.caller, |call| {
                self.prepared.run(engine, call).and_then(|done| (self.told)(&done))
            })
        })
    }
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
