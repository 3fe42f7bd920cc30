//! Lists memories by kind, status, tag and date; also the timeline.

use clap::Args;
use hark_core::remind::Remind;
use hark_core::{Kind, Status, Timestamp};
use hark_store::{ListFilter, ListOrder, Stored};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::remember::clean_list;
use super::scope::ReadScope;
use super::view::MemoryView;
use super::view::line;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::tell;
use crate::operation::{
    Answer, Call, Code, DIM, EVERYWHERE, Effect, Family, Group, Operate, Operation, Page, Reply, Tool, Who,
    operate,
};
use serde_json::{Value, json};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Only these kinds
    #[arg(long = "kind", value_name = "K")]
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub kinds: Vec<Kind>,
    /// Only these statuses; default: active
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
    #[schemars(description = "Newer than 30d or a date")]
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only reminders and reviews that are due, or will be in `2w`, the longest overdue first
    #[arg(long, value_name = "WITHIN", num_args = 0..=1, default_missing_value = "now")]
    #[schemars(skip)]
    pub due: Option<String>,
    /// Maximum number of results
    #[schemars(description = "Most results")]
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    /// Skip this many first
    #[arg(long, value_name = "N")]
    #[schemars(skip)]
    pub offset: Option<usize>,
    /// In order of creation
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
    /// The total number of matches.
    pub total: i64,
    /// Why the list is empty, and what to try.
    #[serde(skip)]
    pub empty: Option<String>,
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
        // Fold the tags as they were when stored.
        tags: clean_list(engine, &request.tags).iter().map(ToString::to_string).collect(),
        since: request.since.as_deref().map(|t| Timestamp::parse_since(t, now)).transpose()?,
        until: None,
    };
    if let Some(within) = &request.due {
        return due(engine, request, &filter, within, now);
    }
    let order = if request.oldest_first { ListOrder::OldestFirst } else { ListOrder::NewestChange };
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let total = engine.store.count(&filter)?;
    let offset = request.offset.unwrap_or(0);
    let mut found = engine.store.list(&filter, order, limit.saturating_add(offset))?;
    found.drain(..offset.min(found.len()));
    let empty = if total == 0 { Some(why_empty(engine, request, &filter)?) } else { None };
    let memories = found.iter().map(|stored| MemoryView::of(engine, stored, now)).collect();
    Ok(Response { memories, total, empty })
}

/// Reminders and reviews up to a time, within the other filters.
fn due(
    engine: &Engine,
    request: &Request,
    filter: &ListFilter,
    within: &str,
    now: Timestamp,
) -> Result<Response, EngineError> {
    let until = match within {
        "now" => now,
        _ => match Remind::parse(within, now) {
            Ok(Remind::At(at)) => at,
            _ => {
                return Err(EngineError::invalid(
                    format!("`{}` is not a time", engine.clean(within)),
                    "write a span such as 2w, or a date: hark list --due 2w",
                ));
            }
        },
    };
    let mut found = engine.store.due(filter.projects.as_deref(), until, MAX_LIMIT)?;
    found.retain(|Stored { memory, .. }| {
        (filter.kinds.is_empty() || filter.kinds.contains(&memory.kind))
            && filter.statuses.contains(&memory.status)
            && filter.tags.iter().all(|tag| memory.tags.iter().any(|own| own.eq_ignore_ascii_case(tag)))
            && filter.since.is_none_or(|since| memory.updated >= since)
    });
    let total = found.len() as i64;
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let memories = found.iter().skip(request.offset.unwrap_or(0)).take(limit);
    let memories = memories.map(|stored| MemoryView::of(engine, stored, now)).collect();
    let empty =
        (total == 0).then(|| "nothing is due; set a reminder with `hark edit ID --remind 2w`".to_owned());
    Ok(Response { memories, total, empty })
}

const NOTHING: &str = "no memories here";

/// Widens the filter step by step, and names the step that finds something.
fn why_empty(engine: &Engine, request: &Request, filter: &ListFilter) -> Result<String, EngineError> {
    let filtered = !(request.kinds.is_empty()
        && request.tags.is_empty()
        && request.statuses.is_empty()
        && request.since.is_none());
    let mut wide = ListFilter { projects: filter.projects.clone(), ..ListFilter::default() };
    let here = engine.store.count(&wide)?;
    if here > 0 && filtered {
        return Ok(
            "no memory here matches these filters; remove one, or search with `hark recall`".to_owned()
        );
    }
    if here > 0 {
        return Ok(
            "all memories here are archived, resolved or superseded; list them with --status".to_owned()
        );
    }
    wide.projects = None;
    let elsewhere = engine.store.count(&wide)?;
    Ok(if elsewhere > 0 && filter.projects.is_some() {
        format!("no memories in this project; list the {elsewhere} of other projects with --all-projects")
    } else {
        "no memories yet; store one with `hark remember \"…\"`".to_owned()
    })
}

pub const OPERATION: Operation = Operation {
    name: "list",
    also: &[],
    summary: "List memories, most recently changed first",
    help: "",
    examples: &[
        ("hark list", "List the latest memories of this project"),
        ("hark list --kind task --status active", "List open tasks"),
        ("hark list --due 2w", "List reminders and reviews of the next two weeks"),
    ],
    group: Group::Memories,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_list",
        family: Family::Core,
        description: "List recent memories, such as open tasks or blockers.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

pub const TIMELINE: Operation = Operation {
    name: "timeline",
    also: &[],
    summary: "List memories in the order they were made",
    help: "",
    examples: &[
        ("hark timeline --since 7d", "Show what was learned this week"),
        ("hark timeline --kind decision", "Follow the decisions of this project"),
    ],
    group: Group::Memories,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("memory_list returns the same memories"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Timeline>(),
};

/// The same list, oldest first.
#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Timeline {
    #[command(flatten)]
    #[serde(flatten)]
    pub request: Request,
}

operate!(Request => Response, run);

impl Operate for Timeline {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(engine, call.caller, &Request { oldest_first: true, ..self.request.clone() })
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for memory in &self.memories {
            page.print(&line(memory, page));
        }
        let shown = self.memories.len();
        if shown == 0 {
            page.note(&format!("{}\n", self.empty.as_deref().unwrap_or(NOTHING)));
        } else if (shown as i64) < self.total {
            page.note(&format!("{DIM}{shown} of {}; show more with --limit{DIM:#}\n", self.total));
        }
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        let lines: Vec<String> = self.memories.iter().map(tell::line).collect();
        let text = if lines.is_empty() {
            self.empty.clone().unwrap_or_else(|| NOTHING.to_owned())
        } else {
            lines.join("\n")
        };
        let memories: Vec<Value> = self
            .memories
            .iter()
            .map(|m| {
                json!({ "id": m.id, "kind": m.kind, "title": m.title, "age": m.age, "status": m.status, "origin": m.origin })
            })
            .collect();
        tell::answer(&text, json!({ "memories": memories, "total": self.total }))
    }
}
