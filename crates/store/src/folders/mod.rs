//! Detects changes that people make to the files: edits, additions, removals, moves.
//!
//! A folder's modification time shows additions and removals. In-place edits are found by checking every
//! file while a store is small, the hits of a recall, and all files in `doctor` and `reindex`.

mod note;
mod survey;

use std::collections::HashMap;
use std::io;
use std::time::{Duration, Instant};

use hark_core::redact::Redactor;
use hark_core::vector::Embedder;
use hark_core::{Memory, MemoryId, Raw, Timestamp, markdown};
use rusqlite::{Connection, OptionalExtension, params};

pub(crate) use note::{FolderNotes, folders_of};
use survey::Root;
pub(crate) use survey::Survey;

use crate::access::{CANNOT_BE_READ, is_denied};
use crate::connection;
use crate::error::{At, StoreError};
use crate::files::{self, Stamp};
use crate::index::{self, Entry, Finish, Gathered};
use crate::layers::{self, Layer};
use crate::layout::{Layout, Located};
use crate::store::Store;
use crate::tombstones;

/// Up to this number, every file is checked on each opening.
const SMALL_STORE: i64 = 1_000;
/// A server checks all files of a small store at most this often.
const SWEEP_PAUSE: Duration = Duration::from_millis(500);
const MANY_FILES: usize = 2_000;
/// Starts the message about a file whose memory already has another file.
pub(crate) const SAME_ID: &str = "has the same id as";
/// The message about a forgotten file that a sync or a copy restored.
const FORGOTTEN: &str = "was forgotten here; delete the file, or give it a new id to keep it";
const LARGEST_FILE: u64 = 4 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Folder stamps, and every file while there are few.
    Quick,
    /// Every file.
    Full,
}

/// The user's own memories, and those of projects: the ones worked in, or all that are known. Returns how many
/// memories were added, changed or removed.
pub(crate) fn pick_up(store: &mut Store, depth: Depth, now: Timestamp) -> Result<usize, StoreError> {
    let sweep = depth == Depth::Full || is_sweep_due(store).at(store)?;
    let mut changed = pick_up_root(store, None, depth, sweep, now)?;
    let mut nums: Vec<i64> = store.layout.layers.iter().map(|layer| layer.num).collect();
    nums.retain(|num| depth == Depth::Full || store.visited.contains(num));
    for num in nums {
        changed += pick_up_root(store, Some(num), depth, sweep, now)?;
    }
    if depth == Depth::Full {
        files::sweep_staging(store.layout.door(), &store.layout.staging());
    }
    Ok(changed)
}

/// The memories of one project's store.
pub(crate) fn pick_up_layer(
    store: &mut Store,
    num: i64,
    depth: Depth,
    now: Timestamp,
) -> Result<usize, StoreError> {
    pick_up_root(store, Some(num), depth, true, now)
}

fn root_of(layout: &Layout, layer: Option<i64>) -> Option<Root<'_>> {
    match layer {
        None => Some(Root::of_user(layout)),
        Some(num) => layout.layers.iter().find(|layer| layer.num == num).map(Root::of_layer),
    }
}

