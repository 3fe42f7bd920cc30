//! Shows past failures by file, command or symbol.

use clap::Args;
use hark_core::Timestamp;
use hark_core::failure::command::main_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::failures::place_of;
use crate::operation::text::{count, words};
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Family, Group, Operation, Page, Reply, Tool, Who, operate,
};
use hark_store::{FailureHit, ProjectNum};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// A file, command or symbol; default: all failures
    #[arg(value_name = "TARGET")]
    pub target: Option<String>,
    /// Only unfixed failures
    #[arg(long)]
    #[serde(default)]
    pub open: bool,
    /// Only what was seen or fixed since `7d` or a date
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Maximum number of results
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub target: Option<String>,
    pub failures: Vec<FailureView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FailureView {
    /// The id of its memory, if it has one.
    pub id: Option<String>,
    pub message: String,
    pub class: String,
    /// `open` or `fixed`.
    pub status: String,
    pub command: String,
    pub files: Vec<String>,
    pub symbols: Vec<String>,
    pub seen: u32,
    /// How often it recurred after a fix.
    pub relapses: u32,
    /// Runs that it made fail.
    pub runs: u32,
    /// Attempts in vain.
    pub vain: u32,
    /// How long it was there before it was fixed, in minutes, all times together.
    pub minutes: i64,
    pub last: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<String>,
    /// The session in which it was last seen or fixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub age: String,
    /// What was tried without success.
    pub tried: Vec<String>,
    /// What fixed it.
    pub fix: Option<String>,
    /// Confidence in the fix, 0 to 1.
    pub confidence: f32,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let visible = request.scope.resolve(engine, caller)?;
    let mut projects: Vec<ProjectNum> = match &visible.projects {
        Some(projects) => projects.clone(),
        None => {
            let keys = engine.store.project_keys()?;
            keys.iter()
                .filter_map(|key| engine.store.project_num(key).transpose())
                .collect::<Result<_, _>>()?
        }
    };
    // Failures that were imported or written by hand may apply everywhere.
    if !projects.contains(&ProjectNum::GLOBAL) {
        projects.push(ProjectNum::GLOBAL);
    }
    let target = request.target.as_deref().map(str::trim).filter(|t| !t.is_empty()).map(|t| engine.clean(t));
    let place = place_of(caller.cwd.as_deref());
    let mut found: Vec<FailureHit> = Vec::new();
    for project in projects {
        match &target {
            None => found.extend(engine.store.failures(project, MOST)?),
            Some(target) => {
                let file = place.file(target).unwrap_or_else(|| target.trim_start_matches("./").to_owned());
                found.extend(engine.store.failures_of_file(project, &file)?);
                found.extend(engine.store.failures_of_symbol(project, target.trim_end_matches("()"))?);
                if let Some(ran) = main_of(target) {
                    found.extend(engine.store.failures_of_command(project, &ran.key)?);
                }
                found.extend(
                    engine.store.failures(project, MOST)?.into_iter().filter(|hit| says(hit, target)),
                );
            }
        }
    }
    let since = request.since.as_deref().map(|t| Timestamp::parse_since(t, now)).transpose()?;
    let mut seen: Vec<i64> = Vec::new();
    found.retain(|hit| {
        let row = &hit.failure;
        let fresh = !seen.contains(&row.num);
        seen.push(row.num);
        let lately = since.is_none_or(|since| row.last_at.max(row.fixed_at) >= since);
        fresh && lately && (row.open || !request.open)
    });
    found.sort_by_key(|hit| (!hit.failure.open, std::cmp::Reverse(hit.failure.last_at), hit.failure.num));
    found.truncate(request.limit.unwrap_or(20).min(MOST));
    let store = &engine.store;
    let view = |hit: FailureHit| {
        let row = hit.failure;
        let confidence = row.record.confidence();
        let record = row.record;
        let mut files = record.files;
        files.extend(record.suspects);
        FailureView {
            id: row.memory.map(|id| id.short()),
            message: record.message,
            class: record.class.name().to_owned(),
            status: if row.open { "open" } else { "fixed" }.to_owned(),
            command: record.command,
            files,
            symbols: record.symbols,
            seen: record.seen,
            relapses: record.relapses,
            runs: record.runs,
            vain: record.vain,
            minutes: record.took_ms / 60_000,
            last: row.last_at.to_string(),
            fixed: (row.fixed_at > Timestamp::from_millis(0)).then(|| row.fixed_at.to_string()),
            session: Some(row.session)
                .filter(|num| *num > 0)
                .and_then(|num| store.session_id(num).ok())
                .filter(|id| !id.is_empty()),
            age: row.last_at.age(now),
            tried: record.tried,
            fix: Some(record.fix).filter(|fix| !fix.is_empty()),
            confidence,
        }
    };
    Ok(Response { target: target.map(|t| t.to_string()), failures: found.into_iter().map(view).collect() })
}

/// Whether the message of a failure contains these words. One that another tool recorded has no command and often
/// no file to find it by.
fn says(hit: &FailureHit, words: &str) -> bool {
    hit.failure.record.message.to_lowercase().contains(&words.to_lowercase())
}

const MOST: usize = 200;

pub const OPERATION: Operation = Operation {
    name: "failures",
    also: &[],
    summary: "Show past failures and what fixed them",
    help: "",
    examples: &[
        ("hark failures", "List failures in this project"),
        ("hark failures 'cargo test' --open", "List failures of a command that are not fixed"),
    ],
    group: Group::Learning,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_check_failures",
        family: Family::Learning,
        description: "What failed before about a file, command or symbol, what was tried, what fixed it.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        if self.failures.is_empty() {
            let about = self.target.as_deref().map(|t| format!(" of {}", words(t))).unwrap_or_default();
            page.note(&format!(
                "no failures{about} are known in this project; search all with --all-projects\n"
            ));
            return;
        }
        for failure in &self.failures {
            let id = failure.id.as_deref().unwrap_or("no memory");
            let mut text = format!("{BOLD}{}{BOLD:#}\n", words(&failure.message));
            let mut field = |label: &str, value: &str| {
                if !value.is_empty() {
                    text.push_str(&format!("  {DIM}{label:<8}{DIM:#} {}\n", words(value)));
                }
            };
            let seen = count(failure.seen, "time", "times");
            field(&failure.status, &format!("{}, {}, seen {seen}, {id}", failure.class, failure.age));
            field("command", &failure.command);
            field("files", &failure.files.join(", "));
            field("tried", &failure.tried.join("; "));
            field("fix", failure.fix.as_deref().unwrap_or_default());
            page.print(&text);
        }
    }
}
