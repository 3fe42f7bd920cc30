//! Store operations for export and import: memories in the order of their ids, page by page, and imports
//! that keep each file unchanged.
//!
//! The caller decides what an import may overwrite; this module writes the file and its rows.

use std::collections::HashSet;
use std::io;
use std::path::{Component, Path};

use hark_core::{Clean, IdRef, Kind, Memory, MemoryId, Session, SessionId, Status, Timestamp, markdown};
use rusqlite::OptionalExtension;

use crate::conditions::{self, Conditions};
use crate::error::{At, StoreError};
use crate::index::{Prepared, Preparer};
use crate::log;
use crate::projects::ProjectNum;
use crate::read::{self, Stored};
use crate::revisions::{self, Revision};
use crate::store::Store;
use crate::write::{Filing, Parcel, Writer};

/// 512 MB. The first process to open the index after a crash reads all of it.
const LONGEST_LOG_PAGES: i64 = 131_072;

/// Which memories leave. Empty lists mean "any".
#[derive(Debug, Clone, Default)]
pub struct Departure {
    pub projects: Option<Vec<ProjectNum>>,
    pub kinds: Vec<Kind>,
    /// Changed at or after this time.
    pub since: Option<Timestamp>,
    pub without_archived: bool,
}

/// An entity and how many of the departing memories mention it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityTotal {
    pub kind: String,
    pub name: String,
    pub project: Option<String>,
    pub mentions: i64,
}

/// What became of a session from elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrived {
    New,
    Newer,
    Known,
}

impl Departure {
    fn conditions(&self) -> Conditions {
        // What a repository brought along is not the user's to carry elsewhere.
        let mut conditions = Conditions::new("m.origin <> 'repository'");
        if let Some(projects) = &self.projects {
            conditions.and_one_of("m.project", projects.iter().map(|p| p.0), "");
        }
        if !self.kinds.is_empty() {
            conditions.and_one_of("m.kind", self.kinds.iter().map(|kind| kind.name().to_owned()), "");
        }
        if self.without_archived {
            conditions.and_bound("m.status <> ", Status::Archived.name().to_owned(), "");
        }
        if let Some(since) = self.since {
            conditions.and_bound("m.updated >= ", since.as_millis(), "");
        }
        conditions
    }
}

impl Store {
    /// The next memories in the order of their ids.
    pub fn departing(
        &self,
        which: &Departure,
        after: Option<MemoryId>,
        limit: usize,
    ) -> Result<Vec<Stored>, StoreError> {
        let mut conditions = which.conditions();
        if let Some(after) = after {
            conditions.and_bound("m.id > ", after.as_bytes().to_vec(), "");
        }
        let limit = conditions.mark(conditions::limit(limit));
        let sql = format!(
            "SELECT m.num, m.doc, m.file, m.mtime, m.size FROM memory m WHERE {} ORDER BY m.id LIMIT {limit}",
            conditions.sql()
        );
        let run = || -> rusqlite::Result<Vec<Stored>> {
            self.conn.prepare_cached(&sql)?.query_map(conditions.params(), read::stored)?.collect()
        };
        run().at(self)
    }

    pub fn departing_count(&self, which: &Departure) -> Result<i64, StoreError> {
        let conditions = which.conditions();
        let sql = format!("SELECT count(*) FROM memory m WHERE {}", conditions.sql());
        self.conn.query_row(&sql, conditions.params(), |row| row.get(0)).at(self)
    }

    /// Entities that departing memories mention, in an order that does not depend on this index.
    pub fn departing_entities(
        &self,
        which: &Departure,
        mut each: impl FnMut(EntityTotal) -> io::Result<()>,
    ) -> Result<io::Result<()>, StoreError> {
        self.finish_memories()?;
        let conditions = which.conditions();
        let sql = format!(
            "SELECT e.kind, e.norm, p.key, count(*) FROM entity e JOIN mention n ON n.entity = e.id \
             JOIN memory m ON m.num = n.memory LEFT JOIN project p ON p.num = e.project WHERE {} \
             GROUP BY e.id ORDER BY e.kind, e.norm, p.key",
            conditions.sql()
        );
        let mut statement = self.conn.prepare(&sql).at(self)?;
        let mut rows = statement.query(conditions.params()).at(self)?;
        while let Some(row) = rows.next().at(self)? {
            let total = || -> rusqlite::Result<EntityTotal> {
                Ok(EntityTotal {
                    kind: row.get(0)?,
                    name: row.get(1)?,
                    project: row.get(2)?,
                    mentions: row.get(3)?,
                })
            };
            if let Err(e) = each(total().at(self)?) {
                return Ok(Err(e));
            }
        }
        Ok(Ok(()))
    }

