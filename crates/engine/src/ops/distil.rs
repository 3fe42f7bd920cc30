//! Finds statements in sessions that are worth remembering, and shows or stores them.

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
    Code, DIM, EVERYWHERE, Effect, Group, ID, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Session id, from hark or the assistant; default: all unread sessions that have ended
    #[arg(value_name = "SESSION")]
    pub session: Option<String>,
    /// Only show what would be stored
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// Whether this was a dry run.
    pub dry_run: bool,
    /// Sessions that were read.
    pub sessions: usize,
    /// The statements found; those of earlier runs are included only in a dry run.
    pub found: Vec<Found>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Found {
    /// stored, confirmed (already known, confidence raised), proposed (waits in the inbox) or known (unchanged); in a dry run, what would happen
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
    /// The sentence pattern that matched.
    pub rule: String,
    pub session: String,
    /// The turn it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
}

/// Enough for one interactive run; the worker reads the rest.
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
    tool: Tool::Off("runs in the background"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for found in &self.found {
            let what = match (self.dry_run, found.outcome.as_str()) {
                (true, "stored") => "would store",
                (true, "confirmed") => "would confirm",
                (true, "proposed") => "would propose",
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
            (0, _) => "no unread session has ended; pass one to see what it contains: hark distil SESSION --dry-run\n",
            (_, true) => "found nothing worth remembering\n",
            (_, false) if self.dry_run => "nothing was stored; leave out --dry-run to store it\n",
            _ => "look closer with `hark show ID`; remove with `hark forget ID`\n",
        });
    }
}
