//! Stores a distilled memory in a store that may already know it: a repeat confirms the existing memory, an
//! archived one stays archived, anything else is new. It never replaces anything.

use hark_core::likeness::{Likeness, compare};
use hark_core::{IdRef, Kind, Memory, Scope, Status, Timestamp};
use hark_store::Writer;

use crate::error::EngineError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoredAs {
    Stored,
    /// It was said before: that memory is more certain now.
    Confirmed,
    /// It was distilled before, or it was archived; nothing changes.
    Known,
    /// The user deleted it earlier.
    Forgotten,
}

impl StoredAs {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            StoredAs::Stored => "stored",
            StoredAs::Confirmed => "confirmed",
            StoredAs::Known => "known",
            StoredAs::Forgotten => "forgotten",
        }
    }
}

/// Kinds under which the same statement may have been stored on purpose.
const NEAR: &[Kind] = &[
    Kind::Directive,
    Kind::Rule,
    Kind::Constraint,
    Kind::Convention,
    Kind::Decision,
    Kind::Fact,
    Kind::Lesson,
];

/// Stores a memory, or confirms the one that says the same. `memory` then becomes that one.
pub(super) fn store(
    writer: &mut Writer<'_>,
    memory: &mut Memory,
    now: Timestamp,
) -> Result<StoredAs, EngineError> {
    if is_forgotten(writer, memory)? {
        return Ok(StoredAs::Forgotten);
    }
    let Some((outcome, known)) = meet(writer, memory)? else {
        writer.create(memory)?;
        return Ok(StoredAs::Stored);
    };
    let before = writer.load(&IdRef::Full(known.id))?;
    *memory = before.clone();
    if outcome == StoredAs::Confirmed {
        memory.confidence += (1.0 - memory.confidence) * 0.1;
        memory.touch(now);
        writer.update(&before, memory, "confirmed")?;
    }
    Ok(outcome)
}

/// What [`store`] would do.
pub(super) fn look(writer: &Writer<'_>, memory: &Memory) -> Result<StoredAs, EngineError> {
    if is_forgotten(writer, memory)? {
        return Ok(StoredAs::Forgotten);
    }
    Ok(meet(writer, memory)?.map_or(StoredAs::Stored, |(outcome, _)| outcome))
}

/// A forgotten memory comes back only by the user's own command.
fn is_forgotten(writer: &Writer<'_>, memory: &Memory) -> Result<bool, EngineError> {
    Ok(writer.is_forgotten(&memory.id)? || writer.passing_of_text(&memory.body)?.is_some())
}

/// The existing memory that says the same; the only place that decides this. It checks only what the
/// near-duplicate index returns, because hooks wait meanwhile.
fn meet(writer: &Writer<'_>, memory: &Memory) -> Result<Option<(StoredAs, Memory)>, EngineError> {
    // The same turn gives the same id, however the text was edited since.
    if let Some(known) = writer.look_up(&memory.id)? {
        return Ok(Some((StoredAs::Known, known)));
    }
    let kinds = std::iter::once(memory.kind).chain(NEAR.iter().copied().filter(|kind| *kind != memory.kind));
    for kind in kinds {
        for scope in [&memory.scope, &Scope::Global] {
            let probe = Memory { kind, scope: scope.clone(), ..memory.clone() };
            for known in writer.alike_of_any_status(&probe)? {
                // An assistant's proposal does not replace what the user says.
                if known.status == Status::Proposed {
                    continue;
                }
                if matches!(compare(&known.body, &memory.body, None), Likeness::Same | Likeness::Less) {
                    let stands = known.status == Status::Active;
                    let outcome = if stands { StoredAs::Confirmed } else { StoredAs::Known };
                    return Ok(Some((outcome, known)));
                }
            }
        }
    }
    Ok(None)
}
