//! Stores a distilled memory in a store that may already know it: a repeat confirms the existing memory, an
//! archived one stays archived, anything else is new. It never replaces anything.

use hark_core::{IdRef, Memory, Status, Timestamp};
use hark_store::Writer;

use crate::error::EngineError;
use crate::repeat;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoredAs {
    Stored,
    /// It was said before: that memory is more certain now.
    Confirmed,
    /// It was distilled before, or it was archived; nothing changes.
    Known,
    /// It waits in the inbox.
    Proposed,
    /// The user deleted it earlier.
    Forgotten,
}

impl StoredAs {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            StoredAs::Stored => "stored",
            StoredAs::Confirmed => "confirmed",
            StoredAs::Known => "known",
            StoredAs::Proposed => "proposed",
            StoredAs::Forgotten => "forgotten",
        }
    }
}

/// Stores a memory, or confirms the one that says the same. `memory` then becomes that one.
pub(super) fn store(
    writer: &mut Writer<'_>,
    memory: &mut Memory,
    now: Timestamp,
) -> Result<StoredAs, EngineError> {
    if is_forgotten(writer, memory)? {
        return Ok(StoredAs::Forgotten);
    }
    let Some(known) = repeat::said_before(writer, memory)? else {
        writer.create(memory)?;
        return Ok(StoredAs::Stored);
    };
    let outcome = stored_as(&known, memory);
    let before = writer.load(&IdRef::Full(known.id))?;
    *memory = before.clone();
    if outcome == StoredAs::Confirmed {
        repeat::make_more_certain(memory);
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
    let known = repeat::said_before(writer, memory)?;
    Ok(known.map_or(StoredAs::Stored, |known| stored_as(&known, memory)))
}

/// The same turn gives the same id, and an archived memory stays archived: both change nothing.
fn stored_as(known: &Memory, memory: &Memory) -> StoredAs {
    let stands = known.status == Status::Active && known.id != memory.id;
    if stands { StoredAs::Confirmed } else { StoredAs::Known }
}

/// A forgotten memory comes back only by the user's own command.
fn is_forgotten(writer: &Writer<'_>, memory: &Memory) -> Result<bool, EngineError> {
    Ok(writer.is_forgotten(&memory.id)? || writer.passing_of_text(&memory.body)?.is_some())
}
