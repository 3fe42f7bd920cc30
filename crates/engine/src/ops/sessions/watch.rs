//! Follows a session: what happens in it and what hark injects, as it comes.

use std::time::{Duration, Instant};

use clap::Args;
use hark_core::Timestamp;
use hark_store::{SessionFilter, StoredSession};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::one;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::words;
use crate::operation::{
    Call, Code, Effect, Group, Operate, Operation, Page, Reply, Surface, Surfaces, Tool, Who,
};
use crate::ops::scope::ReadScope;

/// How often to look.
const PAUSE: Duration = Duration::from_millis(500);
/// The events of a burst that are still shown.
const MOST: usize = 500;
/// How much of a text is shown.
const WIDTH: usize = 160;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Session id; default: the newest in this project
    #[arg(value_name = "ID")]
    pub id: Option<String>,
    /// Stop after this time: `60s`, `5m`; default: until you press Ctrl-C
    #[arg(long = "for", value_name = "TIME")]
    #[serde(rename = "for")]
    pub time: Option<String>,
    /// Show this many past lines first
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10)]
    #[serde(default)]
    pub last: usize,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub session: String,
    /// The number of lines shown.
    pub lines: usize,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Line {
    at: String,
    /// `prompt`, `tool`, …, or `injected`.
    kind: String,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<bool>,
}

impl Line {
    fn text(&self) -> String {
        let failed = if self.ok == Some(false) { " (failed)" } else { "" };
        let time = self.at.get(11..19).unwrap_or(&self.at);
        format!("{time}  {:<9} {}{failed}\n", self.kind, words(&self.text))
    }
}

/// What has been shown so far.
struct Follower {
    session: i64,
    event: i64,
    injections: usize,
}

impl Follower {
    /// What is new, oldest first.
    fn news(&mut self, engine: &Engine) -> Result<Vec<Line>, EngineError> {
        let mut lines: Vec<(Timestamp, Line)> = Vec::new();
        for event in engine.store.events(self.session, &[], MOST)? {
            if event.seq <= self.event {
                continue;
            }
            self.event = event.seq;
            let about = [event.tool.as_str(), event.target.as_str()].join(" ");
            let text = if about.trim().is_empty() { event.body.to_string() } else { about.trim().to_owned() };
            let text = words(&text).chars().take(WIDTH).collect();
            lines.push((event.at, Line { at: event.at.to_string(), kind: event.kind, text, ok: event.ok }));
        }
        let ledger = engine.store.ledger(Some(self.session), 10_000)?;
        let fresh = ledger.len().saturating_sub(self.injections);
        self.injections = ledger.len();
        for row in ledger.into_iter().take(fresh) {
            let items =
                if row.items.is_empty() { String::new() } else { format!(": {}", row.items.join(" ")) };
            let text = format!("{} tokens at {}, {}{items}", row.tokens, row.surface, row.why);
            lines
                .push((row.at, Line { at: row.at.to_string(), kind: "injected".to_owned(), text, ok: None }));
        }
        lines.sort_by_key(|(at, _)| *at);
        Ok(lines.into_iter().map(|(_, line)| line).collect())
    }
}

fn chosen(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<StoredSession, EngineError> {
    if let Some(id) = &request.id {
        return one(engine, id);
    }
    let visible = request.scope.resolve(engine, caller)?;
    let filter = SessionFilter { projects: visible.projects, ..SessionFilter::default() };
    engine.store.sessions(&filter, 1)?.pop().ok_or_else(|| {
        EngineError::invalid(
            "there is no session here yet",
            "name one; list them with `hark sessions --all-projects`",
        )
    })
}

pub const OPERATION: Operation = Operation {
    name: "sessions watch",
    also: &[],
    summary: "Follow a session and what hark injects into it",
    help: "Prints one line per event: prompts, tools, replies, and each injected text with its cost. With --json, prints one object per line.",
    examples: &[
        ("hark sessions watch", "Follow the newest session in this project"),
        ("hark sessions watch s-4h2k8m1v --for 60s", "Follow one session for a minute"),
    ],
    group: Group::Sessions,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("a tool returns once; memory_session and memory_ledger show the same"),
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("a route returns once"),
        page: Surface::Off("a page shows the session itself"),
    },
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        let limit = self.time.as_deref().map(|text| {
            let span = hark_core::time::parse_span(text).ok_or_else(|| {
                EngineError::invalid(format!("invalid duration `{text}`"), "use 60s, 5m or 1h")
            })?;
            Ok::<_, EngineError>(Duration::from_millis(u64::try_from(span).unwrap_or(0)))
        });
        let limit = limit.transpose()?;
        let stored = chosen(engine, call.caller, self)?;
        let mut follower = Follower { session: stored.num, event: 0, injections: 0 };
        let began = Instant::now();
        let mut shown = 0;
        let mut first = true;
        loop {
            let mut lines = follower.news(engine)?;
            if std::mem::take(&mut first) {
                lines.drain(..lines.len().saturating_sub(self.last));
            }
            shown += lines.len();
            for line in lines {
                let text = if call.json {
                    serde_json::to_string(&line).unwrap_or_default() + "\n"
                } else {
                    line.text()
                };
                if call.stdout.write_all(text.as_bytes()).is_err() {
                    return Ok(Response { session: stored.session.id.short(), lines: shown });
                }
            }
            let _ = call.stdout.flush();
            let left = limit.map(|limit| limit.saturating_sub(began.elapsed()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(Response { session: stored.session.id.short(), lines: shown });
            }
            std::thread::sleep(left.map_or(PAUSE, |left| left.min(PAUSE)));
        }
    }
}

impl Reply for Response {
    fn print(&self, _page: &mut Page) {}

    fn is_printed(&self) -> bool {
        true
    }
}
