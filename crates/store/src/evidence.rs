//! Things that happened from which something may be learned, and how far each session was read for them.

use hark_core::guidance::{Evidence, Sort};
use hark_core::{Clean, MemoryId, ProjectKey, Timestamp};
use rusqlite::{OptionalExtension, Row, params};

use crate::error::{At, StoreError};
use crate::projects::ProjectNum;
use crate::store::Store;
use crate::write::Writer;

/// A piece of evidence, and where it is from.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvidence {
    pub seq: i64,
    pub session: i64,
    pub project: Option<ProjectKey>,
    pub evidence: Evidence,
    /// What the learner needs besides the words, as JSON that it wrote.
    pub doc: String,
    /// The insight or skill that it led to.
    pub insight: Option<MemoryId>,
}

const SELECT: &str = "SELECT e.seq, e.session, p.key, e.at, e.sort, e.text, e.doc, e.insight, s.host_session \
     FROM evidence e LEFT JOIN project p ON p.num = e.project LEFT JOIN session s ON s.num = e.session";

fn read(row: &Row<'_>) -> rusqlite::Result<Option<StoredEvidence>> {
    let sort: String = row.get(4)?;
    // Of a newer version.
    let Ok(sort) = sort.parse::<Sort>() else { return Ok(None) };
    let key: Option<String> = row.get(2)?;
    let insight: Option<Vec<u8>> = row.get(7)?;
    let insight = insight.and_then(|id| <[u8; 16]>::try_from(id.as_slice()).ok()).map(MemoryId::from_bytes);
    Ok(Some(StoredEvidence {
        seq: row.get(0)?,
        session: row.get(1)?,
        project: key.and_then(|key| ProjectKey::new(&Clean::already_redacted(key))),
        evidence: Evidence {
            at: Timestamp::from_millis(row.get(3)?),
            sort,
            session: row.get::<_, Option<String>>(8)?.map(Clean::already_redacted),
            text: Clean::already_redacted(row.get(5)?),
        },
        doc: row.get(6)?,
        insight,
    }))
}

impl Store {
    /// Evidence of one sort, of one project or of all, oldest first.
    pub fn evidence(
        &self,
        project: Option<ProjectNum>,
        sort: Option<Sort>,
        limit: usize,
    ) -> Result<Vec<StoredEvidence>, StoreError> {
        let sql = format!(
            "{SELECT} WHERE (?1 IS NULL OR e.project = ?1) AND (?2 IS NULL OR e.sort = ?2) ORDER BY e.at DESC, e.seq DESC LIMIT ?3"
        );
        let run = || -> rusqlite::Result<Vec<StoredEvidence>> {
            let mut found: Vec<StoredEvidence> = self
                .conn
                .prepare_cached(&sql)?
                .query_map(params![project.map(|p| p.0), sort.map(Sort::name), limit as i64], read)?
                .filter_map(Result::transpose)
                .collect::<rusqlite::Result<_>>()?;
            found.reverse();
            Ok(found)
        };
        run().at(self)
    }

    /// Sessions that are over and were not read to their end for `what`, oldest first.
    pub fn unlearned(&self, what: &str, limit: usize) -> Result<Vec<i64>, StoreError> {
        let run = || -> rusqlite::Result<Vec<i64>> {
            self.conn
                .prepare_cached(
                    "SELECT num FROM session WHERE status <> 'open' AND EXISTS (SELECT 1 FROM event \
                     WHERE event.session = session.num AND event.seq > coalesce((SELECT seq FROM learned_from \
                     WHERE learned_from.session = session.num AND what = ?1), 0)) ORDER BY num LIMIT ?2",
                )?
                .query_map(params![what, limit as i64], |row| row.get(0))?
                .collect()
        };
        run().at(self)
    }

    /// Up to which event a session was read for `what`; 0 if never.
    pub fn learned_until(&self, session: i64, what: &str) -> Result<i64, StoreError> {
        self.conn
            .prepare_cached("SELECT seq FROM learned_from WHERE session = ?1 AND what = ?2")
            .and_then(|mut s| s.query_row(params![session, what], |row| row.get(0)).optional())
            .map(|seq| seq.unwrap_or(0))
            .at(self)
    }
}

impl Writer<'_> {
    /// Keeps a piece of evidence; the same mark of the same session is kept once. Returns whether it is new.
    pub fn add_evidence(
        &mut self,
        session: i64,
        project: ProjectNum,
        mark: &str,
        evidence: &Evidence,
        doc: &str,
    ) -> Result<bool, StoreError> {
        self.tx
            .prepare_cached(
                "INSERT OR IGNORE INTO evidence (session, project, at, sort, mark, text, doc) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )
            .and_then(|mut s| {
                s.execute(params![
                    session,
                    project.0,
                    evidence.at.as_millis(),
                    evidence.sort.name(),
                    mark,
                    &*evidence.text,
                    doc
                ])
            })
            .map(|added| added > 0)
            .at(self)
    }

    /// Notes what a piece of evidence led to.
    pub fn evidence_led_to(&mut self, seq: i64, insight: &MemoryId) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("UPDATE evidence SET insight = ?2 WHERE seq = ?1")
            .and_then(|mut s| s.execute(params![seq, insight.as_bytes().as_slice()]))
            .map(drop)
            .at(self)
    }

    /// Removes what led to a memory, or was stored with it, because the memory is forgotten.
    pub fn forget_evidence_of(&mut self, insight: &MemoryId) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("DELETE FROM evidence WHERE insight = ?1 OR mark LIKE ?2")
            .and_then(|mut s| {
                s.execute(params![insight.as_bytes().as_slice(), format!("learned-{}-%", insight.short())])
            })
            .map(drop)
            .at(self)
    }

    /// Records up to which event a session was read for `what`, which never decreases.
    pub fn set_learned(&mut self, session: i64, what: &str, seq: i64) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "INSERT INTO learned_from (session, what, seq) VALUES (?1, ?2, ?3) \
                 ON CONFLICT (session, what) DO UPDATE SET seq = max(seq, excluded.seq)",
            )
            .and_then(|mut s| s.execute(params![session, what, seq]))
            .map(drop)
            .at(self)
    }
}
