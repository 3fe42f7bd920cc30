//! Proposes what a user said in a session and nobody stored.
//!
//! The wide net of [`hark_core::distil::heard`] catches more than is lasting, so none of it becomes a memory by itself:
//! it waits in the inbox, as a proposal in the user's own words, until the user decides or it is too old.

use std::collections::HashSet;

use hark_core::memory::{one_line, title_from_body};
use hark_core::text::is_stop_word;
use hark_core::time::DAY_MS;
use hark_core::{Clean, IdRef, Memory, Origin, Scope, Status};
use hark_store::{ListFilter, ListOrder, Moment, StoredSession, Writer};

use super::propose::{self, Undecided};
use super::store::{self, StoredAs};
use crate::engine::Engine;
use crate::error::EngineError;

/// Marks proposals that come from here; others are not limited and do not age.
const TAG: &str = "heard";
/// The best of one session; a longer list would not be read.
const MOST_PER_SESSION: usize = 5;
/// A proposal is less certain than what was stored on purpose.
const CONFIDENCE: f32 = 0.5;
/// The share of a statement's words that a memory must have to be the same one.
const SAME: f32 = 0.5;
/// Memories of a session to compare with.
const MOST_STORED: usize = 200;

/// The proposals of a session, and what its assistant stored in it.
pub(super) struct Undistilled {
    pub(super) drafts: Vec<Memory>,
    stored: Vec<HashSet<String>>,
}

pub(super) fn read(
    engine: &Engine,
    session: &StoredSession,
    moments: &[Moment],
    since: i64,
) -> Result<Undistilled, EngineError> {
    let settings = &engine.config.distil;
    // An assistant starts a subagent, so the prompts of a subagent are not the user's words.
    if session.session.parent.is_some() || session.session.project.is_none() || settings.inbox == 0 {
        return Ok(Undistilled { drafts: Vec::new(), stored: Vec::new() });
    }
    let oldest = engine.now().minus_millis(i64::from(settings.inbox_days) * DAY_MS);
    let mut drafts = Vec::new();
    for one in propose::undecided(moments, since) {
        if one.at > oldest && drafts.len() < MOST_PER_SESSION {
            drafts.push(draft(engine, session, one));
        }
    }
    let mut stored = Vec::new();
    if !drafts.is_empty() {
        let filter = ListFilter { since: Some(session.session.started), ..ListFilter::default() };
        let of_session = [session.session.id.short(), session.session.host_session.to_string()];
        for found in engine.store.list(&filter, ListOrder::NewestChange, MOST_STORED)? {
            let memory = found.memory;
            if memory.session.as_deref().is_some_and(|by| of_session.iter().any(|name| name == by)) {
                stored.push(content(&format!("{} {}", memory.title, memory.body)));
            }
        }
    }
    Ok(Undistilled { drafts, stored })
}

impl Undistilled {
    /// Whether the assistant stored it, in whatever words.
    pub(super) fn is_stored(&self, draft: &Memory) -> bool {
        let wanted = content(&draft.body);
        self.stored.iter().any(|have| {
            let shared = wanted.intersection(have).count();
            shared > 0 && shared as f32 >= SAME * wanted.len() as f32
        })
    }
}

/// Proposes it, unless it is known: stored, proposed, rejected or forgotten.
pub(super) fn keep(writer: &mut Writer<'_>, draft: &Memory) -> Result<StoredAs, EngineError> {
    let outcome = look(writer, draft)?;
    if outcome == StoredAs::Proposed {
        writer.create(draft)?;
    }
    Ok(outcome)
}

/// What [`keep`] would do.
pub(super) fn look(writer: &Writer<'_>, draft: &Memory) -> Result<StoredAs, EngineError> {
    match store::look(writer, draft)? {
        StoredAs::Stored => {}
        StoredAs::Forgotten => return Ok(StoredAs::Forgotten),
        _ => return Ok(StoredAs::Known),
    }
    let wanted = content(&draft.body);
    let is_waiting = writer
        .alike_of_any_status(draft)?
        .iter()
        .any(|other| other.status == Status::Proposed && content(&other.body) == wanted);
    Ok(if is_waiting { StoredAs::Known } else { StoredAs::Proposed })
}

/// Archives proposals that nobody decided on in time, and the oldest if there are too many.
pub(super) fn tidy(engine: &mut Engine) -> Result<(), EngineError> {
    let now = engine.now();
    let filter =
        ListFilter { statuses: vec![Status::Proposed], tags: vec![TAG.to_owned()], ..ListFilter::default() };
    let waiting = engine.store.list(&filter, ListOrder::OldestFirst, usize::MAX)?;
    let surplus = waiting.len().saturating_sub(engine.config.distil.inbox);
    let oldest = now.minus_millis(i64::from(engine.config.distil.inbox_days) * DAY_MS);
    let leaving = waiting.iter().enumerate();
    let leaving = leaving.filter(|(place, one)| *place < surplus || one.memory.created <= oldest);
    let leaving: Vec<IdRef> = leaving.map(|(_, one)| IdRef::Full(one.memory.id)).collect();
    if leaving.is_empty() {
        return Ok(());
    }
    engine.store.write(now, |writer| {
        for id in &leaving {
            let before = writer.load(id)?;
            // The user may have decided meanwhile.
            if before.status != Status::Proposed {
                continue;
            }
            let mut after = before.clone();
            after.set_status(Status::Archived, now);
            after.touch(now);
            writer.update(&before, &after, "undecided for too long")?;
        }
        Ok(())
    })
}

fn draft(engine: &Engine, stored: &StoredSession, one: Undecided) -> Memory {
    let session = &stored.session;
    let id = super::id_of(session, TAG, &one.turn, one.at);
    let body = engine.clean(&one.heard.text);
    let answers = one.heard.answers.map(|reply| engine.clean(&format!("in reply to \"{reply}\"")));
    Memory {
        scope: session.project.clone().map_or(Scope::Global, Scope::Project),
        status: Status::Proposed,
        title: one_line(&title_from_body(&body)),
        why: answers,
        tags: vec![Clean::trusted_constant(super::TAG), Clean::trusted_constant(TAG)],
        confidence: CONFIDENCE,
        session: Some(session.host_session.clone()),
        turn: Some(engine.clean(&one.turn)),
        closed: Some(one.at),
        ..Memory::new(id, one.heard.kind, Origin::User, body, one.at)
    }
}

/// The words that carry a statement, without their endings.
fn content(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 2);
    let words = words.map(str::to_lowercase).filter(|word| !is_stop_word(word));
    words.map(|word| word.chars().take(6).collect()).collect()
}
