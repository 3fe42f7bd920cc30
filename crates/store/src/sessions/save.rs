//! Changes a session: its file and its rows, under one lock.

use std::path::Path;

use hark_core::markdown::session as markdown;
use hark_core::session::FileTouch;
use hark_core::{Clean, Raw, Scope, Session};

use super::{StoredSession, by_host, by_num, put};
use crate::error::{At, StoreError};
use crate::files::Stamp;
use crate::layout::Layout;
use crate::meta;
use crate::projects::{self, ProjectNum};
use crate::write::Writer;

/// A session is a page or two.
const LARGEST_FILE: u64 = 16 * 1024 * 1024;
const NO_FILE: Stamp = Stamp { mtime: 0, size: 0 };

impl Writer<'_> {
    pub fn session_of_host(
        &self,
        host: Option<&str>,
        host_session: &str,
    ) -> Result<Option<StoredSession>, StoreError> {
        let found = by_host(&self.tx, host, host_session).at(self)?;
        found.map(|stored| self.as_on_disk(stored)).transpose()
    }

    /// A session as it stands in its file, which somebody may have edited, with what hooks counted
    /// since.
    pub fn session(&self, num: i64) -> Result<Option<StoredSession>, StoreError> {
        let found = by_num(&self.tx, num).at(self)?;
        found.map(|stored| self.as_on_disk(stored)).transpose()
    }

    fn as_on_disk(&self, mut stored: StoredSession) -> Result<StoredSession, StoreError> {
        if stored.file.is_empty() {
            return Ok(stored);
        }
        let path = self.layout.sessions().join(&stored.file);
        match self.layout.stamp(&path)? {
            Some(stamp) if stamp == stored.stamp => Ok(stored),
            // The file was removed. Write a new one if there is more to save.
            None => {
                stored.file.clear();
                Ok(stored)
            }
            Some(stamp) => {
                let edited = read(self.layout, &path, self.redactor)?
                    .map_err(|reason| StoreError::Unreadable { path: path.clone(), reason })?;
                if edited.id != stored.session.id {
                    let reason = "its id was changed".to_owned();
                    return Err(StoreError::Unreadable { path, reason });
                }
                stored.session = merged(edited, &stored.session);
                stored.stamp = stamp;
                Ok(stored)
            }
        }
    }

    /// A new session, without a file yet. Returns its number.
    pub fn begin_session(&mut self, session: &Session) -> Result<i64, StoreError> {
        let project = self.session_project(session)?;
        put(&self.tx, None, session, project, "", NO_FILE).at(self)
    }

    /// Rows only: for changes that are not worth a file yet.
    pub fn note_session(&mut self, stored: &StoredSession) -> Result<(), StoreError> {
        let project = self.session_project(&stored.session)?;
        put(&self.tx, Some(stored.num), &stored.session, project, &stored.file, stored.stamp)
            .map(drop)
            .at(self)
    }

    /// Rows and file. Gives the file's name.
    pub fn save_session(&mut self, stored: &StoredSession) -> Result<String, StoreError> {
        let folder = self.layout.sessions();
        self.layout.create_folder(&folder)?;
        let mark = FolderMark::before(self, &folder)?;
        let wanted = markdown::file_name(&stored.session);
        let unnamed = stored.file.ends_with(&format!("_session_{}.md", stored.session.id.tail()));
        let slugged = stored.session.slug().is_some()
            && stored.file.ends_with(&format!("_{}.md", stored.session.id.tail()));
        let file = if stored.file.is_empty() || unnamed || slugged { wanted } else { stored.file.clone() };
        let path = folder.join(&file);
        if !stored.file.is_empty() && stored.file != file {
            // Renamed first and written then: at no moment are there two files with one id.
            let former = folder.join(&stored.file);
            self.journal_file(&former);
            let door = self.layout.door();
            self.journal.created(door, &path);
            door.rename(&former, &path).at(&path)?;
        } else {
            self.journal_file(&path);
        }
        let text = markdown::render(&stored.session);
        let stamp = self.layout.write(&path, text.as_bytes())?;
        let project = self.session_project(&stored.session)?;
        put(&self.tx, Some(stored.num), &stored.session, project, &file, stamp).at(self)?;
        mark.after(self, &folder)?;
        Ok(file)
    }

    /// A session from elsewhere: its file, under the name it had there if that is free, and its rows.
    pub(crate) fn put_session_text(
        &mut self,
        session: &Session,
        file: Option<&str>,
        verbatim: Option<&Clean>,
    ) -> Result<(), StoreError> {
        let folder = self.layout.sessions();
        self.layout.create_folder(&folder)?;
        let mark = FolderMark::before(self, &folder)?;
        let free = |file: &&str| {
            crate::transfer::is_safe_place(file)
                && !file.contains('/')
                && self.layout.door().look(&folder.join(file)).is_ok_and(|found| found.is_none())
        };
        let file = file.filter(free).map_or_else(|| markdown::file_name(session), str::to_owned);
        let path = folder.join(&file);
        self.journal_file(&path);
        let text = verbatim.map_or_else(|| markdown::render(session), ToString::to_string);
        let stamp = self.layout.write(&path, text.as_bytes())?;
        let project = self.session_project(session)?;
        put(&self.tx, None, session, project, &file, stamp).at(self)?;
        mark.after(self, &folder)
    }

    /// The agent has said what it does: counting begins again.
    pub fn reported(&mut self, num: i64) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("UPDATE session SET unreported = 0, denied = 0 WHERE num = ?1")
            .and_then(|mut s| s.execute([num]))
            .map(drop)
            .at(self)
    }

    /// A tool was refused. Returns how many in a row.
    pub fn refused(&mut self, num: i64) -> Result<u32, StoreError> {
        let run = || -> rusqlite::Result<u32> {
            self.tx
                .prepare_cached("UPDATE session SET denied = denied + 1 WHERE num = ?1")?
                .execute([num])?;
            self.tx.query_row("SELECT denied FROM session WHERE num = ?1", [num], |row| row.get(0))
        };
        run().at(self)
    }

    /// Remembers which files were changed already when a session began.
    pub fn set_baseline(&mut self, num: i64, files: &[(String, String)]) -> Result<(), StoreError> {
        let run = || -> rusqlite::Result<()> {
            let mut insert = self.tx.prepare_cached(
                "INSERT INTO session_baseline (session, path, mark) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            )?;
            for (path, mark) in files {
                insert.execute(rusqlite::params![num, path, mark])?;
            }
            Ok(())
        };
        run().at(self)
    }

    fn session_project(&self, session: &Session) -> Result<ProjectNum, StoreError> {
        let scope = session.project.clone().map_or(Scope::Global, Scope::Project);
        projects::find_or_create(&self.tx, &scope, self.now).at(self)
    }
}

