//! Starts, stops and restarts the service.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HERE, Which, job};
use crate::error::EngineError;
use crate::machine::Machine;
use crate::operation::{
    Call, Code, Effect, GOOD, Group, OperateHere, Operation, Page, Reply, Tool, WARN, Who,
};
use crate::units::{Condition, Desk, Wish};

/// A request for each command, so that each has its row.
macro_rules! request {
    ($name:ident, $wish:expr) => {
        #[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
        pub struct $name {
            #[command(flatten)]
            #[serde(flatten)]
            pub which: Which,
        }

        impl OperateHere for $name {
            type Response = Done;

            fn run(&self, call: &mut Call<'_>) -> Result<Done, EngineError> {
                run(call.machine, self.which, $wish)
            }
        }
    };
}

request!(Start, Wish::Start);
request!(Stop, Wish::Stop);
request!(Restart, Wish::Restart);

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Done {
    #[serde(flatten)]
    pub condition: Condition,
}

fn run(machine: &Machine, which: Which, wish: Wish) -> Result<Done, EngineError> {
    let around = machine.surroundings()?;
    let desk = Desk::new(which.manager(), &around);
    desk.check(&job(machine, &around, "serve")?)?;
    if !desk.file.exists() {
        return Err(EngineError::invalid(
            format!("there is no service: {} does not exist", around.short(&desk.file)),
            "install it with `hark service install`",
        ));
    }
    desk.ask(wish)?;
    Ok(Done { condition: desk.condition() })
}

impl Reply for Done {
    fn print(&self, page: &mut Page) {
        let style = if self.condition.active { GOOD } else { WARN };
        page.print(&format!("{style}{}{style:#}\n", self.condition.state));
    }
}

pub const START: Operation = Operation {
    name: "service start",
    also: &[],
    summary: "Start the service",
    help: "",
    examples: &[("hark service start", "Start it now")],
    group: Group::Service,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Off("services are for the user to run"),
    surfaces: HERE,
    code: Code::here::<Start>(),
};

pub const STOP: Operation = Operation {
    name: "service stop",
    also: &[],
    summary: "Stop the service until the next login",
    help: "",
    examples: &[("hark service stop", "Stop it; running calls are finished first")],
    code: Code::here::<Stop>(),
    ..START
};

pub const RESTART: Operation = Operation {
    name: "service restart",
    also: &[],
    summary: "Stop the service and start it again",
    help: "",
    examples: &[("hark service restart", "Use a new version or new settings of the server")],
    code: Code::here::<Restart>(),
    ..START
};
