//! Stores events from hooks under their session, once each, and counts them.
//!
//! Any number of hooks write at the same time; each holds the write lock for one small transaction,
//! so that nothing is lost and every counter is exact.

use hark_core::budget::estimate_tokens;
use hark_core::event::{Arrival, EventKind};
use hark_core::session::{FileTouch, SessionStatus};
use hark_core::tier::{Facts, Tier, grade};
use hark_core::{Clean, ProjectKey, Session, SessionId, Timestamp};
use rusqlite::{OptionalExtension, params};

use crate::conditions::{self, Conditions};
use crate::error::{At, StoreError};
use crate::sessions::{self, StoredSession};
use crate::store::Store;
use crate::write::Writer;

/// The same prompt, start or end from one session within this time is one event reported twice, unless the
/// session ended or started again in between.
const TOLD_TWICE_MS: i64 = 3_000;

/// The outcome for an event.
#[derive(Debug, Clone)]
pub struct Filed {
    pub num: i64,
    /// Its session was not known before.
    pub is_new: bool,
    /// It was already known; nothing was changed.
    pub duplicate: bool,
    /// It is known from another session, of which this one contains a copy.
    pub copied: bool,
    /// Tool calls of the session since the agent's last checkpoint.
    pub unreported: u32,
}

/// What a new session begins with.
#[derive(Debug, Clone)]
pub struct Beginning {
    pub id: SessionId,
    pub project: Option<ProjectKey>,
    pub branch: Option<Clean>,
    pub head: Option<Clean>,
}

/// An event as it is read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastEvent {
    pub seq: i64,
    pub at: Timestamp,
    pub kind: String,
    pub tool: String,
    pub target: String,
    pub ok: Option<bool>,
    pub body: Clean,
}

