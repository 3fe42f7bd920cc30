//! Exports a store as one JSON document or as one record per line. It streams: a million memories need no
//! more memory than a thousand.

use std::io::{self, Write};
use std::path::Path;

use hark_core::MemoryId;
use hark_store::{Departure, Stored};
use serde::Serialize;

use super::format::{
    EntityRecord, Format, Header, HistoryRecord, LinkRecord, MemoryRecord, Record, SECTIONS, SessionRecord,
};
use crate::engine::Engine;
use crate::error::EngineError;

const PAGE: usize = 500;

/// What to write, and what the header says about it.
pub struct Selection {
    pub header: Header,
    pub memories: Departure,
    pub sessions: bool,
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Written {
    pub memories: usize,
    pub sessions: usize,
    pub revisions: usize,
    pub links: usize,
    pub entities: usize,
    pub tombstones: usize,
}

/// Writes everything that was selected. `to` names the target in errors.
pub fn write(
    engine: &Engine,
    selection: &Selection,
    format: Format,
    to: &Path,
    out: &mut dyn Write,
) -> Result<Written, EngineError> {
    let mut sheet = Sheet { out, format, section: None };
    let mut written = Written::default();
    sheet.begin(&selection.header).map_err(|e| io_error(to, e))?;
    memories(engine, selection, &mut |stored| {
        let Some(record) = memory_record(engine, stored)? else { return Ok(()) };
        written.memories += 1;
        sheet.put(&Record::Memory(record)).map_err(|e| io_error(to, e))
    })?;
    memories(engine, selection, &mut |stored| {
        let history = engine.store.history(&stored.memory.id)?;
        if history.is_empty() {
            return Ok(());
        }
        written.revisions += history.len();
        let revisions = history.iter().map(|r| serde_json::to_value(r).unwrap_or_default()).collect();
        let record = HistoryRecord { id: stored.memory.id.full(), revisions };
        sheet.put(&Record::History(record)).map_err(|e| io_error(to, e))
    })?;
    memories(engine, selection, &mut |stored| {
        for link in &stored.memory.links {
            written.links += 1;
            let record = LinkRecord {
                from: stored.memory.id.full(),
                relation: link.relation.name().to_owned(),
                to: link.to.full(),
                weight: link.weight,
                origin: link.origin.name().to_owned(),
            };
            sheet.put(&Record::Link(record)).map_err(|e| io_error(to, e))?;
        }
        Ok(())
    })?;
    let entities = engine.store.departing_entities(&selection.memories, |total| {
        written.entities += 1;
        sheet.put(&Record::Entity(EntityRecord {
            kind: total.kind,
            name: total.name,
            project: total.project,
            mentions: total.mentions,
        }))
    })?;
    entities.map_err(|e| io_error(to, e))?;
    if selection.sessions {
        let chosen = &selection.memories;
        for (id, file) in engine.store.departing_sessions(chosen.projects.as_deref(), chosen.since)? {
            let Some(text) = engine.store.session_text(&file)? else { continue };
            written.sessions += 1;
            let record = SessionRecord { id: id.full(), file: Some(file), text };
            sheet.put(&Record::Session(record)).map_err(|e| io_error(to, e))?;
        }
    }
    // What was forgotten concerns the store as a whole.
    if selection.header.chosen.is_everything() {
        for stone in engine.store.tombstones()? {
            written.tombstones += 1;
            sheet.put(&Record::Tombstone(stone)).map_err(|e| io_error(to, e))?;
        }
    }
    sheet.end().map_err(|e| io_error(to, e))?;
    Ok(written)
}

/// The same for people, as a folder of files.
pub fn to_folder(engine: &Engine, selection: &Selection, to: &Path) -> Result<Written, EngineError> {
    super::markdown::write(engine, selection, to)
}

/// Every selected memory in the order of ids, a page at a time.
pub(super) fn memories(
    engine: &Engine,
    selection: &Selection,
    each: &mut dyn FnMut(&Stored) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let mut after: Option<MemoryId> = None;
    loop {
        let page = engine.store.departing(&selection.memories, after, PAGE)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.memory.id);
        for stored in &page {
            each(stored)?;
        }
    }
}

/// `None` if the file was removed in the meantime.
fn memory_record(engine: &Engine, stored: &Stored) -> Result<Option<MemoryRecord>, EngineError> {
    let Some(text) = engine.store.text_of(stored)? else { return Ok(None) };
    let memory = &stored.memory;
    Ok(Some(MemoryRecord {
        id: memory.id.full(),
        kind: memory.kind.to_string(),
        status: memory.status.to_string(),
        project: memory.scope.project().map(ToString::to_string),
        title: memory.title.to_string(),
        created: memory.created.to_string(),
        updated: memory.updated.to_string(),
        entities: engine.store.entity_names(stored.num)?,
        file: Some(stored.name().to_owned()),
        text,
    }))
}

pub(super) fn io_error(path: &Path, source: io::Error) -> EngineError {
    hark_store::StoreError::io(path, source).into()
}

/// Lays records out: brackets and commas in a document, nothing but lines in a stream.
struct Sheet<'w> {
    out: &'w mut dyn Write,
    format: Format,
    /// The open section of a document, and whether it has a record yet.
    section: Option<(usize, bool)>,
}

impl Sheet<'_> {
    fn begin(&mut self, header: &Header) -> io::Result<()> {
        let text = serde_json::to_string(header)?;
        match self.format {
            Format::Ndjson => writeln!(self.out, "{text}"),
            _ => write!(self.out, "{}", text.strip_suffix('}').unwrap_or(&text)),
        }
    }

    fn put(&mut self, record: &Record) -> io::Result<()> {
        if self.format == Format::Ndjson {
            serde_json::to_writer(&mut *self.out, record)?;
            return self.out.write_all(b"\n");
        }
        let wanted = SECTIONS.iter().position(|name| *name == record.section()).unwrap_or(0);
        self.open(wanted)?;
        let begun = self.section.is_some_and(|(_, begun)| begun);
        self.out.write_all(if begun { b",\n" } else { b"\n" })?;
        self.section = Some((wanted, true));
        serde_json::to_writer(&mut *self.out, record)?;
        Ok(())
    }

    /// Closes what is open and opens every section up to the wanted one.
    fn open(&mut self, wanted: usize) -> io::Result<()> {
        let mut next = match self.section {
            Some((at, _)) if at >= wanted => return Ok(()),
            Some((at, begun)) => {
                self.out.write_all(if begun { b"\n]" } else { b"]" })?;
                at + 1
            }
            None => 0,
        };
        loop {
            write!(self.out, ",\n\"{}\":[", SECTIONS[next])?;
            self.section = Some((next, false));
            if next == wanted {
                return Ok(());
            }
            self.out.write_all(b"]")?;
            next += 1;
        }
    }

    fn end(&mut self) -> io::Result<()> {
        if self.format != Format::Ndjson {
            self.open(SECTIONS.len() - 1)?;
            let begun = self.section.is_some_and(|(_, begun)| begun);
            self.out.write_all(if begun { b"\n]}\n" } else { b"]}\n" })?;
        }
        self.out.flush()
    }
}
