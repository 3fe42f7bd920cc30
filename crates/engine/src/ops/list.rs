//! Memories by what they are, not by what they say; also the timeline.

use clap::Args;
use hark_core::{Kind, Status, Timestamp};
use hark_store::{ListFilter, ListOrder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::remember::clean_list;
use super::scope::ReadScope;
use super::view::MemoryView;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Only these kinds
    #[arg(long = "kind", value_name = "K")]
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub kinds: Vec<Kind>,
    /// Only these statuses; active ones if absent
    #[arg(long = "status", value_name = "S")]
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub statuses: Vec<Status>,
    /// Only with all these tags
    #[arg(long = "tag", value_name = "T")]
    #[serde(default)]
    #[schemars(skip)]
    pub tags: Vec<String>,
    /// Only newer than `30d` or a date
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// At most this many
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    /// In the order in which they were made
    #[arg(skip)]
    #[serde(default)]
    #[schemars(skip)]
    pub oldest_first: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub memories: Vec<MemoryView>,
    /// How many there are in all.
    pub total: i64,
}

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 10_000;

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let visible = request.scope.resolve(engine, caller)?.with_repository(engine, caller)?;
    let statuses = if request.statuses.is_empty() { vec![Status::Active] } else { request.statuses.clone() };
    let filter = ListFilter {
        projects: visible.projects,
        kinds: request.kinds.clone(),
        statuses,
        // Folded as they were when they were stored.
        tags: clean_list(engine, &request.tags).iter().map(ToString::to_string).collect(),
        since: request.since.as_deref().map(|t| Timestamp::parse_since(t, now)).transpose()?,
        until: None,
    };
    let order = if request.oldest_first { ListOrder::OldestFirst } else { ListOrder::NewestChange };
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let total = engine.store.count(&filter)?;
    let found = engine.store.list(&filter, order, limit)?;
    Ok(Response { memories: found.iter().map(|stored| MemoryView::of(engine, stored, now)).collect(), total })
}
