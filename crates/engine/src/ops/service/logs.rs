//! What the service printed last: from the journal, or from hark's own rotated files.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HERE, Which};
use crate::error::EngineError;
use crate::machine::Machine;
use crate::operation::text::safe;
use crate::operation::{Call, Code, Effect, Group, OperateHere, Operation, Page, Reply, Tool, Who};
use crate::trace;
use crate::units::{Desk, Manager, systemd};

#[derive(Debug, Clone, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// How many lines
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    #[serde(default = "hundred")]
    pub lines: u32,
    #[command(flatten)]
    #[serde(flatten)]
    pub which: Which,
}

fn hundred() -> u32 {
    100
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Logs {
    pub lines: Vec<String>,
}

fn run(machine: &Machine, request: &Request) -> Result<Logs, EngineError> {
    let around = machine.surroundings()?;
    let desk = Desk::new(request.which.manager(), &around);
    let most = request.lines as usize;
    let lines = match desk.manager {
        Manager::Systemd => systemd::logs(&desk.programs, most).map_err(|why| {
            EngineError::invalid(why, "if hark was started by hand, its log is where you started it")
        })?,
        Manager::Launchd => trace::last_lines(&around.data, most),
    };
    Ok(Logs { lines })
}

impl OperateHere for Request {
    type Response = Logs;

    fn run(&self, call: &mut Call<'_>) -> Result<Logs, EngineError> {
        run(call.machine, self)
    }
}

impl Reply for Logs {
    fn print(&self, page: &mut Page) {
        for line in &self.lines {
            page.print(&format!("{}\n", safe(line)));
        }
        if self.lines.is_empty() {
            page.note("the log is empty\n");
        }
    }
}

pub const LOGS: Operation = Operation {
    name: "service logs",
    also: &[],
    summary: "Show what the service printed last",
    help: "",
    examples: &[("hark service logs", "The last 100 lines"), ("hark service logs -n 500", "More of them")],
    group: Group::Service,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("services are for the user to run"),
    surfaces: HERE,
    code: Code::here::<Request>(),
};
