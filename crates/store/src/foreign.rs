//! Reads databases of other memory tools, and never writes them. Columns are read by name and may be
//! missing, because they differ between releases of those tools.

use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, Statement};

use crate::connection;
use crate::error::{At, StoreError};

/// An open database of another program.
pub struct Database {
    conn: Connection,
    path: PathBuf,
}

/// One row of a table.
pub struct Record<'r> {
    row: &'r Row<'r>,
    columns: &'r [String],
}

impl Database {
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let conn = connection::open_foreign(path)?;
        let database = Database { conn, path: path.to_owned() };
        // Opening reads nothing; this does, and tells a file that is no database.
        database.tables()?;
        Ok(database)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn tables(&self) -> Result<Vec<String>, StoreError> {
        let run = || -> rusqlite::Result<Vec<String>> {
            self.conn
                .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")?
                .query_map([], |row| row.get(0))?
                .collect()
        };
        run().at(&self.path)
    }

    pub fn has(&self, table: &str) -> Result<bool, StoreError> {
        Ok(self.tables()?.iter().any(|name| name == table))
    }

    /// How many rows a table has; `None` for a search index or another table that a module keeps, which says the
    /// same as the table it was made from.
    pub fn count(&self, table: &str) -> Result<Option<usize>, StoreError> {
        let run = || -> rusqlite::Result<Option<usize>> {
            let is_made: bool = self.conn.query_row(
                "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%' \
                 AND (name = ?1 OR substr(?1, 1, length(name) + 1) = name || '_'))",
                [table],
                |row| row.get(0),
            )?;
            if is_made {
                return Ok(None);
            }
            // A name cannot be a parameter; quoted, it cannot be anything else.
            let sql = format!("SELECT count(*) FROM \"{}\"", table.replace('"', "\"\""));
            self.conn.query_row(&sql, [], |row| row.get::<_, i64>(0)).map(|rows| usize::try_from(rows).ok())
        };
        run().at(&self.path)
    }

    /// Every row of a table, in the order of its rowid. `table` is one of our own constants. A table
    /// that is not there has no rows.
    pub fn each<E: From<StoreError>>(
        &self,
        table: &'static str,
        mut visit: impl FnMut(&Record<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.has(table)? {
            return Ok(());
        }
        let fail = |e| E::from(StoreError::sqlite(&self.path, e));
        let mut statement: Statement<'_> =
            self.conn.prepare(&format!("SELECT * FROM {table} ORDER BY rowid")).map_err(fail)?;
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query([]).map_err(fail)?;
        while let Some(row) = rows.next().map_err(fail)? {
            visit(&Record { row, columns: &columns })?;
        }
        Ok(())
    }
}

impl Record<'_> {
    fn value(&self, column: &str) -> Option<ValueRef<'_>> {
        let at = self.columns.iter().position(|name| name.eq_ignore_ascii_case(column))?;
        self.row.get_ref(at).ok()
    }

    /// Text, or a number as text. Empty is absent.
    pub fn text(&self, column: &str) -> Option<String> {
        let text = match self.value(column)? {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            ValueRef::Integer(number) => number.to_string(),
            ValueRef::Real(number) => number.to_string(),
            ValueRef::Null => return None,
        };
        Some(text).filter(|text| !text.trim().is_empty())
    }

    pub fn int(&self, column: &str) -> Option<i64> {
        match self.value(column)? {
            ValueRef::Integer(number) => Some(number),
            ValueRef::Real(number) => Some(number as i64),
            ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok()?.trim().parse().ok(),
            _ => None,
        }
    }

    pub fn real(&self, column: &str) -> Option<f64> {
        match self.value(column)? {
            ValueRef::Integer(number) => Some(number as f64),
            ValueRef::Real(number) => Some(number),
            ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok()?.trim().parse().ok(),
            _ => None,
        }
    }
}
