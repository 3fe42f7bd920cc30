//! Folders that were seen as projects, and moving everything of one project to another.

use std::path::{Path, PathBuf};

use hark_core::{MemoryId, ProjectKey, Timestamp};
use rusqlite::{OptionalExtension, params};

use crate::error::{At, StoreError};
use crate::projects::{self, ProjectNum};
use crate::store::Store;
use crate::write::Writer;

/// A folder that was a project when it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectPlace {
    pub path: PathBuf,
    pub key: ProjectKey,
    /// The root of a repository or worktree.
    pub is_git: bool,
    /// The beginning of its root commit; empty if it has none.
    pub mark: String,
    pub seen: Timestamp,
}

/// What a project contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectCount {
    pub key: ProjectKey,
    pub memories: i64,
    pub sessions: i64,
    /// When a memory or session last changed.
    pub last: Option<Timestamp>,
}

impl Store {
    /// Whether a folder is already known to be this project.
    pub fn knows_place(&self, path: &Path, key: &ProjectKey) -> bool {
        let found = self
            .conn
            .prepare_cached("SELECT 1 FROM project_place WHERE path = ?1 AND key = ?2")
            .and_then(|mut s| s.exists([path.to_string_lossy().as_ref(), key.as_str()]));
        found.unwrap_or(true)
    }

    /// Best effort, like the cache of projects.
    pub fn remember_place(&self, place: &ProjectPlace) {
        let insert = self.conn.prepare_cached(
            "INSERT INTO project_place (path, key, git, mark, seen) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (path, key) DO UPDATE SET git = excluded.git, mark = excluded.mark, seen = excluded.seen",
        );
        let _ = insert.and_then(|mut s| {
            s.execute(params![
                place.path.to_string_lossy(),
                place.key.as_str(),
                place.is_git,
                place.mark,
                place.seen.as_millis()
            ])
        });
    }

    /// What a folder was last seen as.
    pub fn place_at(&self, path: &Path) -> Option<ProjectPlace> {
        self.conn
            .prepare_cached(
                "SELECT path, key, git, mark, seen FROM project_place WHERE path = ?1 ORDER BY seen DESC LIMIT 1",
            )
            .and_then(|mut s| s.query_row([path.to_string_lossy()], place).optional())
            .ok()
            .flatten()
            .flatten()
    }

    pub fn places(&self) -> Result<Vec<ProjectPlace>, StoreError> {
        let run = || -> rusqlite::Result<Vec<ProjectPlace>> {
            self.conn
                .prepare_cached("SELECT path, key, git, mark, seen FROM project_place ORDER BY key, path")?
                .query_map([], place)?
                .filter_map(Result::transpose)
                .collect()
        };
        run().at(self)
    }

    /// Whether a session was told of a likely predecessor of this project.
    pub fn was_told_of_predecessor(&self, key: &ProjectKey) -> bool {
        let told = self.conn.prepare_cached("SELECT 1 FROM project_place WHERE key = ?1 AND told = 1");
        told.and_then(|mut s| s.exists([key.as_str()])).unwrap_or(true)
    }

    /// Notes that a session was told. Best effort.
    pub fn tell_of_predecessor(&self, key: &ProjectKey) {
        let _ = self.conn.execute("UPDATE project_place SET told = 1 WHERE key = ?1", [key.as_str()]);
    }

    /// Whether a project has a memory. Reads an index only.
    pub fn has_memories(&self, key: &ProjectKey) -> Result<bool, StoreError> {
        let Some(num) = self.project_num(key)? else { return Ok(false) };
        self.conn
            .prepare_cached("SELECT 1 FROM memory WHERE project = ?1 LIMIT 1")
            .and_then(|mut s| s.exists([num.0]))
            .at(self)
    }

    /// Every project with memories or sessions, most recently used first.
    pub fn project_counts(&self) -> Result<Vec<ProjectCount>, StoreError> {
        let run = || -> rusqlite::Result<Vec<ProjectCount>> {
            let mut statement = self.conn.prepare_cached(
                "SELECT p.key, coalesce(m.n, 0), coalesce(s.n, 0), max(coalesce(m.last, 0), coalesce(s.last, 0)) AS last \
                 FROM project p \
                 LEFT JOIN (SELECT project, count(*) AS n, max(updated) AS last FROM memory GROUP BY project) m ON m.project = p.num \
                 LEFT JOIN (SELECT project, count(*) AS n, max(seen) AS last FROM session GROUP BY project) s ON s.project = p.num \
                 WHERE m.n > 0 OR s.n > 0 ORDER BY last DESC, p.key",
            )?;
            let rows: Vec<(String, i64, i64, i64)> = statement
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
                .collect::<rusqlite::Result<_>>()?;
            let mut found = Vec::with_capacity(rows.len());
            for (key, memories, sessions, last) in rows {
                if let Some(key) = projects::key_of(key) {
                    let last = (last > 0).then(|| Timestamp::from_millis(last));
                    found.push(ProjectCount { key, memories, sessions, last });
                }
            }
            Ok(found)
        };
        run().at(self)
    }

