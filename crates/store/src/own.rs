//! Reads records that this store wrote: rows of its index, lines of its history, events in its spool.
//!
//! Their text was redacted when it was written. This is the only code that accepts JSON without redaction,
//! and only this crate can use it; all other text goes through the redactor.

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
