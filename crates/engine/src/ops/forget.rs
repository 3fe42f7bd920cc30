//! Removes memories permanently: file, history, index, links to them, quotes in sessions and copies in
//! backups; then searches the data directory for what remains. A tombstone without text stays, so that
//! imports and syncs do not restore them.

use clap::Args;
use hark_core::session::SessionRef;
use hark_core::{IdRef, Memory, MemoryId, Origin, ProjectKey, Status, Timestamp};
use hark_store::search::Filter;
use hark_store::{ListFilter, ListOrder, Passing, ProjectNum, Remains, SessionFilter, StoredSession, Writer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::ReadScope;
use crate::chain;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, safe, words};
use crate::operation::{
    Code, DIM, EVERYWHERE, Effect, Group, ID, Operation, Page, Reply, Tool, WARN, Who, operate,
};
use crate::recall::{self, Question};
use crate::voice::ASK_USER;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Ids of memories
    #[arg(value_name = "ID", required_unless_present_any = ["query", "session", "project"])]
    #[serde(default)]
    pub ids: Vec<String>,
    /// Find memories by a query, of any status; shows the list, to confirm by ids or with --confirm
    #[arg(long, value_name = "Q")]
    #[schemars(skip)]
    pub query: Option<String>,
    /// Forget what --query finds if it finds exactly this many
    #[arg(long, value_name = "N", requires = "query")]
    #[schemars(skip)]
    pub confirm: Option<usize>,
    /// A session with its events and checkpoints, and memories made in it
    #[arg(long, value_name = "S")]
    #[schemars(skip)]
    pub session: Option<String>,
    /// All memories and sessions of a project
    #[arg(long, value_name = "P")]
    #[schemars(skip)]
    pub project: Option<String>,
    /// Forget; without this, only show what would be removed
    #[arg(long)]
    #[serde(default)]
    pub yes: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub forgotten: bool,
    pub memories: Vec<Gone>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<Gone>,
    /// The number of places that quoted them and were cleaned.
    pub quotes: usize,
    /// The number of backups that were rewritten without them.
    pub backups: usize,
    /// Places that still contain their words, and what to do about each: other memories with the same text,
    /// files not written by hark.
    pub remaining: Vec<Remains>,
    /// The command that confirms the results of a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirm: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Gone {
    pub id: String,
    pub title: String,
}

/// The most memories that one query may remove.
const MOST_BY_QUERY: usize = 50;
const EVERYTHING: usize = 1_000_000;

/// What to remove.
#[derive(Default)]
struct Doomed {
    memories: Vec<Memory>,
    sessions: Vec<StoredSession>,
    project: Option<ProjectKey>,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    let origin = caller.origin.unwrap_or(Origin::Assistant);
    engine.store.refresh(now)?;
    let doomed = choose(engine, caller, request, now)?;
    let response = Response {
        memories: doomed.memories.iter().map(gone).collect(),
        sessions: doomed.sessions.iter().map(gone_session).collect(),
        ..Response::default()
    };
    if let Some(query) = &request.query {
        let count = doomed.memories.len() + doomed.sessions.len();
        if !confirmed(request, count)? {
            let confirm = (count > 0).then(|| how_to_confirm(&doomed, query, count));
            return Ok(Response { confirm, ..response });
        }
    } else if !request.yes {
        return Ok(response);
    }
    may_forget(origin, &doomed)?;
    erase(engine, &doomed, Passing::Forgotten, now).map(|done| Response { forgotten: true, ..done })
}

/// A query may find more tomorrow than it showed today, so `--yes` alone does not confirm it.
fn confirmed(request: &Request, count: usize) -> Result<bool, EngineError> {
    const LOOK: &str = "run it without --yes to see the list, then confirm by ids or with --confirm";
    match request.confirm {
        None if request.yes => {
            Err(EngineError::invalid("--yes does not confirm the results of a query", LOOK))
        }
        None => Ok(false),
        Some(wanted) if wanted == count => Ok(true),
        Some(wanted) => Err(EngineError::invalid(
            format!("the query now finds {count}, not {wanted}; nothing was forgotten"),
            LOOK,
        )),
    }
}

fn how_to_confirm(doomed: &Doomed, query: &str, count: usize) -> String {
    let ids: Vec<String> = doomed.memories.iter().map(|memory| memory.id.short()).collect();
    if doomed.sessions.is_empty() {
        return format!("hark forget {} --yes", ids.join(" "));
    }
    format!("hark forget --query {query:?} --confirm {count}")
}

