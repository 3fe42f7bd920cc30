//! Digests of old events: which sessions need them, their hierarchy, and which texts they allow hark to
//! drop.

use hark_core::budget::estimate_tokens;
use hark_core::tier::Tier;
use hark_core::{Clean, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::arrivals;
use crate::conditions::Conditions;
use crate::error::{At, StoreError};
use crate::projects::ProjectNum;
use crate::store::Store;
use crate::write::Writer;

/// An event with everything that is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldEvent {
    pub seq: i64,
    pub session: i64,
    pub at: Timestamp,
    pub kind: String,
    pub tool: String,
    pub target: String,
    pub ok: Option<bool>,
    pub tier: Tier,
    pub digest: Option<i64>,
    pub body: Clean,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    pub id: i64,
    pub session: i64,
    pub level: u32,
    pub parent: Option<i64>,
    pub first: Timestamp,
    pub last: Timestamp,
    pub events: u32,
    /// How many of them no longer have their text.
    pub gone: u32,
    pub body: Clean,
    pub tokens: u32,
}

const EVENT: &str = "e.seq, e.session, e.at, e.kind, e.tool, e.target, e.ok, e.tier, e.digest, e.body";
const DIGEST: &str = "id, session, level, parent, first_at, last_at, events, gone, body, tokens";

fn event(row: &Row<'_>) -> rusqlite::Result<HeldEvent> {
    Ok(HeldEvent {
        seq: row.get(0)?,
        session: row.get(1)?,
        at: Timestamp::from_millis(row.get(2)?),
        kind: row.get(3)?,
        tool: row.get(4)?,
        target: row.get(5)?,
        ok: row.get::<_, Option<i64>>(6)?.map(|ok| ok != 0),
        tier: Tier::from_name(row.get_ref(7)?.as_str()?),
        digest: row.get(8)?,
        body: Clean::already_redacted(row.get(9)?),
    })
}

fn digest(row: &Row<'_>) -> rusqlite::Result<Digest> {
    Ok(Digest {
        id: row.get(0)?,
        session: row.get(1)?,
        level: row.get(2)?,
        parent: row.get(3)?,
        first: Timestamp::from_millis(row.get(4)?),
        last: Timestamp::from_millis(row.get(5)?),
        events: row.get(6)?,
        gone: row.get(7)?,
        body: Clean::already_redacted(row.get(8)?),
        tokens: row.get(9)?,
    })
}

fn select_digests(conn: &Connection, which: &str, value: i64) -> rusqlite::Result<Vec<Digest>> {
    conn.prepare_cached(&format!("SELECT {DIGEST} FROM digest WHERE {which} ORDER BY first_at, id"))?
        .query_map([value], digest)?
        .collect()
}

impl Store {
    /// Sessions that are over since before `before` and contain events that no digest covers.
    pub fn undigested(&self, before: Timestamp, limit: usize) -> Result<Vec<i64>, StoreError> {
        let run = || -> rusqlite::Result<Vec<i64>> {
            self.conn
                .prepare_cached(
                    "SELECT num FROM session WHERE status <> 'open' AND seen < ?1 AND num IN \
                     (SELECT DISTINCT session FROM event WHERE digest IS NULL AND tier IN ('M', 'L')) \
                     ORDER BY num LIMIT ?2",
                )?
                .query_map(params![before.as_millis(), limit as i64], |row| row.get(0))?
                .collect()
        };
        run().at(self)
    }

    /// Open sessions in which the events that no digest covers, except for the `tail` newest, have more than this
    /// many tokens.
    pub fn long_sessions(&self, tokens: usize, tail: usize) -> Result<Vec<i64>, StoreError> {
        let open: Vec<i64> = self
            .conn
            .prepare_cached("SELECT num FROM session WHERE status = 'open' ORDER BY num")
            .and_then(|mut s| s.query_map([], |row| row.get(0))?.collect())
            .at(self)?;
        let mut found = Vec::new();
        for session in open {
            if self.undigested_tokens(session, tail)? > tokens {
                found.push(session);
            }
        }
        Ok(found)
    }

    /// The tokens of a session's events that no digest covers, except for the `tail` newest.
    pub fn undigested_tokens(&self, session: i64, tail: usize) -> Result<usize, StoreError> {
        self.conn
            .prepare_cached(
                "SELECT coalesce(sum(tokens), 0) FROM (SELECT tokens FROM event WHERE session = ?1 \
                 AND digest IS NULL ORDER BY at DESC, seq DESC LIMIT -1 OFFSET ?2)",
            )
            .and_then(|mut s| s.query_row(params![session, tail as i64], |row| row.get::<_, i64>(0)))
            .map(|sum| usize::try_from(sum).unwrap_or(0))
            .at(self)
    }

