//! Changes to memories. A change is a file moved into place and index rows, under one lock:
//! if the rows cannot be written the file is put back.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use hark_core::redact::Redactor;
use hark_core::vector::Embedder;
use hark_core::{Clean, IdRef, Memory, MemoryId, Status, Timestamp, markdown};
use rusqlite::Transaction;

use crate::connection;
use crate::error::StoreError;
use crate::files::{self, FileJournal, Stamp};
use crate::folders::FolderNote;
use crate::index::{self, Entry, Finish};
use crate::layout::Layout;
use crate::read::{self, Stored};
use crate::revisions::{self, Revision};
use crate::store::Store;
use crate::used;

/// The write lock of a store, held.
pub struct Writer<'s> {
    pub(crate) tx: Transaction<'s>,
    pub(crate) layout: &'s Layout,
    embedder: &'s dyn Embedder,
    finish: Finish,
    pub(crate) redactor: &'s Redactor,
    pub(crate) journal: FileJournal,
    pub(crate) now: Timestamp,
}

/// How long a courteous writer leaves the lock to others, at most.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

impl Store {
    /// From now on every write is followed by a pause as long as it took. Whoever writes one thing after
    /// the other otherwise frees the lock only for moments, which a hook that looks for it now and then
    /// does not meet.
    pub fn be_courteous(&mut self) {
        self.courteous = true;
    }

    /// Runs `change` under the write lock. All of it happens, or none.
    pub fn write<T, E: From<StoreError>>(
        &mut self,
        now: Timestamp,
        change: impl FnOnce(&mut Writer<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let path = self.layout.database();
        let tx = connection::begin(&self.conn, &path, self.patience)?;
        let began = Instant::now();
        let mut writer = Writer {
            tx,
            layout: &self.layout,
            embedder: self.embedder.as_ref(),
            finish: self.finish,
            redactor: &self.redactor,
            journal: FileJournal::default(),
            now,
        };
        let outcome = change(&mut writer);
        let Writer { tx, journal, .. } = writer;
        let outcome = match outcome {
            Ok(value) => tx.commit().map(|()| value).map_err(|e| E::from(StoreError::sqlite(&path, e))),
            Err(e) => {
                // Dropping the transaction rolls it back.
                drop(tx);
                Err(e)
            }
        };
        if outcome.is_err() {
            journal.roll_back(&self.layout.staging());
        }
        self.cache.borrow_mut().doubt();
        if self.courteous {
            std::thread::sleep(began.elapsed().min(LONGEST_PAUSE));
        }
        outcome
    }
}

impl Writer<'_> {
    pub(crate) fn sql(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(&self.layout.database(), error)
    }

    /// Whether no memory of this store has that short id yet.
    pub fn is_free(&self, id: &MemoryId) -> Result<bool, StoreError> {
        read::tail_exists(&self.tx, &id.tail()).map(|exists| !exists).map_err(|e| self.sql(e))
    }

    /// A memory as it stands in its file, which somebody may have edited since it was indexed.
    pub fn load(&self, id: &IdRef) -> Result<Memory, StoreError> {
        self.load_stored(id).map(|stored| stored.memory)
    }

    fn load_stored(&self, id: &IdRef) -> Result<Stored, StoreError> {
        let mut stored = read::find(&self.tx, &self.layout.database(), id)?;
        let path = self.layout.memories().join(&stored.file);
        let Some(stamp) = Stamp::read(&path)? else {
            return Err(StoreError::NotFound { id: stored.memory.id.short() });
        };
        if stamp != stored.stamp {
            let text = fs::read_to_string(&path).map_err(|e| StoreError::io(&path, e))?;
            let unreadable = |reason: String| StoreError::Unreadable { path: path.clone(), reason };
            let edited = markdown::parse(&text, &|raw| self.redactor.clean(raw))
                .map_err(|e| unreadable(e.to_string()))?;
            if edited.id != stored.memory.id {
                return Err(unreadable("its id was changed".to_owned()));
            }
            stored.memory = edited;
        }
        Ok(stored)
    }

