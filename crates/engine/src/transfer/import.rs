//! Takes things in, many to a transaction. Whatever the source, the same rules hold: the redactor has
//! seen it, what is here already is merged, and doing it twice changes nothing.
//!
//! A batch is all there or not at all, and ids decide what is there already. So an import that was
//! killed is simply started again.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use hark_core::redact::Redactor;
use hark_core::{Clean, IdRef, Memory, MemoryId, Session};
use hark_store::tombstones::Tombstone;
use hark_store::{Arrived, Revision, StoreError, Writer};
use schemars::JsonSchema;
use serde::Serialize;

pub use super::arrival::Trust;
use super::arrival::{self, Arrival};
use super::format::Record;
use super::merge::{Merge, merge};
use super::read::{Place, Source};
use super::seal::Passphrase;
use crate::engine::Engine;
use crate::error::EngineError;

const BATCH: usize = 500;
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// So many problems are told one by one.
const TOLD: usize = 20;

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Tally {
    /// Memories that are new here.
    pub added: usize,
    /// Memories that were here and changed.
    pub updated: usize,
    /// Memories that were here and say the same, or something newer.
    pub unchanged: usize,
    /// Memories that may not come in or may not replace what is here.
    pub refused: usize,
    pub sessions_added: usize,
    pub sessions_updated: usize,
    pub sessions_unchanged: usize,
    /// Former states that were not known here.
    pub revisions: usize,
    /// Things forgotten elsewhere, which are not to come here either.
    pub tombstones: usize,
    /// Things that held something secret, which was taken out.
    pub redacted: usize,
    /// Records that could not be read.
    pub unreadable: usize,
    /// The first of them, and why.
    pub problems: Vec<String>,
}

impl Tally {
    /// Memories and sessions that were looked at.
    pub fn handled(&self) -> usize {
        let memories = self.added + self.updated + self.unchanged + self.refused;
        memories + self.sessions_added + self.sessions_updated + self.sessions_unchanged
    }
}

/// How far it is: done, and how many in all.
pub type Progress<'p> = &'p mut dyn FnMut(usize, usize);

pub(super) enum Item {
    Memory(Box<Arrival<Memory>>),
    History(MemoryId, Arrival<Vec<Revision>>),
    Session(Box<Arrival<Session>>),
    Tombstone(Tombstone),
}

/// Takes in a whole export.
pub fn read(
    engine: &mut Engine,
    path: &Path,
    passphrase: Option<&Passphrase>,
    trust: Trust,
    dry_run: bool,
    progress: Progress<'_>,
) -> Result<Tally, EngineError> {
    let source = Source::open(path, passphrase)?;
    // All of it is looked at before anything is changed.
    let mut total = 0;
    source.each(&mut |record, _| {
        total += usize::from(counts(&record));
        Ok(())
    })?;
    let mut intake = Intake::new(engine, dry_run);
    let mut done = 0;
    source.each(&mut |record, place| {
        done += usize::from(counts(&record));
        intake.record(record, &place, trust)?;
        if done % BATCH == 0 {
            progress(done, total);
        }
        Ok(())
    })?;
    progress(total, total);
    intake.finish()
}

fn counts(record: &Record) -> bool {
    matches!(record, Record::Memory(_) | Record::Session(_))
}

/// Things on their way in, gathered into batches.
pub(super) struct Intake<'e> {
    engine: &'e mut Engine,
    redactor: Arc<Redactor>,
    dry_run: bool,
    tally: Tally,
    batch: Vec<Item>,
    bytes: usize,
    /// Tombstones as lines; read when the first one comes.
    stones: Option<HashSet<String>>,
}

impl<'e> Intake<'e> {
    pub(super) fn new(engine: &'e mut Engine, dry_run: bool) -> Self {
        let redactor = engine.redactor();
        engine.store.prepare_for_many();
        Intake {
            engine,
            redactor,
            dry_run,
            tally: Tally::default(),
            batch: Vec::new(),
            bytes: 0,
            stones: None,
        }
    }

    fn record(&mut self, record: Record, place: &Place, trust: Trust) -> Result<(), EngineError> {
        let bytes = record.weight();
        let item = match record {
            Record::Memory(record) => {
                arrival::memory(record, &self.redactor, trust).map(|a| Item::Memory(Box::new(a)))
            }
            Record::Session(record) => {
                arrival::session(record, &self.redactor).map(|a| Item::Session(Box::new(a)))
            }
            Record::History(record) => match record.id.parse() {
                Ok(IdRef::Full(id)) => arrival::history(record, &self.redactor).map(|a| Item::History(id, a)),
                _ => Err("its id is not a whole id".to_owned()),
            },
            // Whoever exported it, only one's own wish takes something away.
            Record::Tombstone(_) if trust == Trust::Others => return Ok(()),
            Record::Tombstone(stone) => match arrival::tombstone(stone) {
                Ok(stone) if self.knows(&stone)? => return Ok(()),
                checked => checked.map(Item::Tombstone),
            },
            // Both follow from the files.
            Record::Link(_) | Record::Entity(_) => return Ok(()),
        };
        match item {
            Ok(item) => self.item(item, bytes),
            Err(reason) => {
                self.problem(format!("{place}: {reason}"));
                Ok(())
            }
        }
    }