impl Writer<'_> {
    /// Stores an event. `beginning` is called only if its session is new.
    pub fn file_event<E: From<StoreError>>(
        &mut self,
        arrival: &Arrival,
        beginning: impl FnOnce() -> Result<Beginning, E>,
    ) -> Result<Filed, E> {
        let known = self.known(arrival).at(self)?;
        if arrival.recorded.is_some()
            && let Some(home) = self.recorded_before(known.map(|(num, _)| num), arrival).at(self)?
        {
            let copied = known.is_none_or(|(num, _)| num != home);
            return Ok(Filed { num: home, is_new: false, duplicate: true, copied, unreported: 0 });
        }
        let (num, is_new) = match known {
            Some((num, _)) => (num, false),
            None => (self.begin_session(&fresh(arrival, beginning()?))?, true),
        };
        let is_from_hook = arrival.recorded.is_none();
        if !is_new && is_from_hook && self.is_known_event(num, arrival).at(self)? {
            return Ok(Filed { num, is_new, duplicate: true, copied: false, unreported: 0 });
        }
        let unreported = self.count(num, arrival, known).at(self)?;
        if let Some(process) = &arrival.process {
            self.note_process(num, process).at(self)?;
        }
        Ok(Filed { num, is_new, duplicate: false, copied: false, unreported })
    }

    fn known(&self, arrival: &Arrival) -> rusqlite::Result<Option<(i64, SessionStatus)>> {
        self.tx
            .prepare_cached("SELECT num, status FROM session WHERE host = ?1 AND host_session = ?2")?
            .query_row([arrival.host.as_str(), arrival.host_session.as_str()], |row| {
                let status: String = row.get(1)?;
                Ok((row.get(0)?, status.parse().unwrap_or_default()))
            })
            .optional()
    }

    /// The assistant's own id is conclusive. Without one, a tool call is a repeat only if it arrived by
    /// another route, because an assistant may run the same command twice; other events are repeats if
    /// they arrive again at once.
    fn is_known_event(&self, num: i64, arrival: &Arrival) -> rusqlite::Result<bool> {
        let event = &arrival.event;
        let once = once(arrival);
        let since = event.at.as_millis() - TOLD_TWICE_MS;
        if arrival.once.is_some() {
            return self
                .tx
                .prepare_cached("SELECT 1 FROM event WHERE session = ?1 AND once = ?2")?
                .exists(params![num, once]);
        }
        if self.is_in_transcript(num, arrival)? {
            return Ok(true);
        }
        let same = "SELECT 1 FROM event WHERE session = ?1 AND once = ?2 AND at >= ?3";
        if event.kind == EventKind::Tool {
            return self.tx.prepare_cached(&format!("{same} AND via <> ?4"))?.exists(params![
                num,
                once,
                since,
                arrival.via.as_str()
            ]);
        }
        let no_boundary_since = "NOT EXISTS (SELECT 1 FROM event AS later WHERE later.session = ?1 \
                                 AND later.seq > event.seq AND later.kind IN ('start', 'end'))";
        self.tx.prepare_cached(&format!("{same} AND {no_boundary_since}"))?.exists(params![num, once, since])
    }

    fn count(
        &mut self,
        num: i64,
        arrival: &Arrival,
        known: Option<(i64, SessionStatus)>,
    ) -> rusqlite::Result<u32> {
        let event = &arrival.event;
        self.tx
            .prepare_cached(
                "INSERT INTO event (session, at, kind, tool, target, ok, via, once, body, tokens, tier) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute(params![
                num,
                event.at.as_millis(),
                event.kind.name(),
                event.tool.as_ref().map_or("", Clean::as_str),
                event.target.as_ref().map_or("", Clean::as_str),
                event.ok.map(i64::from),
                arrival.via.as_str(),
                once(arrival),
                event.body.as_str(),
                estimate_tokens(&event.body) as i64,
                tier_of(arrival).name()
            ])?;
        for touch in &event.touches {
            let touch = FileTouch {
                path: touch.path.clone(),
                op: touch.op,
                from: touch.from.clone(),
                edits: 1,
                first: event.at,
                last: event.at,
            };
            sessions::add_touch(&self.tx, num, &touch)?;
        }
        // An event in a session that seemed to have ended reopens it. An event from a transcript may be
        // older.
        let over = known.is_some_and(|(_, status)| status != SessionStatus::Open);
        if over && event.kind != EventKind::End {
            let now_or_later = if arrival.recorded.is_some() { event.at.as_millis() } else { i64::MAX };
            self.tx
                .prepare_cached(
                    "UPDATE session SET status = 'open', ended = NULL \
                     WHERE num = ?1 AND (ended IS NULL OR ended < ?2)",
                )?
                .execute([num, now_or_later])?;
        }
        let is_tool = event.kind == EventKind::Tool;
        self.tx
            .prepare_cached(
                "UPDATE session SET seen = max(seen, ?2), tools = tools + ?3, unreported = unreported + ?4 \
                 WHERE num = ?1",
            )?
            .execute(params![
                num,
                event.at.as_millis(),
                i64::from(is_tool),
                i64::from(is_tool && !arrival.ours && arrival.recorded.is_none())
            ])?;
        self.tx
            .prepare_cached("SELECT unreported FROM session WHERE num = ?1")?
            .query_row([num], |row| row.get(0))
    }
}

fn fresh(arrival: &Arrival, beginning: Beginning) -> Session {
    let mut session =
        Session::new(beginning.id, arrival.host.clone(), arrival.host_session.clone(), arrival.event.at);
    session.project = beginning.project;
    session.branch = beginning.branch;
    session.head_start = beginning.head;
    session.parent = arrival.parent.clone();
    session.folder = arrival.folder.clone();
    session.transcript = arrival.transcript.clone();
    session
}

/// What an event is worth.
fn tier_of(arrival: &Arrival) -> Tier {
    let event = &arrival.event;
    grade(&Facts {
        kind: event.kind,
        ok: event.ok,
        ours: arrival.ours,
        touches: !event.touches.is_empty(),
        target: event.target.as_deref().unwrap_or(""),
        body: &event.body,
    })
}

/// Identifies an event within its session.
pub(crate) fn once(arrival: &Arrival) -> String {
    let event = &arrival.event;
    match &arrival.once {
        Some(id) => format!("{} {id}", event.kind.name()),
        None => {
            let mut hash = blake3::Hasher::new();
            for part in [event.kind.name(), event.target.as_deref().unwrap_or(""), &event.body] {
                hash.update(part.as_bytes());
                hash.update(&[0]);
            }
            for touch in &event.touches {
                hash.update(touch.path.as_bytes());
            }
            hash.finalize().to_hex()[..24].to_owned()
        }
    }
}

impl Store {
    /// Events of a session, oldest first; of these kinds, or of all if there are none.
    pub fn events(
        &self,
        session: i64,
        kinds: &[EventKind],
        limit: usize,
    ) -> Result<Vec<PastEvent>, StoreError> {
        past_events(&self.conn, session, kinds, limit).at(self)
    }

