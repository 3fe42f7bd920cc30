//! Makes two projects one: everything of the first becomes the second's.
//!
//! The decision is written down first, in `projects.json`; from then on the old key stands for the new one. Then
//! memories and sessions follow, some per transaction, each with its file. A merge that was killed leaves some of
//! them where they were; the same command moves the rest.

use clap::Args;
use hark_core::{IdRef, ProjectKey, Scope};
use hark_store::{ProjectNum, StoreError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::scope::known;
use super::existing;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, safe};
use crate::operation::{
    Code, EVERYWHERE, Effect, GOOD, Group, Operation, Page, Reply, Tool, WARN, Who, operate,
};

/// Others wait for the lock meanwhile.
const AT_ONCE: usize = 100;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Project to merge: name, key or folder
    #[arg(value_name = "FROM")]
    pub from: String,
    /// Project it becomes: name, key or folder
    #[arg(value_name = "INTO")]
    pub into: String,
    /// Only show what would change
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub from: String,
    pub into: String,
    pub dry_run: bool,
    pub memories: usize,
    pub sessions: usize,
    /// Failures that only the index counts.
    pub failures: usize,
    /// Stores of projects, which keep their memories and now belong to the other project.
    pub stores: Vec<String>,
    /// Memories whose files cannot be read or changed, and why. They stay where they are.
    pub left: Vec<String>,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh_fully(now)?;
    let from = existing(engine, &request.from)?;
    let into = target(engine, caller, &request.into, &from)?;
    if from == into {
        return Err(EngineError::invalid(
            format!("`{}` and `{}` are the same project, {into}", request.from, request.into),
            "`hark project list` lists projects",
        ));
    }
    if [&from, &into].into_iter().any(|key| engine.is_untrusted_key(key)) {
        return Err(EngineError::invalid(
            "the untrusted store of a repository is not a project",
            "trust it first: hark trust",
        ));
    }
    let num = engine.store.project_num(&from)?;
    let stores: Vec<String> = engine
        .store
        .layers()
        .iter()
        .filter(|layer| layer.project == from)
        .map(|layer| layer.path().display().to_string())
        .collect();
    let mut response = Response {
        from: from.to_string(),
        into: into.to_string(),
        dry_run: request.dry_run,
        memories: num.map_or(Ok(0), |num| engine.store.own_memories_of(num).map(|ids| ids.len()))?,
        sessions: num.map_or(Ok(0), |num| engine.store.sessions_of(num).map(|nums| nums.len()))?,
        failures: num.map_or(Ok(0), |num| engine.store.failures_counted(num))? as usize,
        stores,
        left: Vec::new(),
    };
    if !request.dry_run {
        apply(engine, &from, &into, num, &mut response)?;
    }
    Ok(response)
}

fn apply(
    engine: &mut Engine,
    from: &ProjectKey,
    into: &ProjectKey,
    num: Option<ProjectNum>,
    response: &mut Response,
) -> Result<(), EngineError> {
    let now = engine.now();
    engine
        .store
        .write(now, |writer| writer.change_project_book(|book| book.merge(from.as_str(), into.as_str())))?;
    if let Some(num) = num {
        response.memories = move_memories(engine, num, into, &mut response.left)?;
        response.sessions = move_sessions(engine, num, into)?;
    }
    engine.store.write(now, |writer| {
        if !response.stores.is_empty() {
            writer.change_trust(|trust| {
                let theirs = trust.stores.iter_mut().filter(|store| store.project == from.as_str());
                theirs.for_each(|store| store.project = into.to_string());
            })?;
        }
        writer.move_project_rows(from, into)
    })?;
    engine.store.refresh_fully(now)?;
    Ok(())
}

