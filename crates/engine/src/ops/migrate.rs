//! Imports from other memory tools on this machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::WriteScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::safe;
use crate::operation::{
    self, BOLD, Code, DIM, Effect, Group, Operation, Page, Reply, Surface, Surfaces, WARN, Who, operate,
};
use crate::transfer::foreign::{Desk, Surroundings, TOOLS, Tool, Unmapped, store};
use crate::transfer::import::Tally;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// openCodeMemory, opencode-memory, sessionmem, total-agent-memory, codememory, claude-mem,
    /// server-memory, instructions (CLAUDE.md and its like) or obsidian
    #[arg(value_name = "TOOL", required_unless_present = "all")]
    pub tool: Option<String>,
    /// Its database, file or folder; default: the usual place
    #[arg(value_name = "PATH", conflicts_with = "all")]
    pub path: Option<PathBuf>,
    /// Every tool found on this machine
    #[arg(long, conflicts_with = "tool")]
    #[serde(default)]
    pub all: bool,
    /// Only show what would change
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    /// Project for everything, if the tool has none
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: WriteScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub dry_run: bool,
    pub sources: Vec<Source>,
    pub millis: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Source {
    pub tool: String,
    pub path: String,
    #[serde(flatten)]
    pub tally: Tally,
    /// What was dropped or converted.
    pub unmapped: Vec<Unmapped>,
    /// Project names in that tool and in hark.
    pub projects: BTreeMap<String, String>,
    /// Those that had nothing in hark before.
    pub new_projects: Vec<String>,
    /// Why nothing was imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let started = Instant::now();
    let around = Surroundings { home: etcetera::home_dir().ok(), folder: caller.cwd.clone() };
    let mut sources = Vec::new();
    let mut desk = Desk::new(engine, caller, &request.scope)?;
    for (tool, path) in wanted(request, caller, &around)? {
        match bring(engine, caller, &mut desk, tool, &path, request.dry_run) {
            Ok(source) => sources.push(source),
            // One broken database must not stop the others.
            Err(e) if request.all => sources.push(Source {
                tool: tool.name.to_owned(),
                path: path.display().to_string(),
                tally: Tally::default(),
                unmapped: Vec::new(),
                projects: BTreeMap::new(),
                new_projects: Vec::new(),
                error: Some(e.to_string()),
            }),
            Err(e) => return Err(e),
        }
    }
    Ok(Response { dry_run: request.dry_run, sources, millis: started.elapsed().as_millis() as u64 })
}

fn bring(
    engine: &mut Engine,
    caller: &Caller,
    desk: &mut Desk,
    tool: &'static Tool,
    path: &Path,
    dry_run: bool,
) -> Result<Source, EngineError> {
    let harvest = tool.harvest(path)?;
    let settled = store(engine, caller, harvest, desk, dry_run)?;
    Ok(Source {
        tool: tool.name.to_owned(),
        path: path.display().to_string(),
        tally: settled.tally,
        unmapped: settled.unmapped,
        projects: settled.projects,
        new_projects: settled.new_projects,
        error: None,
    })
}

/// The tools, and their files.
fn wanted(
    request: &Request,
    caller: &Caller,
    around: &Surroundings,
) -> Result<Vec<(&'static Tool, PathBuf)>, EngineError> {
    if request.all {
        let found =
            TOOLS.iter().flat_map(|tool| tool.found(around).into_iter().map(move |path| (tool, path)));
        return Ok(found.collect());
    }
    let name = request.tool.as_deref().unwrap_or_default();
    let tool = Tool::find(name).ok_or_else(|| {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        EngineError::invalid(
            format!("unknown tool `{name}`"),
            format!("use one of {}, or --all", names.join(", ")),
        )
    })?;
    if let Some(path) = &request.path {
        let path = caller.cwd.as_ref().map_or(path.clone(), |cwd| cwd.join(path));
        return Ok(vec![(tool, path)]);
    }
    let found = tool.found(around);
    if found.is_empty() {
        return Err(EngineError::invalid(
            format!("no data of {} was found", tool.name),
            format!("pass its path: hark migrate {} PATH", tool.name),
        ));
    }
    Ok(found.into_iter().map(|path| (tool, path)).collect())
}

pub const OPERATION: Operation = Operation {
    name: "migrate",
    also: &[],
    summary: "Import from other memory tools",
    help: "",
    examples: &[
        ("hark migrate --all --dry-run", "Show what other tools have stored on this machine"),
        ("hark migrate claude-mem", "Import from one tool"),
    ],
    group: Group::Transfer,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: operation::Tool::Off("imports are for the user to start"),
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("reads files of this machine"),
        page: Surface::Off("reads files of this machine"),
    },
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        if self.sources.is_empty() {
            page.note("no other memory tool was found; pass one and its file: hark migrate TOOL PATH\n");
            return;
        }
        for source in &self.sources {
            page.print(&format!("{BOLD}{}{BOLD:#} {}\n", source.tool, safe(&source.path)));
            if let Some(error) = &source.error {
                page.note(&format!("{WARN}nothing was imported:{WARN:#} {}\n", safe(error)));
                continue;
            }
            super::import::print_tally(page, &source.tally, self.dry_run);
            for (there, here) in source.projects.iter().filter(|(there, here)| there != here) {
                page.print(&safe(&format!("  project {there} is {here} here\n")));
            }
            for project in &source.new_projects {
                page.print(&safe(&format!("  project {project} is new here\n")));
            }
            for unmapped in &source.unmapped {
                page.print(&format!("  {DIM}{} × {}{DIM:#}\n", unmapped.count, safe(&unmapped.what)));
            }
        }
        if self.dry_run {
            page.note(super::import::DRY);
        }
        if self.sources.iter().any(|source| !source.new_projects.is_empty()) {
            page.note("if a new project is one you have under another name: hark project merge FROM INTO\n");
        }
    }
}
