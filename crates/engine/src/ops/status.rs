//! Resolves, reopens, archives and restores memories.

mod choose;

use clap::Args;
use hark_core::{IdRef, Memory, Origin, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::choose::Chosen;
use super::remember::clean_title;
use crate::chain;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::tell;
use crate::operation::text::{count, words};
use crate::operation::{
    Answer, Call, Code, DIM, EVERYWHERE, Effect, Group, ID, Operate, Operation, Page, Reply, Tool, Who,
};
use crate::voice::ASK_USER;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Ids of memories
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub changed: Vec<Changed>,
    /// Nothing was changed yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub preview: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Changed {
    pub id: String,
    pub title: String,
    pub from: String,
    pub to: String,
}

pub fn run(
    engine: &mut Engine,
    caller: &Caller,
    request: &Request,
    next: Status,
    word: &'static str,
) -> Result<Response, EngineError> {
    run_because(engine, caller, request, next, word, None)
}

/// Like [`run`], with the reason that is kept in the history.
pub(super) fn run_because(
    engine: &mut Engine,
    caller: &Caller,
    request: &Request,
    next: Status,
    word: &'static str,
    reason: Option<&str>,
) -> Result<Response, EngineError> {
    let reason = clean_title(engine, reason);
    let ids = request.ids.iter().map(|text| text.parse::<IdRef>()).collect::<Result<Vec<_>, _>>()?;
    let now = engine.now();
    let origin = caller.origin.unwrap_or(Origin::Assistant);
    engine.store.refresh(now)?;
    let changed = engine.store.write(now, |writer| {
        let mut changed = Vec::with_capacity(ids.len());
        for id in &ids {
            let before = writer.load(id)?;
            if !before.status.may_become(next) {
                return Err(EngineError::invalid(
                    format!("{} is {} and cannot become {next}", before.id, before.status),
                    format!("restore it first: hark restore {}", before.id),
                ));
            }
            if before.kind.steers() && origin != Origin::User {
                return Err(EngineError::invalid(
                    format!("only the user may retire a {}", before.kind),
                    ASK_USER,
                ));
            }
            if before.status == Status::Proposed && next == Status::Active {
                let hint = if origin == Origin::User {
                    format!("accept it: hark inbox accept {}", before.id)
                } else {
                    ASK_USER.to_owned()
                };
                return Err(EngineError::invalid(format!("{} is a proposal", before.id), hint));
            }
            let mut after = before.clone();
            after.set_status(next, now);
            if after != before {
                after.touch(now);
                writer.update_because(&before, &after, word, reason.as_ref())?;
                if next == Status::Active && before.superseded_by.is_some() {
                    chain::unclaim(writer, &before, now)?;
                }
            }
            changed.push(Changed {
                id: before.id.short(),
                title: before.title.to_string(),
                from: before.status.to_string(),
                to: next.to_string(),
            });
        }
        Ok(changed)
    })?;
    Ok(Response { changed, preview: false })
}

fn preview(memory: &Memory) -> Changed {
    Changed {
        id: memory.id.short(),
        title: memory.title.to_string(),
        from: memory.status.to_string(),
        to: Status::Archived.to_string(),
    }
}

pub const RESOLVE: Operation = Operation {
    name: "resolve",
    also: &[],
    summary: "Mark tasks, blockers or failures as done",
    help: "",
    examples: &[
        ("hark resolve m-7k3q9x2d", "Close a task"),
        ("hark list --kind task", "List open tasks to find their ids"),
    ],
    group: Group::Change,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Within("memory_update"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Resolve>(),
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Resolve {
    #[command(flatten)]
    #[serde(flatten)]
    pub request: Request,
}

impl Operate for Resolve {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(engine, call.caller, &self.request, Status::Resolved, "resolve")
    }
}

pub const REOPEN: Operation = Operation {
    name: "reopen",
    also: &[],
    summary: "Reopen resolved memories",
    help: "",
    examples: &[
        ("hark reopen m-7k3q9x2d", "Make a closed task active again"),
        ("hark list --status resolved", "List what can be reopened"),
    ],
    group: Group::Change,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Within("memory_update"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Reopen>(),
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Reopen {
    #[command(flatten)]
    #[serde(flatten)]
    pub request: Request,
}

impl Operate for Reopen {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(engine, call.caller, &self.request, Status::Active, "reopen")
    }
}

pub const ARCHIVE: Operation = Operation {
    name: "archive",
    also: &[],
    summary: "Archive memories, so that they are no longer offered unasked",
    help: "",
    examples: &[
        (
            "hark archive m-7k3q9x2d --reason \"we left AWS\"",
            "Stop offering a memory, and say why in its history",
        ),
        (
            "hark archive --kind note --older-than 90d --reason \"cleaned up\" --yes",
            "Archive many; without --yes, only list them",
        ),
        ("hark list --status archived", "List archived memories"),
    ],
    group: Group::Change,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Within("memory_update"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Archive>(),
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Archive {
    /// Ids of memories
    #[arg(value_name = "ID", required_unless_present_any = ["kinds", "tags", "older_than"])]
    #[serde(default)]
    pub ids: Vec<String>,
    /// Why; kept in its history
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub chosen: Chosen,
}

impl Operate for Archive {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        let reason = self.reason.as_deref();
        let mut request = Request { ids: self.ids.clone() };
        if self.chosen.is_any() {
            let found = self.chosen.find(engine, call.caller, &self.ids)?;
            if !self.chosen.yes {
                return Ok(Response { changed: found.iter().map(preview).collect(), preview: true });
            }
            request.ids = found.iter().map(|memory| memory.id.full()).collect();
        }
        run_because(engine, call.caller, &request, Status::Archived, "archive", reason)
    }
}

pub const RESTORE: Operation = Operation {
    name: "restore",
    also: &[],
    summary: "Restore archived or superseded memories",
    help: "",
    examples: &[
        ("hark restore m-7k3q9x2d", "Restore an archived memory"),
        ("hark list --status archived --status superseded", "List what can be restored"),
    ],
    group: Group::Change,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Within("memory_update"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Restore>(),
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Restore {
    #[command(flatten)]
    #[serde(flatten)]
    pub request: Request,
}

impl Operate for Restore {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(engine, call.caller, &self.request, Status::Active, "restore")
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for changed in &self.changed {
            page.print(&format!(
                "{ID}{}{ID:#} {} {DIM}{} → {}{DIM:#}\n",
                changed.id,
                words(&changed.title),
                changed.from,
                changed.to
            ));
        }
        if self.preview && self.changed.is_empty() {
            page.note("no memory here matches; nothing to archive\n");
        } else if self.preview {
            page.note(&format!(
                "would archive {}; nothing was changed, add --yes to archive\n",
                count(self.changed.len(), "memory", "memories")
            ));
        }
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        if self.preview {
            return tell::answer("Nothing was archived: only the user can confirm this.", tell::value(self)?);
        }
        let lines = self.changed.iter().map(|c| format!("{} {} → {}", c.id, c.from, c.to));
        tell::answer(&lines.collect::<Vec<_>>().join("\n"), tell::value(self)?)
    }
}
