//! Imports records, many per transaction. The same rules apply to every source: the text is redacted,
//! existing memories are merged, and importing twice changes nothing.
//!
//! Files are the truth and come first; a transaction that was killed leaves files without rows, which the next
//! opening files. Ids decide what is there already. So an import that was killed is simply started again.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use hark_core::{Clean, IdRef, Memory, MemoryId, Session};
use hark_store::tombstones::Tombstone;
use hark_store::{Arrived, Prepared, Revision, StoreError, Writer};
use schemars::JsonSchema;
use serde::Serialize;

use super::arrival::Arrival;
pub use super::arrival::Trust;
use super::merge::{Merge, merge};
use super::read::Source;
use super::seal::Passphrase;
use super::unpack::{self, Unpacker};
use crate::engine::Engine;
use crate::error::EngineError;

/// A transaction goes on for so long, and for so many records if the machine is slow. The more it holds, the fewer
/// pages of the index are written again by the next.
const LONG: Duration = Duration::from_secs(15);
const MANY: usize = 20_000;
/// Other writers wait for it, for at most a minute.
const LONGEST: Duration = Duration::from_secs(35);
/// How often waiting writers poll the lock.
const OTHERS_TURN: Duration = Duration::from_millis(120);
/// How often progress is reported.
const STEP: usize = 500;
/// The most problems that are reported individually.
const TOLD: usize = 20;

/// The result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Tally {
    /// Memories that are new here.
    pub added: usize,
    /// Memories that were here and changed.
    pub updated: usize,
    /// Memories that were here and say the same, or something newer.
    pub unchanged: usize,
    /// Memories that were refused, or may not replace existing ones.
    pub refused: usize,
    pub sessions_added: usize,
    pub sessions_updated: usize,
    pub sessions_unchanged: usize,
    /// Earlier revisions that were not known here.
    pub revisions: usize,
    /// Records forgotten elsewhere, which must not be imported here either.
    pub tombstones: usize,
    /// Records with secrets, which were redacted.
    pub redacted: usize,
    /// Records that could not be read.
    pub unreadable: usize,
    /// The first of them, and why.
    pub problems: Vec<String>,
}

impl Tally {
    /// Memories and sessions that were checked.
    pub fn handled(&self) -> usize {
        let memories = self.added + self.updated + self.unchanged + self.refused;
        memories + self.sessions_added + self.sessions_updated + self.sessions_unchanged
    }
}

/// How far it is: done, and how many in all.
pub type Progress<'p> = &'p mut dyn FnMut(usize, usize);

pub(super) enum Item {
    Memory(Box<Arrival<Memory>>, Option<Box<Prepared>>),
    History(MemoryId, Arrival<Vec<Revision>>),
    Session(Box<Arrival<Session>>),
    Tombstone(Tombstone),
    /// A record that is nothing of this, and why.
    Problem(String),
}

/// Things that came together, and how many memories and sessions had come by then.
pub(super) struct Block {
    pub(super) items: Vec<Item>,
    pub(super) done: usize,
}

/// Imports a whole export.
pub fn read(
    engine: &mut Engine,
    path: &Path,
    passphrase: Option<&Passphrase>,
    trust: Trust,
    dry_run: bool,
    progress: Progress<'_>,
) -> Result<Tally, EngineError> {
    let source = Source::open(path, passphrase)?;
    // Check all of it before changing anything.
    let mut total = 0;
    source.each(&mut |record, _| {
        total += usize::from(unpack::counts(&record));
        Ok(())
    })?;
    let unpacker = Unpacker::new(engine, trust, total, dry_run)?;
    // One thread reads, redacts and analyses; this one writes.
    let tally = std::thread::scope(|scope| {
        let (sender, receiver) = std::sync::mpsc::sync_channel(unpack::BLOCKS_AHEAD);
        let reader = scope.spawn(move || unpacker.run(&source, &sender));
        let mut told = 0;
        let taken = Intake::new(engine, dry_run).take(receiver.into_iter(), &mut |done| {
            if done / STEP > told / STEP {
                progress(done, total);
            }
            told = done;
        });
        let read = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // The error that stopped the writer also stopped the reader.
        taken.and_then(|tally| read.map(|()| tally))
    })?;
    progress(total, total);
    Ok(tally)
}

/// The single entry point of all imports.
pub(super) struct Intake<'e> {
    pub(super) engine: &'e mut Engine,
    dry_run: bool,
    pub(super) tally: Tally,
    /// Tombstones as lines; read when the first one comes.
    pub(super) stones: Option<HashSet<String>>,
}

impl<'e> Intake<'e> {
    pub(super) fn new(engine: &'e mut Engine, dry_run: bool) -> Self {
        Intake { engine, dry_run, tally: Tally::default(), stones: None }
    }

