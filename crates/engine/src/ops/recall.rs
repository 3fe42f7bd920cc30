//! Finds what is known about something.

mod find;
mod print;

use std::path::Path;
use std::time::Instant;

use clap::Args;
use hark_core::budget::truncate_to_tokens;
use hark_core::quote::quoted;
use hark_core::rank::Contribution;
use hark_core::vector::Embedder;
use hark_core::{Kind, Memory, Status, Timestamp};
use hark_store::search::Filter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::embed;
use super::remember::clean_list;
use super::scope::ReadScope;
use super::view::unreviewed;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::{Call, Code, EVERYWHERE, Effect, Family, Group, Operate, Operation, Tool, Who};
use crate::phrases;
use crate::project;
use crate::recall::{self, Certainty, Detail, Question, Ranked, Tier};
use find::Hidden;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// A question or a few words
    #[arg(skip)]
    pub query: String,
    /// A question or a few words
    #[arg(value_name = "QUERY", required = true)]
    #[serde(skip)]
    #[schemars(skip)]
    pub words: Vec<String>,
    /// Another wording of the question; can be repeated
    #[schemars(description = "Other wordings")]
    #[arg(long, value_name = "QUERY")]
    #[serde(default)]
    pub also: Vec<String>,
    /// Maximum number of results
    #[schemars(description = "Most")]
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    /// Only these kinds
    #[arg(long = "kind", value_name = "K")]
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub kinds: Vec<Kind>,
    /// Only with all these tags
    #[arg(long = "tag", value_name = "T")]
    #[serde(default)]
    pub tags: Vec<String>,
    /// Only these statuses; default: all, archived ones last
    #[arg(long = "status", value_name = "S")]
    #[serde(default)]
    #[schemars(skip)]
    pub statuses: Vec<Status>,
    /// Only newer than `30d` or a date
    #[schemars(description = "30d or a date")]
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// As known at that time
    #[arg(long, value_name = "WHEN")]
    pub as_of: Option<String>,
    /// Maximum tokens
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<usize>,
    /// index, summary or full
    #[arg(long, value_enum, value_name = "LEVEL")]
    #[schemars(with = "Option<String>")]
    pub detail: Option<Detail>,
    /// Explain the rank of each hit
    #[arg(long)]
    #[serde(default)]
    #[schemars(skip)]
    pub explain: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub query: String,
    pub hits: Vec<Hit>,
    pub tokens: usize,
    pub micros: u64,
    /// Only titles were requested.
    #[serde(skip)]
    pub titles_only: bool,
    /// The request had filters besides the project.
    #[serde(skip)]
    pub filtered: bool,
    /// The number of hits that did not fit into the budget.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
    /// The budget into which all of them fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_for_all: Option<usize>,
    /// Better matches that project, kind, tag or time hide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<Hidden>,
    /// Similar work in past sessions of this project, after everything that was remembered on purpose.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<PastTurn>,
}

/// A finished turn of a past session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PastTurn {
    pub id: String,
    /// What was asked, which files were changed and how it ended, in one line.
    pub text: String,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Hit {
    pub id: String,
    pub kind: String,
    pub title: String,
    pub text: String,
    pub project: Option<String>,
    pub score: f32,
    pub tiers: Vec<Tier>,
    pub created: String,
    pub age: String,
    pub status: String,
    /// How sure it is that this answers the question.
    pub certainty: Certainty,
    /// What held before, on the same subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Former>,
    /// The objection to it: wrong or stale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// The day since which nobody has looked at these steps, if their review is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreviewed: Option<String>,
    pub freshness: Freshness,
    pub origin: String,
    pub session: Option<String>,
    pub tokens: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Vec<Contribution>>,
}

/// A memory that a newer one on the same subject replaced, though nobody linked them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Former {
    pub id: String,
    pub text: String,
    /// Since when the newer one holds.
    pub until: String,
}

/// Whether the files that a memory names still exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Freshness {
    /// Every file it names exists.
    Fresh,
    /// A file it names is missing.
    Stale,
    /// It names no file, or the project folder is unknown.
    Unverified,
}

const MAX_LIMIT: usize = 200;
/// More wordings of a question than this add nothing.
const MOST_WORDINGS: usize = 3;

impl Request {
    fn narrows(&self) -> bool {
        !(self.kinds.is_empty() && self.tags.is_empty() && self.statuses.is_empty())
            || self.since.is_some()
            || self.as_of.is_some()
    }
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let started = Instant::now();
    let now = engine.now();
    engine.store.refresh(now)?;
    // A page asks again with every key, and what an operation stored has its vectors already.
    if !caller.for_page {
        embed::soon(engine);
    }
    let visible = request.scope.resolve(engine, caller)?.with_repository(engine, caller)?;
    let statuses = if request.statuses.is_empty() {
        vec![Status::Active, Status::Resolved, Status::Superseded]
    } else {
        request.statuses.clone()
    };
    let filter = Filter {
        projects: visible.projects.clone(),
        kinds: request.kinds.clone(),
        statuses,
        // Fold the tags as they were when stored.
        tags: clean_list(engine, &request.tags).iter().map(ToString::to_string).collect(),
        since: request.since.as_deref().map(|t| Timestamp::parse_since(t, now)).transpose()?,
        as_of: request.as_of.as_deref().map(|t| Timestamp::parse_since(t, now)).transpose()?,
        now,
    };
    let limit = request.limit.unwrap_or(engine.config.recall.limit).clamp(1, MAX_LIMIT);
    let wordings = std::iter::once(&request.query).chain(request.also.iter().take(MOST_WORDINGS));
    let questions: Vec<Question<'_>> = wordings
        .map(|text| Question::new(text, filter.clone(), visible.current.as_ref(), limit, now))
        .collect();
    let encoder = engine.encoder();
    let encoder = encoder.as_deref().map(|encoder| encoder as &dyn Embedder);
    let mut hits = find::best(engine, encoder, &questions)?;
    if reread_changed(engine, &hits, now)? {
        hits = find::best(engine, encoder, &questions)?;
    }
    let hidden = find::hidden(engine, encoder, &questions[0], &hits)?;
    hits.extend(find::archived(engine, encoder, request, &questions, hits.len())?);

