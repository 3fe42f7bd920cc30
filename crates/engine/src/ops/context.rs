//! Shows everything about one file, issue, merge request, person or other entity.

use clap::Args;
use hark_core::entity::is_project;
use hark_core::{Entity, EntityKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::ReadScope;
use super::sessions::{Brief, session_line};
use super::view::MemoryView;
use super::view::{line, old};
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::tell;
use crate::operation::text::{safe, words};
use crate::operation::{
    Answer, BOLD, Code, EVERYWHERE, Effect, Family, Group, Operation, Page, Reply, Tool, Who, operate,
};
use crate::paths;
use serde_json::{Value, json};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// `src/auth.rs`, `#12`, `group/proj!7`, `@ann`, `getUser`, `library:axum`
    #[schemars(description = "src/auth.rs, #12, group/proj!7, @ann, getUser, library:axum")]
    #[arg(value_name = "REF")]
    pub reference: String,
    /// Maximum number of results
    #[arg(long, short = 'n', value_name = "N")]
    #[schemars(skip)]
    pub limit: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// The entity that the reference was parsed as.
    pub entity: String,
    pub memories: Vec<MemoryView>,
    /// Sessions that touched the file, newest first.
    pub sessions: Vec<Brief>,
}

const MAX_LIMIT: usize = 1_000;
const MOST_SESSIONS: usize = 10;

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let entity = meant(engine, caller, request).ok_or_else(|| {
        EngineError::invalid("the reference is empty", "pass a file, `#12`, `!7` or `@ann`")
    })?;
    let now = engine.now();
    engine.store.refresh(now)?;
    let mut visible = request.scope.resolve(engine, caller)?;
    if let (Some(name), Some(projects)) = (entity.names_project(), &mut visible.projects) {
        // `acme/shop!7` asks about that project, wherever the caller is.
        for key in engine.store.project_keys()?.iter().filter(|key| is_project(key.as_str(), name)) {
            projects.extend(engine.store.project_num(key)?);
        }
    }
    let limit = request.limit.unwrap_or(20).min(MAX_LIMIT);
    let projects = visible.projects.as_deref();
    let found = engine.store.mentioning(&entity, projects, visible.current.as_ref(), limit)?;
    let sessions = match entity.kind {
        EntityKind::File => {
            engine.store.sessions_touching(&entity.norm, projects, limit.min(MOST_SESSIONS))?
        }
        _ => Vec::new(),
    };
    Ok(Response {
        entity: entity.label(),
        memories: found.iter().map(|s| MemoryView::of(engine, s, now)).collect(),
        sessions: sessions.iter().map(|s| Brief::of(engine, s, now)).collect(),
    })
}

/// A file is meant from the caller's folder, as the project knows it.
fn meant(engine: &Engine, caller: &Caller, request: &Request) -> Option<Entity> {
    let entity = Entity::from_reference(&request.reference)?;
    let here = request.scope.project.is_none();
    let is_file = entity.kind == EntityKind::File
        // `LICENSE` has no ending that tells.
        || entity.kind == EntityKind::Concept
            && here
            && caller.cwd.as_ref().is_some_and(|cwd| cwd.join(&entity.name).is_file());
    Some(match is_file {
        true if here => Entity::new(EntityKind::File, &paths::in_project(engine, caller, &entity.name)),
        _ => entity,
    })
}

pub const OPERATION: Operation = Operation {
    name: "context",
    also: &[],
    summary: "Show everything about a file, issue, person or symbol",
    help: "",
    examples: &[
        ("hark context src/auth.rs", "What is known about a file"),
        ("hark context '#12'", "What is known about an issue"),
        ("hark context @ann --all-projects", "What is known about a person, in every project"),
    ],
    group: Group::Memories,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_context",
        family: Family::Core,
        description: "Everything remembered about one file, symbol, issue, merge request or person.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for memory in &self.memories {
            page.print(&line(memory, page));
        }
        if !self.sessions.is_empty() {
            page.print(&format!("{BOLD}Sessions that touched it{BOLD:#}\n"));
        }
        for session in &self.sessions {
            page.print(&session_line(session, page));
        }
        if self.memories.is_empty() && self.sessions.is_empty() {
            page.note(&format!("nothing is known about {}; try `hark recall`\n", safe(&self.entity)));
        }
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        let mut lines: Vec<String> = self.memories.iter().map(tell::line).collect();
        lines.extend(self.sessions.iter().map(|session| {
            let about = session.about.as_deref().unwrap_or("no goal");
            format!("[{}] session, {}: {}", session.id, old(&session.age), words(about))
        }));
        let text = if lines.is_empty() {
            format!("Nothing is known about {}.", self.entity)
        } else {
            lines.join("\n")
        };
        let memories: Vec<Value> = self.memories.iter().map(tell::brief).collect();
        let brief = |s: &Brief| json!({ "id": s.id, "about": s.about, "age": s.age, "status": s.status });
        let sessions: Vec<Value> = self.sessions.iter().map(brief).collect();
        tell::answer(&text, json!({ "entity": self.entity, "memories": memories, "sessions": sessions }))
    }
}
