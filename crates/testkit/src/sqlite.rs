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

/// Drops every table and index that `schema` does not define and sets the version, so that the index looks as
/// an older hark left it.
pub fn go_back_to(conn: &Connection, schema: &str, version: i32) {
    let all: Vec<(String, String, String)> = conn
        .prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name")
        .and_then(|mut names| {
            names.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        })
        .expect("the names of tables and indexes");
    let virtual_tables: Vec<&str> = all
        .iter()
        .filter(|(_, _, sql)| sql.starts_with("CREATE VIRTUAL"))
        .map(|(_, name, _)| &**name)
        .collect();
    // The shadow tables of a virtual table disappear with it.
    let is_part = |name: &str| virtual_tables.iter().any(|table| name.starts_with(&format!("{table}_")));
    let is_known = |name: &str| {
        ["TABLE", "VIRTUAL TABLE", "INDEX"]
            .iter()
            .any(|kind| schema.contains(&format!("CREATE {kind} {name} ")))
    };
    for (kind, name, _) in all.iter().filter(|(_, name, _)| !is_known(name) && !is_part(name)) {
        conn.execute_batch(&format!("DROP {kind} {name}")).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    conn.execute_batch(&format!("PRAGMA user_version = {version}")).expect("a version");
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
