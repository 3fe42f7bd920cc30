//! Lists insights: what evidence from several sessions adds up to, and what became of it.

use clap::Args;
use hark_core::{Kind, Memory, Status, Timestamp};
use hark_store::{ListFilter, ListOrder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::EvidenceView;
use super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, words};
use crate::operation::{
    Code, DIM, EVERYWHERE, Effect, Family, Group, ID, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Also rejected insights, and rules that insights became
    #[arg(long)]
    #[serde(default)]
    pub all: bool,
    /// Only insights of this project: name, key or folder
    #[arg(long, value_name = "P")]
    pub project: Option<String>,
    /// Maximum number of results
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub insights: Vec<InsightView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct InsightView {
    pub id: String,
    pub text: String,
    /// `proposed` waits for the user, `active` is a rule, `archived` was rejected.
    pub status: String,
    /// insight, or rule if it was accepted.
    #[serde(rename = "type")]
    pub kind: String,
    /// project, language or global.
    pub scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    pub triggers: Vec<String>,
    /// What the mistake looks like.
    pub avoid: Vec<String>,
    /// What the rule would do: tell or warn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    pub origin: String,
    pub importance: u8,
    pub confidence: f32,
    /// How much evidence, in how many sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The quotes it has, oldest first.
    pub evidence: Vec<EvidenceView>,
    /// How many quotes it has.
    pub count: usize,
}

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 1_000;

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let scope = ReadScope { project: request.project.clone(), all_projects: request.project.is_none() };
    let projects = scope.resolve(engine, caller)?.projects;
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let list = |engine: &Engine, kind: Kind, statuses: &[Status]| {
        let filter = ListFilter {
            projects: projects.clone(),
            kinds: vec![kind],
            statuses: statuses.to_vec(),
            ..ListFilter::default()
        };
        engine.store.list(&filter, ListOrder::NewestChange, MAX_LIMIT)
    };
    let statuses: &[Status] = if request.all { Status::ALL } else { &[Status::Proposed] };
    let mut found: Vec<Memory> =
        list(engine, Kind::Insight, statuses)?.into_iter().map(|one| one.memory).collect();
    if request.all {
        let rules = list(engine, Kind::Rule, Status::ALL)?.into_iter().map(|one| one.memory);
        found.extend(rules.filter(|rule| !rule.guidance.evidence.is_empty()));
    }
    found.truncate(limit);
    Ok(Response { insights: found.iter().map(|memory| view(memory, now)).collect() })
}

fn view(memory: &Memory, now: Timestamp) -> InsightView {
    let guidance = &memory.guidance;
    let language = memory.tags.iter().find_map(|tag| tag.strip_prefix("lang:")).map(str::to_owned);
    let scope = match (memory.scope.project(), &language) {
        (Some(_), _) => "project",
        (None, Some(_)) => "language",
        (None, None) => "global",
    };
    InsightView {
        id: memory.id.short(),
        text: memory.body.to_string(),
        status: memory.status.to_string(),
        kind: memory.kind.to_string(),
        scope: scope.to_owned(),
        project: memory.scope.project().map(ToString::to_string),
        language,
        triggers: guidance.when.iter().map(ToString::to_string).collect(),
        avoid: guidance.avoid.iter().map(ToString::to_string).collect(),
        action: guidance.action.map(|action| action.to_string()),
        origin: memory.origin.to_string(),
        importance: memory.importance.get(),
        confidence: memory.confidence,
        why: memory.why.as_ref().map(ToString::to_string),
        evidence: guidance.evidence.iter().map(|one| EvidenceView::new(one, now)).collect(),
        count: guidance.evidence.len(),
    }
}

pub const OPERATION: Operation = Operation {
    name: "insights",
    also: &["insights list"],
    summary: "List insights that Hark proposes, with their evidence",
    help: "An insight is concluded from corrections and other evidence of several sessions. It has no effect until you accept it with `hark inbox accept`, which makes it a rule.",
    examples: &[
        ("hark insights", "List insights that wait for your decision"),
        ("hark insights --all", "Include rejected ones and those that became rules"),
    ],
    group: Group::Learning,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_insights",
        family: Family::Learning,
        description: "List insights concluded from the user's corrections, with evidence. They wait for the user; do not act on them.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        if self.insights.is_empty() {
            page.note("no insights are waiting; `hark insights --all` lists earlier ones\n");
            return;
        }
        for one in &self.insights {
            let place = match (&one.project, &one.language) {
                (Some(project), _) => page.project(Some(project)),
                (None, Some(language)) => language.clone(),
                (None, None) => page.project(None),
            };
            page.print(&format!(
                "{ID}{}{ID:#}  {DIM}{} · {} · {}{DIM:#}\n  {}\n",
                one.id,
                one.status,
                words(&place),
                count(one.count, "piece of evidence", "pieces of evidence"),
                words(&one.text),
            ));
            if !one.triggers.is_empty() {
                let action = one.action.as_deref().unwrap_or("tell");
                page.print(&format!("  {DIM}{action} at {}{DIM:#}\n", words(&one.triggers.join(", "))));
            }
            for piece in &one.evidence {
                page.print(&format!(
                    "  {DIM}{} · {}: {}{DIM:#}\n",
                    piece.age,
                    piece.sort,
                    words(&piece.text)
                ));
            }
        }
        page.note(&format!(
            "{DIM}`hark inbox accept ID` makes one a rule; `hark inbox reject ID` drops it for good{DIM:#}\n"
        ));
    }
}
