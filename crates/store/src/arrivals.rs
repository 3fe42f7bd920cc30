//! When events arrived. An event from a transcript has the time at which it happened, which may be long before hark
//! read it. One line per day says up to which event the store had got.

use hark_core::Timestamp;
use hark_core::time::DAY_MS;
use rusqlite::Connection;

use crate::meta;
use crate::store::Store;

const KEY: &str = "arrivals";

impl Store {
    /// Records up to which event the store has got today. What is older than `keep` needs one line. Best effort: a
    /// missing line keeps text for longer.
    pub fn note_arrivals(&self, now: Timestamp, keep: i64) {
        let Ok(mut days) = read(&self.conn) else { return };
        // Recorded while the clock was ahead.
        days.retain(|(at, _)| *at <= now);
        if days.last().is_some_and(|(at, _)| *at > now.minus_millis(DAY_MS)) {
            return;
        }
        let Ok(last) =
            self.conn.query_row("SELECT coalesce(max(seq), 0) FROM event", [], |row| row.get::<_, i64>(0))
        else {
            return;
        };
        days.push((now, last));
        let old = days.partition_point(|(at, _)| *at <= now.minus_millis(keep));
        days.drain(..old.saturating_sub(1));
        let lines: Vec<String> = days.iter().map(|(at, seq)| format!("{}:{seq}", at.as_millis())).collect();
        let _ = meta::put(&self.conn, KEY, &lines.join(" "));
    }
}

/// The last event that was known to be here at `before`.
pub(crate) fn until(conn: &Connection, before: Timestamp) -> rusqlite::Result<i64> {
    let days = read(conn)?;
    Ok(days.iter().rev().find(|(at, _)| *at <= before).map_or(0, |(_, seq)| *seq))
}

/// Oldest first. Skips what cannot be parsed.
fn read(conn: &Connection) -> rusqlite::Result<Vec<(Timestamp, i64)>> {
    let text = meta::get(conn, KEY)?.unwrap_or_default();
    let line = |word: &str| -> Option<(Timestamp, i64)> {
        let (at, seq) = word.split_once(':')?;
        Some((Timestamp::from_millis(at.parse().ok()?), seq.parse().ok()?))
    };
    Ok(text.split_whitespace().filter_map(line).collect())
}
