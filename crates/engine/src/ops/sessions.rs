//! Sessions: newest first, or by what they hold; and one of them in full.

use clap::Args;
use hark_core::session::{FileOp, SessionRef, SessionStatus};
use hark_core::{Session, Timestamp};
use hark_store::{SessionFilter, StoredSession};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Words to search for; the newest sessions if absent
    #[arg(skip)]
    pub query: Option<String>,
    /// Only of this assistant
    #[arg(long, visible_alias = "tool", value_name = "HOST")]
    pub host: Option<String>,
    /// open, closed or expired
    #[arg(long, value_name = "S")]
    pub status: Option<String>,
    /// Only newer than `30d` or a date
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// At most this many
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub sessions: Vec<Brief>,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Brief {
    pub id: String,
    pub host: String,
    pub status: String,
    /// Goal, or what was asked first.
    pub about: Option<String>,
    pub project: Option<String>,
    pub branch: Option<String>,
    pub started: String,
    pub updated: String,
    pub age: String,
    pub tool_calls: u32,
    pub files: usize,
    /// The files with most edits.
    pub top_files: Vec<String>,
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

const MAX_LIMIT: usize = 1_000;

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let visible = request.scope.resolve(engine, caller)?;
    let status = match &request.status {
        Some(word) => {
            Some(word.parse::<SessionStatus>().map_err(|e| EngineError::invalid(e.to_string(), ""))?)
        }
        None => None,
    };
    let filter = SessionFilter {
        projects: visible.projects,
        host: request.host.as_deref().map(|host| crate::sessions::host_id(Some(host))),
        status,
        since: request.since.as_deref().map(|t| Timestamp::parse_since(t, now)).transpose()?,
        ..SessionFilter::default()
    };
    let limit = request.limit.unwrap_or(10).clamp(1, MAX_LIMIT);
    let query = request.query.as_deref().map(str::trim).filter(|q| !q.is_empty());
    let found = match query {
        Some(query) => {
            let found = engine.store.search_sessions(query, &filter, limit)?;
            found.into_iter().map(|(stored, score)| (stored, Some(score))).collect()
        }
        None => engine.store.sessions(&filter, limit)?.into_iter().map(|s| (s, None)).collect::<Vec<_>>(),
    };
    let brief = |(stored, score): (StoredSession, Option<f64>)| Brief {
        score: score.map(|s| (s * 1e3).round() / 1e3),
        ..Brief::of(engine, &stored, now)
    };
    Ok(Response { sessions: found.into_iter().map(brief).collect() })
}

impl Brief {
    pub(crate) fn of(engine: &Engine, stored: &StoredSession, now: Timestamp) -> Self {
        let session = &stored.session;
        let mut files: Vec<_> = session.files.iter().collect();
        files.sort_by(|a, b| b.edits.cmp(&a.edits).then(a.path.cmp(&b.path)));
        Brief {
            id: session.id.short(),
            host: session.host.to_string(),
            status: session.status.to_string(),
            about: session.about().map(ToString::to_string),
            project: session.project.as_ref().map(ToString::to_string),
            branch: session.branch.as_ref().map(ToString::to_string),
            started: session.started.to_string(),
            updated: session.updated.to_string(),
            age: session.updated.age(now),
            tool_calls: session.tool_calls,
            files: session.files.len(),
            top_files: files.iter().take(3).map(|f| f.path.to_string()).collect(),
            path: engine.store.session_path(stored).map(|path| path.display().to_string()),
            score: None,
        }
    }
}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct ShowRequest {
    /// Session id, ours or the assistant's own
    #[arg(value_name = "ID")]
    pub id: String,
}

/// One session, whole.
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
    Ok(view(engine, &stored, now))
}

/// A session by our id or by the assistant's own.
pub(crate) fn one(engine: &mut Engine, text: &str) -> Result<StoredSession, EngineError> {
    let now = engine.now();
    if let Some(stored) = engine.store.session_of_host(None, &engine.clean(text.trim()))? {
        return Ok(engine.store.session_fresh(&SessionRef::Full(stored.session.id), now)?);
    }
    let id = text.parse::<SessionRef>().map_err(|_| {
        let shown: String = text.chars().take(60).collect();
        EngineError::invalid(format!("`{shown}` is no session"), "list sessions with `hark sessions`")
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
    }
}
