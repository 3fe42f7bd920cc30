//! Episodes: stories of sessions that struggled, found by meaning or listed, and told by hand.

use clap::Args;
use hark_core::memory::one_line;
use hark_core::quote::quoted;
use hark_core::{Clean, Kind, Memory, MemoryId, Origin, Status, Timestamp};
use hark_store::{ListFilter, ListOrder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recall;
use super::scope::{ReadScope, WriteScope};
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::learning::episodes::TAG;
use crate::operation::text::words;
use crate::operation::{
    Answer, BOLD, Code, DIM, EVERYWHERE, Effect, Family, Group, ID, Operation, Page, Reply, Surface,
    Surfaces, Tool, Who, operate, tell,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// What it is about; default: the newest
    #[arg(value_name = "QUERY")]
    pub query: Option<String>,
    /// Only solved or unsolved ones
    #[arg(long, value_enum, value_name = "OUTCOME")]
    pub outcome: Option<Outcome>,
    /// Maximum number of results
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Solved,
    Unsolved,
}

impl Outcome {
    const fn name(self) -> &'static str {
        match self {
            Outcome::Solved => "solved",
            Outcome::Unsolved => "unsolved",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub episodes: Vec<EpisodeView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EpisodeView {
    pub id: String,
    pub title: String,
    pub text: String,
    /// solved or unsolved, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    pub files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub project: Option<String>,
    pub created: String,
    pub age: String,
}

const USUAL: usize = 10;
const MOST: usize = 200;

impl EpisodeView {
    fn new(memory: &Memory, now: Timestamp) -> Self {
        let outcome = memory.tags.iter().find(|tag| matches!(tag.as_str(), "solved" | "unsolved"));
        EpisodeView {
            id: memory.id.short(),
            title: memory.title.to_string(),
            text: memory.body.to_string(),
            outcome: outcome.map(ToString::to_string),
            files: memory.files.iter().map(ToString::to_string).collect(),
            session: memory.session.as_ref().map(ToString::to_string),
            project: memory.scope.project().map(ToString::to_string),
            created: memory.created.to_string(),
            age: memory.created.age(now),
        }
    }
}

fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    let limit = request.limit.unwrap_or(USUAL).min(MOST);
    let tags: Vec<String> = request.outcome.map(|outcome| outcome.name().to_owned()).into_iter().collect();
    let query = request.query.as_deref().map(str::trim).filter(|query| !query.is_empty());
    let memories: Vec<Memory> = match query {
        Some(query) => {
            let asked = recall::Request {
                query: query.to_owned(),
                kinds: vec![Kind::Episode],
                tags,
                statuses: vec![Status::Active],
                limit: Some(limit),
                budget: Some(limit * 600),
                scope: request.scope.clone(),
                ..recall::Request::default()
            };
            let hits = recall::run(engine, caller, &asked)?.hits;
            let mut found = Vec::new();
            for hit in hits {
                found.push(engine.store.find(&hit.id.parse()?)?.memory);
            }
            found
        }
        None => {
            engine.store.refresh(now)?;
            let filter = ListFilter {
                projects: request.scope.resolve(engine, caller)?.projects,
                kinds: vec![Kind::Episode],
                statuses: vec![Status::Active],
                tags,
                ..ListFilter::default()
            };
            let found = engine.store.list(&filter, ListOrder::NewestChange, limit)?;
            found.into_iter().map(|stored| stored.memory).collect()
        }
    };
    Ok(Response { episodes: memories.iter().map(|memory| EpisodeView::new(memory, now)).collect() })
}

/// A story told by hand.
#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct AddRequest {
    /// What went wrong
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub problem: String,
    /// One line; default: from the problem
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// What was tried in vain, and why it failed
    #[arg(long = "tried", value_name = "TEXT")]
    #[serde(default)]
    pub tried: Vec<String>,
    /// The root cause
    #[arg(long, value_name = "TEXT")]
    pub cause: Option<String>,
    /// What worked
    #[arg(long, value_name = "TEXT")]
    pub worked: Option<String>,
    /// solved or unsolved; default: solved if something worked
    #[arg(long, value_enum, value_name = "OUTCOME")]
    pub outcome: Option<Outcome>,
    /// Files it is about
    #[arg(long = "file", value_name = "F")]
    #[serde(default)]
    pub files: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub place: WriteScope,
}

fn add(engine: &mut Engine, caller: &Caller, request: &AddRequest) -> Result<Response, EngineError> {
    let problem = request.problem.trim();
    if problem.is_empty() {
        return Err(EngineError::invalid("the problem is empty", "pass it as `problem`"));
    }
    let mut lines = vec![format!("Problem: {problem}")];
    let said = |label: &str, text: &str| format!("{label}: {}", text.trim());
    lines.extend(request.tried.iter().map(|tried| said("Tried in vain", tried)));
    lines.extend(request.cause.iter().map(|cause| said("Root cause", cause)));
    lines.extend(request.worked.iter().map(|worked| said("What worked", worked)));
    let solved = if request.worked.is_some() { Outcome::Solved } else { Outcome::Unsolved };
    let outcome = request.outcome.unwrap_or(solved);
    let now = engine.now();
    let scope = request.place.resolve(engine, caller)?;
    let title = one_line(&engine.clean(request.title.as_deref().unwrap_or(problem).trim()));
    let memory = Memory {
        scope,
        title,
        tags: vec![Clean::trusted_constant(TAG), Clean::trusted_constant(outcome.name())],
        files: request.files.iter().map(|file| engine.clean(file)).collect(),
        author: caller.author.as_deref().map(|author| engine.clean(author)),
        session: caller.session.as_deref().map(|session| engine.clean(session)),
        ..Memory::new(
            MemoryId::new(now, Engine::random()?),
            Kind::Episode,
            caller.origin.unwrap_or(Origin::Assistant),
            engine.clean(&lines.join("\n")),
            now,
        )
    };
    engine.store.write(now, |writer| writer.create(&memory).map_err(EngineError::from))?;
    Ok(Response { episodes: vec![EpisodeView::new(&memory, now)] })
}

/// Finds stories, or tells one.
#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct ToolRequest {
    /// A problem like yours
    #[arg(long)]
    pub query: Option<String>,
    /// Find only: solved or unsolved
    #[arg(long, value_enum)]
    pub outcome: Option<Outcome>,
    /// To save one: what went wrong
    #[arg(long)]
    pub problem: Option<String>,
    /// To save: one line
    #[arg(long)]
    pub title: Option<String>,
    /// To save: what failed, and why
    #[arg(long)]
    #[serde(default)]
    pub tried: Vec<String>,
    /// To save: root cause
    #[arg(long)]
    pub cause: Option<String>,
    /// To save: what worked
    #[arg(long)]
    pub worked: Option<String>,
}

