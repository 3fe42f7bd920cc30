//! What triggers would have matched in past sessions: the figures to look at before a rule is accepted.

use std::collections::BTreeSet;

use clap::Args;
use hark_core::failure::command::edits_by;
use hark_core::rule::{Deed, Trigger};
use hark_core::time::DAY_MS;
use hark_core::{IdRef, Kind, Memory, Status, Timestamp};
use hark_hosts::hook::tools::{ToolClass, class_of};
use hark_store::{ListFilter, ListOrder, PastDeed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, words};
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Family, Group, Operation, Page, Reply, Tool, Who, operate,
};
use crate::rules::draft;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Ids of rules or insights; default: all that are proposed or in force
    #[arg(value_name = "ID")]
    #[serde(default)]
    pub ids: Vec<String>,
    /// Triggers to test instead: `command:npm *`
    #[arg(long = "when", value_name = "TRIGGER", conflicts_with = "ids")]
    #[serde(default)]
    pub when: Vec<String>,
    /// How far to look back: `60d` or a date
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub since: String,
    /// Tool calls and prompts that were compared.
    pub compared: usize,
    pub results: Vec<Tested>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Tested {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub when: Vec<String>,
    /// Calls and prompts that a trigger would have matched.
    pub matched: usize,
    pub sessions: usize,
    /// Of those, how many the user corrected soon after.
    pub corrected: usize,
    /// The newest different ones.
    pub examples: Vec<Example>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Example {
    pub at: String,
    pub age: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The tool; `prompt` for what the user asked.
    pub tool: String,
    pub text: String,
    pub corrected: bool,
}

const DEFAULT_DAYS: i64 = 60;
/// More calls than this say nothing new about a trigger.
const MOST_DEEDS: usize = 100_000;
const MOST_EXAMPLES: usize = 5;
const EXAMPLE_CHARS: usize = 120;

/// What to test: a rule, or triggers alone.
struct Subject {
    id: Option<String>,
    text: Option<String>,
    triggers: Vec<Trigger>,
}

impl Subject {
    fn of(memory: &Memory) -> Subject {
        let triggers = memory.guidance.when.iter().filter_map(|text| text.parse().ok());
        Subject {
            id: Some(memory.id.short()),
            text: Some(memory.title.to_string()),
            triggers: triggers.collect(),
        }
    }
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let since = match &request.since {
        Some(text) => Timestamp::parse_since(text, now)?,
        None => now.minus_millis(DEFAULT_DAYS * DAY_MS),
    };
    let visible = request.scope.resolve(engine, caller)?;
    let subjects = subjects(engine, request, visible.projects.clone())?;
    // A rule for every project is tested on what happened in all of them.
    let everywhere = request.scope.all_projects || visible.current.is_none();
    let projects = visible.projects.as_deref().filter(|_| !everywhere);
    let past = engine.store.past_deeds(projects, since, MOST_DEEDS)?;
    let deeds: Vec<(PastDeed, Deed)> = past
        .into_iter()
        .map(|past| {
            let deed = deed(&past);
            (past, deed)
        })
        .collect();
    let results = subjects.iter().map(|subject| tested(engine, subject, &deeds, now)).collect();
    Ok(Response { since: since.to_string(), compared: deeds.len(), results })
}

fn subjects(
    engine: &Engine,
    request: &Request,
    projects: Option<Vec<hark_store::ProjectNum>>,
) -> Result<Vec<Subject>, EngineError> {
    if !request.when.is_empty() {
        let checked = draft::guidance(engine, &request.when, None, &[])?;
        let triggers = checked.when.iter().filter_map(|text| text.parse().ok()).collect();
        return Ok(vec![Subject { id: None, text: None, triggers }]);
    }
    if !request.ids.is_empty() {
        let ids = request.ids.iter().map(|text| text.parse::<IdRef>()).collect::<Result<Vec<_>, _>>()?;
        return ids.iter().map(|id| Ok(Subject::of(&engine.store.find(id)?.memory))).collect();
    }
    let filter = ListFilter {
        projects,
        kinds: vec![Kind::Rule, Kind::Insight],
        statuses: vec![Status::Active, Status::Proposed],
        ..ListFilter::default()
    };
    let found = engine.store.list(&filter, ListOrder::NewestChange, 200)?;
    Ok(found.iter().map(|stored| Subject::of(&stored.memory)).filter(|s| !s.triggers.is_empty()).collect())
}

/// A past call or prompt as triggers see it.
fn deed(past: &PastDeed) -> Deed {
    if past.tool.is_empty() {
        return Deed::prompt(&past.text);
    }
    let tool = Some(past.tool.clone());
    match class_of(&past.tool) {
        ToolClass::Shell => Deed { tool, files: edits_by(&past.text), ..Deed::command(&past.text) },
        ToolClass::Edit => {
            Deed { tool, files: vec![past.text.trim_start_matches("./").to_owned()], ..Deed::default() }
        }
        _ => Deed { tool, ..Deed::default() },
    }
}

fn tested(engine: &Engine, subject: &Subject, deeds: &[(PastDeed, Deed)], now: Timestamp) -> Tested {
    let matched: Vec<&PastDeed> = deeds
        .iter()
        .filter(|(_, deed)| subject.triggers.iter().any(|trigger| trigger.matches(deed)))
        .map(|(past, _)| past)
        .collect();
    let sessions: BTreeSet<i64> = matched.iter().map(|past| past.session).collect();
    let mut examples: Vec<Example> = Vec::new();
    for past in &matched {
        let text: String = past.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text: String = text.chars().take(EXAMPLE_CHARS).collect();
        if examples.len() == MOST_EXAMPLES {
            break;
        }
        if examples.iter().any(|known| known.text == text) {
            continue;
        }
        examples.push(Example {
            at: past.at.to_string(),
            age: past.at.age(now),
            session: engine.store.session_id(past.session).ok().filter(|id| id.len() > 2),
            tool: if past.tool.is_empty() { "prompt".to_owned() } else { past.tool.clone() },
            text,
            corrected: past.corrected,
        });
    }
    Tested {
        id: subject.id.clone(),
        text: subject.text.clone(),
        when: subject.triggers.iter().map(ToString::to_string).collect(),
        matched: matched.len(),
        sessions: sessions.len(),
        corrected: matched.iter().filter(|past| past.corrected).count(),
        examples,
    }
}

pub const OPERATION: Operation = Operation {
    name: "rules test",
    also: &[],
    summary: "Show what triggers would have matched in past sessions",
    help: "Compares triggers with the tool calls and prompts of past sessions, and counts how many of them you corrected within \
           half an hour. A trigger that matches often and is rarely followed by a correction would be in the way.",
    examples: &[
        ("hark rules test m-7k3q9x2d", "Test a proposed insight before you accept it"),
        ("hark rules test --when 'command:npm *' --since 60d", "Test a trigger"),
    ],
    group: Group::Learning,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_rule_test",
        family: Family::Learning,
        description: "What a rule's triggers would have matched in past sessions, and how often a correction followed.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        if self.results.is_empty() {
            page.note(
                "no rules with triggers here; test one with `hark rules test --when 'command:npm *'`\n",
            );
            return;
        }
        for tested in &self.results {
            let name = tested.id.as_deref().unwrap_or("trigger");
            let text = words(tested.text.as_deref().unwrap_or_default());
            let mut lines = format!("{BOLD}{name}{BOLD:#} {text}\n  {}\n", words(&tested.when.join(", ")));
            lines.push_str(&format!(
                "  would have matched {} in {} since {}; {} corrected later\n",
                count(tested.matched, "call", "calls"),
                count(tested.sessions, "session", "sessions"),
                &self.since[..10.min(self.since.len())],
                tested.corrected
            ));
            for example in &tested.examples {
                let mark = if example.corrected { ", corrected" } else { "" };
                lines.push_str(&format!(
                    "    {DIM}{} ago, {}{mark}:{DIM:#} {}\n",
                    example.age,
                    words(&example.tool),
                    words(&example.text)
                ));
            }
            page.print(&lines);
        }
    }
}
