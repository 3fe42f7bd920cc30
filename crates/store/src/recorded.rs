//! Checks whether an event in a transcript is already known: from an earlier reading, from a hook, or
//! from the session that this one was forked from.

use hark_core::event::{Arrival, EventKind, Recorded};
use rusqlite::{OptionalExtension, params};

use crate::events::once;
use crate::write::Writer;

/// How far the clocks of a hook and of a transcript may be apart for one event.
const APART_MS: i64 = 60_000;
/// Ids shorter than this are not unique beyond their session.
const UNIQUE: usize = 16;

/// How an event from a transcript reached us; hooks say `<host> <event>`.
pub const VIA: &str = "transcript";

impl Writer<'_> {
    /// The session that has it.
    pub(crate) fn recorded_before(
        &self,
        num: Option<i64>,
        arrival: &Arrival,
    ) -> rusqlite::Result<Option<i64>> {
        if let Some(id) = &arrival.once {
            let once = once(arrival);
            let home = if id.len() >= UNIQUE {
                self.tx
                    .prepare_cached("SELECT session FROM event WHERE once = ?1")?
                    .query_row([&once], |row| row.get(0))
                    .optional()?
            } else {
                self.tx
                    .prepare_cached("SELECT session FROM event WHERE session = ?1 AND once = ?2")?
                    .query_row(params![num, once], |row| row.get(0))
                    .optional()?
            };
            if home.is_some() {
                return Ok(home);
            }
        }
        let Some(num) = num else { return Ok(None) };
        Ok(self.told_at_its_time(num, arrival)?.then_some(num))
    }

    /// Among the events around its time: the same record without an id, or the same by a hook.
    fn told_at_its_time(&self, num: i64, arrival: &Arrival) -> rusqlite::Result<bool> {
        let event = &arrival.event;
        let at = event.at.as_millis();
        let untimed = arrival.recorded == Some(Recorded::Untimed);
        let (from, to) = if untimed { (i64::MIN, i64::MAX) } else { (at - APART_MS, at + APART_MS) };
        let own = once(arrival);
        if arrival.once.is_none()
            && self
                .tx
                .prepare_cached(
                    "SELECT 1 FROM event WHERE session = ?1 AND once = ?2 AND at = ?3 AND via = ?4",
                )?
                .exists(params![num, own, at, VIA])?
        {
            return Ok(true);
        }
        // Only what hooks reported: a transcript may have thousands of long events within a minute.
        let mut rows = self.tx.prepare_cached(
            "SELECT once, tool, target, body FROM event \
             WHERE session = ?1 AND at BETWEEN ?2 AND ?3 AND kind = ?4 AND via <> ?5",
        )?;
        let mut rows = rows.query(params![num, from, to, event.kind.name(), VIA])?;
        while let Some(row) = rows.next()? {
            let same = match event.kind {
                // An id of another call is another call.
                EventKind::Tool => {
                    let has_id = arrival.once.is_some() && row.get_ref(0)?.as_str()?.starts_with("tool ");
                    !has_id
                        && row.get_ref(1)?.as_str()? == event.tool.as_deref().unwrap_or("")
                        && is_same_target(row.get_ref(2)?.as_str()?, event.target.as_deref().unwrap_or(""))
                }
                EventKind::Compaction => true,
                _ => row.get_ref(3)?.as_str()? == event.body.as_str(),
            };
            if same {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The other way round: a hook tells, without an id, what was read in the transcript before.
    pub(crate) fn is_in_transcript(&self, num: i64, arrival: &Arrival) -> rusqlite::Result<bool> {
        let event = &arrival.event;
        if !matches!(event.kind, EventKind::Tool | EventKind::Prompt | EventKind::Reply) {
            return Ok(false);
        }
        let at = event.at.as_millis();
        let mut rows = self.tx.prepare_cached(
            "SELECT tool, target, body FROM event \
             WHERE session = ?1 AND at BETWEEN ?2 AND ?3 AND kind = ?4 AND via = ?5",
        )?;
        let mut rows = rows.query(params![num, at - APART_MS, at + APART_MS, event.kind.name(), VIA])?;
        while let Some(row) = rows.next()? {
            let same = if event.kind == EventKind::Tool {
                row.get_ref(0)?.as_str()? == event.tool.as_deref().unwrap_or("")
                    && is_same_target(row.get_ref(1)?.as_str()?, event.target.as_deref().unwrap_or(""))
            } else {
                row.get_ref(2)?.as_str()? == event.body.as_str()
            };
            if same {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The same command, or the same file: one of both may not know which folder it is below.
fn is_same_target(one: &str, other: &str) -> bool {
    let below = |long: &str, short: &str| {
        !short.is_empty() && long.strip_suffix(short).is_some_and(|folder| folder.ends_with('/'))
    };
    one == other || below(one, other) || below(other, one)
}