fn may_forget(origin: Origin, doomed: &Doomed) -> Result<(), EngineError> {
    if let Some(memory) = doomed.memories.iter().find(|m| !origin.may_supersede(m.kind, m.origin)) {
        return Err(EngineError::invalid(
            format!("only the user may forget the {}'s {}", memory.origin, memory.kind),
            ASK_USER,
        ));
    }
    if origin != Origin::User && !doomed.sessions.is_empty() {
        return Err(EngineError::invalid("only the user may forget sessions", ASK_USER));
    }
    Ok(())
}

fn gone(memory: &Memory) -> Gone {
    Gone { id: memory.id.short(), title: memory.title.to_string() }
}

fn gone_session(stored: &StoredSession) -> Gone {
    let session = &stored.session;
    Gone { id: session.id.short(), title: session.about().map(ToString::to_string).unwrap_or_default() }
}

fn choose(
    engine: &mut Engine,
    caller: &Caller,
    request: &Request,
    now: Timestamp,
) -> Result<Doomed, EngineError> {
    let mut doomed = Doomed::default();
    for text in &request.ids {
        doomed.memories.push(engine.store.find(&text.parse::<IdRef>()?)?.memory);
    }
    if let Some(query) = &request.query {
        let visible =
            ReadScope { project: request.project.clone(), ..ReadScope::default() }.resolve(engine, caller)?;
        let filter = Filter {
            projects: visible.projects,
            kinds: Vec::new(),
            statuses: Status::ALL.to_vec(),
            tags: Vec::new(),
            since: None,
            as_of: None,
            now,
        };
        let question = Question::new(query, filter, visible.current.as_ref(), MOST_BY_QUERY, now);
        let hits = recall::answer(&engine.store, engine.embedder.as_ref(), &question)?;
        doomed.memories.extend(hits.into_iter().map(|hit| hit.stored.memory));
    } else if let Some(name) = &request.project {
        of_project(engine, caller, name, &mut doomed)?;
    }
    if let Some(text) = &request.session {
        of_session(engine, text, now, &mut doomed)?;
    }
    doomed.memories.sort_by_key(|memory| memory.id);
    doomed.memories.dedup_by_key(|memory| memory.id);
    Ok(doomed)
}

fn of_project(
    engine: &mut Engine,
    caller: &Caller,
    name: &str,
    doomed: &mut Doomed,
) -> Result<(), EngineError> {
    let visible =
        ReadScope { project: Some(name.to_owned()), ..ReadScope::default() }.resolve(engine, caller)?;
    let key =
        visible.current.filter(|key| engine.store.project_keys().is_ok_and(|known| known.contains(key)));
    let Some(key) = key else {
        return Err(EngineError::invalid(format!("there is no project `{name}`"), "`hark stats` lists them"));
    };
    let num: Vec<ProjectNum> = engine.store.project_num(&key)?.into_iter().collect();
    let filter = ListFilter { projects: Some(num.clone()), ..ListFilter::default() };
    let found = engine.store.list(&filter, ListOrder::OldestFirst, EVERYTHING)?;
    doomed.memories.extend(found.into_iter().map(|stored| stored.memory));
    let filter = SessionFilter { projects: Some(num), ..SessionFilter::default() };
    doomed.sessions.extend(engine.store.sessions(&filter, EVERYTHING)?);
    doomed.project = Some(key);
    Ok(())
}

fn of_session(
    engine: &mut Engine,
    text: &str,
    now: Timestamp,
    doomed: &mut Doomed,
) -> Result<(), EngineError> {
    let stored = match text.parse::<SessionRef>() {
        Ok(id) => engine.store.session_fresh(&id, now)?,
        // The assistant's own id.
        Err(e) => {
            let name = engine.clean(text);
            let found = engine.store.session_of_host(None, &name)?;
            found.ok_or_else(|| EngineError::invalid(e.to_string(), "`hark sessions` lists them"))?
        }
    };
    let session = &stored.session;
    let names = [session.host_session.to_string(), session.id.full(), session.id.short()];
    let all = engine.store.list(&ListFilter::default(), ListOrder::OldestFirst, EVERYTHING)?;
    let made_there = all.into_iter().map(|stored| stored.memory).filter(|memory| {
        memory.session.as_ref().is_some_and(|session| names.iter().any(|name| name.as_str() == &**session))
    });
    doomed.memories.extend(made_there);
    doomed.sessions.push(stored);
    Ok(())
}

