//! Skills as an assistant uses them: list, find the one for a task, report how it went.

use clap::Args;
use hark_core::quote::quoted;
use hark_core::{Kind, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::outcome::{UseRequest, report};
use super::{SkillView, in_reach, named};
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::{
    Answer, Code, Effect, Family, Group, Operation, Page, Reply, Surface, Surfaces, Tool, Who, operate, tell,
};
use crate::ops::recall;
use crate::ops::scope::ReadScope;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub(crate) struct ToolRequest {
    /// Id or name; omit it to list
    #[arg(long)]
    pub skill: Option<String>,
    /// What you are about to do
    #[arg(long)]
    pub task: Option<String>,
    /// worked or failed: how the skill went
    #[arg(long, value_enum)]
    pub outcome: Option<Outcome>,
    /// What happened
    #[arg(long)]
    pub note: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Worked,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Response {
    pub skills: Vec<SkillView>,
}

const MOST: usize = 5;

fn run(engine: &mut Engine, caller: &Caller, request: &ToolRequest) -> Result<Response, EngineError> {
    let now = engine.now();
    let scope = ReadScope::default();
    if let Some(text) = &request.skill {
        let view = match request.outcome {
            Some(outcome) => {
                let (worked, failed) = (outcome == Outcome::Worked, outcome == Outcome::Failed);
                let request = UseRequest { skill: text.clone(), worked, failed, note: request.note.clone() };
                report(engine, caller, &request)?.skill
            }
            None => {
                let memory = named(engine, caller, &scope, text)?;
                if memory.status != Status::Active {
                    return Err(EngineError::invalid(
                        format!("{} is only proposed", memory.id.short()),
                        "ask the user to decide about it; follow it only after that",
                    ));
                }
                SkillView::new(&memory, now)
            }
        };
        return Ok(Response { skills: vec![view] });
    }
    if request.outcome.is_some() {
        return Err(EngineError::invalid("an outcome needs a skill", "pass the id or name of the skill"));
    }
    if let Some(task) = request.task.as_deref().filter(|task| !task.trim().is_empty()) {
        let asked = recall::Request {
            query: task.to_owned(),
            kinds: vec![Kind::Skill],
            statuses: vec![Status::Active],
            limit: Some(MOST),
            ..recall::Request::default()
        };
        let hits = recall::run(engine, caller, &asked)?.hits;
        let mut skills = Vec::new();
        for hit in hits {
            skills.push(SkillView::new(&named(engine, caller, &scope, &hit.id)?, now));
        }
        return Ok(Response { skills });
    }
    let found = in_reach(engine, caller, &scope, &[Status::Active])?;
    Ok(Response { skills: found.iter().map(|memory| SkillView::new(memory, now)).collect() })
}

pub const TOOL: Operation = Operation {
    name: "skill",
    also: &[],
    summary: "List skills, find one for a task, or report an outcome",
    help: "",
    examples: &[("hark skills", "List skills")],
    group: Group::Learning,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_skill",
        family: Family::Learning,
        description: "Procedures that worked here: list them, find one for a task, report whether it worked.",
    },
    surfaces: Surfaces {
        command: Surface::Off("`hark skills` has a command for each action"),
        route: Surface::Off("each action has a route of its own"),
        page: Surface::Off("each action has a form of its own"),
    },
    code: Code::on_store::<ToolRequest>(),
};

operate!(ToolRequest => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        super::Response { skills: self.skills.clone() }.print(page);
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        let mut text = String::new();
        for one in &self.skills {
            text.push_str(&format!(
                "{} {} ({}: {}; trend: {})\n",
                one.id, one.name, one.level, one.rate, one.trend
            ));
            let mut told = one.when.clone().unwrap_or_default();
            for (place, step) in one.steps.iter().enumerate() {
                told.push_str(&format!("\n{}. {step}", place + 1));
            }
            for pitfall in &one.pitfalls {
                told.push_str(&format!("\n- {pitfall}"));
            }
            text.push_str(&quoted(told.trim()));
            text.push('\n');
        }
        if text.is_empty() {
            text.push_str("No skill fits.");
        }
        tell::answer(text.trim_end(), tell::value(self)?)
    }
}
