//! Whether somebody else changed the index, at the price of one look at its header.

use crate::error::{At, StoreError};
use crate::store::Store;

impl Store {
    /// A number that changes whenever another connection, of this or another process, commits something. Own changes do
    /// not count.
    pub fn others_version(&self) -> Result<i64, StoreError> {
        self.conn.query_row("PRAGMA data_version", [], |row| row.get(0)).at(self)
    }
}
