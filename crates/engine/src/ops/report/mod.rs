//! Reports what a week brought: work, decisions, lessons, failures and fixes, and how much of what Hark said unasked was of
//! use, judged by what followed.

mod print;
mod week;

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use hark_core::Timestamp;
use hark_core::hindsight::{Sign, is_of_use};
use hark_store::{LedgerRow, ProjectNum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::inbox;
use super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::hindsight::LookBack;
use crate::operation::{Code, EVERYWHERE, Effect, Group, Operation, Tool, Who, operate};
use crate::proof::{self, ProofView};

use self::week::Stretch;
pub use self::week::{Broken, Costs, Done, Stored, Trouble, Work};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Only newer than `30d` or a date; default: `7d`
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only this project: name, key or folder; default: all
    #[arg(long, value_name = "P")]
    pub project: Option<String>,
    /// Form of the page
    #[arg(long, value_enum, value_name = "F", default_value_t)]
    #[serde(default)]
    pub format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    #[default]
    Text,
    Markdown,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub since: String,
    pub until: String,
    /// Sessions that were told something.
    pub sessions: usize,
    pub texts: usize,
    pub tokens: i64,
    /// Texts whose use can be judged.
    pub judged: usize,
    pub of_use: usize,
    /// Of those judged.
    pub share: Option<f64>,
    pub surfaces: Vec<Surface>,
    /// Absent if no session was drawn to stay silent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofView>,
    pub done: Done,
    /// Decisions that were stored, oldest first.
    pub decided: Vec<Stored>,
    /// Insights, rules, skills, lessons, constraints and conventions that were stored, oldest first.
    pub learned: Vec<Stored>,
    /// Proposals that wait for the user.
    pub waiting: i64,
    pub broken: Broken,
    pub costs: Costs,
    #[serde(skip)]
    format: Format,
}

/// The texts of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Surface {
    pub surface: String,
    pub texts: usize,
    pub tokens: i64,
    pub judged: usize,
    pub of_use: usize,
    pub share: Option<f64>,
    /// How many texts each sign followed.
    pub followed: BTreeMap<Sign, usize>,
}

const DEFAULT_SINCE: &str = "7d";
/// More texts than a year of work brings.
const MOST: usize = 50_000;

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let since = Timestamp::parse_since(request.since.as_deref().unwrap_or(DEFAULT_SINCE), now)?;
    let scope = ReadScope { project: request.project.clone(), all_projects: request.project.is_none() };
    let visible = scope.resolve(engine, caller)?;
    // What applies everywhere is no work of this project.
    let is_own = |num: &ProjectNum| *num != ProjectNum::GLOBAL;
    let projects = visible.projects.map(|nums| nums.into_iter().filter(is_own).collect::<Vec<_>>());
    let sessions = Stretch { engine, projects: projects.clone(), since }.sessions()?;
    let rows = engine.store.ledger(None, MOST)?;
    let is_of_project =
        |row: &LedgerRow| projects.is_none() || sessions.iter().any(|stored| stored.num == row.session);
    let rows: Vec<LedgerRow> = rows.into_iter().filter(|row| row.at >= since && is_of_project(row)).collect();
    let mut back = LookBack::with_futures(engine, &rows)?;
    let mut surfaces: BTreeMap<String, Surface> = BTreeMap::new();
    for row in &rows {
        let signs = back.signs(engine, row)?;
        let sum = surfaces.entry(row.surface.clone()).or_default();
        sum.texts += 1;
        sum.tokens += row.tokens;
        for sign in &signs {
            *sum.followed.entry(*sign).or_default() += 1;
        }
        if let Some(of_use) = is_of_use(&row.surface, &signs) {
            sum.judged += 1;
            sum.of_use += usize::from(of_use);
        }
    }
    let surfaces: Vec<Surface> = surfaces
        .into_iter()
        .map(|(surface, sum)| Surface { surface, share: share(sum.of_use, sum.judged), ..sum })
        .collect();
    let (judged, of_use) = surfaces.iter().fold((0, 0), |(j, u), s| (j + s.judged, u + s.of_use));
    let told = rows.iter().map(|row| row.session).collect::<BTreeSet<_>>().len();
    let tokens = rows.iter().map(|row| row.tokens).sum();
    let stretch = Stretch { engine, projects, since };
    Ok(Response {
        done: stretch.done(&sessions),
        decided: stretch.decided()?,
        learned: stretch.learned()?,
        waiting: inbox::waiting(engine)?,
        broken: stretch.broken()?,
        costs: stretch.costs(tokens, told),
        format: request.format,
        since: since.to_string(),
        until: now.to_string(),
        sessions: told,
        texts: rows.len(),
        tokens,
        judged,
        of_use,
        share: share(of_use, judged),
        surfaces,
        proof: proof::of_help(engine)?,
    })
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 1000.0).round() / 1000.0)
}

pub const OPERATION: Operation = Operation {
    name: "report",
    also: &[],
    summary: "Show what a week brought, and how much injected text was of use",
    help: "Lists work, decisions, lessons, failures and fixes of all projects. A text that Hark injected counts as useful by what its session did next: it worked on what a memory is about, changed a file \
           that the text names, ran into the failure that it warned of, stored what it was asked to store, or made the \
           checkpoint that it was reminded of. A memory marked as wrong was of no use. This shows direction, not proof: \
           a good warning prevents the failure that would confirm it.",
    examples: &[
        ("hark report", "Show the last week"),
        ("hark report --format markdown > week.md", "Write the page to a file"),
        ("hark report --since 30d --json", "Show the last month, for a script"),
    ],
    group: Group::Learning,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("it is for the user, who decides how much hark may say"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);
