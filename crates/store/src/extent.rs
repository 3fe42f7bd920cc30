//! How far a session goes: its last event, whatever it is.

use crate::error::{At, StoreError};
use crate::store::Store;

impl Store {
    /// The number of a session's last event; 0 if it has none.
    pub fn last_event_of(&self, session: i64) -> Result<i64, StoreError> {
        self.conn
            .prepare_cached("SELECT coalesce(max(seq), 0) FROM event WHERE session = ?1")
            .and_then(|mut s| s.query_row([session], |row| row.get(0)))
            .at(self)
    }
}