    /// The memories of a project in the user's own store. Those in a project's store follow that store.
    pub fn own_memories_of(&self, project: ProjectNum) -> Result<Vec<MemoryId>, StoreError> {
        let run = || -> rusqlite::Result<Vec<Vec<u8>>> {
            self.conn
                .prepare("SELECT id FROM memory WHERE project = ?1 AND file NOT LIKE '@%' ORDER BY id")?
                .query_map([project.0], |row| row.get(0))?
                .collect()
        };
        Ok(run().at(self)?.iter().filter_map(|id| MemoryId::from_slice(id)).collect())
    }

    /// The sessions of a project, by number.
    pub fn sessions_of(&self, project: ProjectNum) -> Result<Vec<i64>, StoreError> {
        let run = || -> rusqlite::Result<Vec<i64>> {
            self.conn
                .prepare("SELECT num FROM session WHERE project = ?1 ORDER BY num")?
                .query_map([project.0], |row| row.get(0))?
                .collect()
        };
        run().at(self)
    }

    /// How many memories are in the user's own store.
    pub fn own_memories(&self) -> Result<i64, StoreError> {
        let sql = "SELECT count(*) FROM memory WHERE file NOT LIKE '@%'";
        self.conn.query_row(sql, [], |row| row.get(0)).at(self)
    }

    /// How many sessions belong to no project.
    pub fn sessions_without_project(&self) -> Result<i64, StoreError> {
        self.conn.query_row("SELECT count(*) FROM session WHERE project = 0", [], |row| row.get(0)).at(self)
    }

    /// How many failures of a project the index counts.
    pub fn failures_counted(&self, project: ProjectNum) -> Result<i64, StoreError> {
        self.conn
            .query_row("SELECT count(*) FROM failure WHERE project = ?1", [project.0], |row| row.get(0))
            .at(self)
    }
}

fn place(row: &rusqlite::Row<'_>) -> rusqlite::Result<Option<ProjectPlace>> {
    let path: String = row.get(0)?;
    let Some(key) = projects::key_of(row.get(1)?) else { return Ok(None) };
    Ok(Some(ProjectPlace {
        path: PathBuf::from(path),
        key,
        is_git: row.get(2)?,
        mark: row.get(3)?,
        seen: Timestamp::from_millis(row.get(4)?),
    }))
}

impl Writer<'_> {
    /// Failures that only the index counts, and what it knows of folders, go from one project to another. Of two
    /// failures with one signature the one seen last stays.
    pub fn move_project_rows(&mut self, from: &ProjectKey, into: &ProjectKey) -> Result<usize, StoreError> {
        let scope = hark_core::Scope::Project(into.clone());
        let run = || -> rusqlite::Result<usize> {
            let tx = &self.tx;
            let mut moved = 0;
            if let Some(ProjectNum(from)) = projects::find(tx, from)? {
                let ProjectNum(into) = projects::find_or_create(tx, &scope, self.now)?;
                const TWIN: &str = "SELECT a.num FROM failure a JOIN failure b ON b.signature = a.signature \
                     WHERE (a.project, b.project) IN (VALUES (?1, ?2), (?2, ?1)) AND \
                     (a.last_at < b.last_at OR (a.last_at = b.last_at AND a.project = ?1))";
                tx.execute(&format!("DELETE FROM failure_target WHERE failure IN ({TWIN})"), [from, into])?;
                tx.execute(&format!("DELETE FROM failure WHERE num IN ({TWIN})"), [from, into])?;
                moved = tx.execute("UPDATE failure SET project = ?2 WHERE project = ?1", [from, into])?;
                tx.execute("UPDATE failure_target SET project = ?2 WHERE project = ?1", [from, into])?;
            }
            let keys = [from.as_str(), into.as_str()];
            tx.execute("UPDATE project_root SET key = ?2 WHERE key = ?1", keys)?;
            tx.execute("UPDATE OR REPLACE project_place SET key = ?2 WHERE key = ?1", keys)?;
            Ok(moved)
        };
        run().at(self)
    }
}
