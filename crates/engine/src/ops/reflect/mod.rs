//! A report on what is stored and how work went: what repeats, contradicts, ages or fails, each with the command that acts on
//! it. It changes nothing.

mod work;

use std::collections::BTreeMap;

use clap::Args;
use hark_core::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, words};
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Family, Group, ID, Operation, Page, Reply, Tool, Who, operate,
};
use crate::reflect::work::assessed;
use crate::reflect::{Finding, Ground, Sort};

pub use work::{GroupView, MeasureView, RateView, WorkView};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// `findings`: what to act on; `work`: success and rework rates; default: both
    #[arg(long, value_enum, value_name = "V")]
    pub view: Option<View>,
    /// Failures, corrections and work newer than `30d` or a date; default: `90d`
    #[schemars(description = "Default: 90d")]
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Maximum number of findings of one sort; default: 5
    #[schemars(description = "Most of one sort; default: 5")]
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// What to act on
    Findings,
    /// Success and rework rates
    Work,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub since: String,
    /// The number of memories that were compared.
    pub looked_at: usize,
    /// The most pressing sort first.
    pub findings: Vec<Finding>,
    /// Findings that the limit left out, by sort.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub omitted: BTreeMap<Sort, usize>,
    /// How the work went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<WorkView>,
    #[serde(skip)]
    view: Option<View>,
}

const DEFAULT_SINCE: &str = "90d";
const DEFAULT_LIMIT: usize = 5;

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let projects = request.scope.resolve(engine, caller)?.projects;
    let since = Timestamp::parse_since(request.since.as_deref().unwrap_or(DEFAULT_SINCE), now)?;
    let mut response = Response {
        since: since.to_string(),
        looked_at: 0,
        findings: Vec::new(),
        omitted: BTreeMap::new(),
        work: None,
        view: request.view,
    };
    if request.view != Some(View::Work) {
        let ground = Ground::of(engine, projects.as_deref(), since, now)?;
        response.looked_at = ground.memories.len();
        let limit = request.limit.unwrap_or(DEFAULT_LIMIT);
        let mut shown: BTreeMap<Sort, usize> = BTreeMap::new();
        for finding in ground.findings()? {
            let of_sort = shown.entry(finding.sort).or_default();
            *of_sort += 1;
            if *of_sort <= limit {
                response.findings.push(finding);
            } else {
                *response.omitted.entry(finding.sort).or_default() += 1;
            }
        }
    }
    if request.view != Some(View::Findings) {
        response.work = Some(WorkView::new(&assessed(engine, projects.as_deref(), since, now)?));
    }
    Ok(response)
}

pub const OPERATION: Operation = Operation {
    name: "reflect",
    also: &[],
    summary: "Review what repeats, contradicts, ages and fails",
    help: "Nothing is changed; each finding names the command that acts on it. An ellipsis in a command stands for words that \
           only you have. A finished piece of work passed at once if its first check did, and in the end if its last one did. It was \
           reworked if you corrected it, or if a fix within a week changed one of its files. Rates of fewer than ten pieces of work are not shown.",
    examples: &[
        ("hark reflect", "Review this project"),
        ("hark reflect --view work --all-projects", "Compare projects, languages, tools and kinds of task"),
        ("hark reflect --view findings --json", "Print the findings for a script"),
    ],
    group: Group::Learning,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_reflect",
        family: Family::Learning,
        description: "What repeats, contradicts, ages and fails, and how work went. Changes nothing.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let mut last = None;
        for finding in &self.findings {
            if last != Some(finding.sort) {
                let gap = if last.is_some() { "\n" } else { "" };
                page.print(&format!("{gap}{BOLD}{}{BOLD:#}\n", finding.sort.heading()));
                last = Some(finding.sort);
            }
            let id = match finding.ids.as_slice() {
                [only] => format!("{ID}{only}{ID:#} "),
                _ => String::new(),
            };
            page.print(&format!(
                "- {id}{}\n  {DIM}{}{DIM:#}\n",
                words(&finding.text),
                words(&finding.command)
            ));
        }
        if let Some(work) = &self.work {
            if last.is_some() {
                page.print("\n");
            }
            work.print(page);
        }
        if self.view != Some(View::Work) {
            let omitted: usize = self.omitted.values().sum();
            if omitted > 0 {
                page.note(&format!("{omitted} more; show them with --limit\n"));
            }
            if self.findings.is_empty() {
                page.note("nothing to act on\n");
            }
            let memories = count(self.looked_at, "memory", "memories");
            page.note(&format!("{DIM}looked at {memories}; nothing was changed{DIM:#}\n"));
        }
    }
}
