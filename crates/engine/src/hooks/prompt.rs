//! What is said with a prompt: knowledge that it is about, and the most similar work that was done before. One thing
//! said well is worth more than a list.

use std::path::Path;

use hark_core::budget::estimate_tokens;
use hark_core::rank::judge::Judge;
use hark_core::rank::similar::WORTH;
use hark_core::text::is_symptom;
use hark_core::vector::Embedder;
use hark_core::{Clean, Kind, Memory, Status, Timestamp};
use hark_store::search::Filter;
use tracing::debug_span;

use super::inject::{Words, frame, room_for_prompt};
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::ops::recall::{Freshness, freshness};
use crate::ops::scope::{ReadScope, Visible};
use crate::recall::gate::{self, Threshold};
use crate::recall::{self, Models, Question};
use crate::{project, turns};

/// Memories and turns that answer a prompt: only with strong evidence, and never what session `told` has received or
/// stored itself.
pub fn for_prompt(
    engine: &mut Engine,
    told: Option<i64>,
    folder: Option<&Path>,
    prompt: &Clean,
) -> Result<Option<Words>, EngineError> {
    let budget = engine.config.inject.prompt;
    if budget == 0 || gate::is_trivial(prompt) || !engine.store.is_current() {
        return Ok(None);
    }
    let now = engine.now();
    let caller = Caller { cwd: folder.map(Path::to_owned), ..Caller::default() };
    let visible = debug_span!("find project").in_scope(|| ReadScope::default().resolve(engine, &caller))?;
    let room = room_for_prompt(budget);
    let known = knowledge(engine, &visible, told, folder, prompt, now)?;
    let known: Vec<&Memory> = known.iter().collect();
    let mut lines = recall::tell(&known, room, now);
    let mut items: Vec<String> = known.iter().take(lines.len()).map(|memory| memory.id.short()).collect();
    let left = room.saturating_sub(lines.iter().map(|line| estimate_tokens(line) + 1).sum());
    let done =
        debug_span!("find similar work").in_scope(|| done_before(engine, &visible, told, prompt, now))?;
    if let Some((id, line)) = done.filter(|(_, line)| estimate_tokens(line) < left) {
        lines.push(line);
        items.push(id);
    }
    if lines.is_empty() {
        return Ok(None);
    }
    Ok(Some(Words { text: frame(&lines.join("\n")), items, why: "relevant to the prompt" }))
}

/// Memories that the prompt is about, best first.
fn knowledge(
    engine: &Engine,
    visible: &Visible,
    told: Option<i64>,
    folder: Option<&Path>,
    prompt: &Clean,
    now: Timestamp,
) -> Result<Vec<Memory>, EngineError> {
    let filter = Filter {
        projects: visible.projects.clone(),
        kinds: Vec::new(),
        statuses: vec![Status::Active],
        tags: Vec::new(),
        since: None,
        as_of: None,
        now,
    };
    let mut question = Question::new(prompt, filter, visible.current.as_ref(), gate::CONSIDERED, now);
    question.read = READ;
    let encoder = engine.encoder();
    let models = Models {
        embedder: engine.embedder.as_ref(),
        encoder: encoder.as_deref().map(|encoder| encoder as &dyn Embedder),
        judge: Some(Judge::inside()),
    };
    let mut hits =
        debug_span!("recall").in_scope(|| recall::answer_with(&engine.store, models, &question))?;
    let has_symptom = is_symptom(prompt);
    hits.retain(|hit| {
        let memory = &hit.stored.memory;
        !memory.life.is_wrong() && (!is_trouble(memory.kind) || has_symptom || names_file_of(prompt, memory))
    });
    let _deciding = debug_span!("decide what to say").entered();
    let leaning = visible.current.as_ref().map_or(Ok(0), |project| engine.store.leaning(project))?;
    let threshold = Threshold::new(engine.config.inject.certainty).leaning(leaning);
    let decision = gate::decide(hits.iter(), threshold);
    let root = folder.map(project::work_tree);
    let mut fresh = Vec::new();
    for at in decision.chosen {
        let memory = &hits[at].stored.memory;
        // Hark does not volunteer memories about files that no longer exist.
        let here = root.as_deref().filter(|_| memory.scope.project() == visible.current.as_ref());
        let is_stale = freshness(memory, here) == Freshness::Stale;
        if !is_stale && !knows(engine, told, memory)? {
            fresh.push(memory.clone());
        }
    }
    fresh.truncate(gate::MOST);
    Ok(fresh)
}

/// What failed belongs to the place where it failed, not to every prompt that shares some words with it.
fn is_trouble(kind: Kind) -> bool {
    matches!(kind, Kind::Failure | Kind::Fix)
}

fn names_file_of(prompt: &str, memory: &Memory) -> bool {
    let name = |file: &Clean| file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    memory.files.iter().map(name).any(|name| name.len() > 4 && prompt.contains(&name))
}

/// Whether a session was told a memory, or stored it itself and still has it in its conversation.
fn knows(engine: &Engine, told: Option<i64>, memory: &Memory) -> Result<bool, EngineError> {
    let Some(session) = told else { return Ok(false) };
    if engine.store.was_told(session, &memory.id.short())? {
        return Ok(true);
    }
    let Some(by) = memory.session.as_deref() else { return Ok(false) };
    let Some(asking) = engine.store.whereabouts(session)? else { return Ok(false) };
    if ![asking.id.as_str(), asking.host_session.as_str()].contains(&by) {
        return Ok(false);
    }
    // Unless the client dropped that part.
    Ok(engine.store.last_compaction(session)?.is_none_or(|at| memory.created > at))
}

/// The most similar earlier turn of this project that the session was not told yet: its id and a line about it.
fn done_before(
    engine: &Engine,
    visible: &Visible,
    told: Option<i64>,
    prompt: &Clean,
    now: Timestamp,
) -> Result<Option<(String, String)>, EngineError> {
    let Some(key) = &visible.current else { return Ok(None) };
    let Some(project) = engine.store.project_num(key)? else { return Ok(None) };
    let asked = turns::context(&engine.store, told, prompt)?;
    for found in turns::similar(&engine.store, &[project], told, &asked, WORTH, now, MOST_TOLD)? {
        let id = found.id();
        let is_told = told.map(|session| engine.store.was_told(session, &id)).transpose()?;
        if !is_told.unwrap_or(false) {
            return Ok(Some((id, turns::line(&found, now))));
        }
    }
    Ok(None)
}

/// Bytes of a prompt that the encoder reads: it takes ten milliseconds for each hundred.
const READ: usize = 160;
/// A session that was told so many similar turns has heard enough.
const MOST_TOLD: usize = 12;