    /// Active memories of the same project and kind that may say what this one says, likeliest first.
    pub fn alike(&self, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
        self.alike_where(memory, |other| other.status == Status::Active)
    }

    /// The same, whatever became of them.
    pub fn alike_of_any_status(&self, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
        self.alike_where(memory, |_| true)
    }

    fn alike_where(
        &self,
        memory: &Memory,
        wanted: impl Fn(&Memory) -> bool,
    ) -> Result<Vec<Memory>, StoreError> {
        const MOST: usize = 8;
        let nums = index::alike(&self.tx, memory).map_err(|e| self.sql(e))?;
        let fits = |stored: &Stored| {
            let other = &stored.memory;
            other.id != memory.id && other.kind == memory.kind && other.scope == memory.scope && wanted(other)
        };
        self.pick(&nums, MOST, fits)
    }

    /// The active memory of the same project and kind with this topic, newest first.
    pub fn of_topic(&self, memory: &Memory, topic: &str) -> Result<Option<Memory>, StoreError> {
        let nums = index::of_topic(&self.tx, topic).map_err(|e| self.sql(e))?;
        let fits = |stored: &Stored| {
            let other = &stored.memory;
            other.id != memory.id && other.status == Status::Active && other.scope == memory.scope
        };
        Ok(self.pick(&nums, 1, fits)?.into_iter().next())
    }

