//! Shows what a session had been told by a moment, and what was known but not told.

use std::collections::BTreeSet;

use clap::Args;
use hark_core::{IdRef, Status, Timestamp};
use hark_store::{LedgerFilter, ListFilter, ListOrder, ProjectNum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, words};
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Group, ID, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Session id, from hark or the assistant
    #[arg(value_name = "SESSION")]
    pub session: String,
    /// The moment: a time, or how long ago (`2h`); default: now
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub session: String,
    /// The moment.
    pub at: String,
    pub tokens: i64,
    /// Oldest first.
    pub told: Vec<Text>,
    /// Memories of the project that existed then and were not told, the most important first.
    pub untold: Vec<Named>,
    /// How many more there were.
    pub more: usize,
}

/// One text that hark added to the session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Text {
    pub at: String,
    pub surface: String,
    pub tokens: i64,
    pub why: String,
    pub items: Vec<Named>,
}

/// A memory or failure by its id.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Named {
    pub id: String,
    pub kind: String,
    pub title: String,
}

/// The untold ones that are listed.
const LISTED: usize = 12;
/// Memories that are looked at for that.
const LOOKED_AT: usize = 2_000;
const TEXTS: usize = 1_000;

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    let at = request.at.as_deref().map_or(Ok(now), |text| Timestamp::parse_since(text, now))?;
    let stored = super::sessions::one(engine, &request.session)?;
    let filter = LedgerFilter { session: Some(stored.num), until: Some(at), ..LedgerFilter::default() };
    let mut rows = engine.store.ledger_page(&filter, TEXTS, 0)?;
    rows.reverse();
    let heard: BTreeSet<String> = rows.iter().flat_map(|row| row.items.iter().cloned()).collect();

    let mut projects = vec![ProjectNum::GLOBAL];
    if let Some(key) = &stored.session.project {
        projects.extend(engine.store.project_num(key)?);
    }
    let known = ListFilter {
        projects: Some(projects),
        statuses: vec![Status::Active],
        until: Some(at),
        ..ListFilter::default()
    };
    let mut untold = engine.store.list(&known, ListOrder::NewestChange, LOOKED_AT)?;
    untold.retain(|one| one.memory.created <= at && !heard.contains(&one.memory.id.short()));
    // Stable: the newest first among equals.
    untold.sort_by_key(|one| std::cmp::Reverse((one.memory.pinned, one.memory.importance.get())));
    let more = untold.len().saturating_sub(LISTED);
    Ok(Response {
        session: stored.session.id.short(),
        at: at.to_string(),
        tokens: rows.iter().map(|row| row.tokens).sum(),
        told: rows
            .into_iter()
            .map(|row| Text {
                at: row.at.to_string(),
                items: named(engine, &row.items),
                surface: row.surface,
                tokens: row.tokens,
                why: row.why,
            })
            .collect(),
        untold: untold
            .iter()
            .take(LISTED)
            .map(|one| Named {
                id: one.memory.id.short(),
                kind: one.memory.kind.to_string(),
                title: one.memory.title.to_string(),
            })
            .collect(),
        more,
    })
}

/// What items of the ledger are called, as far as they are still there.
pub(crate) fn named(engine: &Engine, items: &[String]) -> Vec<Named> {
    let one = |item: &String| {
        let id = item.parse::<IdRef>().ok()?;
        let memory = engine.store.find(&id).ok()?.memory;
        Some(Named { id: item.clone(), kind: memory.kind.to_string(), title: memory.title.to_string() })
    };
    items.iter().filter_map(one).collect()
}

pub const OPERATION: Operation = Operation {
    name: "told",
    also: &[],
    summary: "Show what a session had been told by a moment",
    help: "Lists each text that hark had added to the session by then, why, and the memories in it; then what was known \
           and not told.",
    examples: &[
        ("hark told s-4h2k8m1v", "What the session was told so far"),
        ("hark told s-4h2k8m1v --at 2026-10-03T14:05:00Z", "What it had been told by that moment"),
    ],
    group: Group::Sessions,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("memory_ledger lists the same texts"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let texts = count(self.told.len(), "text", "texts");
        page.print(&format!("{BOLD}{texts}, {} tokens{BOLD:#} by {}\n", self.tokens, self.at));
        let line = |item: &Named| format!("  {ID}{}{ID:#} {}\n", item.id, words(&item.title));
        for text in &self.told {
            page.print(&format!("{} {:<8} {}\n", text.at, text.surface, words(&text.why)));
            text.items.iter().for_each(|item| page.print(&line(item)));
        }
        if !self.untold.is_empty() {
            page.print(&format!("{BOLD}Known, not told{BOLD:#}\n"));
            self.untold.iter().for_each(|item| page.print(&line(item)));
        }
        if self.more > 0 {
            page.print(&format!("  {DIM}and {} more{DIM:#}\n", self.more));
        }
    }
}