    /// How many events of a session no digest covers.
    pub fn undigested_count(&self, session: i64) -> Result<usize, StoreError> {
        self.conn
            .prepare_cached("SELECT count(*) FROM event WHERE session = ?1 AND digest IS NULL")
            .and_then(|mut s| s.query_row([session], |row| row.get::<_, i64>(0)))
            .map(|count| usize::try_from(count).unwrap_or(0))
            .at(self)
    }

    pub fn event(&self, seq: i64) -> Result<Option<HeldEvent>, StoreError> {
        self.conn
            .prepare_cached(&format!("SELECT {EVENT} FROM event e WHERE e.seq = ?1"))
            .and_then(|mut s| s.query_row([seq], event).optional())
            .at(self)
    }

    /// Events of a session in the order in which they happened.
    pub fn events_in_order(&self, session: i64, limit: usize) -> Result<Vec<HeldEvent>, StoreError> {
        self.conn
            .prepare_cached(&format!(
                "SELECT {EVENT} FROM event e WHERE e.session = ?1 ORDER BY e.at, e.seq LIMIT ?2"
            ))
            .and_then(|mut s| s.query_map(params![session, limit as i64], event)?.collect())
            .at(self)
    }

    pub fn digest(&self, id: i64) -> Result<Option<Digest>, StoreError> {
        self.conn
            .prepare_cached(&format!("SELECT {DIGEST} FROM digest WHERE id = ?1"))
            .and_then(|mut s| s.query_row([id], digest).optional())
            .at(self)
    }

    /// Top-level digests of a session.
    pub fn top_digests(&self, session: i64) -> Result<Vec<Digest>, StoreError> {
        select_digests(&self.conn, "session = ?1 AND parent IS NULL", session).at(self)
    }

    pub fn digests_below(&self, id: i64) -> Result<Vec<Digest>, StoreError> {
        select_digests(&self.conn, "parent = ?1", id).at(self)
    }

    pub fn events_below(&self, digest: i64) -> Result<Vec<HeldEvent>, StoreError> {
        self.conn
            .prepare_cached(&format!("SELECT {EVENT} FROM event e WHERE e.digest = ?1 ORDER BY e.at, e.seq"))
            .and_then(|mut s| s.query_map([digest], event)?.collect())
            .at(self)
    }

    /// How many events of a session lost their text.
    pub fn forgotten_events(&self, session: i64) -> Result<u32, StoreError> {
        self.conn
            .prepare_cached("SELECT coalesce(sum(gone), 0) FROM digest WHERE session = ?1 AND level = 0")
            .and_then(|mut s| s.query_row([session], |row| row.get(0)))
            .at(self)
    }

    /// How many events a session has, by kind and worth.
    pub fn event_counts(&self, session: i64) -> Result<Vec<(String, Tier, u32)>, StoreError> {
        let run = || -> rusqlite::Result<Vec<(String, Tier, u32)>> {
            self.conn
                .prepare_cached(
                    "SELECT kind, tier, count(*) FROM event WHERE session = ?1 GROUP BY kind, tier ORDER BY kind, tier",
                )?
                .query_map([session], |row| {
                    Ok((row.get(0)?, Tier::from_name(row.get_ref(1)?.as_str()?), row.get(2)?))
                })?
                .collect()
        };
        run().at(self)
    }

    /// Shows events to `look`, newest first, until it has seen enough.
    pub fn scan_events(
        &self,
        projects: Option<&[ProjectNum]>,
        session: Option<i64>,
        since: Option<Timestamp>,
        mut look: impl FnMut(HeldEvent) -> bool,
    ) -> Result<(), StoreError> {
        let mut conditions = Conditions::new("1");
        conditions.and_bound("e.at >= ", since.map_or(i64::MIN, Timestamp::as_millis), "");
        if let Some(session) = session {
            conditions.and_bound("e.session = ", session, "");
        } else if let Some(projects) = projects {
            let nums = projects.iter().map(|project| project.0);
            conditions.and_one_of("e.session IN (SELECT num FROM session WHERE project", nums, ")");
        }
        let sql = format!("SELECT {EVENT} FROM event e WHERE {} ORDER BY e.seq DESC", conditions.sql());
        let mut run = || -> rusqlite::Result<()> {
            let mut statement = self.conn.prepare_cached(&sql)?;
            let mut rows = statement.query(conditions.params())?;
            while let Some(row) = rows.next()? {
                if !look(event(row)?) {
                    break;
                }
            }
            Ok(())
        };
        run().at(self)
    }
}