/// What the file says, and what was counted after it was written.
pub(super) fn merged(mut edited: Session, counted: &Session) -> Session {
    let written = edited.updated;
    let since = counted.files.iter().filter(|file| file.last > written);
    for file in since {
        let known: Option<&mut FileTouch> = edited.files.iter_mut().find(|known| known.path == file.path);
        match known {
            Some(known) => *known = file.clone(),
            None => edited.files.push(file.clone()),
        }
    }
    let fresh = counted.turns.iter().filter(|turn| turn.at > written);
    fresh.for_each(|turn| edited.add_turn(turn.clone()));
    edited.tool_calls = edited.tool_calls.max(counted.tool_calls);
    edited.updated = edited.updated.max(counted.updated);
    edited
}

/// The session in a file, or why there is none.
pub(super) fn read(
    layout: &Layout,
    path: &Path,
    redactor: &hark_core::redact::Redactor,
) -> Result<Result<Session, String>, StoreError> {
    let bytes = layout.door().read(path, LARGEST_FILE).map_err(|e| StoreError::reading(path, e))?;
    let Ok(text) = String::from_utf8(bytes) else { return Ok(Err("is not UTF-8 text".to_owned())) };
    // The error may quote the file, which may contain a secret.
    let reason = |e: hark_core::markdown::ParseError| redactor.clean(Raw::new(e.to_string())).into_string();
    Ok(markdown::parse(&text, &|raw| redactor.clean(raw)).map_err(reason))
}

/// Notes the folder's time after a write of our own, unless somebody else changed it as well.
pub(super) struct FolderMark {
    in_step: bool,
}

pub(super) const FOLDER_KEY: &str = "sessions_folder";

impl FolderMark {
    fn before(writer: &Writer<'_>, folder: &Path) -> Result<Self, StoreError> {
        let known = known_folder(&writer.tx).at(writer)?;
        let now = folder_time(writer.layout, folder);
        let fresh = known.is_none() && writer.layout.door().list(folder).is_ok_and(|found| found.is_empty());
        Ok(FolderMark { in_step: fresh || (known.is_some() && known == now) })
    }

    fn after(self, writer: &Writer<'_>, folder: &Path) -> Result<(), StoreError> {
        match folder_time(writer.layout, folder).filter(|_| self.in_step) {
            Some(time) => set_folder(&writer.tx, time).at(writer),
            None => Ok(()),
        }
    }
}

pub(super) fn known_folder(conn: &rusqlite::Connection) -> rusqlite::Result<Option<i64>> {
    Ok(meta::get(conn, FOLDER_KEY)?.and_then(|text| text.parse().ok()))
}

pub(super) fn folder_time(layout: &Layout, folder: &Path) -> Option<i64> {
    let found = layout.door().look(folder).ok().flatten();
    found.filter(hark_files::Look::is_folder).map(|look| look.mtime)
}

pub(super) fn set_folder(conn: &rusqlite::Connection, time: i64) -> rusqlite::Result<()> {
    meta::put(conn, FOLDER_KEY, &time.to_string())
}
