//! Creates a skill by hand.

use clap::Args;
use hark_core::learning::skill;
use hark_core::memory::one_line;
use hark_core::{Clean, Kind, Memory, MemoryId, Origin, Status};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Shown, SkillView};
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::learning::skills::TAG;
use crate::operation::{Code, EVERYWHERE, Effect, Group, Operation, Tool, Who, operate};
use crate::ops::scope::WriteScope;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub(crate) struct AddRequest {
    /// What to call it, such as `release`
    #[arg(value_name = "NAME")]
    pub name: String,
    /// When to use it
    #[arg(long, value_name = "TEXT")]
    pub when: Option<String>,
    /// A step, in order: a command, or a sentence with the command in backticks
    #[arg(long = "step", value_name = "STEP", required = true)]
    pub steps: Vec<String>,
    /// What can go wrong, and what helps
    #[arg(long = "pitfall", value_name = "TEXT")]
    #[serde(default)]
    pub pitfalls: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: WriteScope,
}

fn add(engine: &mut Engine, caller: &Caller, request: &AddRequest) -> Result<Shown, EngineError> {
    let name = skill::slug(&request.name);
    let steps: Vec<String> = request
        .steps
        .iter()
        .map(|step| step.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|step| !step.is_empty())
        .map(|step| skill::command_step(&step))
        .collect();
    if name.is_empty() || steps.is_empty() {
        return Err(EngineError::invalid(
            "a skill needs a name of letters or digits and at least one step",
            "run `hark skills add release --step 'npm run build' --step 'npm publish'`",
        ));
    }
    let now = engine.now();
    let scope = request.scope.resolve(engine, caller)?;
    let is_user = caller.is_user();
    let origin = caller.origin.unwrap_or(Origin::Assistant);
    let status = if is_user { Status::Active } else { Status::Proposed };
    let memory = Memory {
        status,
        scope,
        title: one_line(&engine.clean(&name)),
        why: request.when.as_deref().map(|when| engine.clean(when.trim())).filter(|when| !when.is_empty()),
        tags: vec![Clean::trusted_constant(TAG)],
        confidence: if is_user { 0.9 } else { 0.6 },
        closed: (!is_user).then_some(now),
        author: caller.author.as_deref().map(|author| engine.clean(author)),
        ..Memory::new(
            MemoryId::new(now, Engine::random()?),
            Kind::Skill,
            origin,
            engine.clean(&skill::body(&steps, &request.pitfalls)),
            now,
        )
    };
    engine.store.write(now, |writer| writer.create(&memory).map_err(EngineError::from))?;
    Ok(Shown { skill: SkillView::new(&memory, now) })
}

pub const ADD: Operation = Operation {
    name: "skills add",
    also: &[],
    summary: "Create a skill",
    help: "What an assistant adds is a proposal until you accept it.",
    examples: &[(
        "hark skills add release --when 'Publishing a version' --step 'npm run build' --step 'npm publish'",
        "Create a skill with two steps",
    )],
    group: Group::Learning,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Off("an assistant reports outcomes; Hark finds procedures by itself"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<AddRequest>(),
};

operate!(AddRequest => Shown, add);
