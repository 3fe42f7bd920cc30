//! Memories that replaced each other. A link has two ends: the newer memory names what it supersedes, the
//! older names its successor. This module always changes both ends together.

use hark_core::{IdRef, Link, Memory, MemoryId, Relation, Status, Timestamp};
use hark_store::{StoreError, Writer};

use crate::error::EngineError;

/// A memory, if it still exists.
pub(crate) fn find(writer: &Writer<'_>, id: MemoryId) -> Result<Option<Memory>, EngineError> {
    match writer.load(&IdRef::Full(id)) {
        Ok(memory) => Ok(Some(memory)),
        Err(StoreError::NotFound { .. }) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// The memories that `memory` says it replaced.
pub(crate) fn replaced_by(memory: &Memory) -> Vec<MemoryId> {
    let replaced = memory.links.iter().filter(|link| link.relation == Relation::Supersedes);
    replaced.map(|link| link.to).collect()
}

/// `old` is valid again: its successor no longer claims to replace it.
pub(crate) fn unclaim(writer: &mut Writer<'_>, old: &Memory, now: Timestamp) -> Result<(), EngineError> {
    let Some(successor) = old.superseded_by else { return Ok(()) };
    let Some(before) = find(writer, successor)? else { return Ok(()) };
    let mut after = before.clone();
    after.links.retain(|link| !(link.relation == Relation::Supersedes && link.to == old.id));
    if after != before {
        after.touch(now);
        writer.update(&before, &after, "unlinked")?;
    }
    Ok(())
}

/// `old` was superseded by `by` and is valid again.
pub(crate) fn revive(
    writer: &mut Writer<'_>,
    old: MemoryId,
    by: MemoryId,
    now: Timestamp,
) -> Result<bool, EngineError> {
    let Some(before) = find(writer, old)?.filter(|old| old.superseded_by == Some(by)) else {
        return Ok(false);
    };
    let mut after = before.clone();
    if before.status == Status::Superseded {
        after.set_status(Status::Active, now);
    }
    after.superseded_by = None;
    after.touch(now);
    writer.update(&before, &after, "restored")?;
    Ok(true)
}

/// `gone` is about to be removed. What it had replaced is now replaced by the successor of `gone`, or is
/// valid again if there is none.
pub(crate) fn close_gap(
    writer: &mut Writer<'_>,
    gone: &Memory,
    doomed: &[MemoryId],
    now: Timestamp,
) -> Result<(), EngineError> {
    let heir = heir(writer, gone, doomed)?;
    for id in replaced_by(gone).into_iter().filter(|id| !doomed.contains(id)) {
        let Some(heir) = &heir else {
            revive(writer, id, gone.id, now)?;
            continue;
        };
        let Some(before) = find(writer, id)?.filter(|old| old.superseded_by == Some(gone.id)) else {
            continue;
        };
        let mut after = before.clone();
        after.superseded_by = Some(*heir);
        after.touch(now);
        writer.update(&before, &after, "superseded")?;
        let Some(before) = find(writer, *heir)? else { continue };
        let mut after = before.clone();
        let origin = gone.links.iter().find(|link| link.to == id).map_or(gone.origin, |link| link.origin);
        after.links.push(Link { to: id, relation: Relation::Supersedes, weight: 1.0, origin });
        after.revision += 1;
        writer.update(&before, &after, "linked")?;
    }
    Ok(())
}

/// The next memory in the chain of successors that is not about to be removed.
fn heir(writer: &Writer<'_>, gone: &Memory, doomed: &[MemoryId]) -> Result<Option<MemoryId>, EngineError> {
    let mut seen = vec![gone.id];
    let mut next = gone.superseded_by;
    while let Some(id) = next.filter(|id| !seen.contains(id)) {
        seen.push(id);
        let Some(memory) = find(writer, id)? else { return Ok(None) };
        if !doomed.contains(&id) {
            return Ok(Some(id));
        }
        next = memory.superseded_by;
    }
    Ok(None)
}
