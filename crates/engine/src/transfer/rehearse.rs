//! Shows what an import would do, without doing it: `hark import --dry-run`.

use hark_core::IdRef;
use hark_store::StoreError;

use super::import::{Intake, Item, Tally, is_known, memory_of};
use super::merge::{Merge, merge};
use crate::engine::Engine;
use crate::error::EngineError;

impl Intake<'_> {
    pub(super) fn rehearse(&mut self, item: &Item) -> Result<(), EngineError> {
        let store = &self.engine.store;
        if let Item::Tombstone(stone) = item
            && is_known(&mut self.stones, stone, || store.tombstones())?
        {
            return Ok(());
        }
        rehearse_one(self.engine, item, &mut self.tally)
    }
}

fn rehearse_one(engine: &Engine, item: &Item, tally: &mut Tally) -> Result<(), EngineError> {
    match item {
        Item::Memory(arrival, _) => {
            tally.redacted += usize::from(arrival.redacted);
            let (id, body) = (&arrival.what.id, &arrival.what.body);
            if engine.store.is_forgotten(id)? || engine.store.passing_of_text(body)?.is_some() {
                tally.refused += 1;
                return Ok(());
            }
            let ours = match engine.store.find(&IdRef::Full(arrival.what.id)) {
                Ok(stored) => stored.memory,
                Err(StoreError::NotFound { .. }) => {
                    tally.added += 1;
                    return Ok(());
                }
                Err(e) => return Err(e.into()),
            };
            match merge(&ours, &arrival.what) {
                Merge::Unchanged | Merge::Older => tally.unchanged += 1,
                Merge::Refused => tally.refused += 1,
                Merge::Theirs | Merge::Both(_) => tally.updated += 1,
            }
        }
        Item::History(id, arrival) => {
            let known = engine.store.history(id)?;
            tally.revisions += arrival.what.iter().filter(|r| !known.contains(r)).count();
        }
        Item::Tombstone(stone) => {
            let stands = match memory_of(stone).map(|id| engine.store.find(&IdRef::Full(id))) {
                None | Some(Err(StoreError::NotFound { .. })) => false,
                Some(found) => found.map(|_| true)?,
            };
            tally.tombstones += usize::from(!stands);
        }
        Item::Session(arrival) => {
            if engine.store.knows_run(&arrival.what)? {
                tally.sessions_unchanged += 1;
            } else {
                tally.sessions_added += 1;
            }
        }
        Item::Problem(what) => tally.problem(what),
    }
    Ok(())
}
