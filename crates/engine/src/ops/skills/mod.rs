//! Skills: procedures that worked, with what their runs say about them.

mod add;
mod export;
mod outcome;
mod tool;

use clap::Args;
use hark_core::learning::skill::{self, Level};
use hark_core::{IdRef, Kind, Memory, Status, Timestamp};
use hark_store::{ListFilter, ListOrder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::words;
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Group, ID, Operation, Page, Reply, Tool, Who, operate,
};

pub use add::ADD;
pub use export::EXPORT;
pub use outcome::USE;
pub use tool::TOOL;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct ShowRequest {
    /// Id or name of a skill
    #[arg(value_name = "SKILL")]
    pub skill: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub skills: Vec<SkillView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Shown {
    #[serde(flatten)]
    pub skill: SkillView,
}

/// A skill with what its runs say about it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SkillView {
    pub id: String,
    pub name: String,
    /// active, or proposed: then it waits in the inbox.
    pub status: String,
    /// When to use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    pub steps: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pitfalls: Vec<String>,
    /// new (fewer than three runs), doubtful (it failed at least as often as it worked), practised, or reliable (the lower
    /// end of the 95 % interval of its success rate is at least 60 %).
    pub level: String,
    /// The counts behind the level, such as "3 of 4 runs worked".
    pub rate: String,
    pub worked: u32,
    pub failed: u32,
    /// The newest runs against the earlier ones, or "not enough yet".
    pub trend: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// Triggers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<String>,
    pub project: Option<String>,
}

impl SkillView {
    pub(super) fn new(memory: &Memory, now: Timestamp) -> Self {
        let record = memory.guidance.record;
        SkillView {
            id: memory.id.short(),
            name: memory.title.to_string(),
            status: memory.status.to_string(),
            when: memory.why.as_ref().map(ToString::to_string),
            steps: skill::steps(&memory.body),
            pitfalls: skill::pitfalls(&memory.body),
            level: Level::of(record).to_string(),
            rate: skill::rate(record),
            worked: record.upheld,
            failed: record.broken,
            trend: skill::trend(&memory.guidance.evidence),
            last: record.last.map(|at| at.ago(now)),
            triggers: memory.guidance.when.iter().map(ToString::to_string).collect(),
            project: memory.scope.project().map(ToString::to_string),
        }
    }
}

/// Skills in reach, in this order of status.
pub(super) fn in_reach(
    engine: &mut Engine,
    caller: &Caller,
    scope: &ReadScope,
    statuses: &[Status],
) -> Result<Vec<Memory>, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let projects = scope.resolve(engine, caller)?.projects;
    let mut found = Vec::new();
    for status in statuses {
        let filter = ListFilter {
            projects: projects.clone(),
            kinds: vec![Kind::Skill],
            statuses: vec![*status],
            ..ListFilter::default()
        };
        let stored = engine.store.list(&filter, ListOrder::OldestFirst, 1_000)?;
        found.extend(stored.into_iter().map(|stored| stored.memory));
    }
    Ok(found)
}

/// A skill by its id, or by its name among those in reach.
pub(super) fn named(
    engine: &mut Engine,
    caller: &Caller,
    scope: &ReadScope,
    text: &str,
) -> Result<Memory, EngineError> {
    let found = in_reach(engine, caller, scope, &[Status::Active, Status::Proposed])?;
    let wanted = skill::slug(text);
    if let Some(memory) =
        found.into_iter().find(|memory| skill::slug(&memory.title) == wanted && !wanted.is_empty())
    {
        return Ok(memory);
    }
    let Ok(id) = text.parse::<IdRef>() else {
        return Err(EngineError::invalid(
            format!("there is no skill `{}` here", text.chars().take(60).collect::<String>()),
            "`hark skills` lists them; add --all-projects for those of other projects",
        ));
    };
    let now = engine.now();
    let memory = engine.store.find_fresh(&id, now)?.memory;
    if memory.kind != Kind::Skill {
        return Err(EngineError::invalid(
            format!("{} is a {}, not a skill", memory.id.short(), memory.kind),
            "`hark skills` lists skills",
        ));
    }
    Ok(memory)
}

fn list(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    let found = in_reach(engine, caller, &request.scope, &[Status::Active, Status::Proposed])?;
    Ok(Response { skills: found.iter().map(|memory| SkillView::new(memory, now)).collect() })
}

fn show(engine: &mut Engine, caller: &Caller, request: &ShowRequest) -> Result<Shown, EngineError> {
    let memory = named(engine, caller, &request.scope, &request.skill)?;
    Ok(Shown { skill: SkillView::new(&memory, engine.now()) })
}

pub const OPERATION: Operation = Operation {
    name: "skills",
    also: &["skills list"],
    summary: "List procedures that worked, with their success rates",
    help: "Hark proposes a skill when the same commands succeeded in the same order three times, in two sessions. It has no effect before you accept it in the inbox.",
    examples: &[
        ("hark skills", "List skills of this project"),
        ("hark inbox accept m-7k3q9x2d", "Accept a proposed skill"),
    ],
    group: Group::Learning,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Within("memory_skill"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

pub const SHOW: Operation = Operation {
    name: "skills show",
    also: &[],
    summary: "Show a skill: when to use it, steps, pitfalls and record",
    help: "",
    examples: &[("hark skills show npm-publish", "Show a skill by its name")],
    group: Group::Learning,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Within("memory_skill"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<ShowRequest>(),
};

operate!(Request => Response, list);
operate!(ShowRequest => Shown, show);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for one in &self.skills {
            page.print(&format!(
                "{ID}{}{ID:#}  {BOLD}{}{BOLD:#}  {DIM}{} · {}, {}{DIM:#}\n",
                one.id,
                words(&one.name),
                one.status,
                one.level,
                one.rate
            ));
            if let Some(when) = &one.when {
                page.print(&format!("  {}\n", words(when)));
            }
        }
        if self.skills.is_empty() {
            page.note("no skills yet; add one with `hark skills add NAME --step COMMAND`\n");
        }
    }
}

impl Reply for Shown {
    fn print(&self, page: &mut Page) {
        let one = &self.skill;
        page.print(&format!(
            "{ID}{}{ID:#}  {BOLD}{}{BOLD:#}  {DIM}{} · {}{DIM:#}\n",
            one.id,
            words(&one.name),
            one.status,
            words(&page.project(one.project.as_deref())),
        ));
        if let Some(when) = &one.when {
            page.print(&format!("{}\n", words(when)));
        }
        for (place, step) in one.steps.iter().enumerate() {
            page.print(&format!("  {}. {}\n", place + 1, words(step)));
        }
        for pitfall in &one.pitfalls {
            page.print(&format!("  {DIM}pitfall{DIM:#} {}\n", words(pitfall)));
        }
        let last = one.last.as_deref().map(|last| format!(", last {last}")).unwrap_or_default();
        page.print(&format!("{DIM}{}: {}{last}; trend: {}{DIM:#}\n", one.level, one.rate, one.trend));
    }
}
