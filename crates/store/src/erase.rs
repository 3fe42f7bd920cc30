//! Removes every trace of forgotten text from a data directory: quotes, free pages and the write-ahead
//! log. Afterwards it searches the bytes to verify the result.
//!
//! The writer removes the memory itself; this module handles everything else that contains its words.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hark_core::{SessionId, Timestamp, markdown};
use hark_files::Door;
use rusqlite::params;

use crate::connection;
use crate::error::{At, StoreError};
use crate::files;
use crate::layout::Layout;
use crate::leaning;
use crate::store::Store;
use crate::tombstones::turn_mark;
use crate::traces::{Place, SCRUBBED, Traces};
use crate::write::Writer;

/// Tables that are derived from memory files, or contain no text.
const DERIVED: &[&str] = &[
    "memory",
    "tag",
    "passage",
    "document",
    "chunk",
    "word",
    "near",
    "corpus",
    "entity",
    "mention",
    "edge",
    "folder",
    "unread",
    "meta",
    "project",
    "project_root",
    "project_place",
    "tombstone",
    "likeness",
    "topic",
    "trigger_key",
    "used",
    "layer",
    "phrase",
];

/// The sessions that forgotten memories came from.
#[derive(Default)]
struct Sources {
    nums: HashSet<i64>,
    files: HashSet<String>,
}

impl Sources {
    fn place(&self, num: i64) -> Place {
        if self.nums.contains(&num) { Place::Source } else { Place::Elsewhere }
    }

    /// Their numbers, as a query takes them.
    fn json(&self) -> String {
        serde_json::to_string(&self.nums).unwrap_or_default()
    }
}

