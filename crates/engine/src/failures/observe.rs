//! What an event reveals about failures: seen, tried, fixed, back again.
//!
//! The index counts every failure. It becomes a memory, with its fix in it, when it has cost enough or came back
//! (`Record::has_worth`). All its text comes from tools, and so does its origin: it can be quoted but never steers
//! an assistant.

use std::path::Path;

use hark_core::event::{Arrival, Event, EventKind};
use hark_core::failure::command::edits_by;
use hark_core::failure::record::{Record, Sight, gist, short};
use hark_core::failure::region::Region;
use hark_core::failure::trail::{Change, FixOutcome, Remedy, Trail};
use hark_core::failure::{Place, Ran, Verdict, judge};
use hark_core::{Clean, IdRef, Kind, Memory, MemoryId, Origin, Scope, Status, Timestamp};
use hark_hosts::hook::tools::{ToolClass, class_of};
use hark_store::{FailureRow, StoreError, Whereabouts, Writer};

use super::mark_of;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::hooks::boot;
use crate::project;

use super::trails::Trails;

/// An older event is history: the files on disk say nothing about it.
const JUST_HAPPENED_MS: i64 = 60 * 60 * 1000;

/// Follows the session of an event that was just filed. Returns failures that are back after another session
/// fixed them.
pub(crate) fn observe(
    writer: &mut Writer<'_>,
    trails: &mut Trails,
    session: i64,
    arrival: &Arrival,
    place: &Place,
    now: Timestamp,
) -> Result<Vec<FailureRow>, EngineError> {
    let event = &arrival.event;
    // A transcript may report a compaction after which the session was told everything again.
    if event.kind == EventKind::Compaction
        && (arrival.recorded.is_none() || !writer.was_told_since(session, boot::MARK, event.at)?)
    {
        writer.set_compacted(session, true)?;
    }
    if event.kind != EventKind::Tool || arrival.ours {
        return Ok(Vec::new());
    }
    let class = event.tool.as_ref().map_or(ToolClass::Other, |tool| class_of(tool));
    let command = event.target.as_deref().unwrap_or("");
    match class {
        ToolClass::Edit if event.ok != Some(false) && !event.touches.is_empty() => {}
        ToolClass::Shell if !command.is_empty() => {}
        _ => return Ok(Vec::new()),
    }
    let judged = (class == ToolClass::Shell).then(|| judge(command, event.ok, &event.body, place)).flatten();
    let edited = edits(event, class, command, place);
    if edited.is_empty() && judged.as_ref().is_none_or(|j| j.verdict == Verdict::Unknown) {
        return Ok(Vec::new());
    }
    // Without a project, failures in different places cannot be told apart.
    let Some(at) = writer.whereabouts(session)?.filter(|at| at.project.0 != 0) else { return Ok(Vec::new()) };
    let trail = trails.of(writer, session)?;
    let region = match class {
        ToolClass::Edit => Region::of(&event.body),
        _ => Region::default(),
    };
    for (path, gist) in &edited {
        trail.edited(path, gist, &region);
        writer.note_edit(at.project, path, event.at)?;
    }
    let mut back = Vec::new();
    if let Some(judged) = judged {
        let mut changes = trail.ran(&judged.ran, &judged.verdict);
        if arrival.recorded.is_some() {
            attempts_of_hooks(trail, &mut changes);
        }
        let live = (now.as_millis() - event.at.as_millis()).abs() < JUST_HAPPENED_MS;
        let folder = arrival.folder.as_deref().filter(|_| live).map(|f| project::work_tree(Path::new(f)));
        let mut scene = Scene { writer, session, at: &at, when: event.at, root: folder.as_deref(), trail };
        let passed = judged.verdict == Verdict::Passed;
        for change in changes {
            scene.apply(change, &mut back)?;
        }
        if passed {
            scene.close_older(&judged.ran)?;
        }
    }
    Ok(back)
}