fn pick_up_root(
    store: &mut Store,
    layer: Option<i64>,
    depth: Depth,
    sweep: bool,
    now: Timestamp,
) -> Result<usize, StoreError> {
    let Some(root) = root_of(&store.layout, layer) else { return Ok(0) };
    let on_disk = root.folders()?;
    let mut known = known_folders(&store.conn).at(&store.layout)?;
    known.retain(|name, _| root.owns(name));
    let moved: Vec<(String, i64)> =
        on_disk.iter().filter(|(name, mtime)| known.get(name) != Some(mtime)).cloned().collect();
    let gone: Vec<String> =
        known.keys().filter(|name| !on_disk.iter().any(|(n, _)| n == *name)).cloned().collect();

    let mut folders = if sweep || layer.is_some() || !gone.is_empty() { on_disk } else { moved.clone() };
    // Survey missing folders too: the index must drop their memories.
    folders.extend(gone.iter().map(|name| (name.clone(), 0)));
    if folders.is_empty() {
        return Ok(0);
    }
    let survey = root.survey(&folders)?;
    let differs = !differences(&store.conn, &survey).at(&store.layout)?.is_empty();
    // Read everything again if the trust in a store changed.
    let standing =
        layer.and_then(|num| store.layout.layers.iter().find(|l| l.num == num)).map(Layer::is_trusted);
    let restanding = match (layer, standing) {
        (Some(num), Some(trusted)) => layers::read_as(&store.conn, num).at(&store.layout)? != Some(trusted),
        _ => false,
    };
    if !differs && !restanding && moved.is_empty() && gone.is_empty() {
        return Ok(0);
    }

    // A writer in the middle of its work looks like an outside change. It holds the lock, so:
    // no lock, no pick-up this time; with the lock, what still differs is real.
    let patience = if depth == Depth::Full { store.patience } else { Duration::ZERO };
    let path = store.layout.database();
    let many = survey.files.len() > MANY_FILES;
    if many {
        // An index that was lost: building it with the usual cache would thrash.
        let _ = store.conn.execute_batch("PRAGMA cache_size = -262144");
    }
    if depth == Depth::Quick {
        let _ = store.conn.busy_timeout(Duration::ZERO);
    }
    let begun = connection::begin(&store.conn, &path, patience);
    let _ = store.conn.busy_timeout(store.patience);
    let tx = match begun {
        Ok(tx) => tx,
        Err(StoreError::Busy { .. } | StoreError::ReadOnly { .. }) if depth == Depth::Quick => return Ok(0),
        Err(e) => return Err(e),
    };
    if let (Some(num), Some(trusted), true) = (layer, standing, restanding) {
        layers::read_anew(&tx, num, trusted).at(&path)?;
    }
    let mut now_there = root.folders()?;
    now_there.retain(|(name, _)| folders.iter().any(|(n, _)| n == name));
    let still_gone: Vec<String> =
        gone.into_iter().filter(|name| !now_there.iter().any(|(n, _)| n == name)).collect();
    now_there.extend(still_gone.iter().map(|name| (name.clone(), 0)));
    let survey = root.survey(&now_there)?;
    let changed = index_files(
        &tx,
        &store.layout,
        store.embedder.as_ref(),
        &store.redactor,
        survey,
        now,
        &mut |_, _| {},
    )?;
    for folder in &still_gone {
        tx.execute("DELETE FROM folder WHERE path = ?1", [folder]).at(&path)?;
    }
    tx.commit().at(&path)?;
    if many {
        let _ = store.conn.execute_batch("PRAGMA cache_size = -12000; PRAGMA shrink_memory");
    }
    if changed > 0 {
        store.cache.borrow_mut().doubt();
    }
    Ok(changed)
}

/// Whether the index matches the user's own files. For a read-only store.
pub(crate) fn is_in_step(store: &Store) -> Result<bool, StoreError> {
    let root = Root::of_user(&store.layout);
    let survey = root.survey(&root.folders()?)?;
    let differences = differences(&store.conn, &survey).at(store)?;
    Ok(differences.is_empty())
}

fn is_sweep_due(store: &Store) -> rusqlite::Result<bool> {
    let mut last = store.last_sweep.borrow_mut();
    if last.is_some_and(|at| at.elapsed() < SWEEP_PAUSE) {
        return Ok(false);
    }
    let passages: i64 = store
        .conn
        .prepare_cached("SELECT passages FROM corpus WHERE id = 1")?
        .query_row([], |row| row.get(0))?;
    *last = Some(Instant::now());
    Ok(passages <= SMALL_STORE)
}

/// Everything there is: the user's own memories and those of every known store that can be read.
pub(crate) fn survey_everything(layout: &Layout) -> Result<Survey, StoreError> {
    let own = Root::of_user(layout);
    let mut all = own.survey(&own.folders()?)?;
    for layer in &layout.layers {
        let root = Root::of_layer(layer);
        let found = root.survey(&root.folders()?)?;
        all.folders.extend(found.folders);
        all.files.extend(found.files);
    }
    Ok(all)
}

/// Learns how many files are indexed, of how many.
pub(crate) type Tell<'a> = &'a mut dyn FnMut(usize, usize);