/// Removes memories permanently, for the reason `why`. Retention uses it too.
pub(crate) fn purge(
    engine: &mut Engine,
    memories: Vec<Memory>,
    now: Timestamp,
) -> Result<Response, EngineError> {
    erase(engine, &Doomed { memories, ..Doomed::default() }, Passing::Purged, now)
}

fn erase(
    engine: &mut Engine,
    doomed: &Doomed,
    why: Passing,
    now: Timestamp,
) -> Result<Response, EngineError> {
    let ids: Vec<MemoryId> = doomed.memories.iter().map(|memory| memory.id).collect();
    let mut said = Vec::with_capacity(doomed.memories.len());
    for memory in &doomed.memories {
        said.push((memory, engine.store.history(&memory.id)?));
    }
    let traces = engine.store.traces(said)?;
    let quotes = engine.store.write(now, |writer| {
        for memory in &doomed.memories {
            remove(writer, memory.id, &ids, why, now)?;
        }
        for stored in &doomed.sessions {
            writer.remove_session(stored.num)?;
        }
        if let Some(key) = &doomed.project {
            writer.remove_project(key)?;
        }
        Ok::<_, EngineError>(if traces.is_empty() { 0 } else { writer.scrub(&traces)? })
    })?;
    let mut names: Vec<String> = ids.iter().map(MemoryId::full).collect();
    names.extend(doomed.sessions.iter().map(|stored| stored.session.id.full()));
    engine.store.remove_leftovers_of(&traces)?;
    let (backups, torn) = engine.store.erase_from_backups(&names, &traces)?;
    engine.store.refresh(now)?;
    engine.store.wipe()?;
    Ok(Response {
        forgotten: true,
        memories: doomed.memories.iter().map(gone).collect(),
        sessions: doomed.sessions.iter().map(gone_session).collect(),
        quotes,
        backups,
        remaining: engine.store.remains(&traces, &torn)?,
        confirm: None,
    })
}

fn remove(
    writer: &mut Writer<'_>,
    id: MemoryId,
    doomed: &[MemoryId],
    why: Passing,
    now: Timestamp,
) -> Result<(), EngineError> {
    let gone = writer.load(&IdRef::Full(id))?;
    for linking in writer.linked_from(&id)? {
        if doomed.contains(&linking) {
            continue;
        }
        let before = writer.load(&IdRef::Full(linking))?;
        let mut after = before.clone();
        after.links.retain(|link| link.to != id);
        after.revision += 1;
        writer.update(&before, &after, "unlinked")?;
    }
    chain::close_gap(writer, &gone, doomed, now)?;
    writer.bury(&gone, why)?;
    writer.forget_evidence_of(&id)?;
    writer.remove(&id)?;
    Ok(())
}

pub const OPERATION: Operation = Operation {
    name: "forget",
    also: &[],
    summary: "Remove memories permanently",
    help: "The text is removed from the store, its history, the index and all backups. A marker remains, so that imports and syncs do not bring it back.",
    examples: &[
        ("hark forget m-7k3q9x2d", "Remove one memory, its history and every copy in backups"),
        ("hark forget --query \"old staging server\"", "Show what a query would remove"),
        ("hark forget --project shop --yes", "Remove everything about a project"),
    ],
    group: Group::Change,
    effect: Effect::Destroy,
    who: Who::Anyone,
    tool: Tool::Within("memory_update"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let word = if self.forgotten { "forgot" } else { "would forget" };
        for gone in self.memories.iter().chain(&self.sessions) {
            page.print(&format!("{word} {ID}{}{ID:#} {}\n", gone.id, words(&gone.title)));
        }
        if !self.forgotten {
            let total = self.memories.len() + self.sessions.len();
            page.note(&match &self.confirm {
                _ if total == 0 => "no memory matches\n".to_owned(),
                Some(command) => format!(
                    "nothing was removed; to confirm, run: {}\n(or repeat the query with --confirm {total})\n",
                    safe(command)
                ),
                None => "nothing was removed; add --yes to remove them\n".to_owned(),
            });
            return;
        }
        page.note(&format!(
            "{DIM}cleaned {} and {}; searched the data directory byte by byte{DIM:#}\n",
            count(self.quotes, "quote", "quotes"),
            count(self.backups, "backup", "backups")
        ));
        for left in &self.remaining {
            page.note(&format!(
                "{WARN}still there:{WARN:#} {}: {}\n  to remove it: {}\n",
                safe(&left.place),
                safe(&left.why),
                safe(&left.fix)
            ));
        }
    }
}
