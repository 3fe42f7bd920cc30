//! Describes a session, digest or event without its text: its size, its dates, and what it belongs to.

use std::collections::BTreeMap;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::expand::{Named, no_such};
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, words};
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Family, Group, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// A session, digest or event: s-…, d-…, e-…
    #[arg(value_name = "ID")]
    pub id: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub id: String,
    /// session, digest or event
    pub kind: String,
    pub session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    pub first: String,
    pub last: String,
    /// Events by kind and tier, such as `tool M`.
    pub events: BTreeMap<String, u32>,
    /// The top-level digests, or those directly below.
    pub digests: Vec<String>,
    /// The digest that covers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// Events whose text was forgotten.
    pub gone: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
}

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let id = request.id.trim().to_owned();
    let name = |digest: i64| format!("d-{digest}");
    match Named::parse(&id) {
        Named::Event(seq) => {
            let event = engine.store.event(seq)?.ok_or_else(|| no_such(&id))?;
            Ok(Response {
                session: engine.store.session_id(event.session)?,
                first: event.at.to_string(),
                last: event.at.to_string(),
                events: BTreeMap::from([(format!("{} {}", event.kind, event.tier.name()), 1)]),
                within: event.digest.map(name),
                about: Some(event.target).filter(|target| !target.is_empty()),
                kind: "event".to_owned(),
                id,
                ..Response::default()
            })
        }
        Named::Digest(number) => {
            let digest = engine.store.digest(number)?.ok_or_else(|| no_such(&id))?;
            let mut events = BTreeMap::new();
            for event in engine.store.events_below(number)? {
                *events.entry(format!("{} {}", event.kind, event.tier.name())).or_default() += 1;
            }
            if events.is_empty() {
                events.insert("all".to_owned(), digest.events);
            }
            Ok(Response {
                session: engine.store.session_id(digest.session)?,
                first: digest.first.to_string(),
                last: digest.last.to_string(),
                events,
                digests: engine.store.digests_below(number)?.iter().map(|below| name(below.id)).collect(),
                within: digest.parent.map(name),
                gone: digest.gone,
                kind: "digest".to_owned(),
                id,
                ..Response::default()
            })
        }
        Named::Session(text) => {
            let stored = super::sessions::one(engine, &text)?;
            let session = &stored.session;
            let counts = engine.store.event_counts(stored.num)?;
            let tops = engine.store.top_digests(stored.num)?;
            Ok(Response {
                session: session.id.short(),
                about: session.about().map(ToString::to_string),
                first: session.started.to_string(),
                last: session.updated.to_string(),
                events: counts
                    .into_iter()
                    .map(|(kind, tier, n)| (format!("{kind} {}", tier.name()), n))
                    .collect(),
                digests: tops.iter().map(|top| name(top.id)).collect(),
                gone: engine.store.forgotten_events(stored.num)?,
                parent: session.parent.as_ref().map(ToString::to_string),
                transcript: session.transcript.as_ref().map(ToString::to_string),
                kind: "session".to_owned(),
                id,
                ..Response::default()
            })
        }
    }
}

pub const OPERATION: Operation = Operation {
    name: "describe",
    also: &[],
    summary: "Show the size and dates of a session, digest or event",
    help: "",
    examples: &[("hark describe s-4h2k8m1v", "Count the events of a session")],
    group: Group::Sessions,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_describe",
        family: Family::Sessions,
        description: "Size and dates of a session, digest or event, and what it belongs to.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let about = self.about.as_deref().map(|about| format!(": {}", words(about))).unwrap_or_default();
        page.print(&format!("{BOLD}{} {}{BOLD:#}{about}\n", self.kind, words(&self.id)));
        page.print(&format!("{DIM}{} to {}{DIM:#}\n", self.first, self.last));
        let counts: Vec<String> = self.events.iter().map(|(what, n)| format!("{n} {what}")).collect();
        page.print(&format!("events: {}\n", counts.join(", ")));
        if !self.digests.is_empty() {
            page.print(&format!("digests: {}\n", self.digests.join(" ")));
        }
        if self.gone > 0 {
            page.print(&format!("{} without text (removed)\n", count(self.gone, "event", "events")));
        }
        for (label, value) in
            [("within", &self.within), ("parent", &self.parent), ("transcript", &self.transcript)]
        {
            if let Some(value) = value {
                page.print(&format!("{label}: {}\n", words(value)));
            }
        }
    }
}
