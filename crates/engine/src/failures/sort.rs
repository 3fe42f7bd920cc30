//! Archives, once, the failures and fixes that earlier versions stored although they had cost nothing. The rows stay,
//! so `hark failures` still shows them, and `hark undo ID` brings a memory back.

use hark_core::failure::record::Record;
use hark_core::{Clean, IdRef, Kind, Memory, Origin, Relation, Status, Timestamp};
use hark_store::{ListFilter, ListOrder, StoreError};

use crate::engine::Engine;
use crate::error::EngineError;

/// The note of the migration.
const TO_SORT: &str = "failures_to_sort";
/// So many at a time, so that other writers do not wait.
const MOST_AT_ONCE: usize = 100;
const WHY: &str = "it cost little and did not come back; see `hark failures`";

/// Archives the next ones; returns how many.
pub(crate) fn in_background(engine: &mut Engine, now: Timestamp) -> Result<usize, EngineError> {
    if engine.store.noted(TO_SORT)?.is_none() {
        return Ok(0);
    }
    let filter = ListFilter {
        kinds: vec![Kind::Failure, Kind::Fix],
        statuses: vec![Status::Active, Status::Resolved],
        ..ListFilter::default()
    };
    let all = engine.store.list(&filter, ListOrder::OldestFirst, usize::MAX / 2)?;
    let mut chosen: Vec<Memory> = all.into_iter().map(|stored| stored.memory).filter(is_cheap).collect();
    chosen.truncate(MOST_AT_ONCE);
    for memory in &chosen {
        archive(engine, memory, now)?;
    }
    if chosen.len() < MOST_AT_ONCE {
        engine.store.unnote(TO_SORT)?;
    }
    Ok(chosen.len())
}

/// Whether Hark itself made it and it has not earned its place: a failure of no worth, or a fix, which now stands in
/// the memory of its failure. What a person pinned, rated or wrote stays.
fn is_cheap(memory: &Memory) -> bool {
    if memory.origin != Origin::Tool || memory.pinned {
        return false;
    }
    match memory.kind {
        Kind::Failure => Record::tracked(memory).is_some_and(|record| !record.has_worth()),
        Kind::Fix => {
            memory.links.iter().any(|link| link.relation == Relation::Fixes && link.origin == Origin::Tool)
        }
        _ => false,
    }
}

fn archive(engine: &mut Engine, memory: &Memory, now: Timestamp) -> Result<(), EngineError> {
    let why = Clean::trusted_constant(WHY);
    engine.store.write(now, |writer| {
        let before = match writer.load(&IdRef::Full(memory.id)) {
            Ok(before) => before,
            // Edited by hand and unreadable, or gone: not ours to touch.
            Err(StoreError::Unreadable { .. } | StoreError::NotFound { .. }) => return Ok(()),
            Err(e) => return Err(EngineError::from(e)),
        };
        let row = writer.failure_of_memory(&memory.id)?;
        let mut after = before.clone();
        after.set_status(Status::Archived, now);
        after.touch(now);
        match writer.update_because(&before, &after, "archived", Some(&why)) {
            // A read-only layer keeps what it has.
            Err(StoreError::ReadOnly { .. } | StoreError::Untrusted { .. }) => return Ok(()),
            other => other?,
        }
        // An archived memory takes its row along; this one goes on counting.
        if let Some(mut row) = row {
            row.memory = None;
            writer.put_failure(&row)?;
        }
        Ok(())
    })
}
