//! Changes memories. A change writes a file and index rows under one lock; if the rows cannot be
//! written, the file is restored.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hark_core::redact::Redactor;
use hark_core::vector::Embedder;
use hark_core::{Clean, IdRef, Memory, MemoryId, Status, Timestamp, markdown};
use rusqlite::Transaction;

use crate::connection;
use crate::error::{At, StoreError};
use hark_files::Door;

use crate::files::{self, FileJournal};
use crate::folders::{self, FolderNotes, folders_of};
use crate::index::{self, Entry, Finish, Gathered, Prepared};
use crate::layers;
use crate::layout::{Layout, Located};
use crate::read::{self, Stored};
use crate::revisions::{self, Revision};
use crate::store::Store;
use crate::used;

/// The write lock of a store, held.
pub struct Writer<'s> {
    pub(crate) tx: Transaction<'s>,
    pub(crate) layout: &'s Layout,
    pub(crate) embedder: &'s dyn Embedder,
    filing: Filing,
    pub(crate) redactor: &'s Redactor,
    pub(crate) journal: FileJournal,
    gathered: Gathered,
    notes: FolderNotes,
    pub(crate) now: Timestamp,
}

/// How much of a memory is filed at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filing {
    Whole,
    /// Only what is needed to find it; the rest when nobody waits.
    Sparing,
    /// The rest of all memories of a transaction together, before it ends.
    Together,
}

/// A file on its way to its place.
#[derive(Default)]
pub(crate) struct Parcel<'a> {
    /// The text of the file where it differs from what we would write.
    pub(crate) verbatim: Option<&'a Clean>,
    pub(crate) prepared: Option<Prepared>,
    /// Nothing has this name: there is nothing to put back if the write fails.
    pub(crate) is_new: bool,
}

/// The longest pause that a courteous writer makes for others.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

impl Store {
    /// Makes every later write end with a pause as long as the write. Otherwise a process with many writes
    /// frees the lock only for moments, and a hook that polls for it never gets it.
    pub fn be_courteous(&mut self) {
        self.courteous = true;
    }

