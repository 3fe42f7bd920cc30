//! Searches the events of past sessions by a pattern.

use clap::Args;
use hark_core::Timestamp;
use regex::RegexBuilder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::expand::{Part, of_event};
use super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::{
    Code, DIM, EVERYWHERE, Effect, Family, Group, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Regular expression; case-insensitive unless it has capitals
    #[arg(value_name = "PATTERN")]
    pub pattern: String,
    /// Only in this session
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Only newer than `30d` or a date
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Maximum number of results
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// Newest first.
    pub matches: Vec<Match>,
    /// Whether there may be more matches.
    pub more: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Match {
    #[serde(flatten)]
    pub part: Part,
    pub session: String,
}

const LIMIT: usize = 20;
/// Context around a match, in bytes on each side.
const AROUND: usize = 120;

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    let has_capitals = request.pattern.chars().any(char::is_uppercase);
    let pattern = RegexBuilder::new(&request.pattern)
        .case_insensitive(!has_capitals)
        .size_limit(1 << 20)
        .build()
        .map_err(|e| {
            let reason = e.to_string();
            let reason = reason.lines().last().unwrap_or("cannot be read").trim().to_owned();
            EngineError::invalid(
                format!("invalid regular expression: {reason}"),
                "escape ( [ . * ? with a \\",
            )
        })?;
    let visible = request.scope.resolve(engine, caller)?;
    let session = match &request.session {
        Some(id) => Some(super::sessions::one(engine, id)?.num),
        None => None,
    };
    let since = request.since.as_deref().map(|t| Timestamp::parse_since(t, now)).transpose()?;
    let limit = request.limit.unwrap_or(LIMIT).clamp(1, 1_000);
    let mut found = Vec::new();
    engine.store.scan_events(visible.projects.as_deref(), session, since, |event| {
        let at = pattern.find(&event.body).map(|m| (m.start(), m.end()));
        if at.is_some() || pattern.is_match(&event.target) {
            found.push((event, at));
        }
        found.len() <= limit
    })?;
    let more = found.len() > limit;
    found.truncate(limit);
    let mut matches = Vec::new();
    for (event, at) in found {
        let mut part = of_event(&event);
        part.text = excerpt(&part.text, at.unwrap_or((0, 0)));
        matches.push(Match { part, session: engine.store.session_id(event.session)? });
    }
    Ok(Response { matches, more })
}

/// The context of a match, as one line.
fn excerpt(text: &str, (start, end): (usize, usize)) -> String {
    let mut from = start.saturating_sub(AROUND);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    let mut to = (end + AROUND).min(text.len());
    while !text.is_char_boundary(to) {
        to += 1;
    }
    let words = text[from..to].split_whitespace().collect::<Vec<_>>().join(" ");
    let (before, after) = (if from > 0 { "…" } else { "" }, if to < text.len() { "…" } else { "" });
    format!("{before}{words}{after}")
}

pub const OPERATION: Operation = Operation {
    name: "grep",
    also: &[],
    summary: "Search past sessions by a regular expression",
    help: "",
    examples: &[
        ("hark grep 'permission denied'", "Find where an error was printed"),
        ("hark grep 'DROP TABLE' --since 30d --all-projects", "Search every project, last 30 days"),
    ],
    group: Group::Sessions,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_grep",
        family: Family::Sessions,
        description: "Find what was said, run or printed in past sessions by a regular expression.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let mut session = "";
        for found in &self.matches {
            if found.session != session {
                session = &found.session;
                page.print(&format!("{DIM}{session}{DIM:#}\n"));
            }
            page.print(&super::expand::part_text(&found.part));
        }
        if self.matches.is_empty() {
            page.note("no matches; search every project with --all-projects\n");
        } else if self.more {
            page.note("there may be more matches; show them with --limit\n");
        }
    }
}
