//! Takes rules out of force, and puts them back: pause, resume, retire, reject.

use clap::Args;
use hark_core::{IdRef, Kind, Memory, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::inbox::{self, DecideRequest, Decision};
use super::RuleView;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::{Code, EVERYWHERE, Effect, Group, Operation, Page, Reply, Tool, Who, operate};

macro_rules! requests {
    ($($name:ident),+) => {
        $(#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
        pub struct $name {
            /// Ids of rules
            #[arg(value_name = "ID", required = true)]
            pub ids: Vec<String>,
        })+
    };
}

requests!(Pause, Resume, Retire, Reject);

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub rules: Vec<RuleView>,
}

fn pause(engine: &mut Engine, _caller: &Caller, request: &Pause) -> Result<Response, EngineError> {
    change(engine, &request.ids, "paused", &|rule| rule.guidance.paused = true)
}

fn resume(engine: &mut Engine, _caller: &Caller, request: &Resume) -> Result<Response, EngineError> {
    let now = engine.now();
    change(engine, &request.ids, "resumed", &move |rule| {
        rule.guidance.paused = false;
        rule.set_status(Status::Active, now);
    })
}

fn retire(engine: &mut Engine, _caller: &Caller, request: &Retire) -> Result<Response, EngineError> {
    let now = engine.now();
    change(engine, &request.ids, "retired", &move |rule| rule.set_status(Status::Archived, now))
}

/// A proposal is rejected for good; a rule in force is retired.
fn reject(engine: &mut Engine, caller: &Caller, request: &Reject) -> Result<Response, EngineError> {
    let now = engine.now();
    let mut rules = Vec::new();
    for id in &request.ids {
        let memory = engine.store.find(&id.parse::<IdRef>()?)?.memory;
        if memory.status == Status::Proposed {
            inbox::decide(engine, caller, &DecideRequest { ids: vec![id.clone()] }, Decision::Reject)?;
            let memory = engine.store.find(&id.parse::<IdRef>()?)?.memory;
            rules.push(RuleView::new(engine, &memory, now)?);
        } else {
            let retired = change(engine, std::slice::from_ref(id), "retired", &move |rule| {
                rule.set_status(Status::Archived, now);
            })?;
            rules.extend(retired.rules);
        }
    }
    Ok(Response { rules })
}

fn change(
    engine: &mut Engine,
    ids: &[String],
    word: &'static str,
    how: &dyn Fn(&mut Memory),
) -> Result<Response, EngineError> {
    let ids = ids.iter().map(|text| text.parse::<IdRef>()).collect::<Result<Vec<_>, _>>()?;
    let now = engine.now();
    engine.store.refresh(now)?;
    let changed = engine.store.write(now, |writer| {
        let mut changed = Vec::with_capacity(ids.len());
        for id in &ids {
            let before = writer.load(id)?;
            check(&before)?;
            let mut after = before.clone();
            how(&mut after);
            if after != before {
                after.touch(now);
                writer.update(&before, &after, word)?;
            }
            changed.push(after);
        }
        Ok::<_, EngineError>(changed)
    })?;
    engine.store.settle_tool_rules()?;
    let rules = changed.iter().map(|rule| RuleView::new(engine, rule, now));
    Ok(Response { rules: rules.collect::<Result<_, _>>()? })
}

fn check(memory: &Memory) -> Result<(), EngineError> {
    if memory.kind != Kind::Rule {
        return Err(EngineError::invalid(
            format!("{} is a {}, not a rule", memory.id, memory.kind),
            "`hark rules --all` lists rules",
        ));
    }
    if memory.status == Status::Proposed {
        return Err(EngineError::invalid(
            format!("{} is a proposal", memory.id),
            "accept it with `hark rules accept`, or reject it with `hark rules reject`",
        ));
    }
    Ok(())
}

const fn row(
    name: &'static str,
    summary: &'static str,
    examples: &'static [(&'static str, &'static str)],
    code: Code,
) -> Operation {
    Operation {
        name,
        also: &[],
        summary,
        help: "",
        examples,
        group: Group::Learning,
        effect: Effect::Write,
        who: Who::User,
        tool: Tool::Off("rules are for the user to decide"),
        surfaces: EVERYWHERE,
        code,
    }
}

pub const PAUSE: Operation = row(
    "rules pause",
    "Switch rules off for now",
    &[("hark rules pause m-7k3q9x2d", "Keep the rule and its record, but do not apply it")],
    Code::on_store::<Pause>(),
);

pub const RESUME: Operation = row(
    "rules resume",
    "Put paused or retired rules back in force",
    &[("hark rules resume m-7k3q9x2d", "Apply the rule again")],
    Code::on_store::<Resume>(),
);

pub const RETIRE: Operation = row(
    "rules retire",
    "Archive rules that are over",
    &[("hark rules retire m-7k3q9x2d", "Archive the rule; `hark rules resume` brings it back")],
    Code::on_store::<Retire>(),
);

pub const REJECT: Operation = row(
    "rules reject",
    "Reject proposed rules; they are not proposed again",
    &[("hark rules reject m-7k3q9x2d", "Reject one proposal")],
    Code::on_store::<Reject>(),
);

operate!(Pause => Response, pause);
operate!(Resume => Response, resume);
operate!(Retire => Response, retire);
operate!(Reject => Response, reject);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for rule in &self.rules {
            rule.print(page);
        }
    }
}
