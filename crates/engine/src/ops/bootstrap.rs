//! Learns from a project's own documents.

use std::path::PathBuf;

use clap::Args;
use hark_core::Scope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::WriteScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::count;
use crate::operation::{
    Code, Effect, Family, GOOD, Group, Operation, Page, Reply, Surface, Surfaces, Tool, Who, operate,
};
use crate::reach;
use crate::transfer::documents::{self, Chosen, Reading};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Project folder or document; default: the current folder
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// Read every markdown file, not just README, guides, docs and decision records
    #[arg(long)]
    #[serde(default)]
    pub all_files: bool,
    /// Only show what would change
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: WriteScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub path: String,
    pub project: Option<String>,
    pub dry_run: bool,
    #[serde(flatten)]
    pub reading: Reading,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let given = request.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let path = reach::readable(engine, caller, &given)?;
    let path = std::fs::canonicalize(&path).map_err(|_| {
        EngineError::invalid(
            format!("{}: no such file or folder", given.display()),
            "pass a project folder or a markdown file",
        )
    })?;
    let single = path.is_file();
    // A document belongs to the caller's project if it is inside it, else to its own folder.
    let here = caller.cwd.as_ref().and_then(|cwd| std::fs::canonicalize(cwd).ok());
    let folder = match here.filter(|cwd| single && path.starts_with(cwd)) {
        Some(cwd) => cwd,
        None if single => path.parent().map(PathBuf::from).unwrap_or_default(),
        None => path.clone(),
    };
    let scope = if request.scope.project.is_some() || request.scope.global {
        request.scope.resolve(engine, caller)?
    } else {
        engine.project_of(&folder).map_or(Scope::Global, Scope::Project)
    };
    // A document is identified by its path within the project, however the caller wrote it.
    let root = crate::project::root(engine, &folder);
    let chosen = Chosen { root: &root, path: &path, everything: request.all_files };
    let now = engine.now();
    engine.store.refresh_fully(now)?;
    let reading = documents::read(engine, &chosen, scope.project(), request.dry_run)?;
    if reading.documents == 0 {
        return Err(EngineError::invalid(
            format!("{}: no README, docs or decision records found", path.display()),
            "pass a document, or read every markdown file with --all-files",
        ));
    }
    if !request.dry_run {
        documents::again::note(engine, &chosen, scope.project(), &reading.files)?;
    }
    Ok(Response {
        path: path.display().to_string(),
        project: scope.project().map(ToString::to_string),
        dry_run: request.dry_run,
        reading,
    })
}

pub const OPERATION: Operation = Operation {
    name: "bootstrap",
    also: &[],
    summary: "Learn from a project's README, docs and decision records",
    help: "",
    examples: &[
        ("hark bootstrap", "Read the documents of this project"),
        ("hark bootstrap docs/adr --dry-run", "Show what would be learned from one folder"),
    ],
    group: Group::Learning,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_bootstrap",
        family: Family::Admin,
        description: "Learn from the project's README, docs and decision records.",
    },
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
        let reading = &self.reading;
        let verb = if self.dry_run { "would read" } else { "read" };
        page.print(&format!(
            "{GOOD}{verb}{GOOD:#} {}: {} new, {} changed, {} unchanged, {} removed\n",
            count(reading.documents, "document", "documents"),
            reading.added,
            reading.updated,
            reading.unchanged,
            reading.archived
        ));
        if reading.kept > 0 {
            page.print(&format!(
                "  kept {} that you edited here\n",
                count(reading.kept, "section", "sections")
            ));
        }
        if reading.skipped > 0 {
            page.note(&format!(
                "skipped {} without anything to learn, such as badges or a licence\n",
                count(reading.skipped, "section", "sections")
            ));
        }
        if reading.left_out > 0 {
            page.note(&format!(
                "skipped {}; pass a document to read more of it\n",
                count(reading.left_out, "section", "sections")
            ));
        }
    }
}
