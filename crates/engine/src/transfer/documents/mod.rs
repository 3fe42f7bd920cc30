//! Imports a project's own documents as memories: README, contributing guides, decision records. A changed
//! section updates its memory, a removed one archives it, and nothing is duplicated.
//!
//! A memory is linked to its section by path and heading. A hash of the section shows whether a person has
//! edited the memory since; then it stays unchanged.

pub(crate) mod again;
mod choose;
pub(super) mod sections;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use hark_core::memory::{UnknownKey, one_line};
use hark_core::{Clean, Kind, Memory, MemoryId, Origin, ProjectKey, Scope, Status, Timestamp};
use hark_files::regular;
use hark_store::{Departure, ProjectNum, Writer};
use schemars::JsonSchema;
use serde::Serialize;

use self::sections::Section;
use super::export::io_error;
use super::foreign::{mark, source_key};
use crate::engine::Engine;
use crate::error::EngineError;

/// The most sections per document, and in total.
const PER_DOCUMENT: usize = 25;
const IN_ALL: usize = 500;
const LONGEST: usize = 6_000;
const HASH_KEY: &str = "source_hash";
const GONE_KEY: &str = "source_gone";

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reading {
    pub documents: usize,
    pub added: usize,
    pub updated: usize,
    pub unchanged: usize,
    /// Archived memories, whose section was removed.
    pub archived: usize,
    /// Memories that a person edited here; they stay unchanged.
    pub kept: usize,
    /// Sections beyond the limit per document or in total.
    pub left_out: usize,
    /// Sections that say nothing worth keeping: badges, a licence, a word or two.
    pub skipped: usize,
    /// What was read.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) files: Vec<PathBuf>,
}

/// Which documents to read.
pub struct Chosen<'a> {
    /// What paths are told relative to: the root of the project.
    pub root: &'a Path,
    /// A folder of the project, or one document.
    pub path: &'a Path,
    /// Every markdown file of the folder, not only those that look like documentation.
    pub everything: bool,
}

/// One section on its way to a memory.
struct Passage {
    id: MemoryId,
    kind: Kind,
    title: Clean,
    body: Clean,
    place: Clean,
    tags: Vec<Clean>,
    source: UnknownKey,
    hash: String,
    retired: bool,
}

/// Reads the documents of a project or of one of its folders, or one document.
pub fn read(
    engine: &mut Engine,
    chosen: &Chosen<'_>,
    project: Option<&ProjectKey>,
    dry_run: bool,
) -> Result<Reading, EngineError> {
    let root = chosen.root;
    let files = match chosen.path.is_file() {
        true => vec![chosen.path.to_owned()],
        false => choose::documents(root, chosen.path, chosen.everything)?,
    };
    let mut reading = Reading { documents: files.len(), ..Reading::default() };
    let mut passages: Vec<Passage> = Vec::new();
    // Everything that stands in the documents, including what is beyond a limit.
    let mut present: HashSet<MemoryId> = HashSet::new();
    let mut read_places = HashSet::new();
    for file in &files {
        let bytes = regular::read(file, 64 * 1024 * 1024).map_err(|e| io_error(file, e))?;
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let place = file.strip_prefix(root).unwrap_or(file).to_string_lossy().replace('\\', "/");
        read_places.insert(place.clone());
        let (found, skipped) = passages_of(engine, project, &place, &text);
        reading.skipped += skipped;
        present.extend(found.iter().map(|passage| passage.id));
        let room = PER_DOCUMENT.min(IN_ALL.saturating_sub(passages.len()));
        reading.left_out += found.len().saturating_sub(room);
        passages.extend(found.into_iter().take(room));
    }
    reading.files = files;
    let scope = project.cloned().map_or(Scope::Global, Scope::Project);
    let known = known(engine, project)?;
    // A document that was not read says nothing, unless it should have been here and is not.
    let folder = chosen.path.strip_prefix(root).unwrap_or(Path::new(""));
    let judged = |place: &str| {
        read_places.contains(place) || Path::new(place).starts_with(folder) && !root.join(place).exists()
    };
    let gone: Vec<MemoryId> = known
        .iter()
        .filter(|(id, memory)| {
            let place = place_of(memory).unwrap_or_default();
            memory.status == Status::Active && !present.contains(id) && judged(&place) && is_untouched(memory)
        })
        .map(|(id, _)| *id)
        .collect();
    let now = engine.now();
    if dry_run {
        for passage in &passages {
            match known.get(&passage.id) {
                None => reading.added += 1,
                Some(memory) => count(&mut reading, &fate(memory, passage)),
            }
        }
        reading.archived = gone.len();
        return Ok(reading);
    }
    engine.store.write(now, |writer| {
        for passage in &passages {
            put(writer, passage, &scope, now, &mut reading)?;
        }
        for id in &gone {
            let Some(before) = writer.look_up(id)? else { continue };
            let mut after = before.clone();
            after.set_status(Status::Archived, now);
            set(&mut after, GONE_KEY, Some("true"));
            after.touch(now);
            writer.update(&before, &after, "section gone")?;
            reading.archived += 1;
        }
        Ok::<_, EngineError>(())
    })?;
    Ok(reading)
}