    /// Whether a tombstone is here already, or has come by in this import.
    fn knows(&mut self, stone: &Tombstone) -> Result<bool, EngineError> {
        let line = |stone: &Tombstone| serde_json::to_string(stone).unwrap_or_default();
        if self.stones.is_none() {
            self.stones = Some(self.engine.store.tombstones()?.iter().map(line).collect());
        }
        Ok(!self.stones.get_or_insert_default().insert(line(stone)))
    }

    pub(super) fn problem(&mut self, what: String) {
        self.tally.unreadable += 1;
        if self.tally.problems.len() < TOLD {
            self.tally.problems.push(what);
        }
    }

    pub(super) fn item(&mut self, item: Item, bytes: usize) -> Result<(), EngineError> {
        self.batch.push(item);
        self.bytes += bytes;
        if self.batch.len() >= BATCH || self.bytes >= BATCH_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        let batch = std::mem::take(&mut self.batch);
        self.bytes = 0;
        let now = self.engine.now();
        if self.dry_run {
            for item in &batch {
                rehearse(self.engine, item, &mut self.tally)?;
            }
            return Ok(());
        }
        let tally = self.engine.store.write(now, |writer| {
            let mut tally = self.tally.clone();
            for item in &batch {
                take_in(writer, item, &mut tally)?;
            }
            Ok::<_, EngineError>(tally)
        })?;
        self.tally = tally;
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Tally, EngineError> {
        let outcome = self.flush();
        self.engine.store.done_with_many();
        outcome.map(|()| self.tally)
    }
}

fn take_in(writer: &mut Writer<'_>, item: &Item, tally: &mut Tally) -> Result<(), EngineError> {
    match item {
        Item::Memory(arrival) => {
            tally.redacted += usize::from(arrival.redacted);
            take_memory(writer, arrival, tally)
        }
        Item::History(id, arrival) => {
            tally.redacted += usize::from(arrival.redacted);
            if writer.look_up(id)?.is_some() {
                tally.revisions += writer.add_history(id, &arrival.what)?;
            }
            Ok(())
        }
        Item::Tombstone(stone) => {
            // An import adds, it does not remove.
            let stands = match memory_of(stone) {
                Some(id) => writer.look_up(&id)?.is_some(),
                None => false,
            };
            if !stands {
                writer.take_tombstone(stone)?;
                tally.tombstones += 1;
            }
            Ok(())
        }
        Item::Session(arrival)
            if writer.is_session_forgotten(&arrival.what.host, &arrival.what.host_session)? =>
        {
            tally.refused += 1;
            Ok(())
        }
        Item::Session(arrival) => {
            tally.redacted += usize::from(arrival.redacted);
            let file = arrival.file.as_deref();
            match writer.arrive_session(&arrival.what, file, arrival.verbatim.as_ref())? {
                Arrived::New => tally.sessions_added += 1,
                Arrived::Newer => tally.sessions_updated += 1,
                Arrived::Known => tally.sessions_unchanged += 1,
            }
            Ok(())
        }
    }
}

fn take_memory(
    writer: &mut Writer<'_>,
    arrival: &Arrival<Memory>,
    tally: &mut Tally,
) -> Result<(), EngineError> {
    let theirs = &arrival.what;
    // Forgotten here: nothing but the user's own word brings it back.
    if writer.is_forgotten(&theirs.id)? || writer.passing_of_text(&theirs.body)?.is_some() {
        tally.refused += 1;
        return Ok(());
    }
    let Some(ours) = writer.look_up(&theirs.id)? else {
        writer.arrive(theirs, arrival.file.as_deref(), arrival.verbatim.as_ref())?;
        tally.added += 1;
        return Ok(());
    };
    match merge(&ours, theirs) {
        Merge::Unchanged => tally.unchanged += 1,
        Merge::Refused => tally.refused += 1,
        Merge::Older => {
            tally.unchanged += 1;
            tally.revisions += keep_older(writer, theirs)?;
        }
        Merge::Theirs => {
            writer.update(&ours, theirs, "imported")?;
            tally.updated += 1;
        }
        Merge::Both(merged) => {
            writer.update(&ours, &merged, "merged")?;
            tally.revisions += keep_older(writer, theirs)?;
            tally.updated += 1;
        }
    }
    Ok(())
}

/// A state that lost is history, unless it is known there.
fn keep_older(writer: &mut Writer<'_>, older: &Memory) -> Result<usize, StoreError> {
    let known = writer.history(&older.id)?;
    let current = writer.look_up(&older.id)?;
    if known.iter().any(|r| r.before == *older) || current.is_some_and(|m| m.updated <= older.updated) {
        return Ok(0);
    }
    let revision =
        Revision { at: older.updated, change: Clean::trusted_constant("imported"), before: older.clone() };
    writer.add_history(&older.id, &[revision])
}

fn memory_of(stone: &Tombstone) -> Option<MemoryId> {
    match stone.id.as_deref()?.parse() {
        Ok(IdRef::Full(id)) => Some(id),
        _ => None,
    }
}

/// What taking it in would do.
fn rehearse(engine: &Engine, item: &Item, tally: &mut Tally) -> Result<(), EngineError> {
    match item {
        Item::Memory(arrival) => {
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
    }
    Ok(())
}