    /// Entities of a memory as `kind:name`, the same in every index.
    pub fn entity_names(&self, num: i64) -> Result<Vec<String>, StoreError> {
        self.finish_memories()?;
        let run = || -> rusqlite::Result<Vec<String>> {
            self.conn
                .prepare_cached(
                    "SELECT e.kind || ':' || e.norm FROM mention n JOIN entity e ON e.id = n.entity \
                     WHERE n.memory = ?1 ORDER BY 1",
                )?
                .query_map([num], |row| row.get(0))?
                .collect()
        };
        run().at(self)
    }

    /// Session files in the order of their ids.
    pub fn departing_sessions(
        &self,
        projects: Option<&[ProjectNum]>,
        since: Option<Timestamp>,
    ) -> Result<Vec<(SessionId, String)>, StoreError> {
        let mut conditions = Conditions::new("file <> ''");
        conditions.and_bound("seen >= ", since.map_or(i64::MIN, Timestamp::as_millis), "");
        if let Some(projects) = projects {
            conditions.and_one_of("project", projects.iter().map(|p| p.0), "");
        }
        let sql = format!("SELECT id, file FROM session WHERE {} ORDER BY id", conditions.sql());
        let run = || -> rusqlite::Result<Vec<(SessionId, String)>> {
            let mut statement = self.conn.prepare(&sql)?;
            let rows = statement
                .query_map(conditions.params(), |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get(1)?)))?;
            rows.filter_map(|row| {
                row.map(|(id, file)| SessionId::from_slice(&id).map(|id| (id, file))).transpose()
            })
            .collect()
        };
        run().at(self)
    }

    /// Runs `change` under the write lock, for very many memories: their words, entities and near-repeats are
    /// filed together at the end. Afterwards others get their turn.
    pub fn write_many<T, E: From<StoreError>>(
        &mut self,
        now: Timestamp,
        change: impl FnOnce(&mut Writer<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.write_as(Filing::Together, now, change)
    }

    /// Room for many writes in a row; small enough that an import stays below 300 MB in all. The log is folded
    /// rarely: most pages that one transaction writes are written again by the next.
    pub fn prepare_for_many(&mut self) {
        let settings = format!("PRAGMA cache_size = -96000; PRAGMA wal_autocheckpoint = {LONGEST_LOG_PAGES}");
        let _ = self.conn.execute_batch(&settings);
    }

    /// Back to what a command usually needs.
    pub fn done_with_many(&mut self) {
        let _ = self.conn.execute_batch("PRAGMA wal_checkpoint(PASSIVE)");
        let pages = if self.filing == Filing::Sparing { log::VERY_LONG_PAGES } else { log::USUAL_PAGES };
        let _ = self.conn.execute_batch(&format!(
            "PRAGMA wal_autocheckpoint = {pages}; PRAGMA cache_size = -12000; PRAGMA shrink_memory"
        ));
    }

    /// The ids of all memories.
    pub fn ids(&self) -> Result<HashSet<MemoryId>, StoreError> {
        let run = || -> rusqlite::Result<HashSet<MemoryId>> {
            let mut statement = self.conn.prepare("SELECT id FROM memory")?;
            let mut rows = statement.query([])?;
            let mut ids = HashSet::new();
            while let Some(row) = rows.next()? {
                ids.extend(MemoryId::from_slice(row.get_ref(0)?.as_blob()?));
            }
            Ok(ids)
        };
        run().at(self)
    }

    /// Works out what the index will hold of a memory, without this store.
    pub fn preparer(&self) -> Preparer {
        Preparer(self.embedder.clone())
    }
}

/// Where an arriving file may lie: its own name, in no folder or one, nothing hidden.
pub fn is_safe_place(file: &str) -> bool {
    let path = Path::new(file);
    let parts: Vec<&str> = file.split('/').collect();
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    let shown = parts.iter().all(|part| !part.is_empty() && !part.starts_with('.'));
    let named = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("md"));
    let usable =
        !file.chars().any(|c| c.is_control() || matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|'));
    plain && shown && named && usable && parts.len() <= 2 && parts.iter().all(|part| part.len() <= 240)
}

