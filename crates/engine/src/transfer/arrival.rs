//! Turns imported text into a memory or session that may be stored: redacted, with the bytes of its file
//! kept if the redactor changes nothing.

use std::cell::Cell;

use hark_core::markdown::{self, ParseError};
use hark_core::memory::UnknownKey;
use hark_core::redact::{Redactor, Unredacted};
use hark_core::{Clean, IdRef, Kind, Memory, Origin, Raw, Session};
use hark_store::Revision;
use hark_store::tombstones::Tombstone;

use super::format::{HistoryRecord, MemoryRecord, SessionRecord};

/// A record to store.
pub(super) struct Arrival<T> {
    pub(super) what: T,
    /// The name its file had.
    pub(super) file: Option<String>,
    /// The text of its file, if it differs from what hark would write.
    pub(super) verbatim: Option<Clean>,
    /// Whether the redactor removed something.
    pub(super) redacted: bool,
}

/// A redactor that remembers whether it changed anything.
struct Watch<'r> {
    redactor: &'r Redactor,
    changed: Cell<bool>,
}

impl<'r> Watch<'r> {
    fn new(redactor: &'r Redactor) -> Self {
        Watch { redactor, changed: Cell::new(false) }
    }

    fn clean(&self, raw: Raw) -> Clean {
        let (clean, findings) = self.redactor.clean_with_findings(raw);
        if !findings.is_empty() {
            self.changed.set(true);
        }
        clean
    }
}

/// Another person's export may be stored, but it does not count as the user's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trust {
    /// The user's own export: origins stay unchanged.
    #[default]
    Own,
    Others,
}

pub(super) fn memory(
    record: MemoryRecord,
    redactor: &Redactor,
    trust: Trust,
) -> Result<Arrival<Memory>, String> {
    let watch = Watch::new(redactor);
    let mut memory =
        markdown::parse(&record.text, &|raw| watch.clean(raw)).map_err(|e| reason(redactor, &e))?;
    if !record.id.eq_ignore_ascii_case(&memory.id.full()) {
        return Err("its id differs from the id in its text".to_owned());
    }
    without_redacted_keys(&mut memory.unknown);
    let own_words = demote(&mut memory, trust);
    let same = record.text == markdown::render(&memory);
    let kept = (own_words && !watch.changed.get() && !same).then(|| whole(redactor, record.text)).flatten();
    Ok(Arrival {
        file: safe_name(record.file, redactor),
        verbatim: kept,
        redacted: watch.changed.get(),
        what: memory,
    })
}

/// Keys of other programs stay as they are or go: a key with a hole in it is nobody's.
fn without_redacted_keys(unknown: &mut Vec<UnknownKey>) {
    unknown.retain(|entry| !entry.key.contains("[REDACTED:") && !entry.key.contains("[PRIVATE]"));
}

/// False if the memory is no longer what it says.
fn demote(memory: &mut Memory, trust: Trust) -> bool {
    if trust == Trust::Own {
        return true;
    }
    if memory.origin == Origin::User {
        memory.origin = Origin::Teammate;
    }
    if !memory.origin.may_become(memory.kind) {
        memory.kind = Kind::Convention;
    }
    memory.pinned = false;
    false
}

pub(super) fn session(record: SessionRecord, redactor: &Redactor) -> Result<Arrival<Session>, String> {
    let watch = Watch::new(redactor);
    let mut session =
        markdown::session::parse(&record.text, &|raw| watch.clean(raw)).map_err(|e| reason(redactor, &e))?;
    without_redacted_keys(&mut session.unknown);
    if !record.id.eq_ignore_ascii_case(&session.id.full()) {
        return Err("its id differs from the id in its text".to_owned());
    }
    let same = record.text == markdown::session::render(&session);
    let kept = (!watch.changed.get() && !same).then(|| whole(redactor, record.text)).flatten();
    Ok(Arrival {
        file: safe_name(record.file, redactor),
        verbatim: kept,
        redacted: watch.changed.get(),
        what: session,
    })
}

pub(super) fn history(record: HistoryRecord, redactor: &Redactor) -> Result<Arrival<Vec<Revision>>, String> {
    let watch = Watch::new(redactor);
    let mut revisions = Vec::with_capacity(record.revisions.len());
    for value in record.revisions {
        let revision: Revision<Raw> = serde_json::from_value(value)
            .map_err(|_| "an earlier revision in it cannot be read".to_owned())?;
        let mut revision = revision.redacted(&|raw| watch.clean(raw));
        without_redacted_keys(&mut revision.before.unknown);
        if !record.id.eq_ignore_ascii_case(&revision.before.id.full()) {
            return Err("it contains the history of another memory".to_owned());
        }
        revisions.push(revision);
    }
    Ok(Arrival { what: revisions, file: None, verbatim: None, redacted: watch.changed.get() })
}

/// A tombstone contains only full ids and marks of a fixed form, never text: an id or mark of any other
/// form may be text.
pub(super) fn tombstone(stone: Tombstone) -> Result<Tombstone, String> {
    let whole = |id: String| match id.parse() {
        Ok(IdRef::Full(id)) => Ok(id.full()),
        _ => Err("its id is not a full id".to_owned()),
    };
    if !stone.marks.iter().all(|mark| Tombstone::is_mark(mark)) {
        return Err("it contains an invalid mark".to_owned());
    }
    Ok(Tombstone { at: stone.at, why: stone.why, id: stone.id.map(whole).transpose()?, marks: stone.marks })
}

/// The whole text, if the redactor has nothing to say about it: comments in the front matter are in
/// no field.
fn whole(redactor: &Redactor, text: String) -> Option<Clean> {
    let (clean, findings) = redactor.clean_with_findings(Raw::new(text));
    findings.is_empty().then_some(clean)
}

fn safe_name(file: Option<String>, redactor: &Redactor) -> Option<String> {
    file.filter(|file| redactor.clean_with_findings(Raw::new(file.as_str())).1.is_empty())
}

/// The error may quote the text, which may contain a secret.
fn reason(redactor: &Redactor, error: &ParseError) -> String {
    redactor.clean(Raw::new(error.to_string())).into_string()
}
