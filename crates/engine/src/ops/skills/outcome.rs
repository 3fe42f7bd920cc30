//! Reports that a skill was used, and whether it worked.

use clap::Args;
use hark_core::guidance::{Evidence, Sort};
use hark_core::learning::skill;
use hark_core::{IdRef, Status};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Shown, SkillView, named};
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::{Code, EVERYWHERE, Effect, Group, Operation, Tool, Who, operate};
use crate::ops::scope::ReadScope;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub(crate) struct UseRequest {
    /// Id or name of a skill
    #[arg(value_name = "SKILL")]
    pub skill: String,
    /// It worked
    #[arg(long, conflicts_with = "failed", required_unless_present = "failed")]
    #[serde(default)]
    pub worked: bool,
    /// It failed
    #[arg(long)]
    #[serde(default)]
    pub failed: bool,
    /// What happened, in a few words
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
}

pub(super) fn report(
    engine: &mut Engine,
    caller: &Caller,
    request: &UseRequest,
) -> Result<Shown, EngineError> {
    if request.worked == request.failed {
        return Err(EngineError::invalid(
            "say either that it worked or that it failed",
            "pass --worked or --failed",
        ));
    }
    let known = named(engine, caller, &ReadScope::default(), &request.skill)?;
    if known.status != Status::Active {
        return Err(EngineError::invalid(
            format!("{} is {}, so it has no record yet", known.id.short(), known.status),
            "accept it first with `hark inbox accept`",
        ));
    }
    let now = engine.now();
    let note: String = request.note.as_deref().unwrap_or_default().chars().take(400).collect();
    let evidence = Evidence {
        at: now,
        sort: Sort::Procedure,
        session: caller.session.as_deref().map(|session| engine.clean(session)),
        text: engine.clean(&skill::told_run(request.worked, note.trim())),
    };
    let memory = engine.store.write(now, |writer| {
        let mut memory = writer.load(&IdRef::Full(known.id))?;
        skill::count(&mut memory, evidence, request.worked);
        writer.amend(&memory)?;
        Ok::<_, EngineError>(memory)
    })?;
    Ok(Shown { skill: SkillView::new(&memory, now) })
}

pub const USE: Operation = Operation {
    name: "skills use",
    also: &["skills used"],
    summary: "Report that a skill worked or failed",
    help: "Runs that Hark sees in sessions are counted without this.",
    examples: &[(
        "hark skills use npm-publish --failed --note 'the token had expired'",
        "Count a failed run",
    )],
    group: Group::Learning,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Within("memory_skill"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<UseRequest>(),
};

operate!(UseRequest => Shown, report);
