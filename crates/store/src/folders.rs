//! Picks up what people do to the files: edits, additions, removals, moves.
//!
//! A folder's modification time tells additions and removals; in-place edits are seen by looking
//! at every file while a store is small, on the hits of a recall, and by `doctor` and `reindex`.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use hark_core::redact::Redactor;
use hark_core::vector::Embedder;
use hark_core::{Memory, MemoryId, Raw, Timestamp, markdown};
use rusqlite::{Connection, OptionalExtension, params};

use crate::connection;
use crate::error::StoreError;
use crate::files::{self, Stamp};
use crate::index::{self, Entry, Finish};
use crate::layout::Layout;
use crate::store::Store;
use crate::tombstones;

/// Up to here every file is looked at on each opening.
const SMALL_STORE: i64 = 1_000;
/// A server looks at all files of a small store at most this often.
const SWEEP_PAUSE: Duration = Duration::from_millis(500);
const MANY_FILES: usize = 2_000;
/// Said of a file that a sync or a copy brought back.
const FORGOTTEN: &str = "was forgotten here; delete the file, or give it a new id to keep it after all";
const LARGEST_FILE: i64 = 4 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Folder stamps, and every file while there are few.
    Quick,
    /// Every file.
    Full,
}

/// Files and folders as found on disk.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Folder name (empty for the memories folder itself) and its modification time.
    folders: Vec<(String, i64)>,
    files: Vec<(String, Stamp)>,
}

