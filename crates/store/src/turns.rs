//! Finished turns of sessions: read and found here, written with their session.

use hark_core::rank::similar::{Bag, FileMark, Story};
use hark_core::session::Turn;
use hark_core::{Clean, ProjectKey, Raw, SessionId, Timestamp};
use rusqlite::{Connection, params};

use crate::error::{At, StoreError};
use crate::own;
use crate::projects::ProjectNum;
use crate::store::Store;
use crate::write::Writer;

/// A turn, and the session that it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTurn {
    pub turn: Turn,
    pub session: SessionId,
    pub project: Option<ProjectKey>,
}

impl StoredTurn {
    pub fn id(&self) -> String {
        self.turn.id(&self.session)
    }
}

/// Earlier turns of a project, as they are compared with a prompt.
#[derive(Debug, Default)]
pub struct PastTurns {
    /// The session and the time that identify each of them.
    pub keys: Vec<(i64, Timestamp)>,
    pub stories: Vec<Story>,
}

pub(crate) fn of_session(conn: &Connection, session: i64) -> rusqlite::Result<Vec<Turn>> {
    let mut statement = conn.prepare_cached("SELECT doc FROM turn WHERE session = ?1 ORDER BY at")?;
    let rows = statement.query_map([session], |row| Ok(own::column::<Turn<Raw>>(row, 0).ok()))?;
    rows.filter_map(Result::transpose).collect()
}

/// Brings the rows in line with a session's turns; those that have not changed are left alone.
pub(crate) fn put(conn: &Connection, num: i64, id: &SessionId, turns: &[Turn]) -> rusqlite::Result<()> {
    let known = of_session(conn, num)?;
    let mut delete = conn.prepare_cached("DELETE FROM turn WHERE session = ?1 AND at = ?2")?;
    for turn in known.iter().filter(|turn| !turns.contains(turn)) {
        delete.execute([num, turn.at.as_millis()])?;
    }
    let mut insert = conn.prepare_cached(
        "INSERT OR REPLACE INTO turn (session, at, tail, doc, terms, files) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for turn in turns.iter().filter(|turn| !known.contains(turn)) {
        let doc = serde_json::to_string(turn).unwrap_or_default();
        let files: Vec<u8> = turn.files.iter().flat_map(|file| FileMark::of(file).to_bytes()).collect();
        let terms = Bag::of(&turn.story()).to_bytes();
        insert.execute(params![num, turn.at.as_millis(), turn.tail(id), doc, terms, files])?;
    }
    Ok(())
}

const COLUMNS: &str = "turn.doc, session.id, project.key";
const JOINED: &str =
    "turn JOIN session ON session.num = turn.session LEFT JOIN project ON project.num = session.project";

fn stored(row: &rusqlite::Row<'_>) -> rusqlite::Result<Option<StoredTurn>> {
    let id: Vec<u8> = row.get(1)?;
    let key: Option<String> = row.get(2)?;
    // A damaged row is as good as none; it is made again with its session.
    let Ok(turn) = own::column::<Turn<Raw>>(row, 0) else { return Ok(None) };
    let project = key.and_then(|key| ProjectKey::new(&Clean::already_redacted(key)));
    Ok(SessionId::from_slice(&id).map(|session| StoredTurn { turn, session, project }))
}

impl Store {
    /// The turns of a session, oldest first.
    pub fn turns_of(&self, session: i64) -> Result<Vec<Turn>, StoreError> {
        of_session(&self.conn, session).at(self)
    }

    /// Turns by the beginning of what follows `t-`, oldest first.
    pub fn turns_by_tail(&self, tail: &str) -> Result<Vec<StoredTurn>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM {JOINED} WHERE turn.tail >= ?1 AND turn.tail < ?2 ORDER BY turn.at LIMIT 9"
        );
        let run = || -> rusqlite::Result<Vec<StoredTurn>> {
            self.conn
                .prepare_cached(&sql)?
                .query_map([tail, &format!("{tail}~")], stored)?
                .filter_map(Result::transpose)
                .collect()
        };
        run().at(self)
    }

    pub fn turn(&self, (session, at): (i64, Timestamp)) -> Result<Option<StoredTurn>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM {JOINED} WHERE turn.session = ?1 AND turn.at = ?2");
        let run = || -> rusqlite::Result<Option<StoredTurn>> {
            let mut statement = self.conn.prepare_cached(&sql)?;
            let mut rows = statement.query_map([session, at.as_millis()], stored)?;
            rows.next().transpose().map(Option::flatten)
        };
        run().at(self)
    }

    /// The newest turns of these projects, without those of one session and of subagents.
    pub fn past_turns(
        &self,
        projects: &[ProjectNum],
        except: Option<i64>,
        now: Timestamp,
        limit: usize,
    ) -> Result<PastTurns, StoreError> {
        let run = || -> rusqlite::Result<PastTurns> {
            let mut past = PastTurns::default();
            let mut statement = self.conn.prepare_cached(
                "SELECT turn.session, turn.at, turn.terms, turn.files FROM session JOIN turn ON turn.session = session.num \
                 WHERE session.project = ?1 AND session.num <> ?2 \
                 AND CASE WHEN json_valid(session.doc) THEN json_extract(session.doc, '$.parent') END IS NULL \
                 ORDER BY turn.at DESC LIMIT ?3",
            )?;
            for project in projects {
                let mut rows = statement.query(params![project.0, except.unwrap_or(0), limit as i64])?;
                while let Some(row) = rows.next()? {
                    let at = Timestamp::from_millis(row.get(1)?);
                    past.keys.push((row.get(0)?, at));
                    let (terms, files) = (row.get_ref(2)?.as_blob()?, row.get_ref(3)?.as_blob()?);
                    let files = FileMark::all_from_bytes(files);
                    past.stories.push(Story {
                        words: Bag::from_bytes(terms),
                        files,
                        days: at.days_until(now) as f32,
                    });
                }
            }
            Ok(past)
        };
        run().at(self)
    }

    /// What a session's tools were about lately, newest first: the tool and its target.
    pub fn recent_targets(&self, session: i64, limit: usize) -> Result<Vec<(String, String)>, StoreError> {
        let run = || -> rusqlite::Result<Vec<(String, String)>> {
            self.conn
                .prepare_cached(
                    "SELECT tool, target FROM event WHERE session = ?1 AND kind = 'tool' AND target <> '' \
                     ORDER BY seq DESC LIMIT ?2",
                )?
                .query_map([session, limit as i64], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        };
        run().at(self)
    }
}

impl Writer<'_> {
    /// Files of a session that were last changed at or after a time.
    pub fn files_changed_since(&self, session: i64, since: Timestamp) -> Result<Vec<Clean>, StoreError> {
        let run = || -> rusqlite::Result<Vec<Clean>> {
            self.tx
                .prepare_cached(
                    "SELECT path FROM session_file WHERE session = ?1 AND last_at >= ?2 ORDER BY first_at, path",
                )?
                .query_map([session, since.as_millis()], |row| row.get(0).map(Clean::already_redacted))?
                .collect()
        };
        run().at(self)
    }
}