/// What is worth keeping, and the number of sections that are not.
fn passages_of(
    engine: &Engine,
    project: Option<&ProjectKey>,
    place: &str,
    text: &str,
) -> (Vec<Passage>, usize) {
    let name = place.rsplit('/').next().unwrap_or(place);
    if choose::is_decision(place) {
        return (vec![decision(engine, project, place, name, text)], 0);
    }
    // A heading above other headings is not a section of its own.
    let written = sections::split(text).into_iter().filter(|section| !section.text.is_empty());
    let (worth, skipped): (Vec<_>, Vec<_>) = written.partition(choose::is_worth_it);
    let found = worth.iter().map(|section| passage(engine, project, place, name, section)).collect();
    (found, skipped.len())
}

fn passage(
    engine: &Engine,
    project: Option<&ProjectKey>,
    place: &str,
    name: &str,
    section: &Section,
) -> Passage {
    let title = section.path(name);
    made(engine, project, place, &section.anchor, Kind::Fact, &title, &section.text, false)
}

/// A decision record is one memory, whatever sections it has.
fn decision(engine: &Engine, project: Option<&ProjectKey>, place: &str, name: &str, text: &str) -> Passage {
    let found = sections::split(text);
    let title = found.iter().map(|s| s.heading.as_str()).find(|h| !h.is_empty()).unwrap_or(name);
    let status = found
        .iter()
        .find(|s| s.heading.eq_ignore_ascii_case("status"))
        .map(|s| s.text.to_lowercase())
        .or_else(|| Some(text.lines().find(|l| l.to_lowercase().starts_with("status:"))?.to_lowercase()))
        .unwrap_or_default();
    let retired = ["superseded", "deprecated", "rejected"].iter().any(|word| status.contains(word));
    let body = sections::without_front_matter(text).trim();
    made(engine, project, place, "", Kind::Decision, title, body, retired)
}

#[expect(clippy::too_many_arguments, reason = "each is a different part of one passage")]
fn made(
    engine: &Engine,
    project: Option<&ProjectKey>,
    place: &str,
    anchor: &str,
    kind: Kind,
    title: &str,
    text: &str,
    retired: bool,
) -> Passage {
    let cut = match text.char_indices().nth(LONGEST) {
        // Whole lines: half a line may be half a secret.
        Some((end, _)) => text[..end].rsplit_once('\n').map_or("", |(head, _)| head),
        None => text,
    };
    let body = engine.clean(cut);
    let key = project.map_or("", ProjectKey::as_str);
    let source = if anchor.is_empty() { place.to_owned() } else { format!("{place}#{anchor}") };
    let hash = blake3::hash(format!("{title}\n{body}\n{retired}").as_bytes()).to_hex()[..16].to_owned();
    Passage {
        id: MemoryId::new(Timestamp::default(), mark(&["document", key, place, anchor])),
        kind,
        title: one_line(&engine.clean(title)),
        body,
        place: engine.clean(place),
        tags: vec![Clean::trusted_constant(if kind == Kind::Decision { "adr" } else { "docs" })],
        source: source_key(engine, &source),
        hash,
        retired,
    }
}

/// The outcome for a memory whose section was read again.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Same,
    /// A person has edited it here.
    Kept,
    Changes,
}

fn fate(memory: &Memory, passage: &Passage) -> Fate {
    if get(memory, HASH_KEY).as_deref() == Some(&passage.hash) && get(memory, GONE_KEY).is_none() {
        Fate::Same
    } else if !is_untouched(memory) {
        Fate::Kept
    } else {
        Fate::Changes
    }
}

