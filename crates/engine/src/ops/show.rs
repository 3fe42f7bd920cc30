//! Shows memories in full.

use clap::Args;
use hark_core::{IdRef, Memory, Origin, Status};
use hark_store::{StoreError, StoredTurn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::{MemoryView, whole};
use crate::engine::{Caller, Engine};
use crate::error::{EngineError, ErrorKind};
use crate::operation::tell;
use crate::operation::{
    Answer, Code, EVERYWHERE, Effect, Family, Group, Operation, Page, Reply, Tool, Who, operate,
};
use crate::phrases;
use serde_json::json;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Ids of memories (m-…) and turns (t-…)
    #[schemars(description = "Their ids")]
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub memories: Vec<MemoryView>,
    /// Ids that name no memory, or more than one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
    /// Whether the files that they name exist, where a folder of their project is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checked: Vec<CheckedFile>,
    /// A memory for which the assistant is asked to write phrases.
    #[serde(skip)]
    pub unphrased: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CheckedFile {
    pub id: String,
    pub path: String,
    pub exists: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Missing {
    pub id: String,
    pub error: String,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    let mut shown = Vec::with_capacity(request.ids.len());
    let mut memories = Vec::with_capacity(request.ids.len());
    let mut failed = Vec::new();
    let mut unphrased = None;
    for text in &request.ids {
        if let Some(tail) = turn_tail(text) {
            match turn(engine, text, &tail) {
                Ok(stored) => memories.push(MemoryView::of_turn(&stored, now)),
                Err(error) if is_about_the_id(&error) => failed.push((text.clone(), error)),
                Err(error) => return Err(error),
            }
            continue;
        }
        let found = text
            .parse::<IdRef>()
            .map_err(EngineError::from)
            .and_then(|id| Ok(engine.store.find_fresh(&id, now)?));
        match found {
            Ok(stored) => {
                shown.push(stored.memory.id);
                unphrased = unphrased.or(Some(stored.memory.id).filter(|_| may_get_phrases(&stored.memory)));
                memories.push(MemoryView::of(engine, &stored, now));
            }
            Err(error) if is_about_the_id(&error) => failed.push((text.clone(), error)),
            Err(error) => return Err(error),
        }
    }
    if memories.is_empty() {
        let none = || EngineError::invalid("`ids` is empty", "pass the id of a memory");
        return Err(failed.into_iter().next().map_or_else(none, |(_, error)| error));
    }
    let checked = if caller.is_remote() { Vec::new() } else { checked(engine, &memories)? };
    engine.store.note_use(&shown, now);
    phrases::opened(engine, caller, &shown);
    let unphrased = unphrased.filter(|_| caller.connection.is_some());
    let unphrased = unphrased.filter(|id| engine.store.wants_phrases(id)).map(|id| id.short());
    let missing = failed.into_iter().map(|(id, error)| Missing { id, error: error.to_string() });
    Ok(Response { memories, missing: missing.collect(), checked, unphrased })
}

/// Looks in the folder of each memory's project that was seen last and is still there.
fn checked(engine: &Engine, memories: &[MemoryView]) -> Result<Vec<CheckedFile>, EngineError> {
    if memories.iter().all(|memory| memory.files.is_empty()) {
        return Ok(Vec::new());
    }
    let mut places = engine.store.places()?;
    places.retain(|place| place.path.is_dir());
    places.sort_by_key(|place| std::cmp::Reverse(place.seen));
    let mut found = Vec::new();
    for memory in memories {
        let place = places.iter().find(|place| memory.project.as_deref() == Some(place.key.as_str()));
        let Some(place) = place else { continue };
        found.extend(memory.files.iter().map(|path| CheckedFile {
            id: memory.id.clone(),
            path: path.clone(),
            exists: place.path.join(path).exists(),
        }));
    }
    Ok(found)
}

/// What follows `t-` in the id of a turn.
fn turn_tail(text: &str) -> Option<String> {
    text.trim().to_ascii_lowercase().strip_prefix("t-").map(str::to_owned)
}

/// The one turn that an id names.
fn turn(engine: &Engine, text: &str, tail: &str) -> Result<StoredTurn, EngineError> {
    let is_whole = tail.len() >= IdRef::MIN_TAIL && tail.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let mut found = if is_whole { engine.store.turns_by_tail(tail)? } else { Vec::new() };
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(EngineError::invalid(
            format!("no turn has the id `{}`", text.chars().take(60).collect::<String>()),
            "its session may have been forgotten; see `hark sessions`",
        )),
        _ => Err(EngineError::invalid(
            format!("several turns begin with t-{tail}"),
            "pass more characters of the id",
        )),
    }
}

/// Whether an assistant that reads a memory could say how it will be asked for.
fn may_get_phrases(memory: &Memory) -> bool {
    memory.asked_as.is_empty() && memory.status == Status::Active && memory.origin != Origin::Repository
}

/// Other errors concern every id.
fn is_about_the_id(error: &EngineError) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::User)
        || matches!(error, EngineError::Store(StoreError::Unreadable { .. }))
}

pub const OPERATION: Operation = Operation {
    name: "show",
    also: &[],
    summary: "Show memories in full",
    help: "An id that begins with t- names a turn: a finished piece of work in a past session.",
    examples: &[
        ("hark show m-7k3q9x2d", "Show one memory with its reason, tags and files"),
        ("hark show m-7k3q9x2d m-2p8w4n6c --json", "Print two memories as JSON"),
    ],
    group: Group::Memories,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On { name: "memory_get", family: Family::Core, description: "Read whole memories by id." },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let texts: Vec<String> = self.memories.iter().map(|memory| whole(memory, page)).collect();
        page.print(&texts.join("\n"));
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        let mut text = self.memories.iter().map(tell::whole).collect::<Vec<_>>().join("\n");
        let mut data = json!({ "memories": self.memories.iter().map(tell::brief).collect::<Vec<_>>() });
        if !self.missing.is_empty() {
            for missing in &self.missing {
                text.push_str(&format!("\nNot found: {}", missing.error));
            }
            data["missing"] = tell::value(&self.missing)?;
        }
        if let Some(id) = &self.unphrased {
            text.push_str(&format!(
                "\n{id} has no `asked_as`: please add 2-3 short questions it answers, one in English \
                 (memory_update, action edit).\n"
            ));
        }
        tell::answer(&text, data)
    }

    fn problem(&self) -> Option<EngineError> {
        let first = self.missing.first()?;
        Some(EngineError::invalid(first.error.clone(), "the other memories are shown; see `hark recall`"))
    }
}
