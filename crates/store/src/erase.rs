//! Taking every trace out of a data directory: quotes of what was forgotten, free pages, the
//! write-ahead log; and a look at the bytes afterwards, so that "gone" is not a matter of trust.
//!
//! Removing the memory itself is the writer's; this is about what else holds its words.

use std::path::{Path, PathBuf};
use std::time::Duration;

use aho_corasick::{AhoCorasick, MatchKind};
use hark_core::{Memory, Timestamp, markdown};
use hark_files::Door;

use crate::connection;
use crate::error::StoreError;
use crate::files;
use crate::layout::Layout;
use crate::leaning;
use crate::revisions::Revision;
use crate::store::Store;
use crate::tombstones::turn_mark;
use crate::write::Writer;

/// What stands where a quote was.
pub const SCRUBBED: &str = "[forgotten]";
/// Shorter texts are too common to be told from other people's words.
const LEAST_CHARS: usize = 16;
/// How far before a `…` a quote may begin.
const LONGEST_CUT: usize = 400;
/// So much of a text in a name of a file is taken for a quote.
const NAME_CHARS: usize = 10;
/// Beyond this many memories single sentences are no longer looked for, only whole texts and titles.
const MOST_IN_DETAIL: usize = 2_000;

/// Tables that are made from the files of memories, or hold no text.
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
    "tombstone",
    "likeness",
    "topic",
    "used",
    "layer",
];

/// Texts that must be found nowhere any more. One look finds any of them, however many they are.
#[derive(Debug, Default)]
pub struct Traces {
    needles: Vec<String>,
    matcher: Option<AhoCorasick>,
    /// How they begin in names of files.
    names: Option<AhoCorasick>,
}

impl Traces {
    /// Everything that memories say, and said before.
    pub fn of<'m>(memories: impl IntoIterator<Item = (&'m Memory, Vec<Revision>)>) -> Self {
        let mut needles = Vec::new();
        for (at, (memory, history)) in memories.into_iter().enumerate() {
            let in_detail = at < MOST_IN_DETAIL;
            for state in history.iter().map(|revision| &revision.before).chain([memory]) {
                add_all(state, in_detail, &mut needles);
            }
        }
        Self::from_needles(needles)
    }

    fn from_needles(mut needles: Vec<String>) -> Self {
        needles.sort();
        needles.dedup();
        // Too many to hold is no reason to fail: the memories are gone all the same.
        let matcher = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&needles).ok();
        let mut names: Vec<String> = needles.iter().map(|needle| name_of(needle)).collect();
        names.sort();
        names.dedup();
        names.retain(|name| name.len() >= NAME_CHARS);
        let names = AhoCorasick::new(&names).ok().filter(|_| !names.is_empty());
        Traces { matcher: matcher.filter(|_| !needles.is_empty()), names, needles }
    }

    /// Whether a file may be called after one of them. A name is made again from what the file says, so
    /// a wrong guess does no harm.
    pub(crate) fn named_in(&self, name: &str) -> bool {
        self.names.as_ref().is_some_and(|names| names.is_match(name))
    }

    pub fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    /// The text without them; nothing if none was there.
    pub(crate) fn scrubbed(&self, text: &str) -> Option<String> {
        let matcher = self.matcher.as_ref()?;
        let whole =
            matcher.is_match(text).then(|| matcher.replace_all(text, &vec![SCRUBBED; self.needles.len()]));
        let cut = self.without_cut_quotes(whole.as_deref().unwrap_or(text));
        cut.or(whole)
    }

    /// Titles are often the beginning of a text with `…` behind it: that is a quote too.
    fn without_cut_quotes(&self, text: &str) -> Option<String> {
        let mut out = String::new();
        let mut from = 0;
        for (at, _) in text.match_indices('…') {
            let mut start = at.saturating_sub(LONGEST_CUT).max(from);
            while !text.is_char_boundary(start) {
                start += 1;
            }
            let before = &text[start..at];
            let mut in_word = false;
            let begins = before.char_indices().find(|(at, c)| {
                let is_start = c.is_alphanumeric() && !in_word;
                in_word = c.is_alphanumeric();
                is_start && self.is_beginning(before[*at..].trim_end())
            });
            if let Some((begin, _)) = begins {
                out.push_str(&text[from..start + begin]);
                out.push_str(SCRUBBED);
                from = at;
            }
        }
        (from > 0).then(|| out + &text[from..])
    }

    /// Whether one of the texts begins so. They are in order.
    fn is_beginning(&self, text: &str) -> bool {
        let at = self.needles.partition_point(|needle| needle.as_str() < text);
        text.chars().count() >= LEAST_CHARS && self.needles.get(at).is_some_and(|n| n.starts_with(text))
    }

    fn found_in(&self, bytes: &[u8]) -> bool {
        self.matcher.as_ref().is_some_and(|matcher| matcher.is_match(bytes))
    }
}

