//! An index or a foreign database from outside, past hark's own door.

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