/// Some clients report edits by hooks and failed runs only in their transcript, which is read later: the edits then
/// seem to come before all runs. A run that fails again after edits of a file that it names was an attempt in vain.
fn attempts_of_hooks(trail: &Trail, changes: &mut Vec<Change>) {
    let mut found = Vec::new();
    for change in changes.iter() {
        let Change::Seen { finding, again: true, .. } = change else { continue };
        let is_known = |other: &Change| matches!(other, Change::Tried { signature, .. } if *signature == finding.signature);
        let edits = trail.edits_of(&finding.files);
        if !edits.is_empty() && !changes.iter().any(is_known) {
            let signature = finding.signature.clone();
            found.push(Change::Tried { signature, outcome: FixOutcome::Failed, edits });
        }
    }
    changes.extend(found);
}

/// Files that an event changed, with a short description of each change.
fn edits(event: &Event, class: ToolClass, command: &str, place: &Place) -> Vec<(String, String)> {
    match class {
        ToolClass::Edit => {
            let words = gist(&event.body);
            event
                .touches
                .iter()
                .take(20)
                .map(|touch| (touch.path.trim_start_matches("./").to_owned(), words.clone()))
                .collect()
        }
        _ if event.ok != Some(false) => {
            let files = edits_by(command).into_iter().filter_map(|path| place.file(&path));
            files.map(|path| (path, format!("`{}`", short(&command.replace('`', "'"), 80)))).collect()
        }
        _ => Vec::new(),
    }
}

/// One run, with everything needed to apply its changes.
struct Scene<'a, 's> {
    writer: &'a mut Writer<'s>,
    session: i64,
    at: &'a Whereabouts,
    when: Timestamp,
    /// The project's files, if the event is recent.
    root: Option<&'a Path>,
    trail: &'a Trail,
}

impl Scene<'_, '_> {
    fn apply(&mut self, change: Change, back: &mut Vec<FailureRow>) -> Result<(), EngineError> {
        match change {
            Change::Seen { finding, ran, suspects, again } => {
                let known = self.writer.failure(self.at.project, &finding.signature)?;
                let elsewhere = known.as_ref().is_some_and(|row| row.session != self.session);
                let mut row = known.unwrap_or_else(|| self.fresh(Record::new(&finding, &ran, &suspects)));
                row.record.happened(&finding, &suspects, Sight { at: self.when, again, elsewhere });
                (row.open, row.last_at, row.session) = (true, self.when, self.session);
                self.keep(&mut row)?;
                if elsewhere && !row.record.fix.is_empty() && row.record.tells_something() {
                    back.push(row);
                }
            }
            Change::Tried { signature, outcome, edits } => {
                if let Some(mut row) = self.writer.failure(self.at.project, &signature)? {
                    row.record.attempt(outcome, &edits);
                    self.keep(&mut row)?;
                }
            }
            Change::Fixed { signature, by } => {
                if let Some(row) = self.writer.failure(self.at.project, &signature)? {
                    self.fixed(row, &by)?;
                }
            }
        }
        Ok(())
    }

    /// A pass also fixes what failed in earlier sessions.
    fn close_older(&mut self, ran: &Ran) -> Result<(), EngineError> {
        // Other checks of the same line passed with it.
        ran.with.iter().try_for_each(|other| self.close_older(other))?;
        for row in self.writer.open_failures(self.at.project, &ran.family)? {
            let record = &row.record;
            let names: Vec<String> =
                record.files.iter().chain(&record.suspects).chain(&record.symbols).cloned().collect();
            if row.session == self.session
                || !ran.answers_for(&record.family, &record.command, record.step, &names)
            {
                continue;
            }
            let edits = self.trail.edits_of(&names);
            let by = if edits.is_empty() { Remedy::Nothing } else { Remedy::Edits(edits) };
            self.fixed(row, &by)?;
        }
        Ok(())
    }