/// The beginning of a text as names of files have it.
fn name_of(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars() {
        if name.len() >= NAME_CHARS {
            break;
        }
        if c.is_alphanumeric() {
            name.extend(c.to_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    name
}

fn add_all(memory: &Memory, in_detail: bool, needles: &mut Vec<String>) {
    let fields = [Some(&memory.body), Some(&memory.title), memory.why.as_ref(), memory.learned.as_ref()];
    for text in fields.into_iter().flatten() {
        add_text(text, needles);
        if !in_detail {
            continue;
        }
        for line in text.lines() {
            add_text(line, needles);
            for sentence in line.split_inclusive(['.', '!', '?', ';']) {
                add_text(sentence, needles);
            }
        }
    }
}

/// The text, and how it looks inside JSON or quoted YAML.
fn add_text(text: &str, needles: &mut Vec<String>) {
    let text = text.trim().trim_end_matches(['.', '…']);
    if text.chars().count() < LEAST_CHARS {
        return;
    }
    let quoted = serde_json::to_string(text).unwrap_or_default();
    let quoted = quoted.trim_matches('"');
    if quoted != text {
        needles.push(quoted.to_owned());
    }
    needles.push(text.to_owned());
}

impl Writer<'_> {
    /// Takes quotes out of everything that this store keeps about sessions. Returns how many places
    /// were changed.
    pub fn scrub(&mut self, traces: &Traces) -> Result<usize, StoreError> {
        let turns = self.turns_quoting(traces).map_err(|e| self.sql(e))?;
        self.bury_turns(turns)?;
        let mut changed = self.scrub_rows(traces).map_err(|e| self.sql(e))?;
        for path in texts_of(self.layout) {
            let Ok(text) = self.layout.door().read_to_string(&path, files::LARGEST) else { continue };
            let clean = traces.scrubbed(&text);
            if let Some(clean) = &clean {
                self.journal_file(&path);
                self.layout.write(&path, clean.as_bytes())?;
                changed += 1;
            }
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if clean.is_some() || traces.named_in(name) {
                self.rename_session(&path, clean.as_deref().unwrap_or(&text))?;
            }
        }
        Ok(changed)
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
            door.rename(path, &named).map_err(|e| StoreError::io(&named, e))?;
        }
        Ok(())
    }

    /// Marks of everything that sessions said with one of the texts in it.
    fn turns_quoting(&self, traces: &Traces) -> rusqlite::Result<Vec<String>> {
        let mut found = Vec::new();
        let mut read = self.tx.prepare("SELECT target, body FROM event")?;
        let mut rows = read.query([])?;
        while let Some(row) = rows.next()? {
            let (target, body) = (row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
            if traces.scrubbed(target).is_some() || traces.scrubbed(body).is_some() {
                found.extend(turn_mark(self.redactor, target, body));
            }
        }
        Ok(found)
    }

    /// Every table that is not made from memories, whoever added it.
    fn scrub_rows(&self, traces: &Traces) -> rusqlite::Result<usize> {
        let mut changed = 0;
        for (table, columns) in self.tables()? {
            if DERIVED.contains(&table.as_str()) {
                continue;
            }
            for column in columns.iter().filter(|column| column.kind == "TEXT") {
                let clean = |text: &str| traces.scrubbed(text);
                changed += sweep_column(&self.tx, &table, &column.name, true, &clean)?;
            }
        }
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
        run().map_err(|e| self.sql(e))
    }

    /// Removes what the index knows of a project that holds nothing any more.
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
        run().map_err(|e| self.sql(e))
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

/// Files of ours that may quote a memory: everything but memories, their history, and what is not
/// text.
fn texts_of(layout: &Layout) -> Vec<PathBuf> {
    let skipped = ["memories", "revisions", "models", "install", "plugins", "backups"];
    let mut found = Vec::new();
    for path in everything(layout.door(), &skipped) {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let is_text = matches!(path.extension().and_then(|e| e.to_str()), Some("md" | "json" | "jsonl"));
        if is_text && name != "tombstones.jsonl" {
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
    /// What a removal leaves behind in the index file: free pages, moved cells, the log, copies that
    /// were put aside. After this none of it is there, unless another process would not let us.
    pub fn wipe(&mut self) -> Result<(), StoreError> {
        let path = self.layout.database();
        for (file, _) in self.layout.files_in(self.layout.home()) {
            // A damaged index that was put aside is a copy of what it knew.
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

    /// Files of this data directory that still hold one of the texts, byte by byte. Backups are opened
    /// for that.
    pub fn holding(&self, traces: &Traces) -> Result<Vec<String>, StoreError> {
        let mut found = Vec::new();
        for path in everything(self.layout.door(), &["models"]) {
            let is_backup = path.starts_with(self.layout.backups());
            let Ok(bytes) = self.layout.door().read(&path, u64::MAX - 1) else { continue };
            let holds = traces.found_in(&bytes)
                || (is_backup
                    && crate::backup::any_entry(self.layout.door(), &path, |content| {
                        traces.found_in(content)
                    }));
            if holds {
                found.push(path.strip_prefix(self.layout.home()).unwrap_or(&path).display().to_string());
            }
        }
        Ok(found)
    }
}

impl Store {
    /// Every text file of the data directory that may hold something of the user's.
    pub fn texts(&self) -> Vec<PathBuf> {
        let mut found = everything(self.layout.door(), &["models", "plugins", "backups", "tmp"]);
        found.retain(|path| {
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            let is_top = path.parent() == Some(self.layout.home());
            let is_ours = name.starts_with("hark.") || name.ends_with(".lock") || name == "placeholder.key";
            !(is_top && is_ours)
        });
        found
    }

    /// Writes a text file again, whole or not at all.
    pub fn replace_text(&mut self, path: &Path, text: &str, now: Timestamp) -> Result<(), StoreError> {
        self.write(now, |writer| {
            writer.journal_file(path);
            writer.layout.write(path, text.as_bytes()).map(drop)
        })
    }

    /// Runs `clean` over every text that only the index keeps; what it changes is written again unless
    /// this is a rehearsal. Returns how many rows changed, or would.
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
                        changed += sweep_column(&writer.tx, &table, &column.name, apply, clean)?;
                    }
                }
                Ok(changed)
            };
            run().map_err(|e| writer.sql(e))
        })
    }
}

/// By distinct text: equal ones are cleaned alike.
fn sweep_column(
    tx: &rusqlite::Connection,
    table: &str,
    column: &str,
    apply: bool,
    clean: &dyn Fn(&str) -> Option<String>,
) -> rusqlite::Result<usize> {
    let (table, column) = (quoted(table), quoted(column));
    let mut dirty: Vec<(String, String)> = Vec::new();
    {
        let mut statement =
            tx.prepare(&format!("SELECT DISTINCT {column} FROM {table} WHERE length({column}) > 7"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let text: String = row.get(0)?;
            if let Some(better) = clean(&text) {
                dirty.push((text, better));
            }
        }
    }
    if apply {
        let mut update =
            tx.prepare(&format!("UPDATE OR IGNORE {table} SET {column} = ?2 WHERE {column} = ?1"))?;
        for (before, after) in &dirty {
            update.execute([before, after])?;
        }
    }
    Ok(dirty.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_go_and_short_words_stay() {
        let mut needles = Vec::new();
        add_text("say \"the walrus\" sleeps", &mut needles);
        add_text("too short", &mut needles);
        let traces = Traces::from_needles(needles);
        let text = "{\"body\":\"he said: say \\\"the walrus\\\" sleeps, too short\"}";
        assert_eq!(traces.scrubbed(text).unwrap(), "{\"body\":\"he said: [forgotten], too short\"}");
        assert_eq!(traces.scrubbed("nothing of it"), None);
        let mut needles = Vec::new();
        add_text("the walrus sleeps on the northern beach", &mut needles);
        let traces = Traces::from_needles(needles);
        let text = "He said: the walrus sleeps on…; the walrus…";
        assert_eq!(traces.scrubbed(text).unwrap(), "He said: [forgotten]…; the walrus…");
        assert!(!Traces::from_needles(Vec::new()).found_in(b"anything"));
    }
}