    phrases::asked(engine, caller, &request.query, hits.iter().map(|hit| hit.stored.memory.id).collect());

    let detail = request.detail.unwrap_or(engine.config.recall.detail);
    let budget = request.budget.unwrap_or(engine.config.recall.budget);
    let rendered = recall::pack(&hits, detail, budget);
    let omitted = hits.len() - rendered.len();
    let budget_for_all = (omitted > 0)
        .then(|| recall::pack(&hits, detail, usize::MAX).iter().map(|hit| hit.tokens).sum::<usize>());
    let spent = rendered.iter().map(|hit| hit.tokens).sum();
    let turns = find::turns(engine, &visible, request, budget.saturating_sub(spent), now)?;
    let root = caller.cwd.as_deref().map(|folder| project::root(engine, folder));
    // Finding the project calls git; the scope has already done so, unless it names another project.
    let here = match &request.scope.project {
        None => visible.current.clone(),
        Some(_) => caller.cwd.as_deref().and_then(|folder| engine.project_of(folder)),
    };
    let hits: Vec<Hit> = hits
        .iter()
        .zip(rendered)
        .map(|(hit, rendered)| {
            let memory = &hit.stored.memory;
            let root = root.as_deref().filter(|_| memory.scope.project() == here.as_ref());
            Hit {
                id: memory.id.short(),
                kind: memory.kind.to_string(),
                title: quoted(&memory.title).into_owned(),
                text: rendered.text,
                project: memory.scope.project().map(ToString::to_string),
                score: (hit.score * 1e5).round() / 1e5,
                tiers: hit.tiers.clone(),
                created: memory.created.to_string(),
                age: memory.updated.age(now),
                status: memory.status.to_string(),
                certainty: hit.certainty,
                before: hit.before.as_ref().map(|before| Former {
                    id: before.id.short(),
                    text: former_text(&before.text),
                    until: before.until.to_string(),
                }),
                verdict: memory.life.verdict.map(|verdict| verdict.to_string()),
                unreviewed: unreviewed(memory, now),
                freshness: freshness(memory, root),
                origin: memory.origin.to_string(),
                session: memory.session.as_ref().map(ToString::to_string),
                tokens: rendered.tokens,
                explain: request.explain.then(|| hit.reasons.clone()),
            }
        })
        .collect();
    Ok(Response {
        query: request.query.clone(),
        tokens: hits.iter().map(|hit| hit.tokens).sum(),
        hits,
        micros: started.elapsed().as_micros() as u64,
        titles_only: request.detail == Some(Detail::Index),
        filtered: request.narrows(),
        omitted,
        budget_for_all,
        hidden,
        turns,
    })
}

/// The tokens of what held before.
const FORMER_TOKENS: usize = 24;

fn former_text(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    truncate_to_tokens(&quoted(&line), FORMER_TOKENS)
}

/// In a large store, checks only the files of the hits, so that recall never returns the text from before
/// an edit.
fn reread_changed(engine: &mut Engine, hits: &[Ranked], now: Timestamp) -> Result<bool, EngineError> {
    let mut changed = false;
    for hit in hits {
        changed |= engine.store.recheck_file(&hit.stored.file, now)?;
    }
    Ok(changed)
}

pub(crate) fn freshness(memory: &Memory, root: Option<&Path>) -> Freshness {
    match root {
        Some(root) if !memory.files.is_empty() => {
            let all_there = memory.files.iter().all(|file| root.join(&**file).exists());
            if all_there { Freshness::Fresh } else { Freshness::Stale }
        }
        _ => Freshness::Unverified,
    }
}

pub const OPERATION: Operation = Operation {
    name: "recall",
    also: &[],
    summary: "Find what is known about something",
    help: "",
    examples: &[
        ("hark recall \"which package manager do we use\"", "Ask in your own words"),
        ("hark recall auth --kind decision --since 90d", "Search recent decisions only"),
        (
            "hark recall \"flaky test\" --all-projects --explain",
            "Search every project and show why each hit ranks where it does",
        ),
    ],
    group: Group::Memories,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_recall",
        family: Family::Core,
        description: "Search memory about a topic, file, error or decision.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(engine, call.caller, self)
    }

    fn typed(mut self, call: &mut Call<'_>) -> Result<Self, EngineError> {
        let _ = call;
        self.query = self.words.join(" ");
        Ok(self)
    }
}