    /// The first `most` of these that fit, as their files stand.
    fn pick(
        &self,
        nums: &[i64],
        most: usize,
        fits: impl Fn(&Stored) -> bool,
    ) -> Result<Vec<Memory>, StoreError> {
        let mut found = Vec::new();
        for num in nums {
            if found.len() == most {
                break;
            }
            let Some(stored) = read::by_num(&self.tx, *num).map_err(|e| self.sql(e))? else { continue };
            if !fits(&stored) {
                continue;
            }
            match self.load(&IdRef::Full(stored.memory.id)) {
                Ok(memory) => found.push(memory),
                // Gone, or being edited: whoever holds it decides.
                Err(StoreError::NotFound { .. } | StoreError::Unreadable { .. }) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(found)
    }

    /// Nearness of two texts in meaning.
    pub fn cosine(&self, a: &str, b: &str) -> Option<f32> {
        Some(self.embedder.embed(a)?.cosine(&self.embedder.embed(b)?))
    }

    /// Writes counts of a memory whose words did not change; not worth a line in its history.
    pub fn amend(&mut self, after: &Memory) -> Result<(), StoreError> {
        let stored = self.load_stored(&IdRef::Full(after.id))?;
        self.put_file(after, &stored.file)
    }

    /// Writes a new memory.
    pub fn create(&mut self, memory: &Memory) -> Result<(), StoreError> {
        let file = format!("{}/{}", memory.kind.name(), markdown::file_name(memory));
        let path = self.layout.memories().join(&file);
        if path.exists() {
            let source = std::io::Error::new(std::io::ErrorKind::AlreadyExists, "a file of that name exists");
            return Err(StoreError::io(&path, source));
        }
        self.put_file(memory, &file)
    }

    /// Writes a changed memory and keeps what it was before. `change` is a word for the history.
    pub fn update(&mut self, before: &Memory, after: &Memory, change: &str) -> Result<(), StoreError> {
        let stored = self.load_stored(&IdRef::Full(before.id))?;
        self.keep_revision(before, change)?;
        let moved = before.kind != after.kind;
        let file = if moved {
            format!("{}/{}", after.kind.name(), markdown::file_name(after))
        } else {
            stored.file.clone()
        };
        if file == stored.file {
            return self.put_file(after, &file);
        }
        // Rewritten where it is, then moved: at no moment are there two files with one id.
        let root = self.layout.memories();
        let (from, to) = (root.join(&stored.file), root.join(&file));
        files::create_folder(&self.layout.kind_folder(after.kind))?;
        let folder = stored.file.split_once('/').map_or("", |(folder, _)| folder);
        let note = FolderNote::before(&self.tx, &root, folder).map_err(|e| self.sql(e))?;
        self.journal_file(&from);
        files::write_atomic(&self.layout.staging(), &from, markdown::render(after).as_bytes())?;
        let target = FolderNote::before(&self.tx, &root, after.kind.name()).map_err(|e| self.sql(e))?;
        self.journal.created(&to);
        fs::rename(&from, &to).map_err(|e| StoreError::io(&to, e))?;
        note.after(&self.tx, &root).map_err(|e| self.sql(e))?;
        target.after(&self.tx, &root).map_err(|e| self.sql(e))?;
        self.put_file(after, &file)
    }

    /// Removes a memory: file, history, index.
    pub fn remove(&mut self, id: &MemoryId) -> Result<(), StoreError> {
        let stored = read::find(&self.tx, &self.layout.database(), &IdRef::Full(*id))?;
        let history = revisions::path(self.layout, id);
        if let Ok(bytes) = fs::read(&history) {
            self.journal.replaced(&history, bytes);
            files::remove(&history)?;
        }
        let short = id.short();
        self.tx
            .prepare_cached("DELETE FROM used WHERE id = ?1")
            .and_then(|mut s| s.execute([id.as_bytes().as_slice()]))
            .and_then(|_| self.tx.execute("DELETE FROM injected WHERE item = ?1", [short]))
            .map_err(|e| self.sql(e))?;
        self.drop_file(&stored.file)?;
        index::clear(&self.tx, stored.num).map_err(|e| self.sql(e))
    }

    /// Memories whose files link to this one.
    pub fn linked_from(&self, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        read::linked_from(&self.tx, id).map_err(|e| self.sql(e))
    }

    fn keep_revision(&mut self, before: &Memory, change: &str) -> Result<(), StoreError> {
        let revision = Revision { at: self.now, change: change.to_owned(), before: before.clone() };
        let mut line = serde_json::to_string(&revision).unwrap_or_default();
        line.push('\n');
        let path = revisions::path(self.layout, &before.id);
        let length = files::append(&path, line.as_bytes())?;
        self.journal.appended(&path, length);
        Ok(())
    }

    fn put_file(&mut self, memory: &Memory, file: &str) -> Result<(), StoreError> {
        self.put_text(memory, file, None)
    }

    /// `verbatim` is the text of the file where it differs from what we would write.
    pub(crate) fn put_text(
        &mut self,
        memory: &Memory,
        file: &str,
        verbatim: Option<&Clean>,
    ) -> Result<(), StoreError> {
        let root = self.layout.memories();
        let path = root.join(file);
        let folder = file.split_once('/').map_or("", |(folder, _)| folder);
        files::create_folder(&root.join(folder))?;
        let note = FolderNote::before(&self.tx, &root, folder).map_err(|e| self.sql(e))?;
        let top = FolderNote::before(&self.tx, &root, "").map_err(|e| self.sql(e))?;
        self.journal_file(&path);
        let text = verbatim.map_or_else(|| markdown::render(memory), ToString::to_string);
        let stamp = files::write_atomic(&self.layout.staging(), &path, text.as_bytes())?;
        let entry = Entry { memory, file, stamp, finish: self.finish };
        index::put(&self.tx, self.embedder, &entry, self.now).map_err(|e| self.sql(e))?;
        used::arrive(&self.tx, memory, self.now).map_err(|e| self.sql(e))?;
        note.after(&self.tx, &root).map_err(|e| self.sql(e))?;
        top.after(&self.tx, &root).map_err(|e| self.sql(e))
    }

    fn drop_file(&mut self, file: &str) -> Result<(), StoreError> {
        let root = self.layout.memories();
        let path = root.join(file);
        let folder = file.split_once('/').map_or("", |(folder, _)| folder);
        let note = FolderNote::before(&self.tx, &root, folder).map_err(|e| self.sql(e))?;
        self.journal_file(&path);
        files::remove(&path)?;
        note.after(&self.tx, &root).map_err(|e| self.sql(e))
    }

    pub(crate) fn journal_file(&mut self, path: &PathBuf) {
        match fs::read(path) {
            Ok(bytes) => self.journal.replaced(path, bytes),
            Err(_) => self.journal.created(path),
        }
    }
}