fn count(reading: &mut Reading, fate: &Fate) {
    match fate {
        Fate::Same => reading.unchanged += 1,
        Fate::Kept => reading.kept += 1,
        Fate::Changes => reading.updated += 1,
    }
}

fn put(
    writer: &mut Writer<'_>,
    passage: &Passage,
    scope: &Scope,
    now: Timestamp,
    reading: &mut Reading,
) -> Result<(), EngineError> {
    let Some(before) = writer.look_up(&passage.id)? else {
        writer.arrive(&memory(passage, scope, now), None, None, None)?;
        reading.added += 1;
        return Ok(());
    };
    let fate = fate(&before, passage);
    count(reading, &fate);
    if fate == Fate::Changes {
        let mut after = memory(passage, scope, now);
        after.created = before.created;
        after.updated = before.updated;
        after.revision = before.revision;
        after.links.clone_from(&before.links);
        after.importance = before.importance;
        after.tags.extend(before.tags.iter().filter(|tag| !passage.tags.contains(tag)).cloned());
        let put_aside = before.status == Status::Archived && get(&before, GONE_KEY).is_none();
        if put_aside && !passage.retired {
            // A person archived it; a changed section does not restore it.
            after.status = before.status;
            after.closed = before.closed;
        }
        after.touch(now);
        writer.update(&before, &after, "read again")?;
    }
    Ok(())
}

fn memory(passage: &Passage, scope: &Scope, now: Timestamp) -> Memory {
    let status = if passage.retired { Status::Archived } else { Status::Active };
    let mut memory = Memory {
        status,
        scope: scope.clone(),
        title: passage.title.clone(),
        tags: passage.tags.clone(),
        files: vec![passage.place.clone()],
        closed: passage.retired.then_some(now),
        unknown: vec![passage.source.clone()],
        ..Memory::new(passage.id, passage.kind, Origin::File, passage.body.clone(), now)
    };
    set(&mut memory, HASH_KEY, Some(&passage.hash));
    let own = fingerprint(&memory);
    set(&mut memory, "source_text", Some(&own));
    memory
}

/// Memories of this project that came from documents.
fn known(engine: &Engine, project: Option<&ProjectKey>) -> Result<HashMap<MemoryId, Memory>, EngineError> {
    let num = match project {
        Some(key) => match engine.store.project_num(key)? {
            Some(num) => num,
            None => return Ok(HashMap::new()),
        },
        None => ProjectNum::GLOBAL,
    };
    let which = Departure { projects: Some(vec![num]), ..Departure::default() };
    let mut found = HashMap::new();
    let mut after = None;
    loop {
        let page = engine.store.departing(&which, after, 500)?;
        let Some(last) = page.last() else { return Ok(found) };
        after = Some(last.memory.id);
        let ours = page.into_iter().filter(|s| get(&s.memory, HASH_KEY).is_some());
        found.extend(ours.map(|stored| (stored.memory.id, stored.memory)));
    }
}

/// Whether it still says what its section said.
fn is_untouched(memory: &Memory) -> bool {
    get(memory, "source_text").is_some_and(|text| text == fingerprint(memory))
}

fn fingerprint(memory: &Memory) -> String {
    blake3::hash(format!("{}\n{}", memory.title, memory.body).as_bytes()).to_hex()[..16].to_owned()
}

fn place_of(memory: &Memory) -> Option<String> {
    let source = get(memory, "source")?;
    Some(source.split('#').next().unwrap_or_default().to_owned())
}

/// A front-matter key of our own making, without its quotes.
fn get(memory: &Memory, key: &str) -> Option<String> {
    let entry = memory.unknown.iter().find(|entry| *entry.key == *key)?;
    let (_, value) = entry.raw.split_once(':')?;
    Some(value.trim().trim_matches('"').to_owned())
}

fn set(memory: &mut Memory, key: &'static str, value: Option<&str>) {
    memory.unknown.retain(|entry| *entry.key != *key);
    if let Some(value) = value {
        // Hashes and words of ours: there is nothing to redact.
        let raw = Clean::already_redacted(format!("{key}: \"{value}\""));
        memory.unknown.push(UnknownKey { key: Clean::trusted_constant(key), raw });
    }
}
