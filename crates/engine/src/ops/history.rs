//! Shows the earlier revisions of a memory.

use clap::Args;
use hark_core::IdRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::MemoryView;
use super::view::line;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::words;
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Family, Group, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Id of the memory
    #[arg(value_name = "ID")]
    pub id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub current: MemoryView,
    /// Oldest first.
    pub revisions: Vec<RevisionView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RevisionView {
    pub at: String,
    pub age: String,
    /// The change that ended this revision.
    pub change: String,
    /// Why, if a reason was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The memory before that change.
    pub before: MemoryView,
}

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let id: IdRef = request.id.parse()?;
    let now = engine.now();
    let stored = engine.store.find_fresh(&id, now)?;
    let revisions = engine.store.history(&stored.memory.id)?.into_iter().map(|revision| RevisionView {
        at: revision.at.to_string(),
        age: revision.at.age(now),
        change: revision.change.into_string(),
        reason: revision.reason.map(|reason| reason.into_string()),
        before: MemoryView::new(&revision.before, now),
    });
    Ok(Response { revisions: revisions.collect(), current: MemoryView::of(engine, &stored, now) })
}

pub const OPERATION: Operation = Operation {
    name: "history",
    also: &[],
    summary: "Show how a memory changed",
    help: "",
    examples: &[
        ("hark history m-7k3q9x2d", "List every earlier revision of a memory"),
        ("hark undo m-7k3q9x2d", "Undo the last change"),
    ],
    group: Group::Change,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_history",
        family: Family::Admin,
        description: "What a memory said before each change.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for revision in &self.revisions {
            let before = &revision.before;
            let when =
                if revision.age == "now" { "just now".to_owned() } else { format!("{} ago", revision.age) };
            page.print(&format!(
                "{BOLD}Revision {}{BOLD:#}{DIM}, {}, until it was {} {when}{DIM:#}\n  {}\n",
                before.revision,
                before.status,
                past(&revision.change),
                words(&before.title)
            ));
            if let Some(reason) = &revision.reason {
                page.print(&format!("  because: {}\n", words(reason)));
            }
            for line in words(&before.body).lines() {
                page.print(&format!("  {DIM}{line}{DIM:#}\n"));
            }
        }
        page.print(&format!(
            "{BOLD}Revision {}{BOLD:#}{DIM}, {}, current{DIM:#}\n",
            self.current.revision, self.current.status
        ));
        page.print(&line(&self.current, page));
    }
}

/// Changes by status are kept as the verb of the command.
fn past(change: &str) -> &str {
    match change {
        "resolve" => "resolved",
        "reopen" => "reopened",
        "archive" => "archived",
        "restore" => "restored",
        other => other,
    }
}
