//! Checks that the store opens and can be written, at once.

use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::operation::{
    Call, Code, EVERYWHERE, Effect, GOOD, Group, OperateHere, Operation, Page, Reply, Tool, Who,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub version: String,
    pub store: String,
    pub memories: i64,
    /// The time it took to open the store, read from it and take its lock.
    pub ms: f64,
}

pub fn run(call: &Call<'_>) -> Result<Response, EngineError> {
    let started = Instant::now();
    let mut engine: Engine = call.machine.engine()?;
    let memories = engine.store.count(&hark_store::ListFilter::default())?;
    let now = engine.now();
    // An empty transaction: it needs the lock and a file that can be written.
    engine.store.write(now, |_| Ok::<_, EngineError>(()))?;
    let ms = started.elapsed().as_micros() as f64 / 1000.0;
    Ok(Response {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        store: engine.home.path.display().to_string(),
        memories,
        ms: (ms * 10.0).round() / 10.0,
    })
}

pub const OPERATION: Operation = Operation {
    name: "ping",
    also: &[],
    summary: "Check that the store opens and can be written",
    help: "",
    examples: &[("hark ping", "Print version, store and time; the exit code tells whether it works")],
    group: Group::Store,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("every other tool answers the same"),
    surfaces: EVERYWHERE,
    code: Code::here::<Request>(),
};

impl OperateHere for Request {
    type Response = Response;

    fn run(&self, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(call)
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        page.print(&format!("{GOOD}ok{GOOD:#} hark {} · {} · {} ms\n", self.version, self.store, self.ms));
    }
}
