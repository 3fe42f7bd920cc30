//! Trusts the store in a project, or revokes that trust.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use hark_core::markdown::session as markdown;
use hark_core::{MemoryId, Raw};
use hark_files::Door;
use hark_store::{Trust, prepare_store};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, safe};
use crate::operation::{
    Call, Code, DIM, Effect, GOOD, Group, ID, Operate, Operation, Page, Reply, Surface, Surfaces, Tool, WARN,
    Who,
};
use crate::project_store::{self, FOLDER, Found};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Project folder; default: the current one
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// Revoke trust: hark then only quotes the store
    #[arg(long, conflicts_with_all = ["mine", "move_here"])]
    #[serde(default)]
    pub revoke: bool,
    /// Accept memories in it that claim to be yours as your own words
    #[arg(long)]
    #[serde(default)]
    pub mine: bool,
    /// Move this project's memories from your own store into it
    #[arg(long = "move")]
    #[serde(default, rename = "move")]
    pub move_here: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// The store.
    pub path: String,
    pub trusted: bool,
    /// Whether this call changed it.
    pub changed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The number of its memories in the index.
    pub memories: i64,
    /// Memories that claim to be the user's but were not written or confirmed here; they count as a teammate's.
    pub claims: Vec<Claim>,
    /// How many of them were accepted as the user's own.
    pub taken: usize,
    /// The number of memories moved here from the user's own store.
    pub moved: usize,
    /// The number of sessions recorded here that were copied to the user's own store.
    pub sessions: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Claim {
    pub id: String,
    pub kind: String,
    pub title: String,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let store = wanted(engine, caller, request)?;
    let now = engine.now();
    if request.revoke {
        let changed = engine.store.write(now, |writer| writer.change_trust(|trust| trust.revoke(&store)))?;
        engine.store.refresh(now)?;
        if store.is_dir() {
            engine.store.visit(&store, now)?;
        }
        return answer(engine, &store, Response { changed, ..nothing(&store) });
    }
    let entry = engine.trusted_entry(&store)?;
    let changed = engine.store.write(now, |writer| {
        writer.change_trust(|trust| {
            let known = trust.covers(&store);
            trust.add(entry);
            !known
        })
    })?;
    // It is now the user's store, so make it private like the others.
    let _ = Door::to_stranger(&store).tighten_all(Path::new(""));
    engine.store.refresh(now)?;
    engine.store.visit(&store, now)?;
    let mut response = Response { changed, ..nothing(&store) };
    if changed {
        response.sessions = bring_sessions(engine, &store)?;
    }
    if request.mine {
        let ids: Vec<MemoryId> = engine.store.claims(&store)?.iter().map(|memory| memory.id).collect();
        response.taken = ids.len();
        engine.store.write(now, |writer| {
            ids.iter().try_for_each(|id| writer.confirm_own(id)).map_err(EngineError::from)
        })?;
    }
    if request.move_here {
        response.moved = move_over(engine, &store)?;
    }
    answer(engine, &store, response)
}

/// Makes a store for the project at `root` and trusts it. An existing store that is not trusted stays untrusted:
/// it may be another person's. Returns whether it is trusted.
pub fn make(engine: &mut Engine, root: &Path) -> Result<bool, EngineError> {
    let store = root.join(FOLDER);
    match project_store::find(root, &engine.home.path) {
        Found::Refused { path, why } => {
            return Err(EngineError::invalid(
                format!("{}: {why}, so hark never uses it", path.display()),
                "remove it, then run `hark init` again",
            ));
        }
        Found::Store(found) if found.parent() == Some(root) => {
            let covered = Trust::read(engine.store.layout())?.covers(&found);
            if !covered {
                return Ok(false);
            }
        }
        _ => {
            prepare_store(&store, Engine::random()?)?;
        }
    }
    let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let request = Request { path: Some(root), ..Request::default() };
    run(engine, &Caller::default(), &request).map(|response| response.trusted)
}

/// The requested store, if it can be trusted at all.
fn wanted(engine: &Engine, caller: &Caller, request: &Request) -> Result<PathBuf, EngineError> {
    let folder = request.path.clone().or_else(|| caller.cwd.clone());
    let folder = folder
        .ok_or_else(|| EngineError::invalid("the project folder is unknown", "pass the project folder"))?;
    let folder = match (folder.file_name(), folder.parent()) {
        (Some(name), Some(parent)) if name == FOLDER => parent.to_owned(),
        _ => folder,
    };
    // A store that is gone can still be revoked.
    let gone = folder.join(FOLDER);
    if request.revoke && !gone.exists() && Trust::read(engine.store.layout())?.of(&gone).is_some() {
        return Ok(gone);
    }
    match project_store::find(&folder, &engine.home.path) {
        Found::Store(store) => Ok(store),
        Found::Refused { path, why } => Err(EngineError::invalid(
            format!("{}: {why}, so hark never uses it", path.display()),
            "replace it with a real folder that you own, or remove it",
        )),
        Found::Nothing => Err(EngineError::invalid(
            format!("{}: this project has no store", folder.display()),
            "make one with `hark init`",
        )),
    }
}

fn nothing(store: &Path) -> Response {
    Response {
        path: store.display().to_string(),
        trusted: false,
        changed: false,
        project: None,
        memories: 0,
        claims: Vec::new(),
        taken: 0,
        moved: 0,
        sessions: 0,
    }
}

