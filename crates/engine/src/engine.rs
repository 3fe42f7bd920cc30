//! The engine: an open store with its settings, and the caller.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hark_core::redact::{RedactOptions, Redactor};
use hark_core::vector::Embedder;
use hark_core::{Clean, ClientProcess, Origin, ProjectKey, Raw, Timestamp};
use hark_store::{Layout, OpenOptions, Role, Store, StoreError};

use crate::clock::Clock;
use crate::config::Config;
use crate::embed::minilm::{MiniLm, Reranker};
use crate::embed::{Choice, Shelf};
use crate::error::EngineError;
use crate::home::Home;
use crate::{embed, project};

/// Who calls, and from where. Always passed in, never taken from the server process.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// The caller's working folder, if any.
    pub cwd: Option<PathBuf>,
    /// The default origin of new memories.
    pub origin: Option<Origin>,
    pub author: Option<String>,
    /// The assistant's own session id, where it says one.
    pub session: Option<String>,
    /// The assistant's process, if that is known and the session id is not beyond doubt.
    pub process: Option<ClientProcess>,
    /// For callers over MCP; `None` on the command line.
    pub connection: Option<Connection>,
    /// The answer is one of several that a page draws at once: it leaves to others what it does not show.
    pub for_page: bool,
}

/// How a client reached a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// Distinguishes it from other connections; `None` where every request stands alone.
    pub key: Option<String>,
    /// Over HTTP: the client can be anywhere, so the files and processes of this machine say nothing about it.
    pub is_remote: bool,
}

impl Caller {
    pub fn user(cwd: Option<PathBuf>) -> Self {
        Caller { cwd, origin: Some(Origin::User), ..Caller::default() }
    }

    /// An assistant that runs a command in its own shell.
    pub fn assistant(cwd: Option<PathBuf>, assistant: &hark_hosts::Assistant) -> Self {
        let author = Some(assistant.host.id.to_owned());
        let (session, process) = (assistant.session.clone(), hark_hosts::process::client());
        Caller { cwd, origin: Some(Origin::Assistant), author, session, process, ..Caller::default() }
    }

    /// The user, who reads a page.
    pub fn reader() -> Self {
        Caller { for_page: true, ..Caller::user(None) }
    }

    /// Whether files of this machine are none of the caller's business.
    pub fn is_remote(&self) -> bool {
        self.connection.as_ref().is_some_and(|connection| connection.is_remote)
    }

    /// Whether the caller is a person, who may decide everything.
    pub fn is_user(&self) -> bool {
        self.origin == Some(Origin::User)
    }
}

pub struct Engine {
    pub(crate) store: Store,
    pub config: Config,
    pub home: Home,
    clock: Clock,
    redactor: Arc<Redactor>,
    pub(crate) embedder: Arc<dyn Embedder>,
    role: Role,
    /// Trusted stores of projects that are not there, since the last call asked for all projects.
    missing: Vec<PathBuf>,
    /// `HARK_PROJECT`: the project of every folder that a caller is in.
    project: Option<String>,
}

impl Engine {
    /// Takes the files for picked up: the same caller did it a moment ago.
    pub fn skip_refresh(&mut self) {
        self.store.skip_refresh();
    }

    pub fn open(home: Home, config: Config, clock: Clock) -> Result<Engine, EngineError> {
        Self::open_as(home, config, clock, Role::Ordinary)
    }

    pub fn open_as(home: Home, config: Config, clock: Clock, role: Role) -> Result<Engine, EngineError> {
        let layout = Layout::new(&home.path);
        let redactor = Self::redactor_of(&home, &config).map_err(|error| {
            // Otherwise the error would name the first file inside.
            let is_file = home.path.symlink_metadata().is_ok_and(|there| there.is_file());
            if is_file { EngineError::not_a_folder(&home.path) } else { error }
        })?;
        let embedder = embed::default_embedder();
        let options =
            OpenOptions { role, embedder: embedder.clone(), redactor: redactor.clone(), now: clock.now() };
        let store = Store::open(&layout, &options)?;
        let mut engine = Engine {
            store,
            config,
            home,
            clock,
            redactor,
            embedder,
            role,
            missing: Vec::new(),
            project: None,
        };
        if role == Role::Ordinary {
            engine.trust_what_was_made_here()?;
            engine.take_in_waiting();
        }
        Ok(engine)
    }

