//! Measurements of the store, as data and in the text format of Prometheus.

use std::fmt::Write as _;

use clap::Args;
use hark_store::spool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::hooks::health;
use crate::hooks::times::{self, BOUNDS_MS};
use crate::operation::{
    Answer, Code, EVERYWHERE, Effect, Group, Operation, Page, Reply, Tool, Who, operate, tell,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub memories: Vec<Memories>,
    pub sessions: i64,
    /// How often a memory was given to somebody, asked or unasked.
    pub uses: i64,
    pub injections: Vec<Injections>,
    pub hooks: Vec<Hooks>,
    pub queues: Vec<Queue>,
    /// Hook events that could not be handled and are still on record.
    pub hook_errors: usize,
    /// Proposals that wait for the user.
    pub inbox: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Memories {
    pub kind: String,
    pub status: String,
    pub count: i64,
}

/// Texts that were put into contexts.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Injections {
    pub host: String,
    pub surface: String,
    pub count: i64,
    pub tokens: i64,
}

/// Hooks of one kind of event.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Hooks {
    pub event: String,
    pub count: u64,
    pub seconds: f64,
    /// Hooks that put something into the context.
    pub told: u64,
    pub within: Vec<Within>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Within {
    pub ms: u32,
    pub count: u64,
}

/// Work that waits.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Queue {
    pub name: String,
    pub waiting: i64,
}

pub fn run(engine: &mut Engine, _caller: &Caller, _request: &Request) -> Result<Response, EngineError> {
    let layout = engine.store.layout();
    let measures = engine.store.measures()?;
    let spooled = i64::try_from(spool::waiting(layout).len()).unwrap_or(i64::MAX);
    let queue = |name: &str, waiting| Queue { name: name.to_owned(), waiting };
    let memories = measures.memories.into_iter();
    let sums = engine.store.ledger_sums(None, None)?.into_iter();
    Ok(Response {
        memories: memories.map(|(kind, status, count)| Memories { kind, status, count }).collect(),
        sessions: measures.sessions,
        uses: measures.uses,
        injections: sums
            .map(|sum| Injections {
                host: sum.host,
                surface: sum.surface,
                count: sum.count,
                tokens: sum.tokens,
            })
            .collect(),
        hooks: times::read(layout).into_iter().map(Hooks::from).collect(),
        queues: vec![
            queue("spool", spooled),
            queue("embedding", measures.unembedded),
            queue("digest", measures.undigested),
        ],
        hook_errors: health::errors(layout).len(),
        inbox: super::inbox::waiting(engine)?,
    })
}

impl From<times::Times> for Hooks {
    fn from(times: times::Times) -> Self {
        let within = BOUNDS_MS.iter().zip(times.within).map(|(ms, count)| Within { ms: *ms, count });
        Hooks {
            event: times.event.to_owned(),
            count: times.count,
            seconds: times.seconds,
            told: times.told,
            within: within.collect(),
        }
    }
}

pub const OPERATION: Operation = Operation {
    name: "metrics",
    also: &[],
    summary: "Print measurements for Prometheus",
    help: "Counts only: no text, no names of projects or files. `hark serve` answers the same at /metrics, with its own \
           requests. Hook times come from the last quarter of a million hooks or more.",
    examples: &[
        ("hark metrics", "Print them in the text format of Prometheus"),
        ("hark metrics --json", "The same as JSON"),
    ],
    group: Group::Store,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("of no use to a model"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        page.print(&self.prometheus());
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        Ok(Answer { text: self.prometheus(), data: tell::value(self)? })
    }
}

impl Response {
    /// The text format of Prometheus, version 0.0.4.
    pub fn prometheus(&self) -> String {
        let mut text = String::new();
        let out = &mut text;
        family(out, "hark_memories", "gauge", "Memories by kind and status.");
        for Memories { kind, status, count } in &self.memories {
            sample(out, "hark_memories", &[("kind", kind), ("status", status)], count);
        }
        family(out, "hark_sessions", "gauge", "Sessions in the store.");
        sample(out, "hark_sessions", &[], &self.sessions);
        family(out, "hark_memory_uses_total", "counter", "How often a memory was given to somebody.");
        sample(out, "hark_memory_uses_total", &[], &self.uses);
        family(out, "hark_injections_total", "counter", "Texts put into contexts unasked.");
        for Injections { host, surface, count, .. } in &self.injections {
            sample(out, "hark_injections_total", &[("host", host), ("surface", surface)], count);
        }
        family(out, "hark_injected_tokens_total", "counter", "Tokens of those texts.");
        for Injections { host, surface, tokens, .. } in &self.injections {
            sample(out, "hark_injected_tokens_total", &[("host", host), ("surface", surface)], tokens);
        }
        family(
            out,
            "hark_gate_decisions_total",
            "counter",
            "Hooks that told something, and those that did not.",
        );
        for Hooks { event, count, told, .. } in &self.hooks {
            sample(out, "hark_gate_decisions_total", &[("event", event), ("decision", "told")], told);
            let silent = count - told;
            sample(out, "hark_gate_decisions_total", &[("event", event), ("decision", "silent")], &silent);
        }
        family(out, "hark_hook_duration_seconds", "histogram", "How long hooks took.");
        for hooks in &self.hooks {
            let event = hooks.event.as_str();
            let bucket = "hark_hook_duration_seconds_bucket";
            for Within { ms, count } in &hooks.within {
                let bound = (f64::from(*ms) / 1000.0).to_string();
                sample(out, bucket, &[("event", event), ("le", &bound)], count);
            }
            sample(out, bucket, &[("event", event), ("le", "+Inf")], &hooks.count);
            sample(out, "hark_hook_duration_seconds_sum", &[("event", event)], &hooks.seconds);
            sample(out, "hark_hook_duration_seconds_count", &[("event", event)], &hooks.count);
        }
        family(out, "hark_queue_depth", "gauge", "Work that waits for a worker.");
        for Queue { name, waiting } in &self.queues {
            sample(out, "hark_queue_depth", &[("queue", name)], waiting);
        }
        family(
            out,
            "hark_hook_errors",
            "gauge",
            "Hook events that could not be handled, as `hark doctor` shows.",
        );
        sample(out, "hark_hook_errors", &[], &self.hook_errors);
        family(out, "hark_inbox", "gauge", "Proposals that wait for the user.");
        sample(out, "hark_inbox", &[], &self.inbox);
        text
    }
}

/// Begins a family of measurements.
pub fn family(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// Adds one measurement. Labels can come from outside, so they are escaped.
pub fn sample(out: &mut String, name: &str, labels: &[(&str, &str)], value: &dyn std::fmt::Display) {
    out.push_str(name);
    for (at, (label, text)) in labels.iter().enumerate() {
        let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let open = if at == 0 { '{' } else { ',' };
        let _ = write!(out, "{open}{label}=\"{text}\"");
    }
    let close = if labels.is_empty() { "" } else { "}" };
    let _ = writeln!(out, "{close} {value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_from_outside_cannot_add_lines() {
        let mut out = String::new();
        sample(&mut out, "x", &[("host", "a\"\n\\b"), ("le", "1")], &2);
        assert_eq!(out, "x{host=\"a\\\"\\n\\\\b\",le=\"1\"} 2\n");
    }
}