/// The current state.
fn answer(engine: &Engine, store: &Path, mut response: Response) -> Result<Response, EngineError> {
    if let Some(layer) = engine.store.layer_at(store) {
        response.trusted = layer.is_trusted();
        response.project = response.trusted.then(|| layer.project.to_string());
        response.memories = engine.store.layer_memories(layer)?;
    }
    let claim = |memory: &hark_core::Memory| Claim {
        id: memory.id.short(),
        kind: memory.kind.to_string(),
        title: memory.title.to_string(),
    };
    response.claims = engine.store.claims(store)?.iter().map(claim).collect();
    Ok(response)
}

fn move_over(engine: &mut Engine, store: &Path) -> Result<usize, EngineError> {
    let Some(project) = engine.store.layer_at(store).map(|layer| layer.project.clone()) else { return Ok(0) };
    let ids = engine.store.movable(&project)?;
    let now = engine.now();
    let mut moved = 0;
    for id in ids {
        moved += usize::from(engine.store.write(now, |writer| writer.move_to_project(&id))?);
    }
    Ok(moved)
}

/// Sessions belong in the user's own store. Sessions in a project's store that git does not track were recorded
/// here by an older version.
fn bring_sessions(engine: &mut Engine, store: &Path) -> Result<usize, EngineError> {
    const LARGEST: u64 = 4 * 1024 * 1024;
    let (door, folder) = (Door::to_stranger(store), Path::new("sessions"));
    let Some(tracked) = tracked(store) else { return Ok(0) };
    let now = engine.now();
    let mut count = 0;
    for (name, look) in door.list(folder).unwrap_or_default() {
        let shared = tracked.iter().any(|file| Path::new(file).file_name() == Some(&name));
        let is_note = Path::new(&name).extension().is_some_and(|e| e == "md");
        if !look.is_file() || !is_note || shared {
            continue;
        }
        let Ok(text) = door.read_to_string(&folder.join(&name), LARGEST) else { continue };
        let redactor = engine.redactor();
        let Ok(session) = markdown::parse(&text, &|raw: Raw| redactor.clean(raw)) else { continue };
        let arrived = engine.store.write(now, |writer| writer.arrive_session(&session, None, None))?;
        count += usize::from(arrived == hark_store::Arrived::New);
    }
    Ok(count)
}

/// Files in a store that git tracks; `None` if git cannot be run, because then their owner is unknown.
fn tracked(store: &Path) -> Option<Vec<String>> {
    let root = store.parent()?;
    if std::fs::symlink_metadata(root.join(".git")).is_err() {
        return Some(Vec::new());
    }
    let asked = Command::new("git")
        .args(crate::project::CAREFULLY)
        .args(["ls-files", "-z", "--", FOLDER])
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&asked.stdout).into_owned();
    asked
        .status
        .success()
        .then(|| text.split('\0').filter(|file| !file.is_empty()).map(str::to_owned).collect())
}

pub const OPERATION: Operation = Operation {
    name: "trust",
    also: &[],
    summary: "Trust the store in a project",
    help: "",
    examples: &[
        ("hark trust", "Use this project's store as its memory"),
        ("hark trust --revoke", "Only quote it from now on"),
        ("hark trust --mine", "Also accept its memories as your own words"),
    ],
    group: Group::Start,
    effect: Effect::Write,
    who: Who::User,
    tool: Tool::Off("trust is for the user to give"),
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("trust is given at the keyboard"),
        page: Surface::Off("trust is given at the keyboard"),
    },
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        let response = run(engine, call.caller, self)?;
        if response.claims.is_empty() || (call.ask)(&question(&response)) != Some(true) {
            return Ok(response);
        }
        let taken = run(engine, call.caller, &Request { mine: true, ..self.clone() })?;
        Ok(Response { changed: response.changed, sessions: response.sessions, ..taken })
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let memories = count(self.memories, "memory", "memories");
        let path = safe(&self.path);
        if self.trusted {
            let word = if self.changed { "trusted" } else { "already trusted" };
            page.print(&format!("{GOOD}{word}:{GOOD:#} {path} ({memories})\n"));
            page.note("New memories of this project are stored there. Undo this with: hark trust --revoke\n");
        } else {
            let word = if self.changed { "no longer trusted" } else { "not trusted" };
            page.print(&format!("{WARN}{word}:{WARN:#} {path} ({memories}, quoted only when you ask)\n"));
        }
        if self.sessions > 0 {
            page.print(&format!(
                "copied {} recorded here into your own store\n",
                count(self.sessions, "session", "sessions")
            ));
        }
        if self.taken > 0 {
            page.print(&format!("accepted {} as your own words\n", count(self.taken, "memory", "memories")));
        }
        if self.moved > 0 {
            page.print(&format!(
                "moved {} here from your own store\n",
                count(self.moved, "memory", "memories")
            ));
        }
        if !self.claims.is_empty() {
            page.print(&listed(&self.claims));
            page.note(&format!(
                "{} To accept them as your own words: hark trust --mine\n",
                doubt(self.claims.len())
            ));
        }
    }
}

fn listed(claims: &[Claim]) -> String {
    let line = |claim: &Claim| {
        format!("  {ID}{}{ID:#} {} {DIM}{}{DIM:#}\n", claim.id, safe(&claim.title), claim.kind)
    };
    claims.iter().map(line).collect()
}

fn doubt(claims: usize) -> String {
    format!(
        "{} to be yours, but nothing shows that you wrote them here. Until you confirm them, they count as a \
         teammate's words.",
        count(claims, "memory claims", "memories claim")
    )
}

fn question(response: &Response) -> String {
    format!(
        "{}{} Accept them as your own words? [y/N] ",
        listed(&response.claims),
        doubt(response.claims.len())
    )
}
