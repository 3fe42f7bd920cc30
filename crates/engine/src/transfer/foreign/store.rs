//! Stores a harvest: derives ids from the tool's own, maps projects to known ones, and redacts.

use std::collections::{BTreeMap, HashMap};

use hark_core::memory::{Importance, UnknownKey, one_line, title_from_body};
use hark_core::redact::cut_at;
use hark_core::session::{FileTouch, Pointer, Summary};
use hark_core::{
    Clean, Link, Memory, MemoryId, Origin, Relation, Scope, Session, SessionId, Status, Timestamp,
};

use super::super::arrival::Arrival;
use super::super::import::{Block, Intake, Item, Tally};
use super::desk::{Desk, Told};
use super::harvest::{Harvest, Key, Note, Run, Unmapped};
use super::words::without_colours;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;

/// The result of a harvest.
pub(crate) struct Settled {
    pub(crate) tally: Tally,
    pub(crate) unmapped: Vec<Unmapped>,
    /// The tool's names for projects, and ours.
    pub(crate) projects: BTreeMap<String, String>,
    /// Our names of projects that had nothing here before.
    pub(crate) new_projects: Vec<String>,
}

/// Brings a harvest into the store.
pub(crate) fn store(
    engine: &mut Engine,
    caller: &Caller,
    mut harvest: Harvest,
    desk: &mut Desk,
    dry_run: bool,
) -> Result<Settled, EngineError> {
    desk.begin_source();
    let ids: HashMap<Key, MemoryId> =
        harvest.notes.iter().map(|note| (note.key.clone(), note_id(harvest.tool, note))).collect();
    let links = links(&mut harvest, &ids);

    let notes = std::mem::take(&mut harvest.notes);
    let runs = std::mem::take(&mut harvest.runs);
    let mut items = Vec::with_capacity(notes.len() + runs.len());
    for note in notes {
        if note.body.trim().is_empty() {
            harvest.unmapped("something without text");
            continue;
        }
        if note.body.len() > Memory::MAX_BODY_BYTES {
            harvest.unmapped("a text of more than 1 MB");
            continue;
        }
        let scope = desk.scope(engine, caller, note.project.as_deref());
        let id = ids[&note.key];
        let links = links.get(&id).cloned().unwrap_or_default();
        items.push(memory(engine, harvest.tool, note, id, scope, links, &ids));
    }
    for run in runs {
        let scope = desk.scope(engine, caller, run.project.as_deref());
        items.push(session(engine, harvest.tool, run, &scope));
    }
    // One at a time, so that the lock is released soon.
    let blocks = items.into_iter().map(|item| Block { items: vec![item], done: 0 });
    let tally = Intake::new(engine, dry_run).take(blocks, &mut |_| ())?;
    let Told { projects, new } = desk.told();
    Ok(Settled { tally, unmapped: harvest.into_unmapped(), projects, new_projects: new })
}

/// Links by the memory they start at. One whose end is not there is told, not kept.
fn links(harvest: &mut Harvest, ids: &HashMap<Key, MemoryId>) -> HashMap<MemoryId, Vec<Link>> {
    let mut found: HashMap<MemoryId, Vec<Link>> = HashMap::new();
    for tie in std::mem::take(&mut harvest.ties) {
        let (Some(from), Some(to)) = (ids.get(&tie.from), ids.get(&tie.to)) else {
            harvest.unmapped("a link to something that is missing");
            continue;
        };
        let links = found.entry(*from).or_default();
        let known = links.iter().any(|link| link.to == *to && link.relation == tie.relation);
        if from != to && !known {
            let weight = if tie.weight.is_finite() { tie.weight.clamp(0.0, 1.0) } else { 1.0 };
            links.push(Link { to: *to, relation: tie.relation, weight, origin: Origin::Import });
        }
    }
    found
}

/// The same note always gets the same id, in every store.
fn note_id(tool: &str, note: &Note) -> MemoryId {
    MemoryId::new(
        note.created.unwrap_or_default(),
        mark(&[tool, note.key.0, &note.key.1, &stamp(note.created)]),
    )
}

/// Numbers are given out anew in each database, so the time is part of the mark.
fn stamp(time: Option<Timestamp>) -> String {
    time.map_or(String::new(), |t| t.as_millis().to_string())
}

pub(in crate::transfer) fn mark(parts: &[&str]) -> [u8; 10] {
    let mut hasher = blake3::Hasher::new_derive_key("hark 2026 id of something from elsewhere");
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    let mut mark = [0; 10];
    mark.copy_from_slice(&hasher.finalize().as_bytes()[..10]);
    mark
}