impl Writer<'_> {
    /// Events of a session that no digest covers yet, in chronological order.
    pub fn undigested_events(&self, session: i64) -> Result<Vec<HeldEvent>, StoreError> {
        self.tx
            .prepare_cached(&format!(
                "SELECT {EVENT} FROM event e WHERE e.session = ?1 AND e.digest IS NULL ORDER BY e.at, e.seq"
            ))
            .and_then(|mut s| s.query_map([session], event)?.collect())
            .at(self)
    }

    /// A leaf digest that covers these events.
    pub fn add_leaf(&mut self, session: i64, events: &[HeldEvent], body: &Clean) -> Result<(), StoreError> {
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(()) };
        let run = || -> rusqlite::Result<()> {
            let id = insert(&self.tx, session, 0, (first.at, last.at), events.len(), body)?;
            let mut mark = self.tx.prepare_cached("UPDATE event SET digest = ?2 WHERE seq = ?1")?;
            for event in events {
                mark.execute([event.seq, id])?;
            }
            Ok(())
        };
        run().at(self)
    }

    /// Rebuilds the digests above the leaves. `condense` summarizes several digests.
    pub fn condense_digests(
        &mut self,
        session: i64,
        fan_out: usize,
        condense: impl Fn(&[&str]) -> Clean,
    ) -> Result<(), StoreError> {
        let run = || -> rusqlite::Result<()> {
            self.tx.execute("UPDATE digest SET parent = NULL WHERE session = ?1 AND level = 0", [session])?;
            self.tx.execute("DELETE FROM digest WHERE session = ?1 AND level > 0", [session])?;
            let mut level = 0;
            let mut below = select_digests(&self.tx, "session = ?1 AND level = 0", session)?;
            while below.len() > 1 {
                level += 1;
                for group in below.chunks(fan_out.max(2)) {
                    let texts: Vec<&str> = group.iter().map(|digest| digest.body.as_str()).collect();
                    let span = (group[0].first, group[group.len() - 1].last);
                    let events = group.iter().map(|digest| digest.events as usize).sum();
                    let id = insert(&self.tx, session, level, span, events, &condense(&texts))?;
                    let mut mark = self.tx.prepare_cached("UPDATE digest SET parent = ?2 WHERE id = ?1")?;
                    for digest in group {
                        mark.execute([digest.id, id])?;
                    }
                }
                below = self
                    .tx
                    .prepare_cached(&format!(
                        "SELECT {DIGEST} FROM digest WHERE session = ?1 AND level = ?2 ORDER BY first_at, id"
                    ))?
                    .query_map(params![session, level], digest)?
                    .collect::<rusqlite::Result<_>>()?;
            }
            Ok(())
        };
        run().at(self)
    }

    /// Drops the text of events older than this that a digest covers and that need not stay verbatim. Events from
    /// transcripts must also have been here for that long: reading an old history must not lose it at once. The
    /// events themselves stay, so that they are recognized if they arrive again.
    pub fn forget_digested(&mut self, before: Timestamp, limit: usize) -> Result<usize, StoreError> {
        let run = || -> rusqlite::Result<usize> {
            let arrived = arrivals::until(&self.tx, before)?;
            let found: Vec<(i64, i64)> = self
                .tx
                .prepare_cached(
                    "SELECT seq, digest FROM event WHERE digest IS NOT NULL AND at < ?1 AND body <> '' \
                     AND tier IN ('M', 'L', 'N') AND (via <> ?3 OR seq <= ?4) LIMIT ?2",
                )?
                .query_map(params![before.as_millis(), limit as i64, crate::recorded::VIA, arrived], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })?
                .collect::<rusqlite::Result<_>>()?;
            let mut forget =
                self.tx.prepare_cached("UPDATE event SET body = '', tokens = 0 WHERE seq = ?1")?;
            let mut count = self.tx.prepare_cached("UPDATE digest SET gone = gone + 1 WHERE id = ?1")?;
            for (seq, digest) in &found {
                forget.execute([seq])?;
                count.execute([digest])?;
            }
            Ok(found.len())
        };
        run().at(self)
    }
}

fn insert(
    conn: &Connection,
    session: i64,
    level: i64,
    (first, last): (Timestamp, Timestamp),
    events: usize,
    body: &Clean,
) -> rusqlite::Result<i64> {
    conn.prepare_cached(
        "INSERT INTO digest (session, level, parent, first_at, last_at, events, gone, body, tokens) \
         VALUES (?1, ?2, NULL, ?3, ?4, ?5, 0, ?6, ?7)",
    )?
    .execute(params![
        session,
        level,
        first.as_millis(),
        last.as_millis(),
        events as i64,
        body.as_str(),
        estimate_tokens(body) as i64
    ])?;
    Ok(conn.last_insert_rowid())
}
