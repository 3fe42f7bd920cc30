//! The days on which this store was used: noted by the worker, or derived from memories and sessions.

use hark_core::Timestamp;
use hark_core::calendar::{Calendar, day_of};
use hark_core::time::DAY_MS;

use crate::error::{At, StoreError};
use crate::meta;
use crate::store::Store;

const KEY: &str = "days";

impl Store {
    /// Records today as a day of use. Best effort: a missing day makes nothing older.
    pub fn note_day(&self, now: Timestamp) {
        let Ok(known) = meta::get(&self.conn, KEY) else { return };
        let mut days = Calendar::read(&known.unwrap_or_default());
        if !days.contains(&day_of(now)) {
            days.push(day_of(now));
            // Keep days in the future: this clock may be behind.
            let written = Calendar::new(days, Timestamp::from_millis(i64::MAX)).written();
            let _ = meta::put(&self.conn, KEY, &written);
        }
    }

    /// The days up to `now`. A lost index loses what the worker noted; then memories age more slowly.
    pub fn calendar(&self, now: Timestamp) -> Result<Calendar, StoreError> {
        let run = || -> rusqlite::Result<Vec<i64>> {
            let noted = meta::get(&self.conn, KEY)?;
            let mut days = Calendar::read(&noted.unwrap_or_default());
            let mut told = self.conn.prepare_cached(
                "SELECT created / ?1 FROM memory UNION SELECT updated / ?1 FROM memory \
                 UNION SELECT started / ?1 FROM session UNION SELECT seen / ?1 FROM session",
            )?;
            for day in told.query_map([DAY_MS], |row| row.get(0))? {
                days.push(day?);
            }
            Ok(days)
        };
        run().map(|days| Calendar::new(days, now)).at(self)
    }
}