fn memory(
    engine: &Engine,
    tool: &str,
    note: Note,
    id: MemoryId,
    scope: Scope,
    mut links: Vec<Link>,
    ids: &HashMap<Key, MemoryId>,
) -> Item {
    let clean = |text: &str| engine.clean(&without_colours(text));
    let optional =
        |text: Option<String>| text.map(|t| t.trim().to_owned()).filter(|t| !t.is_empty()).map(|t| clean(&t));
    let list = |texts: Vec<String>| {
        let mut kept: Vec<Clean> = Vec::new();
        for text in texts {
            let text = one_line(&clean(&text));
            if !text.is_empty() && !kept.contains(&text) {
                kept.push(text);
            }
        }
        kept
    };
    let body = clean(note.body.trim());
    let title = note.title.map(|t| one_line(&clean(&t))).filter(|t| !t.is_empty());
    let created = note.created.or(note.updated).unwrap_or_default();
    let updated = note.updated.unwrap_or(created).max(created);
    let superseded_by = note.superseded_by.and_then(|key| ids.get(&key)).copied().filter(|by| *by != id);
    let status = match (note.status, superseded_by) {
        // Its replacement is missing, so archive it.
        (Status::Superseded, None) => Status::Archived,
        (status, _) => status,
    };
    links.sort_by_key(|link| (link.to, link.relation));
    let memory = Memory {
        status,
        scope,
        title: title.unwrap_or_else(|| title_from_body(&body)),
        why: optional(note.why),
        learned: optional(note.learned),
        tags: list(note.tags),
        files: list(note.files),
        entities: list(note.entities),
        links,
        importance: Importance::clamped(i64::from(note.importance)),
        confidence: if note.confidence.is_finite() { note.confidence.clamp(0.0, 1.0) } else { 0.6 },
        author: optional(note.author),
        session: optional(note.session),
        updated,
        closed: (status != Status::Active).then(|| note.closed.unwrap_or(updated).max(created)),
        expires: note.expires,
        superseded_by: superseded_by.filter(|_| status == Status::Superseded),
        unknown: vec![source_key(engine, &format!("{tool}/{}/{}", note.key.0, note.key.1))],
        ..Memory::new(id, note.kind, Origin::Import, body, created)
    };
    let redacted = [&*memory.body, &*memory.title]
        .into_iter()
        .chain(memory.why.as_deref())
        .chain(memory.learned.as_deref())
        .any(|text| text.contains("[REDACTED:"));
    Item::Memory(Box::new(Arrival { what: memory, file: None, verbatim: None, redacted }), None)
}

/// Where something came from, as a front-matter key of its own.
pub(in crate::transfer) fn source_key(engine: &Engine, source: &str) -> UnknownKey {
    let line: String = source.chars().filter(|c| !c.is_control()).collect();
    // Redact before truncating: no rule matches half a secret.
    let line = engine.clean(&line);
    let end = line.char_indices().nth(300).map_or(line.len(), |(end, _)| cut_at(&line, end));
    let quoted = serde_json::to_string(&line[..end]).unwrap_or_default();
    UnknownKey {
        key: Clean::trusted_constant("source"),
        raw: Clean::already_redacted(format!("source: {quoted}")),
    }
}

fn session(engine: &Engine, tool: &str, run: Run, scope: &Scope) -> Item {
    let clean = |text: &str| engine.clean(&without_colours(text));
    let list = |texts: Vec<String>| texts.iter().map(|text| clean(text)).collect();
    let pointers = |pairs: Vec<(String, Option<String>)>| {
        pairs
            .into_iter()
            .map(|(to, label)| Pointer { to: clean(&to), label: label.map(|l| clean(&l)) })
            .collect()
    };
    let id = SessionId::new(run.started, mark(&[tool, "session", &run.id]));
    let mut session = Session::new(id, clean(&run.host), clean(&run.id), run.started);
    session.project = scope.project().cloned();
    session.title = run.title.map(|t| one_line(&clean(&t)));
    session.goal = run.goal.map(|t| clean(&t));
    session.status = run.status;
    session.updated = run.updated.max(run.started);
    session.ended = run.ended;
    session.branch = run.branch.map(|t| one_line(&clean(&t)));
    session.summary = run.summary.map(|t| Summary { text: clean(&t), extracted: false });
    session.head_start = run.head_start.map(|t| clean(&t));
    session.head_end = run.head_end.map(|t| clean(&t));
    session.done = list(run.done);
    session.pending = list(run.pending);
    session.work = list(run.work);
    session.decisions = list(run.decisions);
    session.plans = pointers(run.plans);
    session.references = pointers(run.references);
    session.files = run
        .files
        .into_iter()
        .map(|(path, op)| FileTouch {
            path: clean(&path),
            op,
            from: None,
            edits: 1,
            first: run.started,
            last: run.updated,
        })
        .collect();
    session.unknown = vec![source_key(engine, &format!("{tool}/sessions/{}", run.id))];
    let redacted = session.searchable().contains("[REDACTED:");
    Item::Session(Box::new(Arrival { what: session, file: None, verbatim: None, redacted }))
}

/// Two states of one thing at both ends: the newer names the older, and the other way round.
pub(super) fn replaces(harvest: &mut Harvest, newer: Key, older: &Key) {
    harvest.ties.push(super::harvest::Tie {
        from: newer.clone(),
        to: older.clone(),
        relation: Relation::Supersedes,
        weight: 1.0,
    });
    if let Some(note) = harvest.notes.iter_mut().find(|note| note.key == *older) {
        note.status = Status::Superseded;
        note.superseded_by = Some(newer);
    }
}