    /// How many prompts a session has.
    pub fn prompts_of(&self, session: i64) -> Result<i64, StoreError> {
        self.conn
            .prepare_cached("SELECT count(*) FROM event WHERE session = ?1 AND kind = 'prompt'")
            .and_then(|mut s| s.query_row([session], |row| row.get(0)))
            .at(self)
    }

    /// A session's prompts as hooks reported them, newest first. Transcripts are excluded, because any
    /// program can write them.
    pub fn typed_prompts(&self, session: i64, limit: usize) -> Result<Vec<Clean>, StoreError> {
        let run = || -> rusqlite::Result<Vec<Clean>> {
            self.conn
                .prepare_cached(
                    "SELECT body FROM event WHERE session = ?1 AND kind = 'prompt' AND via <> ?2 \
                     ORDER BY seq DESC LIMIT ?3",
                )?
                .query_map(params![session, crate::recorded::VIA, limit as i64], |row| {
                    row.get(0).map(Clean::already_redacted)
                })?
                .collect()
        };
        run().at(self)
    }

    /// How often each tool ran without an error after `since`.
    pub fn calls_since(
        &self,
        session: i64,
        since: Option<Timestamp>,
    ) -> Result<Vec<(String, u32)>, StoreError> {
        let run = || -> rusqlite::Result<Vec<(String, u32)>> {
            self.conn
                .prepare_cached(
                    "SELECT tool, count(*) FROM event WHERE session = ?1 AND kind = 'tool' AND at > ?2 \
                     AND coalesce(ok, 1) <> 0 GROUP BY tool",
                )?
                .query_map(params![session, since.map_or(i64::MIN, Timestamp::as_millis)], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })?
                .collect()
        };
        run().at(self)
    }

    /// When the agent itself last made a checkpoint.
    pub fn last_report(&self, session: i64) -> Result<Option<Timestamp>, StoreError> {
        self.conn
            .prepare_cached("SELECT max(at) FROM checkpoint WHERE session = ?1 AND author = 'agent'")
            .and_then(|mut s| s.query_row([session], |row| row.get::<_, Option<i64>>(0)))
            .map(|at| at.map(Timestamp::from_millis))
            .at(self)
    }

    /// Whether a turn ended after `since` right after a tool had failed.
    pub fn stopped_with_failures(&self, session: i64, since: Option<Timestamp>) -> Result<bool, StoreError> {
        self.conn
            .prepare_cached(
                "SELECT 1 FROM event stop WHERE stop.session = ?1 AND stop.kind = 'reply' AND stop.target = 'stop' AND stop.at > ?2 \
                 AND (SELECT ok FROM event tool WHERE tool.session = ?1 AND tool.kind = 'tool' \
                 AND tool.seq < stop.seq ORDER BY tool.seq DESC LIMIT 1) = 0 LIMIT 1",
            )
            .and_then(|mut s| s.exists(params![session, since.map_or(i64::MIN, Timestamp::as_millis)]))
            .at(self)
    }

    /// When a session's context was last compacted.
    pub fn last_compaction(&self, session: i64) -> Result<Option<Timestamp>, StoreError> {
        self.conn
            .prepare_cached("SELECT max(at) FROM event WHERE session = ?1 AND kind = 'compaction'")
            .and_then(|mut s| s.query_row([session], |row| row.get::<_, Option<i64>>(0)))
            .map(|at| at.map(Timestamp::from_millis))
            .at(self)
    }

    /// The time of each assistant's last event and last injection.
    pub fn hosts_seen(&self) -> Result<Vec<HostSeen>, StoreError> {
        let run = || -> rusqlite::Result<Vec<HostSeen>> {
            self.conn
                .prepare_cached(
                    "SELECT host, max(seen), count(*), \
                     (SELECT max(at) FROM ledger WHERE ledger.host = session.host) FROM session GROUP BY host ORDER BY host",
                )?
                .query_map([], |row| {
                    Ok(HostSeen {
                        host: row.get(0)?,
                        last_event: Timestamp::from_millis(row.get(1)?),
                        sessions: row.get(2)?,
                        last_injection: row.get::<_, Option<i64>>(3)?.map(Timestamp::from_millis),
                    })
                })?
                .collect()
        };
        run().at(self)
    }

    /// When the last event of an assistant came from one of its hooks, not from a transcript.
    pub fn last_hook_event(&self, host: &str) -> Result<Option<Timestamp>, StoreError> {
        // Recent sessions suffice: a hook that has been silent for longer is silent.
        const SESSIONS: i64 = 200;
        let run = || -> rusqlite::Result<Option<Timestamp>> {
            let last: Option<i64> = self
                .conn
                .prepare_cached(
                    "SELECT max(event.at) FROM event WHERE via <> ?2 AND session IN \
                     (SELECT num FROM session WHERE host = ?1 ORDER BY seen DESC LIMIT ?3)",
                )?
                .query_row(params![host, crate::recorded::VIA, SESSIONS], |row| row.get(0))?;
            Ok(last.map(Timestamp::from_millis))
        };
        run().at(self)
    }

    /// Open sessions without an event since then.
    /// `until`: seen later than that, they were seen under a clock that was ahead.
    pub fn stale_sessions(&self, since: Timestamp, until: Timestamp) -> Result<Vec<i64>, StoreError> {
        let run = || -> rusqlite::Result<Vec<i64>> {
            self.conn
                .prepare_cached(
                    "SELECT num FROM session WHERE status = 'open' AND (seen < ?1 OR seen > ?2) \
                     ORDER BY num LIMIT 500",
                )?
                .query_map([since.as_millis(), until.as_millis()], |row| row.get(0))?
                .collect()
        };
        run().at(self)
    }
}

