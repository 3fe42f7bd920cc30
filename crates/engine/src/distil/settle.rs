//! What becomes of a distilled memory in a store that may know it already: said again, it confirms;
//! known and put aside, it stays aside; otherwise it is new. It never replaces anything.

use hark_core::likeness::{Likeness, compare};
use hark_core::{IdRef, Kind, Memory, MemoryId, Session, Status, Timestamp};
use hark_store::Writer;

use crate::engine::Engine;
use crate::error::EngineError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Stored,
    /// Somebody said it before: that memory is surer now.
    Confirmed,
    /// It was distilled before, or it was put aside; nothing changes.
    Known,
    /// The user had it forgotten.
    Forgotten,
}

impl Outcome {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Outcome::Stored => "stored",
            Outcome::Confirmed => "confirmed",
            Outcome::Known => "known",
            Outcome::Forgotten => "forgotten",
        }
    }
}

/// Kinds under which somebody may have stored the same statement on purpose.
const NEAR: &[Kind] = &[
    Kind::Directive,
    Kind::Rule,
    Kind::Constraint,
    Kind::Convention,
    Kind::Decision,
    Kind::Fact,
    Kind::Lesson,
];

/// Stores a memory, or confirms the one that says the same. `memory` is then the one that stands.
pub(super) fn settle(
    writer: &mut Writer<'_>,
    memory: &mut Memory,
    now: Timestamp,
) -> Result<Outcome, EngineError> {
    if is_forgotten(writer, memory)? {
        return Ok(Outcome::Forgotten);
    }
    let Some((outcome, known)) = meet(writer, memory)? else {
        while !writer.is_free(&memory.id)? {
            memory.id = MemoryId::new(memory.created, Engine::random()?);
        }
        writer.create(memory)?;
        return Ok(Outcome::Stored);
    };
    let before = writer.load(&IdRef::Full(known.id))?;
    *memory = before.clone();
    if outcome == Outcome::Confirmed {
        memory.confidence += (1.0 - memory.confidence) * 0.1;
        memory.touch(now);
        writer.update(&before, memory, "confirmed")?;
    }
    Ok(outcome)
}

/// What [`settle`] would do.
pub(super) fn look(writer: &Writer<'_>, memory: &Memory) -> Result<Outcome, EngineError> {
    if is_forgotten(writer, memory)? {
        return Ok(Outcome::Forgotten);
    }
    Ok(meet(writer, memory)?.map_or(Outcome::Stored, |(outcome, _)| outcome))
}

/// What was forgotten comes back only by the user's own command.
fn is_forgotten(writer: &Writer<'_>, memory: &Memory) -> Result<bool, EngineError> {
    Ok(writer.is_forgotten(&memory.id)? || writer.passing_of_text(&memory.body)?.is_some())
}

/// The memory that says the same already. The one place that decides it.
fn meet(writer: &Writer<'_>, memory: &Memory) -> Result<Option<(Outcome, Memory)>, EngineError> {
    let project = memory.scope.project();
    let mut kinds = vec![memory.kind];
    kinds.extend(NEAR.iter().copied().filter(|kind| *kind != memory.kind));
    for kind in kinds {
        for place in [project, None] {
            for known in writer.of_kind(place, kind)? {
                if known.turn.is_some() && known.turn == memory.turn && known.session == memory.session {
                    return Ok(Some((Outcome::Known, known)));
                }
                if matches!(compare(&known.body, &memory.body, None), Likeness::Same | Likeness::Less) {
                    let stands = known.status == Status::Active;
                    let outcome = if stands { Outcome::Confirmed } else { Outcome::Known };
                    return Ok(Some((outcome, known)));
                }
            }
        }
    }
    Ok(None)
}

/// How many memories were distilled from a session so far.
pub(super) fn known_of(writer: &Writer<'_>, session: &Session) -> Result<usize, EngineError> {
    let mut count = 0;
    for kind in Kind::ALL {
        let all = writer.of_kind(session.project.as_ref(), *kind)?;
        let from_it = |m: &&Memory| m.turn.is_some() && m.session.as_ref() == Some(&session.host_session);
        count += all.iter().filter(from_it).count();
    }
    Ok(count)
}
