//! The engine's operations behind the protocol.
//!
//! One process may serve several folders (a client's roots, a project with a store of its own), so
//! engines are opened per set of settings, on first use, and kept.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use hark_core::Origin;
use hark_core::quote::quoted;
use hark_engine::toolbox::{self, Family, Tool};
use hark_engine::{Clock, Config, Engine, EngineError, ErrorKind, Home, Layout, fold_beside, project_store};
use hark_files::Door;
use serde_json::{Map, Value};

use crate::toolbox::{Caller, FailureKind, ToolAnswer, ToolBox, ToolFailure, ToolSpec};

/// How a server finds stores: the same way as the command line.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `HARK_HOME`.
    pub home: Option<PathBuf>,
    /// `HARK_CONFIG` or the usual place.
    pub user_config: Option<PathBuf>,
    pub clock: Clock,
    pub families: Vec<Family>,
}

pub struct MemoryTools {
    settings: Settings,
    tools: Vec<&'static Tool>,
    engines: Mutex<HashMap<PathBuf, Engine>>,
    /// Held while logs are moved into their databases, for which no call waits.
    folding: Mutex<()>,
}

impl MemoryTools {
    pub fn new(settings: Settings) -> Self {
        let tools = toolbox::tools(&settings.families);
        MemoryTools { settings, tools, engines: Mutex::new(HashMap::new()), folding: Mutex::new(()) }
    }

    fn open(&self, home: Home, project: Option<&Door>) -> Result<Engine, EngineError> {
        let config = Config::load(self.settings.user_config.as_deref(), project)?;
        let mut engine = Engine::open(home, config, self.settings.clock)?;
        engine.rest_between_calls()?;
        Ok(engine)
    }

    fn run(
        &self,
        tool: &Tool,
        arguments: &Map<String, Value>,
        caller: &Caller,
    ) -> Result<ToolAnswer, EngineError> {
        let cwd = caller.project_dir().map(PathBuf::from);
        let nowhere = || EngineError::invalid("no data directory is known", "set HARK_HOME");
        let home = Home::of_user(self.settings.home.clone()).ok_or_else(nowhere)?;
        // A project whose store is trusted has settings of its own.
        let project = project_store::settings(cwd.as_deref(), &Layout::new(&home.path));
        let key = project.as_ref().map_or(home.path.as_path(), Door::root).to_owned();
        let who = hark_engine::Caller {
            cwd,
            origin: Some(Origin::Assistant),
            author: caller.client_name.clone(),
            session: caller.session.clone(),
        };
        // A panic in another call leaves no half-done state in the map: engines are taken out to work.
        let mut engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut engine = match engines.remove(&key) {
            Some(engine) => engine,
            None => self.open(home, project.as_ref())?,
        };
        if let Some(folder) = &who.cwd {
            engine.enter(folder)?;
        }
        let (engine, outcome) = engine.recovering(|engine| tool.call(engine, &who, arguments.clone()));
        if let Some(engine) = engine {
            engines.insert(key, engine);
        }
        outcome.map(|answer| ToolAnswer { text: answer.text, structured: Some(answer.data) })
    }
}

impl ToolBox for MemoryTools {
    fn instructions(&self) -> String {
        toolbox::INSTRUCTIONS.to_owned()
    }

    fn tools(&self) -> Vec<ToolSpec> {
        let spec = |tool: &&Tool| ToolSpec {
            name: tool.name.to_owned(),
            title: tool.title.to_owned(),
            description: tool.description.to_owned(),
            input_schema: tool.input_schema(),
            read_only: tool.read_only,
            destructive: tool.destructive,
            idempotent: tool.idempotent,
            always_load: tool.always_load,
        };
        self.tools.iter().map(spec).collect()
    }

    fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Result<ToolAnswer, ToolFailure> {
        let tool = self
            .tools
            .iter()
            .find(|tool| tool.name == name)
            .ok_or_else(|| ToolFailure::not_found(format!("there is no tool `{name}`")))?;
        self.run(tool, &arguments, caller).map_err(|e| failure(&e))
    }

    fn rest(&self) {
        // Somebody else is at it.
        let Ok(_folding) = self.folding.try_lock() else { return };
        let long: Vec<Layout> = {
            let engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
            engines.values().filter_map(Engine::with_long_log).collect()
        };
        // What is not done now is done after the next call.
        for layout in &long {
            let _ = fold_beside(layout);
        }
    }

    fn idle(&self) {
        let engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        for engine in engines.values() {
            let _ = engine.prepare_for_questions();
        }
    }
}

fn failure(error: &EngineError) -> ToolFailure {
    let kind = match error.kind() {
        ErrorKind::User => FailureKind::InvalidArguments,
        ErrorKind::NotFound => FailureKind::NotFound,
        ErrorKind::Storage => FailureKind::Storage,
        ErrorKind::Internal => FailureKind::Internal,
    };
    let failure = ToolFailure::new(kind, quoted(&error.to_string()));
    match error.hint() {
        Some(hint) => failure.with_hint(quoted(&hint)),
        None => failure,
    }
}
