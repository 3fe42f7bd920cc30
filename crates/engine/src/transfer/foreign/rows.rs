//! Rows of another tool: from its database, or from the JSON that the tool exports.

use std::io::Read;
use std::path::Path;

use hark_files::regular;
use hark_store::foreign::{Database, Record};
use serde_json::Value;

use super::super::export::io_error;
use super::harvest::Harvest;
use crate::error::EngineError;

/// The largest export that is read.
const LARGEST: u64 = 256 * 1024 * 1024;

/// The columns of a row, by name. A column may be missing: they differ between releases.
pub(super) trait Fields {
    /// Text, or a number or list as text. Empty is absent.
    fn text(&self, column: &str) -> Option<String>;
    fn int(&self, column: &str) -> Option<i64>;
    fn real(&self, column: &str) -> Option<f64>;
}

impl Fields for Record<'_> {
    fn text(&self, column: &str) -> Option<String> {
        Record::text(self, column)
    }

    fn int(&self, column: &str) -> Option<i64> {
        Record::int(self, column)
    }

    fn real(&self, column: &str) -> Option<f64> {
        Record::real(self, column)
    }
}

/// An object of an export. Exports name in camel case what databases name with underscores.
pub(super) struct Object<'v>(pub(super) &'v Value);

impl Object<'_> {
    fn value(&self, column: &str) -> Option<&Value> {
        let found = self.0.get(column).or_else(|| self.0.get(camel(column)))?;
        (!found.is_null()).then_some(found)
    }
}

impl Fields for Object<'_> {
    fn text(&self, column: &str) -> Option<String> {
        let text = match self.value(column)? {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        Some(text).filter(|text| !text.trim().is_empty())
    }

    fn int(&self, column: &str) -> Option<i64> {
        let value = self.value(column)?;
        value
            .as_i64()
            .or_else(|| value.as_f64().map(|n| n as i64))
            .or_else(|| value.as_str()?.trim().parse().ok())
    }

    fn real(&self, column: &str) -> Option<f64> {
        let value = self.value(column)?;
        value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
    }
}

/// `project_id` is `projectId`.
fn camel(column: &str) -> String {
    let mut words = column.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut name, word| {
        let mut letters = word.chars();
        name.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        name.push_str(letters.as_str());
        name
    })
}

/// The JSON in a file; `None` for a folder, a missing file or a database.
pub(super) fn export(tool: &str, path: &Path) -> Result<Option<Value>, EngineError> {
    if !path.is_file() {
        return Ok(None);
    }
    let mut start = Vec::new();
    let file = regular::open(path).map_err(|e| io_error(path, e))?;
    file.take(64).read_to_end(&mut start).map_err(|e| io_error(path, e))?;
    let first = start.iter().find(|byte| !byte.is_ascii_whitespace() && !matches!(byte, 0xef | 0xbb | 0xbf));
    if !matches!(first, Some(b'{' | b'[')) {
        return Ok(None);
    }
    let text = regular::read_to_string(path, LARGEST).map_err(|e| io_error(path, e))?;
    let parsed = serde_json::from_str(text.trim_start_matches('\u{feff}'));
    parsed.map(Some).map_err(|e| not_an_export(tool, path, &format!("not JSON: line {}", e.line())))
}

pub(super) fn not_an_export(tool: &str, path: &Path, why: &str) -> EngineError {
    EngineError::invalid(
        format!("{}: not an export of {tool}: {why}", path.display()),
        format!("pass the JSON that {tool} exported, or its database; nothing was imported"),
    )
}

/// Counts the rows of tables that are not imported: those that `named` gives a word for, and those that nobody
/// expected. `read` are the tables that were imported or are derived from them.
pub(super) fn count_the_rest(
    db: &Database,
    harvest: &mut Harvest,
    read: &[&str],
    named: &[(&str, &str)],
) -> Result<(), EngineError> {
    for table in db.tables()? {
        let is_bookkeeping = ["sqlite_", "_migrations", "migrations", "schema_"].iter();
        if read.contains(&table.as_str()) || is_bookkeeping.copied().any(|start| table.starts_with(start)) {
            continue;
        }
        let Some(rows) = db.count(&table)? else { continue };
        let what = named.iter().find(|(name, _)| *name == table).map(|(_, what)| (*what).to_owned());
        let what = what.unwrap_or_else(|| format!("a row of its table `{}`", super::words::plain(&table)));
        harvest.left_out(what, rows);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_are_read_under_both_spellings() {
        let row = serde_json::json!({
            "projectId": "shop-1", "created_at": "2026-01-01", "tags": ["a"], "importance": "7",
            "score": 0.5, "expiresAt": null
        });
        let row = Object(&row);
        assert_eq!(row.text("project_id").as_deref(), Some("shop-1"));
        assert_eq!(row.text("created_at").as_deref(), Some("2026-01-01"));
        assert_eq!(row.text("tags").as_deref(), Some("[\"a\"]"));
        assert_eq!((row.int("importance"), row.real("score")), (Some(7), Some(0.5)));
        assert_eq!(row.text("expires_at"), None);
    }
}
