//! Counts what the store contains, and its size.

use clap::Args;
use hark_store::Stats;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::activity::{self, Working};
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, safe};
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Family, Group, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Compare injected tokens with the history they replace
    #[arg(long)]
    #[serde(default)]
    pub savings: bool,
    /// Only this project: name, key or folder
    #[arg(long, value_name = "P")]
    pub project: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub home: String,
    /// The project of the folder the caller is in.
    pub project: Option<String>,
    pub embedding: String,
    #[serde(flatten)]
    pub stats: Stats,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub savings: Option<Savings>,
    /// Long work that is being done now, such as reading transcripts or making vectors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub working: Vec<Working>,
    #[serde(skip)]
    pub one_project: bool,
}

/// Injected tokens, and the tokens of the history they replace.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Savings {
    /// Sessions that received an injection and followed another session in their project.
    pub sessions: i64,
    pub told_tokens: i64,
    /// What is stored of the session before each of them; full transcripts are longer.
    pub history_tokens: i64,
    pub saved_tokens: i64,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    engine.look_at_files(caller)?;
    let project = match &request.project {
        Some(name) => Some(super::scope::named(engine, name)?),
        None => caller.cwd.clone().and_then(|folder| engine.project_of(&folder)),
    };
    let only = match (&request.project, &project) {
        (Some(_), Some(key)) => Some(engine.store.project_num(key)?.ok_or_else(|| {
            EngineError::invalid(
                format!("nothing is stored for the project {key}"),
                "`hark stats` lists projects",
            )
        })?),
        _ => None,
    };
    let savings = if request.savings {
        let sum = engine.store.savings()?;
        Some(Savings {
            sessions: sum.sessions,
            told_tokens: sum.told,
            history_tokens: sum.history,
            saved_tokens: (sum.history - sum.told).max(0),
        })
    } else {
        None
    };
    Ok(Response {
        home: engine.home.path.display().to_string(),
        project: project.map(|key| key.to_string()),
        embedding: engine.embedder.id().to_owned(),
        stats: engine.store.stats_of(only)?,
        one_project: only.is_some(),
        savings,
        working: activity::current(engine.store.layout(), engine.now()),
    })
}

pub const OPERATION: Operation = Operation {
    name: "stats",
    also: &[],
    summary: "Show what the store contains",
    help: "",
    examples: &[
        ("hark stats", "Count memories by kind, status and project"),
        ("hark stats --project shop", "Count one project: memories, sessions, events and tokens"),
        ("hark stats --json", "The same as JSON"),
    ],
    group: Group::Store,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_stats",
        family: Family::Admin,
        description: "Counts and size of the memory store.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let s = &self.stats;
        let mut text =
            format!("{BOLD}{}{BOLD:#} in {}\n", count(s.memories, "memory", "memories"), self.home);
        if let Some(project) = &self.project {
            text.push_str(&format!("{DIM}project{DIM:#}     {}\n", safe(&page.project(Some(project)))));
        }
        for (label, counts) in [("kind", &s.by_kind), ("status", &s.by_status), ("project", &s.by_project)] {
            if self.one_project && label == "project" {
                continue;
            }
            let shown =
                |name: &str| if label == "project" { page.project(Some(name)) } else { name.to_owned() };
            let parts: Vec<String> =
                counts.iter().take(12).map(|(name, n)| format!("{} {n}", safe(&shown(name)))).collect();
            if !parts.is_empty() {
                text.push_str(&format!("{DIM}by {label:<8}{DIM:#} {}\n", parts.join(", ")));
            }
        }
        text.push_str(&format!(
            "{DIM}history{DIM:#}     {}, {}, {} tokens; {} tokens injected\n",
            count(s.sessions, "session", "sessions"),
            count(s.events, "event", "events"),
            s.event_tokens,
            s.injected_tokens
        ));
        text.push_str(&format!(
            "{DIM}index{DIM:#}       {} passages, {} words, {} entities, {} links, {:.1} MB, vectors by {}\n",
            s.passages,
            s.words,
            s.entities,
            s.links,
            s.index_bytes as f64 / 1e6,
            self.embedding
        ));
        if let Some(savings) = &self.savings {
            text.push_str(&format!(
                "{DIM}savings{DIM:#}     {} received {} tokens instead of {} of history; {} saved\n",
                count(savings.sessions, "session", "sessions"),
                savings.told_tokens,
                savings.history_tokens,
                savings.saved_tokens
            ));
        }
        for work in &self.working {
            text.push_str(&format!(
                "{DIM}working{DIM:#}     {}, {} of {}\n",
                work.what, work.done, work.total
            ));
        }
        page.print(&text);
        if s.unreadable_files > 0 {
            page.note(&format!(
                "{} cannot be read; see `hark doctor`\n",
                count(s.unreadable_files, "file", "files")
            ));
        }
    }
}