fn move_memories(
    engine: &mut Engine,
    from: ProjectNum,
    into: &ProjectKey,
    left: &mut Vec<String>,
) -> Result<usize, EngineError> {
    let now = engine.now();
    let mut moved = 0;
    for ids in engine.store.own_memories_of(from)?.chunks(AT_ONCE) {
        moved += engine.store.write(now, |writer| {
            let mut moved = 0;
            for id in ids {
                let before = match writer.load(&IdRef::Full(*id)) {
                    Ok(memory) => memory,
                    // Removed meanwhile.
                    Err(StoreError::NotFound { .. }) => continue,
                    Err(e @ (StoreError::Unreadable { .. } | StoreError::Untrusted { .. })) => {
                        left.push(format!("{}: {e}", id.short()));
                        continue;
                    }
                    Err(e) => return Err(EngineError::from(e)),
                };
                let mut after = before.clone();
                after.scope = Scope::Project(into.clone());
                // Its words did not change, so neither does its age.
                writer.update(&before, &after, "merged project")?;
                moved += 1;
            }
            Ok(moved)
        })?;
    }
    Ok(moved)
}

/// Events, digests and the ledger belong to sessions and follow them.
fn move_sessions(engine: &mut Engine, from: ProjectNum, into: &ProjectKey) -> Result<usize, EngineError> {
    let now = engine.now();
    let mut moved = 0;
    for nums in engine.store.sessions_of(from)?.chunks(AT_ONCE) {
        moved += engine.store.write(now, |writer| {
            let mut moved = 0;
            for num in nums {
                let Some(mut stored) = writer.session(*num)? else { continue };
                stored.session.project = Some(into.clone());
                if stored.file.is_empty() {
                    writer.note_session(&stored)?;
                } else {
                    writer.save_session(&stored)?;
                }
                moved += 1;
            }
            Ok::<_, EngineError>(moved)
        })?;
    }
    Ok(moved)
}

/// The project to merge into. It may be one without memories, such as the current one, but not a mistyped name.
fn target(
    engine: &mut Engine,
    caller: &Caller,
    text: &str,
    from: &ProjectKey,
) -> Result<ProjectKey, EngineError> {
    let wanted = ProjectKey::new(&engine.clean(text));
    let current = caller.cwd.clone().and_then(|cwd| engine.project_of(&cwd));
    if let Some(current) = current.filter(|current| Some(current) == wanted.as_ref()) {
        return Ok(current);
    }
    let found = match known(engine, text)? {
        Some(key) => Some(key),
        None => {
            let seen = engine.store.places()?.into_iter().map(|place| place.key);
            // A remote that nobody has cloned here yet is a good name all the same.
            let is_remote =
                |key: &ProjectKey| key.as_str().contains('/') && !text.starts_with(['/', '.', '~']);
            seen.chain(wanted.clone().filter(is_remote)).find(|key| Some(key) == wanted.as_ref())
        }
    };
    let Some(found) = found else { return Err(super::unknown(text)) };
    let into = engine.alias_of(found.clone());
    // A merge that is turned round: `into` had become `from` before.
    Ok(if into == *from { found } else { into })
}

pub const MERGE: Operation = Operation {
    name: "project merge",
    also: &[],
    summary: "Make two projects one",
    help: "Moves the memories, sessions and failures of FROM to INTO. From then on, folders that were FROM are INTO. If it \
           is interrupted, run it again. Memories keep their history; `hark undo ID` takes one back.",
    examples: &[
        ("hark project merge shop-330c6760 github.com/acme/shop --dry-run", "Show what would move"),
        ("hark project merge shop-330c6760 github.com/acme/shop", "Continue a project under its new key"),
    ],
    group: Group::Store,
    effect: Effect::Write,
    who: Who::User,
    tool: Tool::Off("projects are for the user to manage"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let verb = if self.dry_run { "would move" } else { "moved" };
        page.print(&format!(
            "{GOOD}{verb}{GOOD:#} {}, {} and {} from {} to {}\n",
            count(self.memories, "memory", "memories"),
            count(self.sessions, "session", "sessions"),
            count(self.failures, "failure", "failures"),
            safe(&self.from),
            safe(&self.into),
        ));
        for store in &self.stores {
            let verb = if self.dry_run { "would belong" } else { "belongs" };
            page.print(&format!("  {} {verb} to it now\n", safe(store)));
        }
        for left in &self.left {
            page.note(&format!("{WARN}not moved:{WARN:#} {}\n", safe(left)));
        }
        if !self.left.is_empty() {
            page.note("fix these files, then run the command again\n");
        }
        if self.dry_run {
            page.note("nothing was changed; leave out --dry-run to merge\n");
        }
    }
}
