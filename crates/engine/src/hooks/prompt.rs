//! What is said with a prompt: knowledge that it is about, and the most similar work that was done before. One thing
//! said well is worth more than a list.

use std::path::Path;

use hark_core::budget::estimate_tokens;
use hark_core::rank::judge::Judge;
use hark_core::rank::similar::{Bag, WORTH, WORTH_CONTINUING};
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
use crate::recall::{self, Certainty, Models, Question};
use crate::{project, turns};

/// Memories and turns that answer a prompt: only with strong evidence, and never what session `told` has received or
/// stored itself. `besides` are things that the same reply tells already.
pub fn for_prompt(
    engine: &mut Engine,
    told: Option<i64>,
    folder: Option<&Path>,
    prompt: &Clean,
    besides: &[String],
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
    let done = debug_span!("find similar work")
        .in_scope(|| done_before(engine, &visible, told, prompt, besides, now))?;
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
        let is_met = || (has_symptom && carries_message_of(prompt, memory)) || names_file_of(prompt, memory);
        !memory.life.is_wrong() && (!is_trouble(memory) || is_met())
    });
    let _deciding = debug_span!("decide what to say").entered();
    let leaning = visible.current.as_ref().map_or(Ok(0), |project| engine.store.leaning(project))?;
    let threshold = Threshold::new(engine.config.inject.certainty).leaning(leaning);
    let decision = gate::decide(hits.iter(), threshold);
    let root = folder.map(project::work_tree);
    let mut fresh = Vec::new();
    for at in decision.chosen {
        let memory = &hits[at].stored.memory;
        // Nobody chose to store what a session yielded by itself.
        let is_chosen = memory.turn.is_none() || memory.pinned || !memory.life.is_new();
        let surely = hits[at].certainty == Certainty::Sure && hits[at].signals.terms >= WORDS_TO_BE_SURE;
        if !is_chosen && !surely {
            continue;
        }
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
fn is_trouble(memory: &Memory) -> bool {
    // The story of a session that Hark wrote is about a failure; one that somebody told is knowledge.
    let is_story = memory.kind == Kind::Episode && memory.turn.is_some();
    matches!(memory.kind, Kind::Failure | Kind::Fix) || is_story
}

/// Whether most of the words of what failed are in the prompt. A log of another failure shares only a few.
fn carries_message_of(prompt: &str, memory: &Memory) -> bool {
    let said = Bag::of(prompt);
    let message = Bag::of(&memory.title);
    let shared = message.shared_with(&said);
    !message.is_empty() && shared * 3 >= message.len() * 2
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
    besides: &[String],
    now: Timestamp,
) -> Result<Option<(String, String)>, EngineError> {
    let Some(key) = &visible.current else { return Ok(None) };
    let Some(project) = engine.store.project_num(key)? else { return Ok(None) };
    let asked = turns::context(&engine.store, told, prompt)?;
    // The first prompt of a session often continues the last one.
    let is_first =
        told.map_or(Ok(false), |session| Ok::<_, EngineError>(engine.store.prompts_of(session)? == 1))?;
    let least = if is_first { WORTH_CONTINUING } else { WORTH };
    for similar in turns::similar(&engine.store, &[project], told, &asked, least, now, MOST_TOLD)? {
        let found = similar.turn;
        if similar.likely < WORTH && !similar.of_last {
            continue;
        }
        let id = found.id();
        // Where a session left off says what its last turns did.
        let session = found.session.short();
        let mut is_told = besides.contains(&session);
        for item in [&id, &session] {
            is_told |= told.map_or(Ok(false), |asking| engine.store.was_told(asking, item))?;
        }
        if !is_told {
            return Ok(Some((id, turns::line(&found, now))));
        }
    }
    Ok(None)
}

/// Bytes of a prompt that the encoder reads: it takes ten milliseconds for each hundred.
const READ: usize = 160;
/// A shorter prompt agrees with many memories.
const WORDS_TO_BE_SURE: u32 = 4;
/// A session that was told so many similar turns has heard enough.
const MOST_TOLD: usize = 12;