    fn fixed(&mut self, mut row: FailureRow, by: &Remedy) -> Result<(), EngineError> {
        row.record.repaired(by, self.when);
        (row.last_at, row.session) = (self.when, self.session);
        if row.record.fixed {
            (row.open, row.fixed_at) = (false, self.when);
        }
        self.keep(&mut row)?;
        let record = row.record.clone();
        for path in record.files.iter().chain(&record.suspects).chain(&record.fix_files) {
            let mark = self.root.map(|root| mark_of(root, path)).unwrap_or_default();
            self.writer.mark_target(row.num, path, &mark)?;
        }
        Ok(())
    }

    fn fresh(&self, record: Record) -> FailureRow {
        FailureRow {
            num: 0,
            project: self.at.project,
            open: true,
            last_at: self.when,
            fixed_at: Timestamp::from_millis(0),
            session: self.session,
            memory: None,
            fix: None,
            record,
        }
    }

    /// Writes the row, and its memory if it has or earned one.
    fn keep(&mut self, row: &mut FailureRow) -> Result<(), EngineError> {
        row.num = self.writer.put_failure(row)?;
        match row.memory {
            Some(id) => match self.writer.load(&IdRef::Full(id)) {
                Ok(before) => {
                    let mut after = before.clone();
                    self.tell(row, &mut after);
                    if after != before {
                        after.touch(self.when);
                        self.writer.update(&before, &after, "followed the runs")?;
                    }
                }
                // The memory was edited and cannot be parsed, or its file is gone: the row keeps counting.
                Err(StoreError::Unreadable { .. } | StoreError::NotFound { .. }) => {}
                Err(e) => return Err(e.into()),
            },
            None if row.record.has_worth() => {
                let mut memory = self.blank(&row.record.signature)?;
                self.tell(row, &mut memory);
                if self.create(&memory)? {
                    row.memory = Some(memory.id);
                }
            }
            None => {}
        }
        // Writing files updates the index, so what only the row knows comes last.
        row.num = self.writer.put_failure(row)?;
        self.note_partial_paths(row)
    }

    /// A forgotten memory does not come back because the failure happened again.
    fn create(&mut self, memory: &Memory) -> Result<bool, EngineError> {
        if self.writer.is_forgotten(&memory.id)? || self.writer.passing_of_text(&memory.body)?.is_some() {
            return Ok(false);
        }
        self.writer.create(memory)?;
        Ok(true)
    }

    fn tell(&self, row: &FailureRow, memory: &mut Memory) {
        row.record.put_into(memory);
        let status = if row.open { Status::Active } else { Status::Resolved };
        // What a person archived stays archived.
        if matches!(memory.status, Status::Active | Status::Resolved) {
            memory.set_status(status, self.when);
        }
    }

    /// A path that does not exist relative to the project root is a partial path.
    fn note_partial_paths(&mut self, row: &FailureRow) -> Result<(), EngineError> {
        for path in &row.record.files {
            let there = self.root.is_some_and(|root| root.join(path).exists());
            if !there && !row.record.suspects.contains(path) {
                self.writer.make_tail(row.num, path)?;
            }
        }
        Ok(())
    }

    /// The same events give the same memories, in whatever order transcripts are read again.
    fn blank(&self, signature: &str) -> Result<Memory, EngineError> {
        let key = self.at.key.as_ref().map_or("", |key| key.as_str());
        let kind = Kind::Failure;
        let hash = blake3::hash(format!("{kind}\n{key}\n{signature}").as_bytes());
        let mut own = [0; 10];
        own.copy_from_slice(&hash.as_bytes()[..10]);
        let mut id = MemoryId::new(self.when, own);
        while !self.writer.is_free(&id)? {
            id = MemoryId::new(self.when, Engine::random()?);
        }
        Ok(Memory {
            scope: self.at.key.clone().map_or(Scope::Global, Scope::Project),
            confidence: 0.5,
            session: Some(Clean::already_redacted(self.at.id.clone())),
            ..Memory::new(id, kind, Origin::Tool, Clean::default(), self.when)
        })
    }
}