fn use_tool(engine: &mut Engine, caller: &Caller, request: &ToolRequest) -> Result<Response, EngineError> {
    let (outcome, title) = (request.outcome, request.title.clone());
    match &request.problem {
        Some(problem) => {
            let (tried, cause, worked) =
                (request.tried.clone(), request.cause.clone(), request.worked.clone());
            let request = AddRequest {
                problem: problem.clone(),
                title,
                tried,
                cause,
                worked,
                outcome,
                ..AddRequest::default()
            };
            add(engine, caller, &request)
        }
        None => run(engine, caller, &Request { query: request.query.clone(), outcome, ..Request::default() }),
    }
}

pub const OPERATION: Operation = Operation {
    name: "episodes",
    also: &["episodes list"],
    summary: "Show stories of sessions that struggled, and what worked",
    help: "Hark writes one when a session needed several attempts to fix a failure.",
    examples: &[
        ("hark episodes", "List the newest of this project"),
        ("hark episodes 'database is locked' --outcome solved", "Find solved problems like this one"),
    ],
    group: Group::Learning,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Within("memory_episodes"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

pub const ADD: Operation = Operation {
    name: "episodes add",
    also: &[],
    summary: "Store the story of a problem",
    help: "",
    examples: &[(
        "hark episodes add --problem 'Uploads timed out' --tried 'A longer timeout' --worked 'Smaller chunks'",
        "Store what was learned the hard way",
    )],
    group: Group::Learning,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Within("memory_episodes"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<AddRequest>(),
};

pub const TOOL: Operation = Operation {
    name: "episode",
    also: &[],
    summary: "Find stories of problems, or store one",
    help: "",
    examples: &[("hark episodes", "List stories")],
    group: Group::Learning,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_episodes",
        family: Family::Learning,
        description: "Stories of hard problems: what was tried, why it failed, what worked. Find similar ones, or save one.",
    },
    surfaces: Surfaces {
        command: Surface::Off("`hark episodes` has a command for each action"),
        route: Surface::Off("each action has a route of its own"),
        page: Surface::Off("each action has a form of its own"),
    },
    code: Code::on_store::<ToolRequest>(),
};

operate!(Request => Response, run);
operate!(AddRequest => Response, add);
operate!(ToolRequest => Response, use_tool);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for one in &self.episodes {
            let outcome = one.outcome.as_deref().unwrap_or("told");
            page.print(&format!(
                "{ID}{}{ID:#}  {BOLD}{}{BOLD:#}  {DIM}{outcome} · {}{DIM:#}\n  {}\n",
                one.id,
                words(&one.title),
                one.age,
                words(&one.text).replace('\n', "\n  ")
            ));
        }
        if self.episodes.is_empty() {
            page.note("no episodes here; search all with --all-projects\n");
        }
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        let mut text = String::new();
        for one in &self.episodes {
            let outcome = one.outcome.as_deref().unwrap_or("told");
            text.push_str(&format!(
                "{} ({outcome}, {}) {}\n{}\n",
                one.id,
                one.age,
                one.title,
                quoted(&one.text)
            ));
        }
        if text.is_empty() {
            text.push_str("No story fits.");
        }
        tell::answer(text.trim_end(), tell::value(self)?)
    }
}
