//! Records a folder's new time after hark's own write, so that it does not look like an outside change.

use std::collections::HashMap;
use std::path::PathBuf;

use hark_files::{Door, Look};
use rusqlite::{Connection, OptionalExtension, params};

use crate::layers::Layer;
use crate::layout::Layout;

/// Folders that a transaction writes into. Their times are looked at before and after each write, and go into
/// the index once, when the transaction ends.
#[derive(Default)]
pub(crate) struct FolderNotes {
    /// By the folder's name in the index: `decision`, `@3/decision`, or empty.
    folders: HashMap<String, Note>,
}

struct Note {
    door: Door,
    path: PathBuf,
    /// Its time when we last looked; nothing if it was not there.
    last: Option<i64>,
    /// False once somebody else has changed the folder as well: then the next opening has to look at it.
    in_step: bool,
}

impl FolderNotes {
    /// Whether this transaction has seen that the folder is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.folders.get(name).is_some_and(|note| note.last.is_some())
    }

    pub(crate) fn before(&mut self, tx: &Connection, layout: &Layout, name: &str) -> rusqlite::Result<()> {
        if let Some(note) = self.folders.get_mut(name) {
            note.in_step &= note.last == time(&note.door, &note.path);
            return Ok(());
        }
        let known: Option<i64> = tx
            .prepare_cached("SELECT mtime FROM folder WHERE path = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?;
        let (door, path) = match layout.locate(name) {
            Some(located) => (located.door.clone(), located.path),
            None => (layout.door().clone(), layout.memories().join(name)),
        };
        // A folder that we are about to fill for the first time has no other contents.
        let fresh = known.is_none() && door.list(&path).is_ok_and(|entries| entries.is_empty());
        let last = time(&door, &path);
        let in_step = fresh || (known.is_some() && known == last);
        self.folders.insert(name.to_owned(), Note { door, path, last, in_step });
        Ok(())
    }

    pub(crate) fn after(&mut self, name: &str) {
        if let Some(note) = self.folders.get_mut(name) {
            note.last = time(&note.door, &note.path);
        }
    }

    pub(crate) fn file(self, tx: &Connection) -> rusqlite::Result<()> {
        for (name, note) in self.folders {
            let Some(time) = note.last.filter(|_| note.in_step) else { continue };
            tx.prepare_cached(
                "INSERT INTO folder (path, mtime) VALUES (?1, ?2) \
                 ON CONFLICT (path) DO UPDATE SET mtime = excluded.mtime",
            )?
            .execute(params![name, time])?;
        }
        Ok(())
    }
}

fn time(door: &Door, path: &std::path::Path) -> Option<i64> {
    door.look(path).ok().flatten().filter(Look::is_folder).map(|look| look.mtime)
}

/// The folder of a file, and the folder above it, by their names in the index.
pub(crate) fn folders_of(file: &str) -> (String, String) {
    match Layer::split(file) {
        Some((num, inner)) => {
            let top = format!("@{num}");
            let folder =
                inner.split_once('/').map_or_else(|| top.clone(), |(folder, _)| format!("{top}/{folder}"));
            (folder, top)
        }
        None => (file.split_once('/').map_or("", |(folder, _)| folder).to_owned(), String::new()),
    }
}
