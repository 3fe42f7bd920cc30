//! Episodes: the story of a finished session that struggled, once per session.

use std::path::Path;
use std::time::{Duration, Instant};

use hark_core::learning::episode::{self, Outcome, Told};
use hark_core::learning::trouble::Troubles;
use hark_core::memory::{Importance, one_line};
use hark_core::session::title_of_prompt;
use hark_core::{Clean, IdRef, Kind, Memory, MemoryId, Origin, Scope, Status};
use hark_hosts::hook::tools::{ToolClass, class_of};
use hark_store::{StoreError, StoredSession};

use super::BATCH;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::failures::place_of;

const WHAT: &str = "episodes";
pub(crate) const TAG: &str = "episode";
const MOST_EVENTS: usize = 20_000;
/// So much of what tools printed is compared with what the assistant said.
const MOST_PRINTED: usize = 2_000_000;
const IMPORTANCE: i64 = 2;
const CONFIDENCE: f32 = 0.5;

/// Returns how many stories it stored.
pub(super) fn in_background(
    engine: &mut Engine,
    started: Instant,
    limit: Duration,
) -> Result<usize, EngineError> {
    let mut stored = 0;
    for num in engine.store.unlearned(WHAT, BATCH)? {
        if started.elapsed() > limit {
            break;
        }
        match read(engine, num) {
            Ok(is_new) => stored += usize::from(is_new),
            Err(e @ EngineError::Store(StoreError::Corrupt { .. })) => return Err(e),
            Err(_) => {}
        }
    }
    Ok(stored)
}

fn read(engine: &mut Engine, num: i64) -> Result<bool, EngineError> {
    let (now, last) = (engine.now(), engine.store.last_event_of(num)?);
    let session = engine.store.session_at(num)?;
    let session = session.filter(|s| s.session.parent.is_none() && s.session.project.is_some());
    let story = match &session {
        Some(stored) => story(engine, stored)?,
        None => None,
    };
    engine.store.write(now, |writer| {
        let mut is_new = false;
        if let Some(story) = story {
            if writer.is_free(&story.id)? {
                let is_gone =
                    writer.is_forgotten(&story.id)? || writer.passing_of_text(&story.body)?.is_some();
                if !is_gone {
                    writer.create(&story)?;
                    is_new = true;
                }
            } else if let Ok(mut known) = writer.load(&IdRef::Full(story.id))
                // The session went on; what a person changed stays.
                && known.revision == 1
                && known.status == Status::Active
                && known.body != story.body
            {
                (known.title, known.body, known.files, known.tags) =
                    (story.title, story.body, story.files, story.tags);
                (known.learned, known.updated) = (story.learned, story.updated.max(known.created));
                writer.amend(&known)?;
            }
        }
        writer.set_learned(num, WHAT, last)?;
        Ok::<_, EngineError>(is_new)
    })
}

fn story(engine: &Engine, stored: &StoredSession) -> Result<Option<Memory>, EngineError> {
    let session = &stored.session;
    let mut troubles = Troubles::new(place_of(session.folder.as_deref().map(Path::new)));
    let mut asked: Option<Clean> = None;
    let mut replies = Vec::new();
    let mut printed = String::new();
    let mut last = session.started;
    for event in engine.store.events_in_order(stored.num, MOST_EVENTS)? {
        last = last.max(event.at);
        match (event.kind.as_str(), class_of(&event.tool)) {
            ("prompt", _) => {
                if asked.is_none() {
                    asked = title_of_prompt(&event.body);
                }
                troubles.passed(event.at);
            }
            ("reply", _) => {
                replies.push((event.at, event.body.to_string()));
                troubles.passed(event.at);
            }
            ("tool", ToolClass::Edit) if event.ok != Some(false) && !event.target.is_empty() => {
                troubles.edited(event.target.trim_start_matches("./"), &event.body, event.at);
            }
            ("tool", ToolClass::Shell) => {
                troubles.ran(&event.target, event.ok, &event.body, event.at);
                if printed.len() < MOST_PRINTED {
                    printed.push_str(&episode::plain(&event.body));
                    printed.push('\n');
                }
            }
            _ => troubles.passed(event.at),
        }
    }
    let files: Vec<String> = session.files.iter().map(|file| file.path.to_string()).collect();
    let all = troubles.all();
    let told =
        Told { asked: asked.as_deref(), troubles: &all, replies: &replies, printed: &printed, files: &files };
    let Some(story) = episode::story(&told) else { return Ok(None) };
    let tags = vec![
        Clean::trusted_constant(TAG),
        Clean::trusted_constant(match story.outcome {
            Outcome::Solved => "solved",
            Outcome::Unsolved => "unsolved",
        }),
    ];
    let source = format!("{}\n{}\n{TAG}", session.host, session.host_session);
    let mut own = [0; 10];
    own.copy_from_slice(&blake3::hash(source.as_bytes()).as_bytes()[..10]);
    let id = MemoryId::new(session.started, own);
    Ok(Some(Memory {
        scope: session.project.clone().map_or(Scope::Global, Scope::Project),
        title: one_line(&engine.clean(&story.title)),
        learned: None,
        tags,
        files: story.files.iter().map(|file| engine.clean(file)).collect(),
        importance: Importance::clamped(IMPORTANCE),
        confidence: CONFIDENCE,
        session: Some(session.host_session.clone()),
        turn: Some(Clean::trusted_constant(TAG)),
        updated: last,
        ..Memory::new(id, Kind::Episode, Origin::Assistant, engine.clean(&story.body), session.started)
    }))
}