    pub(super) fn take(
        mut self,
        mut blocks: impl Iterator<Item = Block>,
        told: &mut dyn FnMut(usize),
    ) -> Result<Tally, EngineError> {
        if self.dry_run {
            for Block { items, done } in blocks {
                for item in &items {
                    self.rehearse(item)?;
                }
                told(done);
            }
            return Ok(self.tally);
        }
        self.engine.store.prepare_for_many();
        let outcome = self.write_all(&mut blocks, told);
        self.engine.store.done_with_many();
        outcome.map(|()| self.tally)
    }

    fn write_all(
        &mut self,
        blocks: &mut dyn Iterator<Item = Block>,
        told: &mut dyn FnMut(usize),
    ) -> Result<(), EngineError> {
        let mut next = blocks.next();
        while let Some(first) = next {
            let now = self.engine.now();
            let Intake { tally, stones, .. } = self;
            let (sum, following) = self.engine.store.write_many(now, |writer| {
                let (began, mut taken) = (Instant::now(), 0);
                let (mut sum, mut block) = (tally.clone(), Some(first));
                while let Some(Block { items, done }) = block {
                    taken += items.len();
                    for item in items {
                        take_in(writer, item, &mut sum, stones)?;
                    }
                    told(done);
                    block = blocks.next();
                    let spent = began.elapsed();
                    if spent >= LONGEST || (spent >= LONG && taken >= MANY) {
                        break;
                    }
                }
                Ok::<_, EngineError>((sum, block))
            })?;
            self.tally = sum;
            next = following;
            if next.is_some() {
                std::thread::sleep(OTHERS_TURN);
            }
        }
        Ok(())
    }
}

impl Tally {
    pub(super) fn problem(&mut self, what: &str) {
        self.unreadable += 1;
        if self.problems.len() < TOLD {
            self.problems.push(what.to_owned());
        }
    }
}

/// Whether a tombstone is among these already; from now on it is.
pub(super) fn is_known(
    stones: &mut Option<HashSet<String>>,
    stone: &Tombstone,
    read: impl FnOnce() -> Result<Vec<Tombstone>, StoreError>,
) -> Result<bool, StoreError> {
    let line = |stone: &Tombstone| serde_json::to_string(stone).unwrap_or_default();
    let stones = match stones {
        Some(stones) => stones,
        None => stones.insert(read()?.iter().map(line).collect()),
    };
    Ok(!stones.insert(line(stone)))
}

fn take_in(
    writer: &mut Writer<'_>,
    item: Item,
    tally: &mut Tally,
    stones: &mut Option<HashSet<String>>,
) -> Result<(), EngineError> {
    match item {
        Item::Memory(arrival, prepared) => {
            tally.redacted += usize::from(arrival.redacted);
            take_memory(writer, &arrival, prepared.map(|prepared| *prepared), tally)
        }
        Item::History(id, arrival) => {
            tally.redacted += usize::from(arrival.redacted);
            if writer.look_up(&id)?.is_some() {
                tally.revisions += writer.add_history(&id, &arrival.what)?;
            }
            Ok(())
        }
        Item::Tombstone(stone) => {
            if is_known(stones, &stone, || writer.tombstones())? {
                return Ok(());
            }
            // An import adds, it does not remove.
            let stands = match memory_of(&stone) {
                Some(id) => writer.look_up(&id)?.is_some(),
                None => false,
            };
            if !stands {
                writer.take_tombstone(&stone)?;
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
        Item::Problem(what) => {
            tally.problem(&what);
            Ok(())
        }
    }
}

fn take_memory(
    writer: &mut Writer<'_>,
    arrival: &Arrival<Memory>,
    prepared: Option<Prepared>,
    tally: &mut Tally,
) -> Result<(), EngineError> {
    let theirs = &arrival.what;
    // Forgotten here: only the user can restore it.
    if writer.is_forgotten(&theirs.id)? || writer.passing_of_text(&theirs.body)?.is_some() {
        tally.refused += 1;
        return Ok(());
    }
    let Some(ours) = writer.look_up(&theirs.id)? else {
        writer.arrive(theirs, arrival.file.as_deref(), arrival.verbatim.as_ref(), prepared)?;
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
    let revision = Revision {
        at: older.updated,
        change: Clean::trusted_constant("imported"),
        reason: None,
        before: older.clone(),
    };
    writer.add_history(&older.id, &[revision])
}

pub(super) fn memory_of(stone: &Tombstone) -> Option<MemoryId> {
    match stone.id.as_deref()?.parse() {
        Ok(IdRef::Full(id)) => Some(id),
        _ => None,
    }
}