impl Writer<'_> {
    /// Removes quotes from everything that this store keeps about sessions. Returns the number of places
    /// changed.
    pub fn scrub(&mut self, traces: &Traces) -> Result<usize, StoreError> {
        let sources = self.sources_of(traces).at(self)?;
        let turns = self.turns_quoting(traces, &sources).at(self)?;
        self.bury_turns(turns)?;
        let mut changed = self.scrub_rows(traces, &sources).at(self)?;
        changed += self.forget_quotes(|text| traces.scrubbed(text, Place::Elsewhere).is_some())?;
        for path in texts_of(self.layout) {
            let Ok(text) = self.layout.door().read_to_string(&path, files::LARGEST) else { continue };
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_source = path.parent() == Some(&self.layout.sessions()) && sources.files.contains(name);
            let place = if is_source { Place::Source } else { Place::Elsewhere };
            let is_note = path.extension().is_some_and(|e| e == "md");
            let clean =
                if is_note { traces.scrubbed_note(&text, place) } else { traces.scrubbed(&text, place) };
            let is_named = traces.named_in(name);
            if clean.is_none() && !is_named {
                continue;
            }
            self.journal_file(&path);
            if let Some(clean) = &clean {
                self.layout.write(&path, clean.as_bytes())?;
                changed += 1;
            }
            self.rename_session(&path, clean.as_deref().unwrap_or(&text))?;
        }
        Ok(changed)
    }

    fn sources_of(&self, traces: &Traces) -> rusqlite::Result<Sources> {
        let mut found = Sources::default();
        let mut read = self.tx.prepare("SELECT num, id, host_session, file FROM session")?;
        let mut rows = read.query([])?;
        while let Some(row) = rows.next()? {
            let id = SessionId::from_slice(row.get_ref(1)?.as_blob()?);
            let (whole, short) = id.map(|id| (id.full(), id.short())).unwrap_or_default();
            let names = [row.get_ref(2)?.as_str()?, whole.as_str(), short.as_str()];
            if traces.place_of(&names) == Place::Source {
                found.nums.insert(row.get(0)?);
                found.files.insert(row.get(3)?);
            }
        }
        Ok(found)
    }

    /// The name of a session's file is made from what it says.
    fn rename_session(&mut self, path: &Path, text: &str) -> Result<(), StoreError> {
        let folder = self.layout.sessions();
        if path.parent() != Some(&folder) {
            return Ok(());
        }
        let Ok(session) = markdown::session::parse(text, &|raw| self.redactor.clean(raw)) else {
            return Ok(());
        };
        let named = folder.join(markdown::session::file_name(&session));
        let door = self.layout.door();
        if named != path && door.look(&named).is_ok_and(|found| found.is_none()) {
            self.journal.created(door, &named);
            door.rename(path, &named).at(&named)?;
        }
        Ok(())
    }

    /// Marks of everything that sessions said with one of the texts in it.
    fn turns_quoting(&self, traces: &Traces, sources: &Sources) -> rusqlite::Result<Vec<String>> {
        let mut found = Vec::new();
        let mut read = self.tx.prepare("SELECT target, body, session FROM event")?;
        let mut rows = read.query([])?;
        while let Some(row) = rows.next()? {
            let (target, body) = (row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
            let place = sources.place(row.get(2)?);
            if traces.scrubbed(target, place).is_some() || traces.scrubbed(body, place).is_some() {
                found.extend(turn_mark(self.redactor, target, body));
            }
        }
        Ok(found)
    }

    /// Every table that is not derived from memories.
    fn scrub_rows(&self, traces: &Traces, sources: &Sources) -> rusqlite::Result<usize> {
        let mut changed = 0;
        for (table, columns) in self.tables()? {
            if DERIVED.contains(&table.as_str()) {
                continue;
            }
            let session = if table == "session" {
                Some("num")
            } else {
                columns.iter().find(|c| c.name == "session" && c.kind == "INTEGER").map(|_| "session")
            };
            for column in columns.iter().filter(|column| column.kind == "TEXT") {
                let mut sweep = |rows: Rows<'_>, place: Place| -> rusqlite::Result<()> {
                    let clean = |text: &str| traces.scrubbed(text, place);
                    let which = Sweep { table: &table, column: &column.name, rows, apply: true };
                    changed += which.run(&self.tx, &clean)?;
                    Ok(())
                };
                if let Some(session) = session.filter(|_| !sources.nums.is_empty()) {
                    sweep(Rows::Of(session, &sources.json()), Place::Source)?;
                }
                sweep(Rows::All, Place::Elsewhere)?;
            }
        }
        // The words of what is forgotten find nothing any more.
        let forgotten = format!("%{SCRUBBED}%");
        self.tx.execute("UPDATE turn SET terms = x'' WHERE doc LIKE ?1", [forgotten])?;
        // What a learner noted of these sessions has words of their prompts one by one, which no quote is found in.
        self.tx.execute(
            "DELETE FROM evidence WHERE sort = 'procedure' AND session IN (SELECT value FROM json_each(?1))",
            [sources.json()],
        )?;
        Ok(changed)
    }

    /// Removes a session: its file, and its rows in every table that knows sessions.
    pub fn remove_session(&mut self, num: i64) -> Result<(), StoreError> {
        let Some(stored) = self.session(num)? else { return Ok(()) };
        let session = &stored.session;
        self.bury_session(&session.id, &session.host, &session.host_session)?;
        if !stored.file.is_empty() {
            let path = self.layout.sessions().join(&stored.file);
            self.journal_file(&path);
            self.layout.remove(&path)?;
        }
        let run = || -> rusqlite::Result<()> {
            for (table, columns) in self.tables()? {
                let Some(column) = columns.iter().find(|c| c.name == "session") else { continue };
                let sql = format!("DELETE FROM {} WHERE session = ?1", quoted(&table));
                match column.kind.as_str() {
                    "INTEGER" => self.tx.execute(&sql, [num])?,
                    "BLOB" => self.tx.execute(&sql, [session.id.as_bytes().as_slice()])?,
                    _ => self.tx.execute(&sql, [session.id.full()])?,
                };
            }
            self.tx.execute("DELETE FROM session_lexicon WHERE rowid = ?1", [num])?;
            self.tx.execute("DELETE FROM session WHERE num = ?1", [num]).map(drop)
        };
        run().at(self)
    }

    /// Removes an empty project from the index.
    pub fn remove_project(&mut self, key: &hark_core::ProjectKey) -> Result<(), StoreError> {
        let run = || -> rusqlite::Result<()> {
            self.tx.execute("DELETE FROM project_root WHERE key = ?1", [key.as_str()])?;
            self.tx.execute("DELETE FROM meta WHERE key = ?1", [leaning::name(key)])?;
            self.tx
                .execute(
                    "DELETE FROM project WHERE key = ?1 AND num NOT IN (SELECT project FROM memory) \
                     AND num NOT IN (SELECT project FROM session)",
                    [key.as_str()],
                )
                .map(drop)
        };
        run().at(self)
    }

    /// Ordinary tables with their columns; those of the full-text indexes hold hashes only.
    fn tables(&self) -> rusqlite::Result<Vec<(String, Vec<Column>)>> {
        let names: Vec<String> = self
            .tx
            .prepare(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' \
                 AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%lexicon%'",
            )?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let columns = |name: &str| -> rusqlite::Result<Vec<Column>> {
            self.tx
                .prepare("SELECT name, type FROM pragma_table_info(?1)")?
                .query_map([name], |row| Ok(Column { name: row.get(0)?, kind: row.get(1)? }))?
                .collect()
        };
        names.into_iter().map(|name| columns(&name).map(|columns| (name, columns))).collect()
    }
}

