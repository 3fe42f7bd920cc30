//! Shows what hark injected into assistants, its cost, and what followed.

use clap::Args;
use hark_core::hindsight::{Sign, is_of_use};
use hark_core::{IdRef, Timestamp};
use hark_store::{LedgerDay, LedgerFilter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::told::{Named, named};
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::hindsight::LookBack;
use crate::operation::text::{count, safe};
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Family, Group, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Only newer than `30d` or a date
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only this session, each text separately
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Maximum number of texts
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    /// Skip this many texts first
    #[arg(long, value_name = "N")]
    #[schemars(skip)]
    pub offset: Option<usize>,
    /// Only texts that hold this memory
    #[arg(long, value_name = "ID")]
    #[schemars(skip)]
    pub memory: Option<String>,
    /// Only sessions of this project: name, key or folder
    #[arg(long, value_name = "P")]
    #[schemars(skip)]
    pub project: Option<String>,
    /// Add the tokens of each day
    #[arg(long)]
    #[serde(default)]
    #[schemars(skip)]
    pub days: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub count: i64,
    pub bytes: i64,
    pub tokens: i64,
    pub sums: Vec<Sum>,
    /// The newest texts.
    pub entries: Vec<Entry>,
    /// Days with texts, oldest first, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<Day>,
    #[serde(skip)]
    pub by_session: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Day {
    /// `2026-10-03`, UTC.
    pub day: String,
    pub count: i64,
    pub tokens: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Sum {
    pub host: String,
    pub surface: String,
    pub count: i64,
    pub bytes: i64,
    pub tokens: i64,
    pub last: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Entry {
    pub at: String,
    pub host: String,
    pub surface: String,
    pub items: Vec<String>,
    pub bytes: i64,
    pub tokens: i64,
    pub why: String,
    /// What the session did afterwards.
    pub followed: Vec<Sign>,
    /// Absent if that cannot be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_use: Option<bool>,
    /// The session that received it, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What the items are called, as far as they are still there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<Named>,
}

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    let since = request.since.as_deref().map(|t| Timestamp::parse_since(t, now)).transpose()?;
    let session = match &request.session {
        Some(id) => Some(super::sessions::one(engine, id)?.num),
        None => None,
    };
    let item = match &request.memory {
        Some(id) => Some(engine.store.find(&id.parse::<IdRef>()?)?.memory.id.short()),
        None => None,
    };
    let projects = match &request.project {
        Some(name) => {
            let key = super::scope::named(engine, name)?;
            Some(engine.store.project_num(&key)?.into_iter().collect())
        }
        None => None,
    };
    let filter = LedgerFilter { session, since, until: None, item, projects };
    let sum = |sum: hark_store::LedgerSum| Sum {
        host: sum.host,
        surface: sum.surface,
        count: sum.count,
        bytes: sum.bytes,
        tokens: sum.tokens,
        last: sum.last.to_string(),
    };
    let sums: Vec<Sum> = engine.store.ledger_sums_of(&filter)?.into_iter().map(sum).collect();
    let limit = request.limit.unwrap_or(20).min(10_000);
    let rows = engine.store.ledger_page(&filter, limit, request.offset.unwrap_or(0))?;
    let mut back = LookBack::with_futures(engine, &rows)?;
    let mut entries = Vec::new();
    for row in rows {
        let followed = back.signs(engine, &row)?;
        entries.push(Entry {
            at: row.at.to_string(),
            session: Some(row.session)
                .filter(|num| *num > 0)
                .and_then(|num| engine.store.session_id(num).ok()),
            named: named(engine, &row.items),
            host: row.host,
            of_use: is_of_use(&row.surface, &followed),
            surface: row.surface,
            items: row.items,
            bytes: row.bytes,
            tokens: row.tokens,
            why: row.why,
            followed,
        });
    }
    Ok(Response {
        count: sums.iter().map(|s| s.count).sum(),
        bytes: sums.iter().map(|s| s.bytes).sum(),
        tokens: sums.iter().map(|s| s.tokens).sum(),
        sums,
        entries,
        days: match request.days {
            true => engine.store.ledger_days(&filter)?.iter().map(day).collect(),
            false => Vec::new(),
        },
        by_session: request.session.is_some(),
    })
}

fn day(day: &LedgerDay) -> Day {
    let text = day.day.to_string();
    Day { day: text.get(..10).unwrap_or(&text).to_owned(), count: day.count, tokens: day.tokens }
}

pub const OPERATION: Operation = Operation {
    name: "ledger",
    also: &[],
    summary: "Show what was injected into assistants, and what followed",
    help: "",
    examples: &[
        ("hark ledger --since 7d", "Sum up the last week by assistant"),
        ("hark ledger --session s-4h2k8m1v", "List what one session received"),
    ],
    group: Group::Learning,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_ledger",
        family: Family::Sessions,
        description: "What was injected into sessions, and its cost in tokens.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        if self.count == 0 {
            let what = if self.by_session { "this session" } else { "an assistant" };
            page.note(&format!("nothing was injected into {what}\n"));
            return;
        }
        page.print(&format!(
            "{BOLD}{}, {} tokens{BOLD:#}\n",
            count(self.count, "injection", "injections"),
            self.tokens
        ));
        for sum in &self.sums {
            page.print(&format!(
                "{:<14} {:<8} {:>6} × {:>8} tokens {DIM}last {}{DIM:#}\n",
                safe(&sum.host),
                sum.surface,
                sum.count,
                sum.tokens,
                sum.last
            ));
        }
        for entry in &self.entries {
            let items =
                if entry.items.is_empty() { String::new() } else { format!(": {}", entry.items.join(" ")) };
            let followed: Vec<&str> = entry.followed.iter().map(|sign| sign.words()).collect();
            let followed =
                if followed.is_empty() { String::new() } else { format!(" → {}", followed.join(", ")) };
            page.print(&format!(
                "{} {:<8} {} tokens, {}{items}{followed}\n",
                entry.at, entry.surface, entry.tokens, entry.why
            ));
        }
    }
}
