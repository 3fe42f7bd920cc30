//! Records that this store wrote: rows of its index, lines of its history, events that wait in its spool.
//!
//! Their text passed redaction when it was written. This is the only way that takes JSON at its word,
//! and it is open to this crate alone; whatever comes from elsewhere goes through the redactor.

use hark_core::redact::Unredacted;
use serde::de::DeserializeOwned;

#[allow(clippy::disallowed_methods, reason = "the one place that reads our own records back")]
pub(crate) fn read<T: Unredacted + DeserializeOwned>(json: &str) -> serde_json::Result<T::Redacted> {
    hark_core::redact::own_record::<T>(json)
}

/// A record in column `at` of a row. What cannot be read is damage.
pub(crate) fn column<T: Unredacted + DeserializeOwned>(
    row: &rusqlite::Row<'_>,
    at: usize,
) -> rusqlite::Result<T::Redacted> {
    let doc: String = row.get(at)?;
    read::<T>(&doc)
        .map_err(|e| rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Text, Box::new(e)))
}