struct Column {
    name: String,
    kind: String,
}

/// Names come from our own schema; quoted all the same.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Hark's files that may quote a memory: every text file except memories and their history.
fn texts_of(layout: &Layout) -> Vec<PathBuf> {
    let skipped = ["memories", "revisions", "models", "install", "plugins", "backups"];
    let mut found = Vec::new();
    for path in everything(layout.door(), &skipped) {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let is_text = matches!(path.extension().and_then(|e| e.to_str()), Some("md" | "json" | "jsonl"));
        if is_text && !["tombstones.jsonl", "phrases.jsonl"].contains(&name) {
            found.push(path);
        }
    }
    found
}

/// Every regular file below a folder, without those of some folders at its top.
pub(crate) fn everything(door: &Door, skipped: &[&str]) -> Vec<PathBuf> {
    let root = door.root();
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        let is_top = folder == root;
        for (name, look) in door.list(&folder).unwrap_or_default() {
            let path = folder.join(&name);
            if look.is_folder() {
                if !(is_top && name.to_str().is_some_and(|n| skipped.contains(&n))) {
                    open.push(path);
                }
            } else if look.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

impl Store {
    /// Clears what a removal leaves in the index file: free pages, moved cells, the log and copies of
    /// damaged indexes. Another process can prevent this.
    pub fn wipe(&mut self) -> Result<(), StoreError> {
        let path = self.layout.database();
        for (file, _) in self.layout.files_in(self.layout.home()) {
            // A damaged index that was moved aside is a copy of its data.
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.starts_with("hark.db.damaged-") {
                self.layout.remove(&file)?;
            }
        }
        connection::patiently(&path, self.patience.min(Duration::from_secs(20)), || {
            self.conn.execute_batch(
                "INSERT INTO lexicon (lexicon) VALUES ('optimize'); \
                 INSERT INTO session_lexicon (session_lexicon) VALUES ('optimize'); VACUUM;",
            )
        })?;
        connection::patiently(&path, self.patience.min(Duration::from_secs(20)), || {
            let busy: i64 = self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            if busy == 0 {
                Ok(())
            } else {
                Err(rusqlite::Error::SqliteFailure(
                    rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY),
                    None,
                ))
            }
        })?;
        self.cache.borrow_mut().forget();
        Ok(())
    }
}

impl Store {
    /// Every text file of the data directory that may contain the user's text.
    pub fn texts(&self) -> Vec<PathBuf> {
        let mut found = everything(self.layout.door(), &["models", "plugins", "backups", "tmp"]);
        found.retain(|path| {
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            let is_top = path.parent() == Some(self.layout.home());
            let is_ours = name.starts_with("hark.")
                || name.ends_with(".lock")
                || ["placeholder.key", "serve.token"].contains(&name);
            !(is_top && is_ours)
        });
        found
    }

    /// Rewrites a text file atomically.
    pub fn replace_text(&mut self, path: &Path, text: &str, now: Timestamp) -> Result<(), StoreError> {
        self.write(now, |writer| {
            writer.journal_file(path);
            writer.layout.write(path, text.as_bytes()).map(drop)
        })
    }

    /// Runs `clean` over every text that only the index keeps, and writes the changes unless this is a dry
    /// run. Returns the number of rows changed.
    pub fn sweep_rows(
        &mut self,
        apply: bool,
        now: Timestamp,
        clean: &dyn Fn(&str) -> Option<String>,
    ) -> Result<usize, StoreError> {
        self.write(now, |writer| {
            let run = || -> rusqlite::Result<usize> {
                let mut changed = 0;
                for (table, columns) in writer.tables()? {
                    if DERIVED.contains(&table.as_str()) {
                        continue;
                    }
                    for column in columns.iter().filter(|column| column.kind == "TEXT") {
                        let which = Sweep { table: &table, column: &column.name, rows: Rows::All, apply };
                        changed += which.run(&writer.tx, clean)?;
                    }
                }
                Ok(changed)
            };
            run().at(writer)
        })
    }
}

/// One column of a table.
struct Sweep<'s> {
    table: &'s str,
    column: &'s str,
    rows: Rows<'s>,
    apply: bool,
}

