//! Shows one session in full.

use clap::Args;
use hark_core::session::{FileOp, SessionRef};
use hark_core::{Session, Timestamp};
use hark_store::StoredSession;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Brief;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::words;
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Family, Group, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct ShowRequest {
    /// Session id, from hark or the assistant
    #[arg(value_name = "ID")]
    pub id: String,
}

/// One session in full.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionView {
    #[serde(flatten)]
    pub brief: Brief,
    pub uuid: String,
    pub host_session: String,
    pub parent: Option<String>,
    pub goal: Option<String>,
    pub done: Vec<String>,
    pub pending: Vec<String>,
    pub work: Vec<String>,
    pub decisions: Vec<String>,
    pub plans: Vec<String>,
    pub references: Vec<String>,
    pub touched: Vec<TouchView>,
    pub checkpoints: Vec<CheckpointView>,
    pub summary: Option<String>,
    /// Whether the summary was taken from the events.
    pub summary_extracted: bool,
    pub head_start: Option<String>,
    pub head_end: Option<String>,
    pub ended: Option<String>,
    /// Tool calls since the agent's last checkpoint.
    pub unreported: u32,
    /// Memories that were stored in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub learned: Vec<LearnedView>,
}

/// A memory that a session left behind.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LearnedView {
    pub id: String,
    pub kind: String,
    pub title: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TouchView {
    pub path: String,
    pub op: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    pub edits: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CheckpointView {
    pub at: String,
    pub by: String,
    pub note: String,
}

pub fn show(
    engine: &mut Engine,
    _caller: &Caller,
    request: &ShowRequest,
) -> Result<SessionView, EngineError> {
    let now = engine.now();
    let stored = one(engine, &request.id)?;
    let learned = learned(engine, &stored.session)?;
    Ok(SessionView { learned, ..view(engine, &stored, now) })
}

/// What was learned in a session: by the agent, by the user, or from what was said in it.
pub(crate) fn learned(engine: &Engine, session: &Session) -> Result<Vec<LearnedView>, EngineError> {
    const MOST: usize = 100;
    // Clocks differ a little.
    let since = session.started.minus_millis(60_000);
    let (full, short) = (session.id.full(), session.id.short());
    let names = [full.as_str(), &short, &session.host_session];
    let found = engine.store.learned_in(&names, since, MOST)?;
    let view = |stored: &hark_store::Stored| LearnedView {
        id: stored.memory.id.short(),
        kind: stored.memory.kind.to_string(),
        title: stored.memory.title.to_string(),
    };
    Ok(found.iter().map(view).collect())
}

/// A session by hark's id or the assistant's own.
pub(crate) fn one(engine: &mut Engine, text: &str) -> Result<StoredSession, EngineError> {
    let now = engine.now();
    if let Some(stored) = engine.store.session_of_host(None, &engine.clean(text.trim()))? {
        return Ok(engine.store.session_fresh(&SessionRef::Full(stored.session.id), now)?);
    }
    let id = text.parse::<SessionRef>().map_err(|_| {
        let shown: String = text.chars().take(60).collect();
        EngineError::invalid(format!("no session `{shown}`"), "list sessions with `hark sessions`")
    })?;
    Ok(engine.store.session_fresh(&id, now)?)
}

pub(crate) fn view(engine: &Engine, stored: &StoredSession, now: Timestamp) -> SessionView {
    let session: &Session = &stored.session;
    let texts = |list: &[hark_core::Clean]| list.iter().map(ToString::to_string).collect();
    let pointers = |list: &[hark_core::session::Pointer]| {
        let shown = |p: &hark_core::session::Pointer| match &p.label {
            Some(label) => format!("{} ({label})", p.to),
            None => p.to.to_string(),
        };
        list.iter().map(shown).collect()
    };
    // Created, modified, deleted, renamed.
    let order = |op: FileOp| FileOp::ALL.iter().position(|o| *o == op);
    let mut files: Vec<_> = session.files.iter().collect();
    files.sort_by(|a, b| order(a.op).cmp(&order(b.op)).then(a.path.cmp(&b.path)));
    SessionView {
        brief: Brief::of(engine, stored, now),
        uuid: session.id.full(),
        host_session: session.host_session.to_string(),
        parent: session.parent.as_ref().map(ToString::to_string),
        goal: session.goal.as_ref().map(ToString::to_string),
        done: texts(&session.done),
        pending: texts(&session.pending),
        work: texts(&session.work),
        decisions: texts(&session.decisions),
        plans: pointers(&session.plans),
        references: pointers(&session.references),
        touched: files
            .into_iter()
            .map(|f| TouchView {
                path: f.path.to_string(),
                op: f.op.name().to_owned(),
                from: f.from.as_ref().map(ToString::to_string),
                edits: f.edits,
            })
            .collect(),
        checkpoints: session
            .checkpoints
            .iter()
            .map(|c| CheckpointView {
                at: c.at.to_string(),
                by: c.by.name().to_owned(),
                note: c.note.to_string(),
            })
            .collect(),
        summary: session.summary.as_ref().map(|s| s.text.to_string()),
        summary_extracted: session.summary.as_ref().is_some_and(|s| s.extracted),
        head_start: session.head_start.as_ref().map(ToString::to_string),
        head_end: session.head_end.as_ref().map(ToString::to_string),
        ended: session.ended.map(|t| t.to_string()),
        unreported: stored.unreported,
        learned: Vec::new(),
    }
}

pub const OPERATION: Operation = Operation {
    name: "sessions show",
    also: &[],
    summary: "Show a session in full",
    help: "",
    examples: &[("hark sessions show s-4h2k8m1v", "Show goal, work, decisions, files and checkpoints")],
    group: Group::Sessions,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_session",
        family: Family::Sessions,
        description: "One session in full: goal, work, decisions, files touched, checkpoints.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<ShowRequest>(),
};

operate!(ShowRequest => SessionView, show);

impl Reply for SessionView {
    fn print(&self, page: &mut Page) {
        let mut text = super::session_line(&self.brief, page);
        let mut section = |title: &str, items: &[String]| {
            if !items.is_empty() {
                text.push_str(&format!("\n{BOLD}{title}{BOLD:#}\n"));
                for item in items {
                    text.push_str(&format!("- {}\n", words(item).replace('\n', "\n  ")));
                }
            }
        };
        section("Done", &self.done);
        section("Pending", &self.pending);
        section("Work", &self.work);
        section("Decisions", &self.decisions);
        let learned: Vec<String> =
            self.learned.iter().map(|l| format!("{} {}: {}", l.id, l.kind, l.title)).collect();
        section("Learned", &learned);
        section("Plans", &self.plans);
        section("References", &self.references);
        let checkpoints: Vec<String> =
            self.checkpoints.iter().map(|c| format!("{} {}: {}", c.at, c.by, c.note)).collect();
        section("Checkpoints", &checkpoints);
        section("Summary", self.summary.as_slice());
        if !self.touched.is_empty() {
            text.push_str(&format!("\n{BOLD}Files{BOLD:#}\n{}", touched_text(&self.touched)));
        }
        if let Some(path) = &self.brief.path {
            text.push_str(&format!("\n{DIM}{}{DIM:#}\n", words(path)));
        }
        page.print(&text);
    }
}

pub(super) fn touched_text(touched: &[TouchView]) -> String {
    let shown = touched.iter().map(|touch| {
        let from = touch.from.as_ref().map(|from| format!(" (was {})", words(from))).unwrap_or_default();
        format!("{:<9} {}{from}\n", touch.op, words(&touch.path))
    });
    shown.collect()
}