    /// Runs `change` under the write lock. All of it happens, or none.
    pub fn write<T, E: From<StoreError>>(
        &mut self,
        now: Timestamp,
        change: impl FnOnce(&mut Writer<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        // A change can alter what the next refresh has to look at.
        self.refreshed = None;
        self.write_as(self.filing, now, change)
    }

    pub(crate) fn write_as<T, E: From<StoreError>>(
        &mut self,
        filing: Filing,
        now: Timestamp,
        change: impl FnOnce(&mut Writer<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let path = self.layout.database();
        if self.read_only {
            return Err(StoreError::ReadOnly { path: self.layout.home().to_owned() }.into());
        }
        let tx = connection::begin(&self.conn, &path, self.patience)?;
        let began = Instant::now();
        let mut writer = Writer {
            tx,
            layout: &self.layout,
            embedder: self.embedder.as_ref(),
            filing,
            redactor: &self.redactor,
            journal: FileJournal::default(),
            gathered: Gathered::default(),
            notes: FolderNotes::default(),
            now,
        };
        let outcome = change(&mut writer);
        let Writer { tx, journal, mut gathered, notes, .. } = writer;
        let outcome = match outcome {
            Ok(value) => gathered
                .file(&tx)
                .and_then(|()| notes.file(&tx))
                .and_then(|()| tx.commit())
                .map(|()| value)
                .map_err(|e| E::from(StoreError::sqlite(&path, e))),
            Err(e) => {
                // Dropping the transaction rolls it back.
                drop(tx);
                Err(e)
            }
        };
        if outcome.is_err() {
            journal.roll_back();
        }
        self.cache.borrow_mut().doubt();
        if self.courteous {
            std::thread::sleep(began.elapsed().min(LONGEST_PAUSE));
        }
        outcome
    }
}

impl Writer<'_> {
    /// Whether no memory of this store has that short id yet.
    pub fn is_free(&self, id: &MemoryId) -> Result<bool, StoreError> {
        read::tail_exists(&self.tx, &id.tail()).map(|exists| !exists).at(self)
    }

    /// A memory as it stands in its file, which somebody may have edited since it was indexed.
    pub fn load(&self, id: &IdRef) -> Result<Memory, StoreError> {
        self.load_stored(id).map(|stored| stored.memory)
    }

    fn load_stored(&self, id: &IdRef) -> Result<Stored, StoreError> {
        let mut stored = read::find(&self.tx, &self.layout.database(), id)?;
        let gone = || StoreError::NotFound { id: stored.memory.id.short() };
        let located = self.layout.locate(&stored.file).ok_or_else(gone)?;
        let Some(stamp) = located.stamp()? else { return Err(gone()) };
        if stamp != stored.stamp {
            let path = &located.path;
            let unreadable = |reason: String| StoreError::Unreadable { path: path.clone(), reason };
            let bytes = located.read().map_err(|e| StoreError::reading(path, e))?;
            let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8 text".to_owned()))?;
            let edited = folders::parse(&located, self.redactor, &text).map_err(unreadable)?;
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
        let nums = index::alike(&self.tx, memory).at(self)?;
        let fits = |stored: &Stored| {
            let other = &stored.memory;
            other.id != memory.id && other.kind == memory.kind && other.scope == memory.scope && wanted(other)
        };
        self.pick(&nums, MOST, fits)
    }

    /// The active memory of the same project and kind with this topic, newest first.
    pub fn of_topic(&self, memory: &Memory, topic: &str) -> Result<Option<Memory>, StoreError> {
        let nums = index::of_topic(&self.tx, topic).at(self)?;
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
            let Some(stored) = read::by_num(&self.tx, *num).at(self)? else { continue };
            if !fits(&stored) {
                continue;
            }
            match self.load(&IdRef::Full(stored.memory.id)) {
                Ok(memory) => found.push(memory),
                // Missing or being edited: skip it.
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

    /// Writes a new memory: into the store of its project if the user trusted one, else into the user's own.
    pub fn create(&mut self, memory: &Memory) -> Result<(), StoreError> {
        let file = self.file_of(memory);
        if let Some(located) = self.layout.locate(&file)
            && located.door.look(&located.path).is_ok_and(|found| found.is_some())
        {
            let source = std::io::Error::new(
                std::io::ErrorKind::AlreadyExists,
                "a file with that name already exists",
            );
            return Err(StoreError::io(&located.path, source));
        }
        self.put_file(memory, &file)
    }

    /// Where a new memory belongs, by its name in the index.
    fn file_of(&self, memory: &Memory) -> String {
        let name = format!("{}/{}", memory.kind.name(), markdown::file_name(memory));
        self.layout
            .layer_for(memory)
            .map_or_else(|| name.clone(), |layer| format!("{}/{name}", layer.prefix()))
    }

    /// Writes a changed memory and keeps what it was before. `change` is a word for the history.
    pub fn update(
        &mut self,
        before: &Memory,
        after: &Memory,
        change: &'static str,
    ) -> Result<(), StoreError> {
        self.update_because(before, after, change, None)
    }

    /// Like [`Writer::update`], with the reason that is kept in the history.
    pub fn update_because(
        &mut self,
        before: &Memory,
        after: &Memory,
        change: &'static str,
        reason: Option<&Clean>,
    ) -> Result<(), StoreError> {
        let stored = self.load_stored(&IdRef::Full(before.id))?;
        writable(self.layout, &stored.file)?;
        self.keep_revision(before, change, reason)?;
        if before.kind == after.kind {
            return self.put_file(after, &stored.file);
        }
        let (_, top) = folders_of(&stored.file);
        let name = format!("{}/{}", after.kind.name(), markdown::file_name(after));
        let file = if top.is_empty() { name } else { format!("{top}/{name}") };
        // Rewritten where it is, then moved: at no moment are there two files with one id.
        let (folder, target_folder) = (folders_of(&stored.file).0, folders_of(&file).0);
        let layout = self.layout;
        let (from, to) = (writable(self.layout, &stored.file)?, writable(self.layout, &file)?);
        if let Some(parent) = to.path.parent() {
            files::create_folder(to.door, parent)?;
        }
        self.before_folder(&folder)?;
        self.journal_at(from.door, &staging_of(layout, &from), &from.path);
        files::write_atomic(
            from.door,
            &staging_of(layout, &from),
            &from.path,
            self.text_of(after, &from).as_bytes(),
        )?;
        self.before_folder(&target_folder)?;
        self.journal.created(to.door, &to.path);
        to.door.rename(&from.path, &to.path).at(&to.path)?;
        self.notes.after(&folder);
        self.notes.after(&target_folder);
        self.put_file(after, &file)
    }

    /// What is written into the file of a memory. In the store of a project the user's own words are sealed.
    fn text_of(&self, memory: &Memory, located: &Located<'_>) -> String {
        let text = markdown::render(memory);
        match located.layer {
            Some(layer) if memory.origin == hark_core::Origin::User => layer.sealed(self.redactor, &text),
            _ => text,
        }
    }

    /// Removes a memory: file, history, index.
    pub fn remove(&mut self, id: &MemoryId) -> Result<(), StoreError> {
        let stored = read::find(&self.tx, &self.layout.database(), &IdRef::Full(*id))?;
        let history = revisions::path(self.layout, id);
        if let Some(bytes) = self.layout.read(&history)? {
            self.journal.replaced(self.layout.door(), self.layout.staging(), &history, bytes);
            self.layout.remove(&history)?;
        }
        let short = id.short();
        self.tx
            .prepare_cached("DELETE FROM used WHERE id = ?1")
            .and_then(|mut s| s.execute([id.as_bytes().as_slice()]))
            .and_then(|_| self.tx.execute("DELETE FROM injected WHERE item = ?1", [short]))
            .at(self)?;
        self.drop_file(&stored.file)?;
        // What is taken out of the index must be in it.
        self.gathered.file(&self.tx).and_then(|()| index::clear(&self.tx, stored.num)).at(self)?;
        self.forget_phrases(id)
    }

    pub(crate) fn file_gathered(&mut self) -> Result<(), StoreError> {
        self.gathered.file(&self.tx).at(self.layout)
    }

    /// Memories whose files link to this one.
    pub fn linked_from(&self, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        read::linked_from(&self.tx, id).at(self)
    }

    fn keep_revision(
        &mut self,
        before: &Memory,
        change: &'static str,
        reason: Option<&Clean>,
    ) -> Result<(), StoreError> {
        let (change, reason) = (Clean::trusted_constant(change), reason.cloned());
        let revision = Revision { at: self.now, change, reason, before: before.clone() };
        let mut line = serde_json::to_string(&revision).unwrap_or_default();
        line.push('\n');
        let path = revisions::path(self.layout, &before.id);
        let length = self.layout.append(&path, line.as_bytes())?;
        self.journal.appended(self.layout.door(), &path, length);
        Ok(())
    }

    fn put_file(&mut self, memory: &Memory, file: &str) -> Result<(), StoreError> {
        self.put_parcel(memory, file, Parcel::default())
    }

    pub(crate) fn put_parcel(
        &mut self,
        memory: &Memory,
        file: &str,
        parcel: Parcel<'_>,
    ) -> Result<(), StoreError> {
        let layout = self.layout;
        let located = writable(self.layout, file)?;
        let (door, path, staging) = (located.door, &located.path, staging_of(layout, &located));
        let text = parcel.verbatim.map_or_else(|| self.text_of(memory, &located), ToString::to_string);
        let (folder, top) = folders_of(file);
        if !self.notes.has(&folder) {
            self.before_folder(&top)?;
            if let Some(parent) = path.parent() {
                files::create_folder(door, parent)?;
            }
            self.notes.after(&top);
        }
        if located.layer.is_some() {
            files::create_folder(door, &staging)?;
        }
        self.before_folder(&folder)?;
        if parcel.is_new {
            self.journal.created(door, path);
        } else {
            self.journal_at(door, &staging, path);
        }
        let stamp = files::write_atomic(door, &staging, path, text.as_bytes())?;
        self.notes.after(&folder);
        let entry = Entry { memory, file, stamp, prepared: parcel.prepared };
        let finish = match self.filing {
            Filing::Whole => Finish::Now,
            Filing::Sparing => Finish::Later,
            Filing::Together => Finish::Together(&mut self.gathered),
        };
        index::put(&self.tx, self.embedder, entry, finish, self.now).at(self.layout)?;
        used::arrive(&self.tx, memory, self.now).at(self.layout)
    }

    /// Looks at a folder before a file in it is written or taken away.
    fn before_folder(&mut self, folder: &str) -> Result<(), StoreError> {
        self.notes.before(&self.tx, self.layout, folder).at(self.layout)
    }

    /// Deletes the file of a memory. In a store that the user has not trusted it stays; a tombstone keeps it out.
    fn drop_file(&mut self, file: &str) -> Result<(), StoreError> {
        let layout = self.layout;
        let located = match writable(self.layout, file) {
            Ok(located) => located,
            Err(StoreError::Untrusted { .. } | StoreError::NotFound { .. }) => return Ok(()),
            Err(e) => return Err(e),
        };
        let folder = folders_of(file).0;
        self.before_folder(&folder)?;
        self.journal_at(located.door, &staging_of(layout, &located), &located.path);
        files::remove(located.door, &located.path)?;
        self.notes.after(&folder);
        Ok(())
    }

    /// Notes how a file of the user's store is now, in case it has to be put back.
    pub(crate) fn journal_file(&mut self, path: &Path) {
        let layout = self.layout;
        self.journal_at(layout.door(), &layout.staging(), path);
    }

    pub(crate) fn journal_at(&mut self, door: &Door, staging: &Path, path: &Path) {
        match door.read(path, files::LARGEST) {
            Ok(bytes) => self.journal.replaced(door, staging.to_owned(), path, bytes),
            Err(_) => self.journal.created(door, path),
        }
    }

    /// Moves a memory between the user's store and the trusted store of its project, whichever it is not in. Returns
    /// whether there was another place for it.
    pub fn move_to_project(&mut self, id: &MemoryId) -> Result<bool, StoreError> {
        let stored = self.load_stored(&IdRef::Full(*id))?;
        let file = self.file_of(&stored.memory);
        if layers::is_layered(&stored.file) || !layers::is_layered(&file) {
            return Ok(false);
        }
        // The new file first: a crash in between leaves two files of one id, and the user's own counts.
        self.put_file(&stored.memory, &file)?;
        self.drop_file(&stored.file)?;
        Ok(true)
    }

    /// Moves a memory whose project changed to the store that memories of its project are kept in: a file in the
    /// store of a project counts only for that project.
    pub fn move_to_its_store(&mut self, id: &MemoryId) -> Result<(), StoreError> {
        let stored = read::find(&self.tx, &self.layout.database(), &IdRef::Full(*id))?;
        let file = self.file_of(&stored.memory);
        let store_of = |file: &str| layers::Layer::split(file).map(|(num, _)| num);
        if store_of(&file) == store_of(&stored.file) {
            return Ok(());
        }
        // The new file first: a crash in between leaves two files of one id, and the user's own counts.
        self.put_file(&stored.memory, &file)?;
        self.drop_file(&stored.file)
    }

    /// Takes the words of a memory in a trusted store as the user's own: the user confirmed them.
    pub fn confirm_own(&mut self, id: &MemoryId) -> Result<(), StoreError> {
        let stored = self.load_stored(&IdRef::Full(*id))?;
        let mut memory = stored.memory.clone();
        memory.origin = hark_core::Origin::User;
        self.put_file(&memory, &stored.file)
    }
}

/// Where files of this store are staged: on the same disk as their place.
fn staging_of(layout: &Layout, located: &Located<'_>) -> PathBuf {
    located.layer.map_or_else(|| layout.staging(), layers::Layer::staging)
}

/// The place of a file, if it may be written: nothing is changed in a store that the user has not trusted.
fn writable<'l>(layout: &'l Layout, file: &str) -> Result<Located<'l>, StoreError> {
    let located = layout.locate(file).ok_or_else(|| StoreError::NotFound { id: file.to_owned() })?;
    match located.layer {
        Some(layer) if !layer.is_trusted() => Err(StoreError::Untrusted { path: layer.path().to_owned() }),
        _ => Ok(located),
    }
}