/// Returns how many memories were added, changed or removed.
pub(crate) fn pick_up(store: &mut Store, depth: Depth, now: Timestamp) -> Result<usize, StoreError> {
    let root = store.layout.memories();
    let on_disk = list_folders(&root)?;
    let fail = |e| StoreError::sqlite(&store.layout.database(), e);
    let known = known_folders(&store.conn).map_err(fail)?;
    let moved: Vec<(String, i64)> =
        on_disk.iter().filter(|(name, mtime)| known.get(name) != Some(mtime)).cloned().collect();
    let gone = known.keys().any(|name| !on_disk.iter().any(|(n, _)| n == name));

    let sweep = depth == Depth::Full || is_sweep_due(store).map_err(fail)?;
    let folders = if sweep || gone { on_disk } else { moved.clone() };
    if folders.is_empty() {
        return Ok(0);
    }
    let survey = survey(&root, &folders)?;
    let differs = !differences(&store.conn, &survey).map_err(fail)?.is_empty();
    if !differs && moved.is_empty() && !gone {
        return Ok(0);
    }

    // A writer in the middle of its work looks like a change from outside. It holds the lock, so:
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
    let folders: Vec<(String, i64)> =
        list_folders(&root)?.into_iter().filter(|(name, _)| folders.iter().any(|(n, _)| n == name)).collect();
    let survey = self::survey(&root, &folders)?;
    let changed = index_files(&tx, &store.layout, store.embedder.as_ref(), &store.redactor, survey, now)?;
    if gone {
        tx.execute("DELETE FROM folder WHERE path NOT IN (SELECT DISTINCT substr(file, 1, instr(file, '/') - 1) FROM memory)", [])
            .map_err(|e| StoreError::sqlite(&path, e))?;
    }
    tx.commit().map_err(|e| StoreError::sqlite(&path, e))?;
    if many {
        let _ = store.conn.execute_batch("PRAGMA cache_size = -12000; PRAGMA shrink_memory");
    }
    if depth == Depth::Full {
        files::sweep_staging(&store.layout.staging());
    }
    if changed > 0 {
        store.cache.borrow_mut().doubt();
    }
    Ok(changed)
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

/// Everything there is.
pub(crate) fn survey_everything(layout: &Layout) -> Result<Survey, StoreError> {
    let root = layout.memories();
    survey(&root, &list_folders(&root)?)
}

/// Brings the index in line with the surveyed folders. The caller holds the write lock.
pub(crate) fn index_files(
    tx: &Connection,
    layout: &Layout,
    embedder: &dyn Embedder,
    redactor: &Redactor,
    survey: Survey,
    now: Timestamp,
) -> Result<usize, StoreError> {
    let database = layout.database();
    let fail = |e| StoreError::sqlite(&database, e);
    let mut changes = differences(tx, &survey).map_err(fail)?;
    if changes.iter().any(|change| matches!(change, Change::Gone(_))) {
        changes.extend(twins_left_behind(tx, layout).map_err(fail)?);
    }
    let mut found = Vec::new();
    let mut count = 0;
    for change in changes {
        match change {
            Change::Read(file, stamp) => match read(layout, redactor, &file, stamp)? {
                Ok(memory) => found.push((memory, file, stamp)),
                Err(reason) => set_unread(tx, &file, stamp, &reason).map_err(fail)?,
            },
            Change::Gone(file) => {
                count += forget_file(tx, &file).map_err(fail)?;
            }
        }
    }
    // In order of their ids, so that a rebuilt index numbers memories as it did when they came.
    found.sort_by_key(|(memory, _, _)| memory.id);
    for (memory, file, stamp) in found {
        if tombstones::passing(tx, &memory.id.full()).map_err(fail)?.is_some() {
            set_unread(tx, &file, stamp, FORGOTTEN).map_err(fail)?;
            continue;
        }
        match twin(tx, layout, &memory.id, &file).map_err(fail)? {
            Some(other) => {
                let reason = format!("has the same id as {other}; give one of them a new id or delete it");
                set_unread(tx, &file, stamp, &reason).map_err(fail)?;
            }
            None => {
                let entry = Entry { memory: &memory, file: &file, stamp, finish: Finish::Now };
                // A store that was copied or checked out anew has new times and the same memories.
                if index::restamp(tx, &entry).map_err(fail)? {
                    continue;
                }
                replace_at(tx, &file, &memory.id).map_err(fail)?;
                index::put(tx, embedder, &entry, now).map_err(fail)?;
                count += 1;
            }
        }
    }
    for (folder, mtime) in survey.folders {
        tx.prepare_cached(
            "INSERT INTO folder (path, mtime) VALUES (?1, ?2) ON CONFLICT (path) DO UPDATE SET mtime = excluded.mtime",
        )
        .and_then(|mut s| s.execute(params![folder, mtime]))
        .map_err(fail)?;
    }
    Ok(count)
}

/// Reads one file again if it is not what the index knows. Returns whether it changed.
pub(crate) fn recheck(store: &mut Store, file: &str, now: Timestamp) -> Result<bool, StoreError> {
    let stamp = Stamp::read(&store.layout.memories().join(file))?;
    let fail = |e| StoreError::sqlite(&store.layout.database(), e);
    if stamp == known_stamp(&store.conn, file).map_err(fail)? {
        return Ok(false);
    }
    let path = store.layout.database();
    let tx = connection::begin(&store.conn, &path, store.patience)?;
    let files = stamp.map(|s| (file.to_owned(), s)).into_iter().collect();
    let changed = if stamp.is_some() {
        let survey = Survey { folders: Vec::new(), files };
        index_files(&tx, &store.layout, store.embedder.as_ref(), &store.redactor, survey, now)?
    } else {
        forget_file(&tx, file).map_err(|e| StoreError::sqlite(&path, e))?
    };
    tx.commit().map_err(|e| StoreError::sqlite(&path, e))?;
    store.cache.borrow_mut().doubt();
    Ok(changed > 0)
}

/// Notes the folder's new time after a write of our own, unless somebody else changed it as well.
pub(crate) struct FolderNote {
    name: String,
    in_step: bool,
}

impl FolderNote {
    pub(crate) fn before(tx: &Connection, root: &Path, name: &str) -> rusqlite::Result<Self> {
        let known: Option<i64> = tx
            .prepare_cached("SELECT mtime FROM folder WHERE path = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?;
        let now = fs::metadata(root.join(name)).map(|meta| files::mtime(&meta)).ok();
        // A folder that we are about to fill for the first time has no other contents.
        let fresh = known.is_none() && fs::read_dir(root.join(name)).is_ok_and(|mut d| d.next().is_none());
        Ok(FolderNote { name: name.to_owned(), in_step: fresh || (known.is_some() && known == now) })
    }

    pub(crate) fn after(self, tx: &Connection, root: &Path) -> rusqlite::Result<()> {
        let Ok(meta) = fs::metadata(root.join(&self.name)) else { return Ok(()) };
        if self.in_step {
            tx.prepare_cached(
                "INSERT INTO folder (path, mtime) VALUES (?1, ?2) \
                 ON CONFLICT (path) DO UPDATE SET mtime = excluded.mtime",
            )?
            .execute(params![self.name, files::mtime(&meta)])?;
        }
        Ok(())
    }
}

#[derive(Debug, PartialEq)]
enum Change {
    Read(String, Stamp),
    Gone(String),
}

/// What the index does not know about the surveyed folders.
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
                if folder.is_empty() && file.contains('/') {
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

/// The memories folder itself and each folder in it.
fn list_folders(root: &Path) -> Result<Vec<(String, i64)>, StoreError> {
    let fail = |e: io::Error| StoreError::io(root, e);
    let mut folders = vec![(String::new(), files::mtime(&fs::metadata(root).map_err(fail)?))];
    for entry in fs::read_dir(root).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|n| !n.starts_with('.')) else { continue };
        if let Ok(meta) = fs::metadata(entry.path())
            && meta.is_dir()
        {
            folders.push((name.to_owned(), files::mtime(&meta)));
        }
    }
    Ok(folders)
}

fn survey(root: &Path, folders: &[(String, i64)]) -> Result<Survey, StoreError> {
    let mut found = Survey { folders: folders.to_vec(), files: Vec::new() };
    for (folder, _) in folders {
        let path = root.join(folder);
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(e) => return Err(StoreError::io(&path, e)),
        };
        for entry in entries {
            let entry = entry.map_err(|e| StoreError::io(&path, e))?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let is_note = Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("md"));
            if name.starts_with('.') || !is_note {
                continue;
            }
            // A file may vanish between listing and looking; then it is simply not there.
            let Ok(meta) = fs::metadata(entry.path()) else { continue };
            if meta.is_file() {
                let file = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
                found.files.push((file, Stamp::of(&meta)));
            }
        }
    }
    Ok(found)
}

