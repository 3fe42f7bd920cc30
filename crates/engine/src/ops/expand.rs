//! Expands a session into its digests, and a digest into its parts, down to the events.

use clap::Args;
use hark_core::budget::{estimate_tokens, truncate_to_tokens};
use hark_store::{Digest, HeldEvent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::words;
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Family, Group, ID, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// A session, digest or event: s-…, d-…, e-…
    #[arg(value_name = "ID")]
    pub id: String,
    /// Maximum tokens
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub id: String,
    /// session, digest or event
    pub kind: String,
    pub text: String,
    /// The parts one level below.
    pub parts: Vec<Part>,
    /// The number of parts that did not fit the budget.
    pub more: usize,
    pub tokens: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Part {
    pub id: String,
    /// digest, prompt, task, tool, reply, compaction…
    pub kind: String,
    pub at: String,
    /// The tier of an event: S, M, L or N
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    /// The file or command.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    pub text: String,
}

const BUDGET: usize = 2_000;
const EVENTS: usize = 2_000;

/// A session, digest or event by its id.
pub(crate) enum Named {
    Session(String),
    Digest(i64),
    Event(i64),
}

impl Named {
    pub(crate) fn parse(id: &str) -> Named {
        let id = id.trim();
        let number = |prefix: &str| id.strip_prefix(prefix).and_then(|rest| rest.parse().ok());
        match (number("d-"), number("e-")) {
            (Some(digest), _) => Named::Digest(digest),
            (_, Some(event)) => Named::Event(event),
            _ => Named::Session(id.to_owned()),
        }
    }
}

pub(crate) fn no_such(id: &str) -> EngineError {
    let shown: String = id.chars().take(60).collect();
    EngineError::invalid(
        format!("there is no `{shown}`"),
        "ids are in `hark sessions`, `hark expand SESSION` and `hark grep`",
    )
}

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let budget = request.budget.unwrap_or(BUDGET).clamp(50, 100_000);
    let (kind, text, parts) = match Named::parse(&request.id) {
        Named::Event(seq) => {
            let event = engine.store.event(seq)?.ok_or_else(|| no_such(&request.id))?;
            ("event", whole(&event), Vec::new())
        }
        Named::Digest(id) => {
            let digest = engine.store.digest(id)?.ok_or_else(|| no_such(&request.id))?;
            let mut parts: Vec<Part> = engine.store.digests_below(id)?.iter().map(of_digest).collect();
            if digest.level == 0 {
                parts.extend(engine.store.events_below(id)?.iter().map(of_event));
            }
            let gone = match digest.gone {
                0 => String::new(),
                gone => format!("\n(the text of {gone} of its events was forgotten)"),
            };
            ("digest", format!("{}{gone}", digest.body), parts)
        }
        Named::Session(id) => {
            let stored = super::sessions::one(engine, &id)?;
            let tops = engine.store.top_digests(stored.num)?;
            let mut parts: Vec<Part> = tops.iter().map(of_digest).collect();
            let events = engine.store.events_in_order(stored.num, EVENTS)?;
            parts.extend(events.iter().filter(|event| event.digest.is_none()).map(of_event));
            let about = stored.session.about().map(ToString::to_string).unwrap_or_default();
            ("session", about, parts)
        }
    };
    Ok(fitted(request.id.trim(), kind, &text, parts, budget))
}

fn fitted(id: &str, kind: &str, text: &str, parts: Vec<Part>, budget: usize) -> Response {
    let text = truncate_to_tokens(text, budget);
    let mut tokens = estimate_tokens(&text);
    let all = parts.len();
    // Each part gets its share, so that a long first part does not displace the last ones.
    let share = (budget.saturating_sub(tokens) / all.max(1)).clamp(24, 400);
    let mut kept = Vec::new();
    for mut part in parts {
        part.text = truncate_to_tokens(&part.text, share);
        let cost = estimate_tokens(&part.text) + estimate_tokens(&part.about) + 8;
        if tokens + cost > budget {
            break;
        }
        tokens += cost;
        kept.push(part);
    }
    Response { id: id.to_owned(), kind: kind.to_owned(), text, more: all - kept.len(), parts: kept, tokens }
}

fn of_digest(digest: &Digest) -> Part {
    Part {
        id: format!("d-{}", digest.id),
        kind: "digest".to_owned(),
        at: digest.first.to_string(),
        tier: None,
        ok: None,
        about: format!("{} events", digest.events),
        text: digest.body.to_string(),
    }
}

pub(crate) fn of_event(event: &HeldEvent) -> Part {
    let about = if event.target.is_empty() { &event.tool } else { &event.target };
    Part {
        id: format!("e-{}", event.seq),
        kind: event.kind.clone(),
        at: event.at.to_string(),
        tier: Some(event.tier.name().to_owned()),
        ok: event.ok,
        about: about.clone(),
        text: event.body.to_string(),
    }
}

fn whole(event: &HeldEvent) -> String {
    let head = [event.kind.as_str(), &event.tool, &event.target].map(str::trim);
    let head: Vec<&str> = head.into_iter().filter(|word| !word.is_empty()).collect();
    format!("{} ({})\n{}", head.join(" "), event.at, event.body)
}

pub const OPERATION: Operation = Operation {
    name: "expand",
    also: &[],
    summary: "Show what happened in a session or digest, in detail",
    help: "",
    examples: &[
        ("hark expand s-4h2k8m1v", "List the parts of a session"),
        ("hark expand d-12 --budget 4000", "Show a digest in up to 4,000 tokens"),
    ],
    group: Group::Sessions,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_expand",
        family: Family::Sessions,
        description: "Parts of a session or digest, down to the events in full.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        page.print(&format!("{BOLD}{}{BOLD:#}\n", words(&self.text)));
        for part in &self.parts {
            page.print(&part_text(part));
        }
        if self.more > 0 {
            page.note(&format!("{} more; show them with --budget\n", self.more));
        }
    }
}

pub(super) fn part_text(part: &Part) -> String {
    let failed = if part.ok == Some(false) { ", failed" } else { "" };
    let about = if part.about.is_empty() { String::new() } else { format!(" {}", words(&part.about)) };
    let about: String = about.split('\n').next().unwrap_or_default().chars().take(120).collect();
    let mut text = format!("{ID}{}{ID:#} {}{about}{failed} {DIM}{}{DIM:#}\n", part.id, part.kind, part.at);
    for line in words(&part.text).lines() {
        text.push_str(&format!("  {line}\n"));
    }
    text
}
