//! Detects session files that people edited, added or removed.
//!
//! The folder's modification time tells additions and removals at each opening; edits in place are
//! seen when a session is shown or changed, and when everything is looked at.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use hark_core::{Scope, Timestamp};
use rusqlite::Connection;

use super::save::{folder_time, known_folder, merged, read, set_folder};
use super::{by_num, clear, num_of, put};
use crate::connection;
use crate::error::{At, StoreError};
use crate::files::Stamp;
use crate::projects;
use crate::store::Store;
use crate::tombstones;

/// Imports changes. `everything` checks each file; otherwise only if the folder changed.
pub(crate) fn pick_up(store: &mut Store, everything: bool, now: Timestamp) -> Result<usize, StoreError> {
    let folder = store.layout.sessions();
    let Some(time) = folder_time(&store.layout, &folder) else { return Ok(0) };
    let known = known_folder(&store.conn).at(store)?;
    if !everything && known == Some(time) {
        return Ok(0);
    }
    let path = store.layout.database();
    // A writer in the middle of its work looks like a change from outside; it holds the lock.
    let patience = if everything { store.patience } else { Duration::ZERO };
    let begun = connection::begin(&store.conn, &path, patience);
    let tx = match begun {
        Ok(tx) => tx,
        Err(StoreError::Busy { .. } | StoreError::ReadOnly { .. }) if !everything => return Ok(0),
        Err(e) => return Err(e),
    };
    let time = folder_time(&store.layout, &folder).unwrap_or(time);
    let changed = take_in(&tx, store, &folder, now)?;
    set_folder(&tx, time).at(store)?;
    tx.commit().at(&path)?;
    Ok(changed)
}

/// Everything that the files say, as if it had never been indexed. Sessions that have no file yet
/// stay as they are.
pub(crate) fn rebuild(store: &mut Store, now: Timestamp) -> Result<(), StoreError> {
    let path = store.layout.database();
    let tx = connection::begin(&store.conn, &path, store.patience)?;
    tx.execute("UPDATE session SET mtime = 0, size = -1 WHERE file <> ''", []).at(store)?;
    let folder = store.layout.sessions();
    take_in(&tx, store, &folder, now)?;
    if let Some(time) = folder_time(&store.layout, &folder) {
        set_folder(&tx, time).at(store)?;
    }
    tx.commit().at(&path)
}

/// One file again.
pub(super) fn one(store: &mut Store, file: &str, now: Timestamp) -> Result<(), StoreError> {
    let path = store.layout.database();
    let tx = connection::begin(&store.conn, &path, store.patience)?;
    let target = store.layout.sessions().join(file);
    match store.layout.stamp(&target)? {
        Some(stamp) => drop(take_file(&tx, store, &target, file, stamp, now)?),
        None => drop(gone(&tx, store, file)?),
    }
    tx.commit().at(&path)
}

fn take_in(tx: &Connection, store: &Store, folder: &Path, now: Timestamp) -> Result<usize, StoreError> {
    let mut known: HashMap<String, Stamp> = HashMap::new();
    let rows = || -> rusqlite::Result<Vec<(String, Stamp)>> {
        tx.prepare("SELECT file, mtime, size FROM session WHERE file <> ''")?
            .query_map([], |row| Ok((row.get(0)?, Stamp { mtime: row.get(1)?, size: row.get(2)? })))?
            .collect()
    };
    known.extend(rows().at(store)?);
    let mut changed = 0;
    let mut found = Vec::new();
    for (path, look) in store.layout.files_in(folder) {
        let Some(name) = path.file_name().and_then(|n| n.to_str()).map(str::to_owned) else { continue };
        let is_note = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("md"));
        if is_note && !name.starts_with('.') {
            let stamp = Stamp::of(&look);
            if known.remove(&name) != Some(stamp) {
                found.push((name, stamp));
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    for (name, stamp) in found {
        changed += usize::from(take_file(tx, store, &folder.join(&name), &name, stamp, now)?);
    }
    for name in known.keys() {
        changed += gone(tx, store, name)?;
    }
    Ok(changed)
}

/// A file that cannot be read is left alone; `doctor` names it.
fn take_file(
    tx: &Connection,
    store: &Store,
    path: &Path,
    file: &str,
    stamp: Stamp,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let Ok(Ok(mut session)) = read(&store.layout, path, &store.redactor) else { return Ok(false) };
    // Forgotten here: a sync may have brought the file back.
    if tombstones::passing(tx, &session.id.full()).at(store)?.is_some() {
        return Ok(false);
    }
    let num = num_of(tx, &session.id).at(store)?;
    if let Some(known) = num.map(|num| by_num(tx, num)).transpose().at(store)?.flatten() {
        let elsewhere = !known.file.is_empty() && known.file != file;
        if elsewhere && store.layout.door().has_file(&store.layout.sessions().join(&known.file)) {
            // A copy: the one we know stays the one.
            return Ok(false);
        }
        session = merged(session, &known.session);
    }
    let scope = session.project.clone().map_or(Scope::Global, Scope::Project);
    let project = projects::find_or_create(tx, &scope, now).at(store)?;
    if num.is_none() {
        // A row of the same run without a file, or of a file that now has another id.
        let twin = super::by_host(tx, Some(&session.host), &session.host_session).at(store)?;
        if let Some(twin) = twin {
            clear(tx, twin.num).at(store)?;
        }
    }
    put(tx, num, &session, project, file, stamp).at(store)?;
    Ok(true)
}

/// A session whose file was removed is forgotten, unless it was only renamed and found already.
fn gone(tx: &Connection, store: &Store, file: &str) -> Result<usize, StoreError> {
    let run = || -> rusqlite::Result<usize> {
        let nums: Vec<i64> = tx
            .prepare_cached("SELECT num FROM session WHERE file = ?1")?
            .query_map([file], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        for num in &nums {
            clear(tx, *num)?;
        }
        Ok(nums.len())
    };
    run().at(store)
}

impl Store {
    /// Session files that cannot be read, and why.
    pub fn unreadable_sessions(&self) -> Vec<(String, String)> {
        let folder = self.layout.sessions();
        let mut found = Vec::new();
        for (name, look) in self.layout.door().list(&folder).unwrap_or_default() {
            let path = folder.join(name);
            let is_note = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("md"));
            if !is_note || look.is_folder() {
                continue;
            }
            match read(&self.layout, &path, &self.redactor) {
                Ok(Ok(_)) => {}
                Ok(Err(reason)) => found.push((path.display().to_string(), reason)),
                Err(StoreError::Refused { refusal, .. }) => {
                    found.push((path.display().to_string(), refusal.to_string()));
                }
                Err(e) => found.push((path.display().to_string(), e.to_string())),
            }
        }
        found.sort();
        found
    }
}
