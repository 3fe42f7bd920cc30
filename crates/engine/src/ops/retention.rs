//! Shows, archives or removes memories that have aged out.

use clap::Args;
use hark_core::retention::{Days, Fate, Policy};
use hark_core::time::DAY_MS;
use hark_core::{IdRef, Memory, Origin, Status, Timestamp};
use hark_store::{ListFilter, ListOrder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::forget;
use super::scope::ReadScope;
use crate::config::RetentionConfig;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, words};
use crate::operation::{
    Code, DIM, EVERYWHERE, Effect, Group, ID, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Archive and remove; without this, only show
    #[arg(long)]
    #[serde(default)]
    pub apply: bool,
    /// Treat memories as aged out after N days without use, instead of `retention.archive`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub days: Option<u32>,
    /// Also list what is kept, and why
    #[arg(long)]
    #[serde(default)]
    pub all: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub applied: bool,
    pub looked_at: usize,
    pub archive: Vec<Aged>,
    /// Removed permanently; only if `retention.purge` is on.
    pub purge: Vec<Aged>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<Aged>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Aged {
    pub id: String,
    pub kind: String,
    pub title: String,
    pub why: String,
}

const EVERYTHING: usize = 1_000_000;
/// The background run handles this many at a time, so that other writers do not wait.
const MOST_AT_ONCE: usize = 100;
/// The shortest time between two background runs.
const PAUSE_MS: i64 = DAY_MS;
const MARK: &str = "retention";

pub fn policy(config: &RetentionConfig) -> Policy {
    Policy {
        archive_days: config.archive,
        kinds: config.kinds.clone(),
        resolved_days: config.resolved,
        purge_days: if config.purge { config.purge_after } else { 0 },
    }
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let visible = request.scope.resolve(engine, caller)?;
    let filter = ListFilter { projects: visible.projects, ..ListFilter::default() };
    let mut policy = policy(&engine.config.retention);
    policy.archive_days = request.days.unwrap_or(policy.archive_days);
    let wish = Wish { apply: request.apply, all: request.all, since: Since::Dates, most: EVERYTHING };
    carry_out(engine, &filter, &policy, wish, now)
}

/// A bounded share of the work, once a day.
pub(crate) fn in_background(engine: &mut Engine, now: Timestamp) -> Result<usize, EngineError> {
    if !engine.config.retention.auto {
        return Ok(0);
    }
    let last = engine.store.noted(MARK)?.and_then(|text| text.parse::<i64>().ok()).unwrap_or(0);
    // A time in the future was recorded while the clock was ahead.
    if (0..PAUSE_MS).contains(&(now.as_millis() - last)) {
        return Ok(0);
    }
    let policy = policy(&engine.config.retention);
    let wish = Wish { apply: true, all: false, since: Since::Arrival, most: MOST_AT_ONCE };
    let done = carry_out(engine, &ListFilter::default(), &policy, wish, now)?;
    let count = done.archive.len() + done.purge.len();
    // If more is due, the next run continues.
    if count < MOST_AT_ONCE {
        engine.store.note(MARK, &now.as_millis().to_string())?;
    }
    Ok(count)
}

/// The time from which an unused memory ages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Since {
    /// Its own dates: for runs by the user.
    Dates,
    /// Not before it was stored here, counting only days on which the store was used: the background run
    /// must not archive an old history that was imported yesterday, nor a whole store because the clock is
    /// years ahead.
    Arrival,
}

/// What a run does.
#[derive(Clone, Copy)]
struct Wish {
    /// Archive and remove; else only say what would happen.
    apply: bool,
    /// Also say what is kept.
    all: bool,
    since: Since,
    most: usize,
}

fn carry_out(
    engine: &mut Engine,
    filter: &ListFilter,
    policy: &Policy,
    wish: Wish,
    now: Timestamp,
) -> Result<Response, EngineError> {
    let Wish { apply, all, since, most } = wish;
    let uses = engine.store.uses(since == Since::Arrival)?;
    let calendar = engine.store.calendar(now)?;
    let days = match since {
        Since::Dates => Days::OfDates(now),
        Since::Arrival => Days::OfUse(now, &calendar),
    };
    let mut response = Response { applied: apply, ..Response::default() };
    let mut doomed = Vec::new();
    for stored in engine.store.list(filter, ListOrder::OldestFirst, EVERYTHING)? {
        let memory = stored.memory;
        // Never change a store that is not trusted, nor a teammate's file without a request.
        let unasked = since == Since::Arrival && memory.origin == Origin::Teammate;
        if memory.origin == Origin::Repository || unasked {
            continue;
        }
        response.looked_at += 1;
        let is_full = response.archive.len() + doomed.len() >= most;
        match policy.judge(&memory, uses.get(&memory.id).copied(), days) {
            Fate::Archive(why) if !is_full => {
                response.archive.push(aged(&memory, &why.to_string()));
                if apply {
                    archive(engine, &memory, now)?;
                }
            }
            Fate::Purge(why) if !is_full => {
                response.purge.push(aged(&memory, &why.to_string()));
                doomed.push(memory);
            }
            Fate::Keep(why) if all => response.keep.push(aged(&memory, &why.to_string())),
            _ => {}
        }
    }
    if apply && !doomed.is_empty() {
        forget::purge(engine, doomed, now)?;
    }
    Ok(response)
}

/// One memory per write, which delays hooks very little.
fn archive(engine: &mut Engine, memory: &Memory, now: Timestamp) -> Result<(), EngineError> {
    engine.store.write(now, |writer| {
        let before = writer.load(&IdRef::Full(memory.id))?;
        let mut after = before.clone();
        after.set_status(Status::Archived, now);
        after.touch(now);
        writer.update(&before, &after, "aged out").map_err(EngineError::from)
    })
}

fn aged(memory: &Memory, why: &str) -> Aged {
    Aged {
        id: memory.id.short(),
        kind: memory.kind.to_string(),
        title: memory.title.to_string(),
        why: why.to_owned(),
    }
}

pub const OPERATION: Operation = Operation {
    name: "retention",
    also: &[],
    summary: "Show or archive memories that have aged out",
    help: "",
    examples: &[
        ("hark retention", "Show what would be archived or removed, and why"),
        ("hark retention --days 90", "Show what would be archived after 90 days without use"),
        ("hark retention --apply", "Archive and remove it"),
    ],
    group: Group::Store,
    effect: Effect::Destroy,
    who: Who::Anyone,
    tool: Tool::Off("removing old memories is for the user to decide"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let verbs = if self.applied { ["archived", "removed"] } else { ["would archive", "would remove"] };
        let groups = [(verbs[0], &self.archive), (verbs[1], &self.purge), ("keeps", &self.keep)];
        for (verb, memories) in groups {
            for aged in memories {
                page.print(&format!(
                    "{verb} {ID}{}{ID:#} {} {DIM}{} · {}{DIM:#}\n",
                    aged.id,
                    words(&aged.title),
                    aged.kind,
                    aged.why
                ));
            }
        }
        page.note(&format!("{DIM}checked {}{DIM:#}\n", count(self.looked_at, "memory", "memories")));
        let any = !self.archive.is_empty() || !self.purge.is_empty();
        if any && !self.applied {
            page.note("nothing was changed; add --apply to apply\n");
        }
    }
}
