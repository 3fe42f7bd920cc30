//! Turns records of an export into records that may be stored. It needs neither the lock nor the database, so it
//! runs on its own thread, a few blocks ahead of the writer.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use hark_core::redact::Redactor;
use hark_core::{IdRef, MemoryId};
use hark_store::Preparer;

use super::arrival::{self, Trust};
use super::format::Record;
use super::import::{Block, Item};
use super::read::Source;
use crate::engine::Engine;
use crate::error::EngineError;

/// A block is handed on with so many records, or bytes.
const BLOCK: usize = 64;
const BLOCK_BYTES: usize = 1024 * 1024;
/// So many blocks may wait.
pub(super) const BLOCKS_AHEAD: usize = 8;
/// From here on it is worth knowing beforehand which memories are here already.
const MANY: usize = 1_000;

pub(super) fn counts(record: &Record) -> bool {
    matches!(record, Record::Memory(_) | Record::Session(_))
}

pub(super) struct Unpacker {
    redactor: Arc<Redactor>,
    trust: Trust,
    /// Works out what the index will hold of a memory. Nobody needs it of one that is only looked at.
    preparer: Option<Preparer>,
    /// Memories that are here: nothing is worked out of those, most of them say what they said.
    here: HashSet<MemoryId>,
}

impl Unpacker {
    pub(super) fn new(
        engine: &Engine,
        trust: Trust,
        total: usize,
        dry_run: bool,
    ) -> Result<Self, EngineError> {
        let store = &engine.store;
        let here = if total < MANY || dry_run { HashSet::new() } else { store.ids()? };
        let preparer = (!dry_run).then(|| store.preparer());
        Ok(Unpacker { redactor: engine.redactor(), trust, preparer, here })
    }

    /// Sends every record of an export, in order, until the receiver stops.
    pub(super) fn run(&self, source: &Source, sender: &SyncSender<Block>) -> Result<(), EngineError> {
        let (mut items, mut bytes, mut done, mut is_heard) = (Vec::new(), 0, 0, true);
        source.each(&mut |record, place| {
            if !is_heard {
                return Ok(());
            }
            done += usize::from(counts(&record));
            bytes += record.weight();
            match self.item(record) {
                Ok(item) => items.extend(item),
                Err(reason) => items.push(Item::Problem(format!("{place}: {reason}"))),
            }
            if items.len() >= BLOCK || bytes >= BLOCK_BYTES {
                bytes = 0;
                is_heard = sender.send(Block { items: std::mem::take(&mut items), done }).is_ok();
            }
            Ok(())
        })?;
        // If the receiver stopped, it knows why.
        if !items.is_empty() {
            let _ = sender.send(Block { items, done });
        }
        Ok(())
    }

    fn item(&self, record: Record) -> Result<Option<Item>, String> {
        let redactor = &self.redactor;
        Ok(Some(match record {
            Record::Memory(record) => {
                let arrival = arrival::memory(record, redactor, self.trust)?;
                let preparer = self.preparer.as_ref().filter(|_| !self.here.contains(&arrival.what.id));
                let prepared = preparer.map(|preparer| Box::new(preparer.prepare(&arrival.what)));
                Item::Memory(Box::new(arrival), prepared)
            }
            Record::Session(record) => Item::Session(Box::new(arrival::session(record, redactor)?)),
            Record::History(record) => match record.id.parse() {
                Ok(IdRef::Full(id)) => Item::History(id, arrival::history(record, redactor)?),
                _ => return Err("its id is not a full id".to_owned()),
            },
            // Only the user's own tombstones remove something.
            Record::Tombstone(_) if self.trust == Trust::Others => return Ok(None),
            Record::Tombstone(stone) => Item::Tombstone(arrival::tombstone(stone)?),
            // Both follow from the files.
            Record::Link(_) | Record::Entity(_) => return Ok(None),
        }))
    }
}
