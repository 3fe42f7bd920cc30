//! Runs the background work, once or for as long as the process lives: stores waiting events, closes abandoned sessions, reads live
//! transcripts, digests old events, archives aged memories, makes a snapshot.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use hark_hosts::Surroundings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, safe};
use crate::operation::{
    Call, Code, EVERYWHERE, Effect, Group, OperateHere, Operation, Page, Reply, Tool, Who,
};
use crate::service::{Host, Service};
use crate::worker;
use hark_store::Role;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Exit when nothing is left to do (the default)
    #[arg(long)]
    #[serde(default)]
    pub until_idle: bool,
    /// Exit after at most this time: `60s`, `5m`
    #[arg(long, value_name = "TIME", default_value = "60s")]
    #[serde(default)]
    pub max: String,
    /// Go on until stopped: read transcripts as they grow, and work whenever something changed
    #[arg(long, conflicts_with_all = ["until_idle", "max"])]
    #[serde(skip)]
    #[schemars(skip)]
    pub watch: bool,
    /// Only checkpoint the write-ahead log; started by hooks
    #[arg(long, hide = true)]
    #[serde(skip)]
    #[schemars(skip)]
    pub only_log: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// Another worker is already running.
    pub busy: bool,
    /// Waiting events stored.
    pub events: usize,
    /// Abandoned sessions closed.
    pub expired: usize,
    /// Sessions closed because their assistant is gone.
    pub ended: usize,
    /// Memories that retention archived or removed.
    pub retired: usize,
    /// A snapshot of the files was made.
    pub backed_up: bool,
    /// Events read from transcripts that no hook reported.
    pub read: u64,
    /// Sessions digested.
    pub digested: usize,
    /// Memories distilled from sessions.
    pub distilled: usize,
    /// Passages that received a vector from the encoder.
    pub embedded: usize,
}

pub fn run(
    engine: &mut Engine,
    _caller: &Caller,
    request: &Request,
    around: Option<&Surroundings>,
) -> Result<Response, EngineError> {
    let text = if request.max.is_empty() { "60s" } else { &request.max };
    let span = hark_core::time::parse_span(text)
        .ok_or_else(|| EngineError::invalid(format!("invalid duration `{text}`"), "use 60s, 5m or 1h"))?;
    let limit = Duration::from_millis(u64::try_from(span).unwrap_or(0));
    let done = worker::run(engine, limit, around)?;
    Ok(Response {
        busy: done.busy,
        events: done.events,
        expired: done.expired,
        ended: done.ended,
        retired: done.retired,
        backed_up: done.backed_up,
        read: done.read,
        digested: done.digested,
        distilled: done.distilled,
        embedded: done.embedded,
    })
}

pub const OPERATION: Operation = Operation {
    name: "work",
    also: &[],
    summary: "Run pending background work, then exit",
    help: "",
    examples: &[
        ("hark work", "Run everything that is due"),
        ("hark work --max 5m", "Stop after five minutes at the latest"),
        ("hark work --watch", "Go on as a service, without an HTTP server"),
    ],
    group: Group::Service,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Off("runs in the background"),
    surfaces: EVERYWHERE,
    code: Code::here::<Request>(),
};

impl OperateHere for Request {
    type Response = Finished;

    fn run(&self, call: &mut Call<'_>) -> Result<Finished, EngineError> {
        if self.only_log {
            let (home, config) = (call.machine.home()?, call.machine.config()?);
            // Open as a hook, which keeps the log file on close: creating a new one costs the next hook more.
            Engine::open_as(home, config, call.machine.clock, Role::Hook)?.fold_log()?;
            return Ok(Finished(None));
        }
        if self.watch {
            return watch(call).map(|()| Finished(None));
        }
        // Without a home folder there are no transcripts to look for.
        let around = call.machine.surroundings().ok();
        let (_, outcome) =
            call.machine.engine()?.recovering(|engine| run(engine, call.caller, self, around.as_ref()));
        Ok(Finished(Some(outcome?)))
    }
}

/// Works until the process is told to stop.
fn watch(call: &mut Call<'_>) -> Result<(), EngineError> {
    let Some(until_stopped) = &mut call.until_stopped else {
        return Err(EngineError::invalid("watching takes a process of its own", "run `hark work --watch`"));
    };
    let service = Service::start(call.machine, Host::Work, Arc::new(log))?;
    log("watching; stop with Ctrl-C");
    until_stopped();
    service.stop();
    Ok(())
}

/// Standard error is the log of a process that runs on: a unit sends it to the journal.
fn log(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", safe(line));
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Finished(Option<Response>);

impl Reply for Finished {
    fn print(&self, page: &mut Page) {
        let Some(done) = &self.0 else { return };
        if done.busy {
            page.note("another worker is already running\n");
            return;
        }
        let backup = if done.backed_up { ", backed up" } else { "" };
        page.note(&format!(
            "stored {}, read {} from transcripts, closed {}, digested {}, learned {}, archived {}{backup}\n",
            count(done.events, "event", "events"),
            count(done.read, "event", "events"),
            count(done.expired + done.ended, "session", "sessions"),
            count(done.digested, "session", "sessions"),
            count(done.distilled, "memory", "memories"),
            count(done.retired, "memory", "memories"),
        ));
    }

    fn is_printed(&self) -> bool {
        self.0.is_none()
    }
}