/// Which rows of a table.
#[derive(Clone, Copy)]
enum Rows<'s> {
    All,
    /// Those of some sessions: the column that names them, and their numbers as JSON.
    Of(&'static str, &'s str),
}

impl Rows<'_> {
    /// The numbers are the third parameter of each statement.
    fn condition(self) -> String {
        match self {
            Rows::All => "?3 IS NULL".to_owned(),
            Rows::Of(column, _) => format!("{column} IN (SELECT value FROM json_each(?3))"),
        }
    }

    fn numbers(&self) -> Option<&str> {
        match self {
            Rows::All => None,
            Rows::Of(_, json) => Some(json),
        }
    }
}

impl Sweep<'_> {
    /// By distinct text: equal ones are cleaned alike. Returns how many texts changed.
    fn run(
        &self,
        tx: &rusqlite::Connection,
        clean: &dyn Fn(&str) -> Option<String>,
    ) -> rusqlite::Result<usize> {
        let (table, column, rows) = (quoted(self.table), quoted(self.column), self.rows.condition());
        let numbers = self.rows.numbers();
        let mut dirty: Vec<(String, String)> = Vec::new();
        {
            let mut statement = tx.prepare(&format!(
                "SELECT DISTINCT {column} FROM {table} WHERE length({column}) > 7 AND {rows}"
            ))?;
            let mut found = statement.query(params![None::<i64>, None::<i64>, numbers])?;
            while let Some(row) = found.next()? {
                let text: String = row.get(0)?;
                if let Some(better) = clean(&text) {
                    dirty.push((text, better));
                }
            }
        }
        if self.apply {
            let mut update = tx.prepare(&format!(
                "UPDATE OR IGNORE {table} SET {column} = ?2 WHERE {column} = ?1 AND {rows}"
            ))?;
            // The cleaned row would equal another row, so it can be removed.
            let mut remove = tx.prepare(&format!(
                "DELETE FROM {table} WHERE {column} = ?1 AND {rows} AND {}",
                if self.table == "session" { "0" } else { "1" }
            ))?;
            for (before, after) in &dirty {
                update.execute(params![before, after, numbers])?;
                remove.execute(params![before, after, numbers])?;
            }
        }
        Ok(dirty.len())
    }
}
