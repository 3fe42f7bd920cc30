//! Finds the hits of a request: by every wording of the question, archived ones last, and with a word about what the
//! filters hide.

use hark_core::budget::estimate_tokens;
use hark_core::rank::judge::Judge;
use hark_core::rank::similar::{Asked, WORTH_ASKED};
use hark_core::vector::Embedder;
use hark_core::{Status, Timestamp};
use hark_store::search::Filter;
use hark_store::{ListFilter, ListOrder};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::inbox::REJECTED;
use super::{PastTurn, Request};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::ops::scope::Visible;
use crate::recall::{self, Certainty, Models, Question, Ranked};
use crate::turns;

/// What another wording adds if it finds the same, as a share of its score.
const AGREES: f32 = 0.1;
/// A hidden hit this much above the best is worth mentioning.
const MUCH_BETTER: f32 = 0.1;
/// Similar turns that are listed.
const MOST_TURNS: usize = 2;
/// Hidden hits that are counted.
const COUNTED: usize = 3;

/// Better matches that the request cannot see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hidden {
    pub count: usize,
    /// The other project, if that is what hides them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// The best memories, those that were rated wrong after the others.
pub(super) fn best(
    engine: &Engine,
    encoder: Option<&dyn Embedder>,
    questions: &[Question<'_>],
) -> Result<Vec<Ranked>, EngineError> {
    let models = Models { embedder: engine.embedder.as_ref(), encoder, judge: Some(Judge::inside()) };
    let mut lists = Vec::with_capacity(questions.len());
    for question in questions {
        lists.push(recall::answer_with(&engine.store, models, question)?);
    }
    let limit = questions.first().map_or(0, |question| question.limit);
    let mut hits = fused(lists, limit);
    if let (Some(reranker), Some(question)) = (engine.reranker(), questions.first()) {
        recall::rerank::rerank(&reranker, question.text, &mut hits);
        recall::settle(&mut hits);
    }
    // Stable: each part keeps its order.
    hits.sort_by_key(|hit| hit.stored.memory.life.is_wrong());
    Ok(hits)
}

/// One list of what several wordings of a question found.
fn fused(lists: Vec<Vec<Ranked>>, limit: usize) -> Vec<Ranked> {
    let mut lists = lists.into_iter();
    let mut hits = lists.next().unwrap_or_default();
    let mut is_fused = false;
    for hit in lists.flatten() {
        is_fused = true;
        match hits.iter_mut().find(|known| known.stored.num == hit.stored.num) {
            Some(known) => {
                known.score = known.score.max(hit.score) + AGREES * known.score.min(hit.score);
                known.certainty = known.certainty.max(hit.certainty);
            }
            None => hits.push(hit),
        }
    }
    if is_fused {
        hits.sort_by(|a, b| {
            let by_score = b.score.total_cmp(&a.score);
            by_score.then(a.stored.memory.id.cmp(&b.stored.memory.id))
        });
        recall::settle(&mut hits);
        hits.truncate(limit);
    }
    hits
}

/// Archived matches, if the request did not choose a status and there is room left. Nothing stored on purpose
/// disappears from answers because it is old. Proposals that the user rejected stay out.
pub(super) fn archived(
    engine: &Engine,
    encoder: Option<&dyn Embedder>,
    request: &Request,
    questions: &[Question<'_>],
    found: usize,
) -> Result<Vec<Ranked>, EngineError> {
    let Some(first) = questions.first() else { return Ok(Vec::new()) };
    let room = first.limit.saturating_sub(found);
    let only = ListFilter {
        projects: first.filter.projects.clone(),
        statuses: vec![Status::Archived],
        ..ListFilter::default()
    };
    // A question about the past sees what was not archived then.
    let wanted = request.statuses.is_empty() && first.filter.as_of.is_none() && room > 0;
    if !wanted || engine.store.list(&only, ListOrder::NewestChange, 1)?.is_empty() {
        return Ok(Vec::new());
    }
    let of_archive = |question: &Question<'_>| -> Filter {
        Filter { statuses: only.statuses.clone(), ..question.filter.clone() }
    };
    let questions: Vec<Question<'_>> =
        questions.iter().map(|question| question.within(of_archive(question), room)).collect();
    let mut kept = Vec::new();
    for mut hit in best(engine, encoder, &questions)? {
        let changes = engine.store.history(&hit.stored.memory.id)?;
        // What was merely near is not worth digging up.
        let is_match = hit.certainty > Certainty::Perhaps;
        if is_match && changes.last().is_none_or(|last| &*last.change != REJECTED) {
            hit.certainty = Certainty::Perhaps;
            kept.push(hit);
        }
    }
    Ok(kept)
}

/// Similar turns of this project, if the question does not ask for certain memories and the budget has room.
pub(super) fn turns(
    engine: &Engine,
    visible: &Visible,
    request: &Request,
    budget: usize,
    now: Timestamp,
) -> Result<Vec<PastTurn>, EngineError> {
    let Some(key) = visible.current.as_ref().filter(|_| !request.narrows()) else { return Ok(Vec::new()) };
    let Some(project) = engine.store.project_num(key)? else { return Ok(Vec::new()) };
    let asked = Asked::new(&request.query, "", std::iter::empty());
    let mut left = budget;
    let mut found = Vec::new();
    for similar in turns::similar(&engine.store, &[project], None, &asked, WORTH_ASKED, now, MOST_TURNS)? {
        let turn = similar.turn;
        let text = turns::line(&turn, now).trim_start_matches("- ").to_owned();
        let tokens = estimate_tokens(&text) + 1;
        if tokens > left {
            break;
        }
        left -= tokens;
        found.push(PastTurn { id: turn.id(), text });
    }
    Ok(found)
}

/// Whether another project, or what the filters leave out, has a much better match than the best hit.
pub(super) fn hidden(
    engine: &Engine,
    encoder: Option<&dyn Embedder>,
    question: &Question<'_>,
    hits: &[Ranked],
) -> Result<Option<Hidden>, EngineError> {
    let Filter { projects, kinds, tags, since, as_of, .. } = &question.filter;
    let narrows = projects.is_some() || !kinds.is_empty() || !tags.is_empty() || since.is_some();
    let is_sure = hits.first().is_some_and(|hit| hit.certainty == Certainty::Sure);
    if !narrows || is_sure || as_of.is_some() {
        return Ok(None);
    }
    let whole = Filter {
        projects: None,
        kinds: Vec::new(),
        tags: Vec::new(),
        since: None,
        ..question.filter.clone()
    };
    let best_here = hits.first().map_or(0.0, |hit| hit.score);
    let found = best(engine, encoder, &[question.within(whole, COUNTED)])?;
    let better = |hit: &&Ranked| {
        let is_seen = hits.iter().any(|seen| seen.stored.num == hit.stored.num);
        !is_seen && hit.certainty == Certainty::Sure && hit.score >= best_here + MUCH_BETTER
    };
    let better: Vec<&Ranked> = found.iter().filter(better).collect();
    let Some(first) = better.first() else { return Ok(None) };
    let key = first.stored.memory.scope.project();
    let is_visible = match (projects, key) {
        (None, _) | (_, None) => true,
        (Some(projects), Some(key)) => {
            engine.store.project_num(key)?.is_some_and(|num| projects.contains(&num))
        }
    };
    let project = key.filter(|_| !is_visible).map(ToString::to_string);
    Ok(Some(Hidden { count: better.len(), project }))
}
