//! Lists projects and gives them names; [`merge`] makes two of them one.

pub mod merge;

use clap::Args;
use hark_core::memory::one_line;
use hark_core::{ProjectKey, Timestamp};
use hark_store::{ProjectCount, ProjectPlace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::known;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, safe};
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Group, Operation, Page, Reply, Tool, WARN, Who, operate,
};
use crate::project::predecessor;

pub use merge::MERGE;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// Most recently used first.
    pub projects: Vec<ProjectView>,
    /// A project that the current one probably continues, and the command that makes them one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProjectView {
    /// What its memories and sessions say.
    pub key: String,
    /// What people call it.
    pub name: String,
    /// Whether the caller is in it.
    pub current: bool,
    pub memories: i64,
    pub sessions: i64,
    /// When a memory or session last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<String>,
    /// Where it was seen.
    pub folders: Vec<FolderView>,
    /// Keys that were merged into it.
    pub merged: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FolderView {
    pub path: String,
    /// Whether it is still there.
    pub exists: bool,
}

pub fn run(engine: &mut Engine, caller: &Caller, _request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.look_at_files(caller)?;
    let current = caller.cwd.clone().and_then(|cwd| engine.project_of(&cwd));
    let mut counts = engine.store.project_counts()?;
    counts.retain(|project| !engine.is_untrusted_key(&project.key));
    if let Some(key) = current.as_ref().filter(|key| counts.iter().all(|project| project.key != **key)) {
        counts.insert(0, ProjectCount { key: key.clone(), memories: 0, sessions: 0, last: None });
    }
    let places = engine.store.places()?;
    let names = engine.project_names()?;
    let book = engine.store.project_book();
    let view = |project: ProjectCount| ProjectView {
        name: names.of(project.key.as_str()),
        current: current.as_ref() == Some(&project.key),
        memories: project.memories,
        sessions: project.sessions,
        last_used: project.last.map(|at| at.to_string()),
        age: project.last.map(|at: Timestamp| at.age(now)),
        folders: folders(&places, &project.key),
        merged: book
            .merged
            .iter()
            .filter(|(_, into)| *into == project.key.as_str())
            .map(|(k, _)| k.clone())
            .collect(),
        key: project.key.to_string(),
    };
    let projects = counts.into_iter().map(view).collect();
    let hint = match &caller.cwd {
        Some(cwd) => predecessor::find(engine, cwd)?.map(|found| found.command()),
        None => None,
    };
    Ok(Response { projects, hint })
}

/// The folders of a project; of one inside another only the outer.
fn folders(places: &[ProjectPlace], key: &ProjectKey) -> Vec<FolderView> {
    let own: Vec<&ProjectPlace> = places.iter().filter(|place| place.key == *key).collect();
    let is_outer = |place: &&&ProjectPlace| {
        own.iter().all(|other| other.path == place.path || !place.path.starts_with(&other.path))
    };
    own.iter()
        .filter(is_outer)
        .map(|place| FolderView { path: place.path.display().to_string(), exists: place.path.is_dir() })
        .collect()
}

/// The project that a person names, which must exist.
fn existing(engine: &mut Engine, text: &str) -> Result<ProjectKey, EngineError> {
    known(engine, text)?.ok_or_else(|| unknown(text))
}

fn unknown(text: &str) -> EngineError {
    EngineError::invalid(format!("there is no project `{text}`"), "`hark project list` lists projects")
}

pub const OPERATION: Operation = Operation {
    name: "project",
    also: &["project list"],
    summary: "List projects",
    help: "A project is known by the remote of its repository, else by its first commit, else by its folder. People see \
           its name; files and JSON contain its key.",
    examples: &[
        ("hark project list", "List projects with their folders"),
        ("hark project merge shop-330c6760 github.com/acme/shop", "Make two projects one"),
    ],
    group: Group::Store,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("projects are for the user to manage"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        if self.projects.is_empty() {
            page.note("no projects yet; a project appears with its first memory or session\n");
        }
        for project in &self.projects {
            let here = if project.current { " (current)" } else { "" };
            let used = project.age.as_ref().map_or(String::new(), |age| format!(" · {age}"));
            page.print(&format!(
                "{BOLD}{}{BOLD:#}{here} {DIM}{} · {}{used}{DIM:#}\n",
                safe(&project.name),
                count(project.memories, "memory", "memories"),
                count(project.sessions, "session", "sessions"),
            ));
            if project.key != project.name {
                page.print(&format!("  {DIM}key{DIM:#}     {}\n", safe(&project.key)));
            }
            for folder in &project.folders {
                let gone = if folder.exists { String::new() } else { format!(" {WARN}gone{WARN:#}") };
                page.print(&format!("  {DIM}folder{DIM:#}  {}{gone}\n", safe(&folder.path)));
            }
            for key in &project.merged {
                page.print(&format!("  {DIM}merged{DIM:#}  {}\n", safe(key)));
            }
        }
        if let Some(command) = &self.hint {
            page.note(&format!("this project may continue another: {}\n", safe(command)));
        }
    }
}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct RenameRequest {
    /// Project: name, key or folder
    #[arg(value_name = "PROJECT")]
    pub project: String,
    /// What to call it; empty for the usual name
    #[arg(value_name = "NAME")]
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RenameResponse {
    pub key: String,
    pub name: String,
}

/// Changes what people see. The key, which files contain, stays.
pub fn rename(
    engine: &mut Engine,
    _caller: &Caller,
    request: &RenameRequest,
) -> Result<RenameResponse, EngineError> {
    const LONGEST: usize = 80;
    let key = existing(engine, &request.project)?;
    let key = engine.alias_of(key);
    let name = one_line(&engine.clean(request.name.trim()));
    if name.chars().count() > LONGEST || name.contains('/') {
        return Err(EngineError::invalid(
            "a name has at most 80 characters and no slash",
            "choose a short name, such as the name of the folder",
        ));
    }
    let now = engine.now();
    engine.store.write(now, |writer| {
        writer.change_project_book(|book| match name.is_empty() {
            true => drop(book.names.remove(key.as_str())),
            false => drop(book.names.insert(key.to_string(), name.to_string())),
        })
    })?;
    Ok(RenameResponse { name: engine.project_names()?.of(key.as_str()), key: key.to_string() })
}

pub const RENAME: Operation = Operation {
    name: "project rename",
    also: &[],
    summary: "Change what a project is called",
    help: "",
    examples: &[("hark project rename shop-330c6760 till", "Show the project as `till`")],
    group: Group::Store,
    effect: Effect::Write,
    who: Who::User,
    tool: Tool::Off("projects are for the user to manage"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<RenameRequest>(),
};

operate!(RenameRequest => RenameResponse, rename);

impl Reply for RenameResponse {
    fn print(&self, page: &mut Page) {
        page.print(&format!("{BOLD}{}{BOLD:#} {DIM}{}{DIM:#}\n", safe(&self.name), safe(&self.key)));
    }
}
