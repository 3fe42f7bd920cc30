//! Lists sessions, newest first, or searches them; and shows one in full.

mod clipboard;
pub mod files;
pub mod path;
pub mod search;
pub mod show;
pub mod story;
pub mod watch;

pub use files::OPERATION as FILES;
pub use path::OPERATION as PATH;
pub use search::OPERATION as SEARCH;
pub use show::{CheckpointView, LearnedView, OPERATION as SHOW, SessionView, ShowRequest, TouchView, show};
pub(crate) use show::{learned, one, view};
pub use story::OPERATION as STORY;
pub use watch::OPERATION as WATCH;

use clap::Args;
use hark_core::Timestamp;
use hark_core::session::SessionStatus;
use hark_store::{SessionFilter, StoredSession};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::ReadScope;
use super::view::old;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, words};
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Family, Group, ID, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Words to search for; default: the newest
    #[arg(skip)]
    pub query: Option<String>,
    /// Only this assistant
    #[arg(long, visible_alias = "tool", value_name = "HOST")]
    pub host: Option<String>,
    /// open, closed or expired
    #[arg(long, value_name = "S")]
    pub status: Option<String>,
    /// Only newer than `30d` or a date
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Maximum number of results
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    /// Skip this many first
    #[arg(long, value_name = "N")]
    #[schemars(skip)]
    pub offset: Option<usize>,
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
    /// The goal, or the first prompt.
    pub about: Option<String>,
    pub project: Option<String>,
    pub branch: Option<String>,
    pub started: String,
    pub updated: String,
    pub age: String,
    pub tool_calls: u32,
    pub files: usize,
    /// The most edited files.
    pub top_files: Vec<String>,
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// An assistant is probably still working in it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub live: bool,
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
    let offset = request.offset.unwrap_or(0);
    let most = limit.saturating_add(offset);
    let found = match query {
        Some(query) => {
            let found = engine.store.search_sessions(query, &filter, most, now)?;
            found.into_iter().map(|(stored, score)| (stored, Some(score))).collect()
        }
        None => engine.store.sessions(&filter, most)?.into_iter().map(|s| (s, None)).collect::<Vec<_>>(),
    };
    let brief = |(stored, score): (StoredSession, Option<f64>)| Brief {
        score: score.map(|s| (s * 1e3).round() / 1e3),
        ..Brief::of(engine, &stored, now)
    };
    Ok(Response { sessions: found.into_iter().skip(offset).map(brief).collect() })
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
            live: session.is_live(now),
        }
    }
}

pub const OPERATION: Operation = Operation {
    name: "sessions",
    also: &["sessions list"],
    summary: "List past sessions",
    help: "",
    examples: &[
        ("hark sessions", "List sessions in this project, newest first"),
        ("hark sessions search \"login bug\"", "Find sessions by what they contain"),
        ("hark sessions show s-4h2k8m1v", "Show one session in full"),
    ],
    group: Group::Sessions,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_sessions",
        family: Family::Sessions,
        description: "List past sessions, or search them.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for session in &self.sessions {
            page.print(&session_line(session, page));
        }
        if self.sessions.is_empty() {
            page.note(
                "no sessions match here; add --all-projects, or connect an assistant with `hark install`\n",
            );
        }
    }
}

/// One aligned line: id, assistant, what it was about, age and files.
pub(crate) fn session_line(session: &Brief, page: &Page) -> String {
    let about = session.about.as_deref().unwrap_or("(no goal yet)");
    let facts =
        format!("{} · {} · {}", session.status, old(&session.age), count(session.files, "file", "files"));
    let host = words(&session.host);
    let used = session.id.len() + host.len().max(12) + facts.len() + 6;
    format!(
        "{ID}{}{ID:#}  {DIM}{host:<12}{DIM:#} {BOLD}{}{BOLD:#}  {DIM}{facts}{DIM:#}\n",
        session.id,
        page.fit(&words(about), used)
    )
}