/// The memory in a file, or why there is none.
fn read(
    layout: &Layout,
    redactor: &Redactor,
    file: &str,
    stamp: Stamp,
) -> Result<Result<Memory, String>, StoreError> {
    if stamp.size > LARGEST_FILE {
        return Ok(Err(format!("is larger than {} MB", LARGEST_FILE / 1024 / 1024)));
    }
    let path = layout.memories().join(file);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return Ok(Err("vanished while being read".to_owned()));
        }
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
            return Ok(Err("may not be read".to_owned()));
        }
        Err(e) => return Err(StoreError::io(&path, e)),
    };
    let Ok(text) = String::from_utf8(bytes) else { return Ok(Err("is not UTF-8 text".to_owned())) };
    // What is wrong may quote what is there, and that may be a secret.
    let reason = |e: markdown::ParseError| redactor.clean(Raw::new(e.to_string())).into_string();
    Ok(markdown::parse(&text, &|raw| redactor.clean(raw)).map_err(reason))
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

/// Files that were passed over because another had their id; that other may be gone now.
fn twins_left_behind(tx: &Connection, layout: &Layout) -> rusqlite::Result<Vec<Change>> {
    let files: Vec<String> = tx
        .prepare_cached("SELECT file FROM unread WHERE reason LIKE 'has the same id as %'")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let stamped = files.into_iter().filter_map(|file| {
        let stamp = Stamp::read(&layout.memories().join(&file)).ok().flatten()?;
        Some(Change::Read(file, stamp))
    });
    Ok(stamped.collect())
}

/// Another file that exists and already holds this id.
fn twin(tx: &Connection, layout: &Layout, id: &MemoryId, file: &str) -> rusqlite::Result<Option<String>> {
    let other: Option<String> = tx
        .prepare_cached("SELECT file FROM memory WHERE id = ?1 AND file <> ?2")?
        .query_row(params![id.as_bytes().as_slice(), file], |row| row.get(0))
        .optional()?;
    Ok(other.filter(|other| layout.memories().join(other).exists()))
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
