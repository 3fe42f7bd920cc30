//! Opens an index or a foreign database directly, bypassing hark.

use std::path::Path;

use rusqlite::Connection;

/// Opens a database file as any other program would.
pub fn open(path: &Path) -> Connection {
    #[expect(clippy::disallowed_methods, reason = "tests play the other program")]
    let opened = Connection::open(path);
    opened.unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// `PRAGMA integrity_check`.
pub fn integrity(path: &Path) -> String {
    open(path).query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap_or_else(|e| e.to_string())
}

/// Makes the store look as if hark had been used on each of the `days` days before `now`.
pub fn used_for(path: &Path, days: i64, now: &str) {
    open(path)
        .execute(
            "INSERT INTO meta (key, value) SELECT 'days', (today - ?1) || '-' || today FROM \
             (SELECT unixepoch(?2) / 86400 AS today) WHERE 1 \
             ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            rusqlite::params![days, now],
        )
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}

/// Every row of a query as one text, in query order.
pub fn rows(path: &Path, sql: &str) -> Vec<String> {
    let conn = open(path);
    let mut statement = conn.prepare(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let values: Result<Vec<String>, _> = (0..columns)
            .map(|at| row.get::<_, rusqlite::types::Value>(at).map(|value| format!("{value:?}")))
            .collect();
        Ok(values?.join("|"))
    });
    rows.and_then(Iterator::collect).unwrap_or_else(|e| panic!("{sql}: {e}"))
}

/// The number that a query returns.
pub fn number(path: &Path, sql: &str) -> i64 {
    open(path).query_row(sql, [], |row| row.get(0)).unwrap_or_else(|e| panic!("{sql}: {e}"))
}
