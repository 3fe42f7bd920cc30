//! Accepts a proposed rule or insight, with other triggers or another action if the user wants that.

use clap::Args;
use hark_core::{Action, Guidance, IdRef, Kind, Memory};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::inbox::{self, DecideRequest, Decision};
use super::RuleView;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::{Code, EVERYWHERE, Effect, Group, Operation, Page, Reply, Tool, Who, operate};
use crate::rules::draft;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Id of a proposed rule or insight
    #[arg(value_name = "ID")]
    pub id: String,
    /// Other triggers than the proposed ones
    #[arg(long = "when", value_name = "TRIGGER")]
    #[serde(default)]
    pub when: Vec<String>,
    /// Another action than the proposed one: tell, warn, ask or deny
    #[arg(long, value_name = "ACTION")]
    pub action: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub rule: RuleView,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let id: IdRef = request.id.parse()?;
    let now = engine.now();
    engine.store.refresh(now)?;
    let before = engine.store.find(&id)?.memory;
    if !matches!(before.kind, Kind::Rule | Kind::Insight) {
        return Err(EngineError::invalid(
            format!("{} is a {}, not a proposed rule or insight", before.id, before.kind),
            "accept it with `hark inbox accept`",
        ));
    }
    let changed = changed(engine, &before, request)?;
    inbox::decide(engine, caller, &DecideRequest { ids: vec![request.id.clone()] }, Decision::Accept)?;
    let after = engine.store.write(now, |writer| {
        let accepted = writer.load(&id)?;
        let mut after = Memory { kind: Kind::Rule, ..accepted.clone() };
        after.guidance = changed;
        if after != accepted {
            after.touch(now);
            writer.update(&accepted, &after, "edited")?;
        }
        Ok::<_, EngineError>(after)
    })?;
    engine.store.settle_tool_rules()?;
    Ok(Response { rule: RuleView::new(engine, &after, now)? })
}

/// What was proposed, with what the user wants instead.
fn changed(engine: &Engine, proposed: &Memory, request: &Request) -> Result<Guidance, EngineError> {
    let own = &proposed.guidance;
    let texts = |values: &[hark_core::Clean]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
    let when = if request.when.is_empty() { texts(&own.when) } else { request.when.clone() };
    // A proposal never refuses or asks on its own account: only the user sets that.
    let proposed_action = own.action.filter(|action| !action.binds()).map(Action::name);
    let action = request.action.as_deref().or(proposed_action);
    let checked = draft::guidance(engine, &when, action, &texts(&own.avoid))?;
    Ok(Guidance { when: checked.when, action: checked.action, ..own.clone() })
}

pub const OPERATION: Operation = Operation {
    name: "rules accept",
    also: &[],
    summary: "Accept a proposed rule or insight as your rule",
    help: "Run `hark rules test ID` first to see what its triggers would have matched. Proposals tell or warn; only you can make a \
           rule that asks or refuses.",
    examples: &[
        ("hark rules accept m-7k3q9x2d", "Accept it as proposed"),
        ("hark rules accept m-7k3q9x2d --action deny", "Accept it, and refuse matching calls"),
    ],
    group: Group::Learning,
    effect: Effect::Write,
    who: Who::User,
    tool: Tool::Off("rules are for the user to decide"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        self.rule.print(page);
    }
}