    /// Stores events that hooks could not store. Those that still fail keep waiting.
    fn take_in_waiting(&mut self) {
        const LIMIT: std::time::Duration = std::time::Duration::from_secs(5);
        if !hark_store::spool::is_empty(self.store.layout())
            && let Some(_lock) = crate::worker::lock(self.store.layout())
        {
            let _ = crate::worker::drain(self, std::time::Instant::now(), LIMIT);
        }
    }

    /// The redactor of a data directory, for hooks that cannot open its index.
    pub fn redactor_of(home: &Home, config: &Config) -> Result<Arc<Redactor>, EngineError> {
        let key = placeholder_key(&Layout::new(&home.path))?;
        let options = RedactOptions { emails: config.redact.emails, ..RedactOptions::default() };
        Ok(Arc::new(Redactor::new(options, key)))
    }

    pub(crate) fn redactor(&self) -> Arc<Redactor> {
        self.redactor.clone()
    }

    /// A number that changes when another connection has committed.
    pub fn data_version(&self) -> Result<i64, EngineError> {
        Ok(self.store.data_version()?)
    }

    /// What a watcher compares after a change.
    pub fn pulse(&self) -> Result<hark_store::Pulse, EngineError> {
        Ok(self.store.pulse()?)
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Whether the write-ahead log should be checkpointed; see the store's `log.rs`.
    pub fn log_grew_long(&self) -> bool {
        self.store.log_grew_long()
    }

    /// For a long-lived process: calls stay short, and the work they leave runs between them.
    pub fn rest_between_calls(&mut self) -> Result<(), EngineError> {
        Ok(self.store.rest_between_writes()?)
    }

    /// The data directory, if its log has grown long: [`crate::fold_beside`] then moves it into the database.
    pub fn with_long_log(&self) -> Option<Layout> {
        self.store.log_is_long().then(|| self.store.layout().clone())
    }

    /// Does in idle time what the next question would otherwise have to do first.
    pub fn prepare_for_questions(&self) -> Result<(), EngineError> {
        Ok(self.store.finish_memories()?)
    }

    /// How many segments of the index a query searches; a worker merges them.
    pub fn parts_of_index(&self) -> Result<u32, EngineError> {
        Ok(self.store.segments()?)
    }

    pub fn fold_log(&mut self) -> Result<(), EngineError> {
        let now = self.now();
        Ok(self.store.fold_log(now)?)
    }

    /// The only way from external text to text that may be stored.
    pub(crate) fn clean(&self, text: &str) -> Clean {
        self.redactor.clean(Raw::new(text))
    }

    /// The encoder, if the settings choose it and its file is intact. Loaded on first use, once per process. A hook has
    /// no time to load one from a file; the one inside takes less than a millisecond.
    pub(crate) fn encoder(&self) -> Option<Arc<MiniLm>> {
        let wanted = self.role == Role::Ordinary || self.config.embedding.model == Choice::Encoder;
        wanted.then(|| Shelf::of(&self.home.path).shared(&self.config.embedding.model))?
    }

    /// The reranker, under the same conditions.
    pub(crate) fn reranker(&self) -> Option<Arc<Reranker>> {
        let wanted = self.role == Role::Ordinary;
        wanted.then(|| Shelf::of(&self.home.path).reranker(&self.config.embedding.reranker))?
    }

    /// Names the caller's project, by name, key or folder, instead of determining it. An empty name counts as none.
    pub fn assume_project(&mut self, project: Option<&str>) {
        self.project = project.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
    }

    /// The project of the caller's folder.
    pub(crate) fn project_of(&mut self, folder: &Path) -> Option<ProjectKey> {
        match self.project.clone() {
            Some(name) => crate::ops::scope::named(self, &name).ok(),
            None => project::identify(self, folder),
        }
    }

    /// Reads the stores of all projects that the user trusted, wherever the caller is: what changed in them since
    /// somebody worked there counts as well.
    pub(crate) fn read_every_store(&mut self) -> Result<(), EngineError> {
        let now = self.now();
        self.missing = self.store.read_trusted(now)?;
        Ok(())
    }

    /// Picks up what people changed in the files, before everything is counted. A command looks at every file. A page looks as
    /// recall does, which takes milliseconds in a large store, and shows the rest once a command or a recall has found it.
    pub(crate) fn look_at_files(&mut self, caller: &Caller) -> Result<(), EngineError> {
        let now = self.now();
        if caller.for_page {
            return Ok(self.store.refresh(now)?);
        }
        self.store.refresh_fully(now)?;
        Ok(())
    }

    /// Stores that a call could not read because they are gone; told once.
    pub fn take_missing_stores(&mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.missing)
    }