/// Brings the index in line with the surveyed folders. The caller holds the write lock.
pub(crate) fn index_files(
    tx: &Connection,
    layout: &Layout,
    embedder: &dyn Embedder,
    redactor: &Redactor,
    survey: Survey,
    now: Timestamp,
    tell: Tell<'_>,
) -> Result<usize, StoreError> {
    let database = layout.database();
    let mut changes = differences(tx, &survey).at(&database)?;
    if changes.iter().any(|change| matches!(change, Change::Gone(_))) {
        changes.extend(twins_left_behind(tx, layout).at(&database)?);
    }
    let mut found = Vec::new();
    let mut count = 0;
    let mut gathered = Gathered::default();
    for change in changes {
        match change {
            Change::Read(file, stamp) => match read(layout, redactor, &file, stamp)? {
                Ok(memory) => found.push((memory, file, stamp)),
                // Check it each time: a permission change does not change its modification time.
                Err(reason) if reason == CANNOT_BE_READ => {
                    set_unread(tx, &file, Stamp { mtime: 0, ..stamp }, &reason).at(&database)?;
                }
                Err(reason) => set_unread(tx, &file, stamp, &reason).at(&database)?,
            },
            Change::Gone(file) => {
                count += forget_file(tx, &file).at(&database)?;
            }
        }
    }
    // In order of their ids, so that a rebuilt index numbers memories as it did when they came. Of one id the
    // user's own file comes first, whatever a repository brings along.
    found.sort_by_key(|(memory, file, _)| (memory.id, Layer::split(file).is_some()));
    let total = found.len();
    for (done, (memory, file, stamp)) in found.into_iter().enumerate() {
        tell(done, total);
        if tombstones::passing(tx, &memory.id.full()).at(&database)?.is_some() {
            set_unread(tx, &file, stamp, FORGOTTEN).at(&database)?;
            continue;
        }
        match twin(tx, layout, &memory.id, &file).at(&database)? {
            Some(other) => {
                let reason = format!("{SAME_ID} {other}; give one of them a new id or delete it");
                set_unread(tx, &file, stamp, &reason).at(&database)?;
            }
            None => {
                let entry = Entry { memory: &memory, file: &file, stamp, prepared: None };
                // A store that was copied or checked out anew has new times and the same memories.
                if index::restamp(tx, &entry).at(&database)? {
                    continue;
                }
                replace_at(tx, &file, &memory.id).at(&database)?;
                index::put(tx, embedder, entry, Finish::Together(&mut gathered), now).at(&database)?;
                if gathered.is_large() {
                    gathered.file(tx).at(&database)?;
                }
                count += 1;
            }
        }
    }
    gathered.file(tx).at(&database)?;
    for (folder, mtime) in survey.folders {
        tx.prepare_cached(
            "INSERT INTO folder (path, mtime) VALUES (?1, ?2) ON CONFLICT (path) DO UPDATE SET mtime = excluded.mtime",
        )
        .and_then(|mut s| s.execute(params![folder, mtime]))
        .at(&database)?;
    }
    Ok(count)
}

/// Reads one file again if it is not what the index knows. Returns whether it changed.
pub(crate) fn recheck(store: &mut Store, file: &str, now: Timestamp) -> Result<bool, StoreError> {
    let Some(located) = store.layout.locate(file) else { return Ok(false) };
    let stamp = match (located.stamp(), located.layer) {
        (Ok(stamp), _) => stamp,
        (Err(_), Some(_)) => None,
        (Err(e), None) => return Err(e),
    };
    if stamp == known_stamp(&store.conn, file).at(&store.layout)? {
        return Ok(false);
    }
    let path = store.layout.database();
    let tx = connection::begin(&store.conn, &path, store.patience)?;
    let files = stamp.map(|s| (file.to_owned(), s)).into_iter().collect();
    let changed = if stamp.is_some() {
        let survey = Survey { folders: Vec::new(), files };
        index_files(
            &tx,
            &store.layout,
            store.embedder.as_ref(),
            &store.redactor,
            survey,
            now,
            &mut |_, _| {},
        )?
    } else {
        forget_file(&tx, file).at(&path)?
    };
    tx.commit().at(&path)?;
    store.cache.borrow_mut().doubt();
    Ok(changed > 0)
}

#[derive(Debug, PartialEq)]
enum Change {
    Read(String, Stamp),
    Gone(String),
}

/// The differences between the index and the surveyed folders.
fn differences(conn: &Connection, survey: &Survey) -> rusqlite::Result<Vec<Change>> {
    let mut changes = Vec::new();
    if survey.folders.is_empty() {
        for (file, stamp) in &survey.files {
            if known_stamp(conn, file)? != Some(*stamp) {
                changes.push(Change::Read(file.clone(), *stamp));
            }
        }
        return Ok(changes);
    }
    let mut known: HashMap<String, Stamp> = HashMap::new();
    for (folder, _) in &survey.folders {
        for table in ["memory", "unread"] {
            let (from, to) = if folder.is_empty() {
                (String::new(), "\u{10ffff}".to_owned())
            } else {
                (format!("{folder}/"), format!("{folder}0"))
            };
            let mut rows = conn.prepare_cached(&format!(
                "SELECT file, mtime, size FROM {table} WHERE file >= ?1 AND file < ?2"
            ))?;
            let mut rows = rows.query([from, to])?;
            while let Some(row) = rows.next()? {
                let file: String = row.get(0)?;
                // Files in folders of this one, and of other stores, are not its own.
                if folders_of(&file).0 != *folder {
                    continue;
                }
                known.insert(file, Stamp { mtime: row.get(1)?, size: row.get(2)? });
            }
        }
    }
    for (file, stamp) in &survey.files {
        if known.remove(file) != Some(*stamp) {
            changes.push(Change::Read(file.clone(), *stamp));
        }
    }
    changes.extend(known.into_keys().map(Change::Gone));
    Ok(changes)
}