impl Writer<'_> {
    /// A memory as it stands in its file, if there is one.
    pub fn look_up(&self, id: &MemoryId) -> Result<Option<Memory>, StoreError> {
        match self.load(&IdRef::Full(*id)) {
            Ok(memory) => Ok(Some(memory)),
            Err(StoreError::NotFound { .. }) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// A new memory under the name its file had elsewhere, if that is free here. `verbatim` is the
    /// file's text where it differs from what we would write.
    pub fn arrive(
        &mut self,
        memory: &Memory,
        file: Option<&str>,
        verbatim: Option<&Clean>,
        prepared: Option<Prepared>,
    ) -> Result<(), StoreError> {
        let layout = self.layout;
        let own = format!("{}/{}", memory.kind.name(), markdown::file_name(memory));
        let free = |file: &str| {
            !crate::layers::is_layered(file)
                && layout.door().look(&layout.memories().join(file)).is_ok_and(|found| found.is_none())
        };
        let (file, is_new) = match file.filter(|file| is_safe_place(file) && free(file)) {
            Some(file) => (file.to_owned(), true),
            None if free(&own) => (own, true),
            // Another memory with the same title and tail: the whole id tells them apart.
            None => (format!("{}/{}.md", memory.kind.name(), memory.id.full()), false),
        };
        self.put_parcel(memory, &file, Parcel { verbatim, prepared, is_new })
    }

    /// Former states of a memory, oldest first.
    pub fn history(&self, id: &MemoryId) -> Result<Vec<Revision>, StoreError> {
        revisions::read(self.layout, id)
    }

    /// Former states of a memory from elsewhere, put between those that are known here. Returns how
    /// many were new.
    pub fn add_history(&mut self, id: &MemoryId, arriving: &[Revision]) -> Result<usize, StoreError> {
        let known = revisions::read(self.layout, id)?;
        let fresh: Vec<&Revision> = arriving.iter().filter(|revision| !known.contains(revision)).collect();
        if fresh.is_empty() {
            return Ok(0);
        }
        let count = fresh.len();
        let mut all: Vec<&Revision> = known.iter().chain(fresh).collect();
        if !known.is_empty() {
            all.sort_by_key(|revision| revision.at);
        }
        let mut text = String::new();
        for revision in all {
            text.push_str(&serde_json::to_string(revision).unwrap_or_default());
            text.push('\n');
        }
        let path = revisions::path(self.layout, id);
        self.journal_file(&path);
        self.layout.write(&path, text.as_bytes())?;
        Ok(count)
    }

    /// A session from elsewhere: a new one, or one that knows more than ours.
    pub fn arrive_session(
        &mut self,
        session: &Session,
        file: Option<&str>,
        verbatim: Option<&Clean>,
    ) -> Result<Arrived, StoreError> {
        let known = crate::sessions::num_of(&self.tx, &session.id).at(self)?;
        let known = known.map(|num| self.session(num)).transpose()?.flatten();
        if let Some(mut known) = known {
            if session.updated <= known.session.updated {
                return Ok(Arrived::Known);
            }
            known.session = session.clone();
            self.save_session(&known)?;
            return Ok(Arrived::Newer);
        }
        if self.knows_run(session)? {
            return Ok(Arrived::Known);
        }
        self.put_session_text(session, file, verbatim)?;
        Ok(Arrived::New)
    }

    /// Whether this run of an assistant is known, under this id or another.
    fn knows_run(&self, session: &Session) -> Result<bool, StoreError> {
        let run = || -> rusqlite::Result<bool> {
            let found: Option<i64> = self
                .tx
                .prepare_cached("SELECT 1 FROM session WHERE id = ?1 OR (host = ?2 AND host_session = ?3)")?
                .query_row(
                    rusqlite::params![
                        session.id.as_bytes().as_slice(),
                        session.host.as_str(),
                        session.host_session.as_str()
                    ],
                    |row| row.get(0),
                )
                .optional()?;
            Ok(found.is_some())
        };
        run().at(self)
    }
}

impl Store {
    /// Whether this run of an assistant is known, without taking the write lock.
    pub fn knows_run(&self, session: &Session) -> Result<bool, StoreError> {
        let known = self.session(&hark_core::session::SessionRef::Full(session.id));
        match known {
            Ok(_) => return Ok(true),
            Err(StoreError::NoSession { .. }) => {}
            Err(e) => return Err(e),
        }
        Ok(self.knows_session(&session.host, &session.host_session)?.is_some())
    }

    /// The text of a memory's file, as it is on disk. `None`: it is gone, or not UTF-8. What lies in the store of a
    /// project may claim to be anybody's, so that is told as it counts here.
    pub fn text_of(&self, stored: &Stored) -> Result<Option<String>, StoreError> {
        match self.layout.locate(&stored.file) {
            None => Ok(None),
            Some(located) if located.layer.is_some() => Ok(Some(markdown::render(&stored.memory))),
            Some(located) => read_text(located.door, &located.path),
        }
    }

    pub fn session_text(&self, file: &str) -> Result<Option<String>, StoreError> {
        read_text(self.layout.door(), &self.layout.sessions().join(file))
    }
}

fn read_text(door: &hark_files::Door, path: &Path) -> Result<Option<String>, StoreError> {
    match door.read(path, crate::files::LARGEST) {
        Ok(bytes) => Ok(String::from_utf8(bytes).ok()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(StoreError::reading(path, e)),
    }
}

#[cfg(test)]
mod tests {
    use super::is_safe_place;

    #[test]
    fn arrivals_stay_inside_their_folder() {
        for good in ["fact/a_7k3q9x2d.md", "a.md", "my notes/ä.MD"] {
            assert!(is_safe_place(good), "{good}");
        }
        let bad = [
            "",
            "a.txt",
            "../a.md",
            "/etc/a.md",
            "a/../b.md",
            "a/b/c.md",
            ".hidden/a.md",
            "a/.b.md",
            "a\\b.md",
        ];
        for bad in bad {
            assert!(!is_safe_place(bad), "{bad}");
        }
    }
}