    /// The store's own key, for draws that nobody outside can predict.
    pub(crate) fn key(&self) -> Result<[u8; 32], EngineError> {
        placeholder_key(self.store.layout())
    }

    pub fn random<const N: usize>() -> Result<[u8; N], EngineError> {
        let mut bytes = [0; N];
        getrandom::fill(&mut bytes).map_err(|e| EngineError::Random(e.to_string()))?;
        Ok(bytes)
    }

    /// Runs an operation. If the index turns out to be damaged, moves it aside, rebuilds it from the files
    /// and runs the operation again.
    pub fn recovering<T>(
        mut self,
        mut operation: impl FnMut(&mut Engine) -> Result<T, EngineError>,
    ) -> (Option<Engine>, Result<T, EngineError>) {
        match operation(&mut self) {
            Err(EngineError::Store(StoreError::Corrupt { .. })) => {
                let Engine { store, config, home, clock, project, .. } = self;
                let aside = store.put_index_aside(clock.now()).map_err(EngineError::from);
                let reopened = aside.and_then(|aside| {
                    let engine = Engine::open(home, config, clock)?;
                    Ok(Engine { store: engine.store.after_setting_aside(aside), project, ..engine })
                });
                match reopened {
                    Ok(mut engine) => {
                        let outcome = operation(&mut engine);
                        (Some(engine), outcome)
                    }
                    Err(e) => (None, Err(e)),
                }
            }
            outcome => (Some(self), outcome),
        }
    }
}

/// The store's own key for redaction placeholders, created on first use.
fn placeholder_key(layout: &Layout) -> Result<[u8; 32], EngineError> {
    let (path, door) = (layout.placeholder_key(), layout.door());
    let fail = |e| EngineError::from(StoreError::io(&path, e));
    let parse = |text: &str| -> Option<[u8; 32]> {
        let text = text.trim();
        let bytes = (0..32).map(|i| u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok());
        let bytes: Option<Vec<u8>> = bytes.collect();
        bytes?.try_into().ok()
    };
    const LONGEST: u64 = 4_096;
    match door.read_to_string(&path, LONGEST) {
        Ok(text) => {
            if let Some(key) = parse(&text) {
                return Ok(key);
            }
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => return Err(fail(e)),
    }
    let key: [u8; 32] = Engine::random()?;
    let hex: String = key.iter().map(|b| format!("{b:02x}")).collect();
    door.create_folder(Path::new("")).map_err(fail)?;
    // If several processes start first, the one that links its file first wins and the others read it.
    let nonce: [u8; 8] = Engine::random()?;
    let draft = layout.home().join(format!(".placeholder.key.{}", u64::from_le_bytes(nonce)));
    door.put_once(&draft, &path, hex.as_bytes()).map_err(fail)?;
    let kept = door.read_to_string(&path, LONGEST).map_err(fail)?;
    if let Some(key) = parse(&kept) {
        return Ok(key);
    }
    // The key was damaged, so placeholders made with it cannot be matched any more.
    door.create_new(&draft).and_then(|mut file| file.write_all(hex.as_bytes())).map_err(fail)?;
    door.rename(&draft, &path).map_err(fail)?;
    Ok(key)
}
