//! Noting a folder's new time after a write of our own, so that it is not taken for a change from outside.

use std::path::PathBuf;

use hark_files::{Door, Look};
use rusqlite::{Connection, OptionalExtension, params};

use crate::layers::Layer;
use crate::layout::Layout;

/// Notes the folder's new time after a write of our own, unless somebody else changed it as well.
pub(crate) struct FolderNote {
    name: String,
    door: Door,
    path: PathBuf,
    in_step: bool,
}

impl FolderNote {
    /// `name` is the folder's name in the index: `decision`, `@3/decision`, or empty.
    pub(crate) fn before(tx: &Connection, layout: &Layout, name: &str) -> rusqlite::Result<Self> {
        let known: Option<i64> = tx
            .prepare_cached("SELECT mtime FROM folder WHERE path = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?;
        let (door, path) = match layout.locate(name) {
            Some(located) => (located.door.clone(), located.path),
            None => (layout.door().clone(), layout.memories().join(name)),
        };
        let now = time(&door, &path);
        // A folder that we are about to fill for the first time has no other contents.
        let fresh = known.is_none() && door.list(&path).is_ok_and(|entries| entries.is_empty());
        let in_step = fresh || (known.is_some() && known == now);
        Ok(FolderNote { name: name.to_owned(), door, path, in_step })
    }

    pub(crate) fn after(self, tx: &Connection) -> rusqlite::Result<()> {
        if let Some(time) = time(&self.door, &self.path).filter(|_| self.in_step) {
            tx.prepare_cached(
                "INSERT INTO folder (path, mtime) VALUES (?1, ?2) \
                 ON CONFLICT (path) DO UPDATE SET mtime = excluded.mtime",
            )?
            .execute(params![self.name, time])?;
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
