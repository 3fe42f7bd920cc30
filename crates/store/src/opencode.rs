//! OpenCode's own database, read and never written. SQL has one home, so its rows are fetched here; what they mean is known in `hosts/src/opencode/transcript.rs`.

use std::path::Path;

use rusqlite::params;

use crate::connection;
use crate::error::StoreError;

/// One part of a message with what it belongs to, as one JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRow {
    /// When it was last changed, in ms.
    pub updated: i64,
    pub id: String,
    pub json: String,
}

/// Longer ones are passed over.
const MOST_BYTES: i64 = 8 * 1024 * 1024;

/// Parts that were changed at `since` or later, in the order in which they changed; of those of one
/// moment only the ones behind `after`. Also how many were too long.
pub fn parts(path: &Path, since: i64, after: &str, limit: usize) -> Result<(Vec<PartRow>, u64), StoreError> {
    // Whatever is wrong with it is not wrong with our index.
    let fail =
        |reason: String| StoreError::Io { path: path.to_owned(), source: std::io::Error::other(reason) };
    let conn = connection::open_foreign(path).map_err(|e| fail(e.to_string()))?;
    let run = || -> rusqlite::Result<(Vec<PartRow>, u64)> {
        let mut statement = conn.prepare(
            "SELECT p.id, p.time_updated, p.time_created, p.data, m.data, s.id, s.parent_id, s.directory, \
             length(p.data) + length(m.data) FROM part p \
             JOIN message m ON m.id = p.message_id JOIN session s ON s.id = p.session_id \
             WHERE p.time_updated > ?1 OR (p.time_updated = ?1 AND p.id > ?2) \
             ORDER BY p.time_updated, p.id LIMIT ?3",
        )?;
        let mut rows = statement.query(params![since, after, limit as i64])?;
        let mut found = Vec::new();
        let mut too_long = 0;
        while let Some(row) = rows.next()? {
            let (id, updated): (String, i64) = (row.get(0)?, row.get(1)?);
            let json = if row.get::<_, i64>(8)? > MOST_BYTES {
                too_long += 1;
                String::new()
            } else {
                let session = serde_json::json!({
                    "id": row.get::<_, String>(5)?,
                    "parent": row.get::<_, Option<String>>(6)?,
                    "directory": row.get::<_, Option<String>>(7)?,
                });
                let (part, message): (String, String) = (row.get(3)?, row.get(4)?);
                // Both are JSON already; what is not makes the whole object unreadable, and is counted.
                format!(
                    "{{\"session\":{session},\"message\":{message},\"part\":{part},\"part_id\":{},\
                     \"created\":{},\"updated\":{updated}}}",
                    serde_json::Value::String(id.clone()),
                    row.get::<_, i64>(2)?
                )
            };
            found.push(PartRow { updated, id, json });
        }
        Ok((found, too_long))
    };
    run().map_err(|e| fail(e.to_string()))
}
