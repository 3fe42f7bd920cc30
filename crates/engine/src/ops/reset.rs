//! Empties the store after a last backup. Installed assistants, settings and the stores of projects stay.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, safe};
use crate::operation::{
    Call, Code, Effect, GOOD, Group, ID, Operate, Operation, Page, Reply, Surface, Surfaces, Tool, WARN, Who,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Do it without asking; without this and without a terminal, only show what would be removed
    #[arg(long)]
    #[serde(default)]
    pub yes: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub applied: bool,
    pub home: String,
    pub memories: i64,
    pub sessions: i64,
    /// Files of memories, sessions and their history.
    pub files: usize,
    /// The snapshot of everything that was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
}

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh_fully(now)?;
    let projects = engine.store.project_counts()?;
    let mut response = Response {
        applied: request.yes,
        home: engine.home.path.display().to_string(),
        memories: engine.store.own_memories()?,
        sessions: projects.iter().map(|project| project.sessions).sum::<i64>()
            + engine.store.sessions_without_project()?,
        files: engine.store.files_to_empty(),
        backup: None,
    };
    if !request.yes {
        return Ok(response);
    }
    // None of the earlier snapshots makes room for this one.
    let keep = engine.config.backup.keep.max(engine.store.snapshots().len()) + 1;
    if response.files > 0 {
        response.backup = engine.store.back_up(keep, now, true)?.map(|snapshot| snapshot.name);
        let saved =
            engine.store.snapshots().into_iter().find(|made| Some(&made.name) == response.backup.as_ref());
        if !saved.is_some_and(|made| made.whole) {
            return Err(EngineError::invalid(
                "the backup could not be read back, so nothing was removed",
                "free some disk space, then try again",
            ));
        }
    }
    response.files = engine.store.empty(now)?.files;
    Ok(response)
}

pub const OPERATION: Operation = Operation {
    name: "reset",
    also: &[],
    summary: "Empty the store after a last backup",
    help: "Removes every memory and session from your own store. Kept are backups, settings, connected assistants, \
           the stores of projects, and the marks of what you forgot.",
    examples: &[("hark reset", "Ask, then start over"), ("hark reset --yes", "Do it without asking")],
    group: Group::Store,
    effect: Effect::Destroy,
    who: Who::User,
    tool: Tool::Off("emptying the store is for the user to do"),
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("the store is emptied at the keyboard"),
        page: Surface::Off("the store is emptied at the keyboard"),
    },
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        let response = run(engine, call.caller, self)?;
        if response.applied || (call.ask)(&question(&response)) != Some(true) {
            return Ok(response);
        }
        run(engine, call.caller, &Request { yes: true })
    }
}

fn question(response: &Response) -> String {
    format!("Remove {} from {} after a backup? [y/N] ", what(response), safe(&response.home))
}

fn what(response: &Response) -> String {
    format!(
        "{} and {}",
        count(response.memories, "memory", "memories"),
        count(response.sessions, "session", "sessions")
    )
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        if !self.applied {
            page.print(&format!("{WARN}would remove{WARN:#} {} from {}\n", what(self), safe(&self.home)));
            page.note("nothing was changed; to do it: hark reset --yes\n");
            return;
        }
        page.print(&format!("{GOOD}removed{GOOD:#} {} from {}\n", what(self), safe(&self.home)));
        if let Some(backup) = &self.backup {
            page.print(&format!("backup {ID}{backup}{ID:#}\n"));
            page.note(&format!("take it back with: hark backup restore {backup} --yes\n"));
        }
    }
}