fn known_stamp(conn: &Connection, file: &str) -> rusqlite::Result<Option<Stamp>> {
    conn.prepare_cached("SELECT mtime, size FROM memory WHERE file = ?1")?
        .query_row([file], |row| Ok(Stamp { mtime: row.get(0)?, size: row.get(1)? }))
        .optional()
}

fn known_folders(conn: &Connection) -> rusqlite::Result<HashMap<String, i64>> {
    conn.prepare_cached("SELECT path, mtime FROM folder")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// The memory in a file, or why there is none.
fn read(
    layout: &Layout,
    redactor: &Redactor,
    file: &str,
    stamp: Stamp,
) -> Result<Result<Memory, String>, StoreError> {
    let Some(located) = layout.locate(file) else { return Ok(Err("its store is unknown".to_owned())) };
    if stamp.size > LARGEST_FILE as i64 {
        return Ok(Err(format!("is larger than {} MB", LARGEST_FILE / 1024 / 1024)));
    }
    let bytes = match located.door.read(&located.path, LARGEST_FILE) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return Ok(Err("disappeared while hark read it".to_owned()));
        }
        Err(e) if is_denied(&e) => return Ok(Err(CANNOT_BE_READ.to_owned())),
        Err(e) if located.layer.is_some() || hark_files::refusal_of(&e).is_some() => {
            return Ok(Err(e.to_string()));
        }
        Err(e) => return Err(StoreError::io(&located.path, e)),
    };
    let Ok(text) = String::from_utf8(bytes) else { return Ok(Err("is not UTF-8 text".to_owned())) };
    Ok(parse(&located, redactor, &text))
}

/// The memory in the text of a file, as far as its store is trusted.
pub(crate) fn parse(located: &Located<'_>, redactor: &Redactor, text: &str) -> Result<Memory, String> {
    if let Some(layer) = located.layer {
        return layers::adopt(layer, redactor, text);
    }
    // The error may quote the file, which may contain a secret.
    let reason = |e: markdown::ParseError| redactor.clean(Raw::new(e.to_string())).into_string();
    markdown::parse(text, &|raw| redactor.clean(raw)).map_err(reason)
}

fn set_unread(tx: &Connection, file: &str, stamp: Stamp, reason: &str) -> rusqlite::Result<()> {
    forget_file(tx, file)?;
    tx.prepare_cached(
        "INSERT INTO unread (file, mtime, size, reason) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (file) DO UPDATE SET mtime = excluded.mtime, size = excluded.size, reason = excluded.reason",
    )?
    .execute(params![file, stamp.mtime, stamp.size, reason])?;
    Ok(())
}

fn forget_file(tx: &Connection, file: &str) -> rusqlite::Result<usize> {
    tx.prepare_cached("DELETE FROM unread WHERE file = ?1")?.execute([file])?;
    let num: Option<i64> = tx
        .prepare_cached("SELECT num FROM memory WHERE file = ?1")?
        .query_row([file], |row| row.get(0))
        .optional()?;
    match num {
        Some(num) => index::clear(tx, num).map(|()| 1),
        None => Ok(0),
    }
}

/// Files that were skipped because another had their id; the other may be missing now.
fn twins_left_behind(tx: &Connection, layout: &Layout) -> rusqlite::Result<Vec<Change>> {
    let files: Vec<String> = tx
        .prepare_cached("SELECT file FROM unread WHERE reason LIKE 'has the same id as %'")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let stamped = files.into_iter().filter_map(|file| {
        let stamp = layout.locate(&file)?.stamp().ok().flatten()?;
        Some(Change::Read(file, stamp))
    });
    Ok(stamped.collect())
}

/// Another file that exists and already holds this id. A file of the user's own does not give way to one that a
/// repository brings along.
fn twin(tx: &Connection, layout: &Layout, id: &MemoryId, file: &str) -> rusqlite::Result<Option<String>> {
    let other: Option<String> = tx
        .prepare_cached("SELECT file FROM memory WHERE id = ?1 AND file <> ?2")?
        .query_row(params![id.as_bytes().as_slice(), file], |row| row.get(0))
        .optional()?;
    let mine = Layer::split(file).is_none();
    Ok(other.filter(|other| {
        let stands = layout.locate(other).is_some_and(|located| located.is_file());
        stands && !(mine && Layer::split(other).is_some())
    }))
}

/// A file whose id was changed by hand holds another memory now.
fn replace_at(tx: &Connection, file: &str, id: &MemoryId) -> rusqlite::Result<()> {
    let other: Option<i64> = tx
        .prepare_cached("SELECT num FROM memory WHERE file = ?1 AND id <> ?2")?
        .query_row(params![file, id.as_bytes().as_slice()], |row| row.get(0))
        .optional()?;
    if let Some(num) = other {
        index::clear(tx, num)?;
    }
    Ok(())
}
