//! Condenses a session into digests now, and shows the result.

use std::time::{Duration, Instant};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sessions;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, words};
use crate::operation::{
    Code, DIM, EVERYWHERE, Effect, Family, Group, ID, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Session id, from hark or the assistant
    #[arg(value_name = "SESSION")]
    pub session: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub session: String,
    /// Events that no digest covered before.
    pub condensed: usize,
    /// The digests at the top, oldest first.
    pub digests: Vec<Top>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Top {
    pub id: String,
    pub events: u32,
    pub text: String,
}

/// How long the user's own command for summaries may take.
const PATIENCE: Duration = Duration::from_secs(120);

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let stored = sessions::one(engine, &request.session)?;
    let condensed = engine.store.undigested_count(stored.num)?;
    if condensed > 0 {
        crate::digest::one(engine, stored.num, 0, Instant::now() + PATIENCE)?;
    }
    let tops = engine.store.top_digests(stored.num)?;
    let top = |digest: &hark_store::Digest| Top {
        id: format!("d-{}", digest.id),
        events: digest.events,
        text: digest.body.to_string(),
    };
    Ok(Response { session: stored.session.id.short(), condensed, digests: tops.iter().map(top).collect() })
}

pub const OPERATION: Operation = Operation {
    name: "digest",
    also: &[],
    summary: "Condense a session into a few sentences",
    help: "Hark condenses sessions by itself some time after they end, and long ones while they go on; see [history] \
           in `hark config defaults`. This command does it now.",
    examples: &[
        ("hark digest s-4h2k8m1v", "Show what happened in a session, in a few sentences"),
        ("hark expand d-12", "Show the parts of a digest, down to the events"),
    ],
    group: Group::Sessions,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_digest",
        family: Family::Sessions,
        description: "A session in a few sentences.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for digest in &self.digests {
            let events = count(digest.events as usize, "event", "events");
            page.print(&format!("{ID}{}{ID:#} {DIM}{events}{DIM:#}\n{}\n", digest.id, words(&digest.text)));
        }
        if self.digests.is_empty() {
            page.note("the session has no events; see `hark sessions show`\n");
        }
    }
}
