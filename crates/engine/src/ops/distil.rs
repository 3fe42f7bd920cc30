//! What sessions hold that is worth a memory: show it, or store it.

use clap::Args;
use hark_store::StoredSession;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sessions;
use crate::distil;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::words;
use crate::operation::{
    Call, Code, DIM, Effect, Group, ID, Operate, Operation, Page, Reply, Surface, Tool, Who,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Session id, ours or the assistant's own; every session that is over and was not read if absent
    #[arg(value_name = "SESSION")]
    pub session: Option<String>,
    /// Only show what the session holds; store nothing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// Nothing was stored because nothing should be.
    pub dry_run: bool,
    /// Sessions that were read.
    pub sessions: usize,
    /// What they hold; what was read before is not told again, except in a dry run.
    pub found: Vec<Found>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Found {
    /// stored, confirmed (known already, now surer) or known (nothing changes); in a dry run what would be
    pub outcome: String,
    /// Absent in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub kind: String,
    pub origin: String,
    pub title: String,
    pub body: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    pub confidence: f32,
    /// The shape of the sentence, by which it was found.
    pub rule: String,
    pub session: String,
    /// The turn it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
}

/// As many as a person may want to wait for; the worker does the rest.
const MOST_SESSIONS: usize = 2_000;

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let chosen: Vec<StoredSession> = match &request.session {
        Some(text) => vec![sessions::one(engine, text)?],
        None => {
            let waiting = engine.store.undistilled(MOST_SESSIONS)?;
            engine.store.write(now, |writer| {
                let found = waiting.into_iter().filter_map(|num| writer.session(num).transpose());
                found.collect::<Result<_, _>>().map_err(EngineError::from)
            })?
        }
    };
    let mut response = Response { dry_run: request.dry_run, sessions: chosen.len(), found: Vec::new() };
    for stored in &chosen {
        for item in distil::session(engine, stored, request.dry_run)? {
            response.found.push(found(stored, item, request.dry_run));
        }
    }
    Ok(response)
}

fn found(stored: &StoredSession, item: distil::Item, dry_run: bool) -> Found {
    let memory = item.memory;
    Found {
        outcome: item.outcome.name().to_owned(),
        id: (!dry_run).then(|| memory.id.short()),
        kind: memory.kind.to_string(),
        origin: memory.origin.to_string(),
        title: memory.title.to_string(),
        body: memory.body.to_string(),
        why: memory.why.as_ref().map(ToString::to_string),
        confidence: (memory.confidence * 100.0).round() / 100.0,
        rule: item.rule.to_owned(),
        session: stored.session.id.short(),
        turn: memory.turn.as_ref().map(ToString::to_string),
    }
}

pub const OPERATION: Operation = Operation {
    name: "distil",
    also: &[],
    summary: "Turn lasting statements from sessions into memories",
    help: "",
    examples: &[
        ("hark distil", "Read every session that ended and was not read yet"),
        ("hark distil s-4h2k8m1v --dry-run", "Show what a session would yield"),
    ],
    group: Group::Learning,
    effect: Effect::Write,
    who: Who::Anyone,
    command: Surface::On,
    tool: Tool::Off("runs in the background"),
    route: Surface::On,
    page: Surface::On,
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(engine, call.caller, self)
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for found in &self.found {
            let what = match (self.dry_run, found.outcome.as_str()) {
                (true, "stored") => "would store",
                (true, "confirmed") => "would confirm",
                (_, outcome) => outcome,
            };
            let id = found.id.as_deref().unwrap_or(&found.session);
            page.print(&format!(
                "{what} {ID}{id}{ID:#}  {DIM}{:<11}{DIM:#} {}  {DIM}{} · {:.2}{DIM:#}\n",
                found.kind,
                words(&found.title),
                found.rule,
                found.confidence,
            ));
        }
        page.note(match (self.sessions, self.found.is_empty()) {
            (0, _) => "no unread session has ended; name one to see what it contains: hark distil SESSION --dry-run\n",
            (_, true) => "found nothing worth remembering\n",
            (_, false) if self.dry_run => "nothing was stored; leave out --dry-run to store it\n",
            _ => "look closer with `hark show ID`; remove with `hark forget ID`\n",
        });
    }
}