impl Writer<'_> {
    pub fn events(
        &self,
        session: i64,
        kinds: &[EventKind],
        limit: usize,
    ) -> Result<Vec<PastEvent>, StoreError> {
        past_events(&self.tx, session, kinds, limit).at(self)
    }

    /// The newest event looked at something. It counts for nothing if the session looked at the same thing, or
    /// changed it, since then.
    pub fn discount_repeat(&mut self, session: i64, since: Timestamp) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "UPDATE event SET tier = 'N' WHERE seq = (SELECT max(seq) FROM event WHERE session = ?1) \
                 AND tier = 'L' AND kind = 'tool' AND target <> '' AND EXISTS (SELECT 1 FROM event before \
                 WHERE before.session = ?1 AND before.at BETWEEN ?2 AND event.at AND before.seq <> event.seq \
                 AND before.kind = 'tool' AND before.target = event.target)",
            )
            .and_then(|mut s| s.execute([session, since.as_millis()]))
            .map(drop)
            .at(self)
    }

    /// When something last happened in a session.
    pub fn last_seen(&self, session: i64) -> Result<Option<Timestamp>, StoreError> {
        self.tx
            .prepare_cached("SELECT seen FROM session WHERE num = ?1")
            .and_then(|mut s| s.query_row([session], |row| row.get(0)).optional())
            .map(|at| at.map(Timestamp::from_millis))
            .at(self)
    }

    /// Removes ended sessions without content.
    pub fn forget_empty_session(&mut self, stored: &StoredSession) -> Result<(), StoreError> {
        sessions::clear(&self.tx, stored.num).at(self)
    }
}

fn past_events(
    conn: &rusqlite::Connection,
    session: i64,
    kinds: &[EventKind],
    limit: usize,
) -> rusqlite::Result<Vec<PastEvent>> {
    let mut conditions = Conditions::new("1");
    conditions.and_bound("session = ", session, "");
    if !kinds.is_empty() {
        conditions.and_one_of("kind", kinds.iter().map(|kind| kind.name().to_owned()), "");
    }
    let limit = conditions.mark(conditions::limit(limit));
    // The newest ones, told in their order.
    let sql = format!(
        "SELECT seq, at, kind, tool, target, ok, body FROM event WHERE {} ORDER BY seq DESC LIMIT {limit}",
        conditions.sql()
    );
    let mut found: Vec<PastEvent> = conn
        .prepare_cached(&sql)?
        .query_map(conditions.params(), |row| {
            Ok(PastEvent {
                seq: row.get(0)?,
                at: Timestamp::from_millis(row.get(1)?),
                kind: row.get(2)?,
                tool: row.get(3)?,
                target: row.get(4)?,
                ok: row.get::<_, Option<i64>>(5)?.map(|ok| ok != 0),
                body: Clean::already_redacted(row.get(6)?),
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    found.reverse();
    Ok(found)
}

/// What is known of an assistant from its hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostSeen {
    pub host: String,
    pub last_event: Timestamp,
    pub sessions: i64,
    pub last_injection: Option<Timestamp>,
}
