//! Opening a store, and the connection and paths that everything else works with.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hark_core::redact::Redactor;
use hark_core::vector::Embedder;
use hark_core::{ProjectKey, Timestamp};
use rusqlite::Connection;

use crate::connection::{self, Settings};
use crate::error::{At, StoreError};
use crate::folders::{self, Depth};
use crate::layout::Layout;
use crate::phrases;
use crate::search::ChunkCache;
use crate::write::Filing;
use crate::{damage, index, layers, log, lost, migrate, projects, read_only, sessions, tombstones};

/// Who opens the store; decides how long it waits and what it tidies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A command or server: waits for locks, checkpoints on close.
    Ordinary,
    /// A hook: must finish in milliseconds.
    Hook,
}

pub struct OpenOptions {
    pub role: Role,
    pub embedder: Arc<dyn Embedder>,
    pub redactor: Arc<Redactor>,
    pub now: Timestamp,
}

/// One data directory, open.
pub struct Store {
    pub(crate) conn: Connection,
    pub(crate) layout: Layout,
    pub(crate) patience: Duration,
    /// Leaves others time after each write.
    pub(crate) courteous: bool,
    pub(crate) filing: Filing,
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) redactor: Arc<Redactor>,
    pub(crate) cache: RefCell<ChunkCache>,
    pub(crate) book: RefCell<crate::project_book::Known>,
    pub(crate) last_sweep: RefCell<Option<std::time::Instant>>,
    /// Stores of projects that somebody worked in while this one is open.
    pub(crate) visited: HashSet<i64>,
    pub(crate) log_at_opening: u64,
    pub(crate) log_when_folded: Cell<u64>,
    /// Where a damaged index was moved when this store was opened.
    set_aside: Option<PathBuf>,
    /// How many memories were indexed, if opening had to index them all.
    rebuilt: Option<usize>,
    pub(crate) read_only: bool,
    /// When opening picked up files, until the first refresh.
    pub(crate) refreshed: Option<Instant>,
}

/// Between opening a store and its first use, in a command.
const JUST_NOW: Duration = Duration::from_millis(10);

impl Store {
    pub fn open(layout: &Layout, options: &OpenOptions) -> Result<Store, StoreError> {
        if options.role == Role::Hook && !is_new(layout) {
            return Self::open_as_it_is(layout, options);
        }
        let outcome = Self::open_to_write(layout, options);
        match outcome {
            Err(e) if options.role == Role::Ordinary && read_only::is_about_writing(&e) => {
                read_only::open(layout, options, e)
            }
            outcome => outcome,
        }
    }

    fn open_to_write(layout: &Layout, options: &OpenOptions) -> Result<Store, StoreError> {
        let lost = lost::is_gone(layout);
        for folder in [layout.home().to_owned(), layout.memories(), layout.revisions(), layout.staging()] {
            layout.create_folder(&folder)?;
        }
        tighten(layout);
        match Self::open_once(layout, options, lost) {
            // An index that is damaged, or older than what this hark can add to, is made again from the files.
            Err(StoreError::Corrupt { .. } | StoreError::Outdated { .. }) => {
                let aside = set_aside_damaged(layout, options)?;
                let store = Self::open_once(layout, options, false)?;
                Ok(Store { set_aside: aside, ..store })
            }
            outcome => outcome,
        }
    }

    /// For hooks, which have no time: migrates, rebuilds and imports nothing. A store that is not ready is
    /// an error.
    fn open_as_it_is(layout: &Layout, options: &OpenOptions) -> Result<Store, StoreError> {
        let settings = options.role.settings();
        let path = layout.database();
        if !layout.door().has_file(&path) {
            return Err(StoreError::Behind { path });
        }
        let Some(opening) = while_nobody_replaces_it(layout, Wait::No) else {
            return Err(StoreError::Behind { path });
        };
        let log_at_opening = log::length(&path);
        let conn = connection::open(&path, settings)?;
        drop(opening);
        let version = migrate::version(&conn, &path)?;
        if version == 0 && has_no_files(layout) {
            // Another hook is making it this very moment: wait for it, or do it.
            migrate::migrate(&conn, &path, settings.patience)?;
        } else if version < migrate::current_version() {
            return Err(StoreError::Behind { path });
        }
        let mut store = Store { log_at_opening, ..Self::around(conn, layout, options) };
        layers::load(&mut store)?;
        Ok(store)
    }

    pub(crate) fn around(conn: Connection, layout: &Layout, options: &OpenOptions) -> Store {
        Store {
            conn,
            layout: layout.clone(),
            patience: options.role.settings().patience,
            courteous: false,
            filing: Filing::Whole,
            embedder: options.embedder.clone(),
            redactor: options.redactor.clone(),
            cache: RefCell::new(ChunkCache::default()),
            book: RefCell::default(),
            last_sweep: RefCell::new(None),
            visited: HashSet::new(),
            log_at_opening: 0,
            log_when_folded: Cell::new(0),
            set_aside: None,
            rebuilt: None,
            read_only: false,
            refreshed: None,
        }
    }

    /// Whether recall can trust the index: it was built by this analyzer and model.
    pub fn is_current(&self) -> bool {
        index::is_outdated(self).is_ok_and(|outdated| !outdated)
    }

    fn open_once(layout: &Layout, options: &OpenOptions, lost: bool) -> Result<Store, StoreError> {
        let opening = while_nobody_replaces_it(layout, Wait::Yes);
        let was_lost = !layout.door().has_file(&layout.database()) && !has_no_files(layout);
        let conn = open_migrated(layout, options.role.settings())?;
        drop(opening);
        let mut store = Self::around(conn, layout, options);
        if was_lost {
            store.owe_vectors()?;
        }
        if lost {
            lost::note(&store.conn, options.now).at(&store)?;
        }
        layers::pick_up(&mut store)?;
        if index::is_outdated(&store)? {
            store.rebuilt = Some(store.reindex(options.now)?);
        } else {
            store.refresh(options.now)?;
        }
        store.refreshed = Some(Instant::now());
        Ok(store)
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Where a damaged index went, if opening found one.
    pub fn set_aside(&self) -> Option<&PathBuf> {
        self.set_aside.as_ref()
    }

    /// How many memories opening indexed, if it had to index them all: told once.
    pub fn take_rebuilt(&mut self) -> Option<usize> {
        self.rebuilt.take()
    }

    /// Picks up files that people edited, added or removed. Cheap when nothing changed.
    pub fn refresh(&mut self, now: Timestamp) -> Result<(), StoreError> {
        // A command opens the store and asks at once; opening has just looked at every folder.
        let is_fresh = self.refreshed.take().is_some_and(|at| at.elapsed() < JUST_NOW);
        if self.read_only || is_fresh {
            return Ok(());
        }
        tombstones::pick_up(self)?;
        phrases::pick_up(self, now)?;
        layers::pick_up(self)?;
        folders::pick_up(self, Depth::Quick, now)?;
        sessions::pick_up(self, false, now).map(drop)
    }

    /// Takes the files for picked up: somebody did it a moment ago, maybe over another connection.
    pub fn skip_refresh(&mut self) {
        self.refreshed = Some(Instant::now());
    }

    /// Checks every file.
    pub fn refresh_fully(&mut self, now: Timestamp) -> Result<usize, StoreError> {
        if self.read_only {
            return Ok(0);
        }
        tombstones::pick_up(self)?;
        phrases::pick_up(self, now)?;
        layers::pick_up(self)?;
        tighten_everything(&self.layout);
        Ok(folders::pick_up(self, Depth::Full, now)? + sessions::pick_up(self, true, now)?)
    }

    /// Rebuilds the whole index from the files. Returns how many memories it holds.
    pub fn reindex(&mut self, now: Timestamp) -> Result<usize, StoreError> {
        self.reindex_telling(now, &mut |_, _| {})
    }

    /// The same; `tell` learns how many files are indexed, of how many.
    pub fn reindex_telling(
        &mut self,
        now: Timestamp,
        tell: &mut dyn FnMut(usize, usize),
    ) -> Result<usize, StoreError> {
        let count = index::rebuild(self, now, tell)?;
        sessions::rebuild(self, now)?;
        Ok(count)
    }

    pub fn project_keys(&self) -> Result<Vec<ProjectKey>, StoreError> {
        projects::all(&self.conn).at(self)
    }

    pub fn cached_project(&self, root: &str, stamp: &str) -> Result<Option<ProjectKey>, StoreError> {
        projects::cached_root(&self.conn, root, stamp).at(self)
    }

    /// Best effort: an unwritable cache is not an error.
    pub fn cache_project(&self, root: &str, stamp: &str, key: &ProjectKey) {
        let _ = projects::remember_root(&self.conn, root, stamp, key);
    }
}

/// No index, and no files that would have to be indexed first.
fn is_new(layout: &Layout) -> bool {
    layout.door().look(&layout.database()).is_ok_and(|found| found.is_none()) && has_no_files(layout)
}

fn has_no_files(layout: &Layout) -> bool {
    let is_empty = |folder: &Path| layout.door().list(folder).map_or(true, |found| found.is_empty());
    is_empty(&layout.memories()) && is_empty(&layout.sessions())
}

/// Opening is the moment to shut what somebody else, or an older version, left open: the top of the store, and
/// once everything in it.
fn tighten(layout: &Layout) {
    let door = layout.door();
    let was_open = matches!(door.look(Path::new("")), Ok(Some(look)) if look.mode & 0o077 != 0);
    if was_open {
        tighten_everything(layout);
    }
    for (name, look) in door.list(Path::new("")).unwrap_or_default() {
        if look.mode & 0o077 != 0 {
            let _ = door.tighten(Path::new(&name));
        }
    }
}

/// Best effort: a disk without permissions is not an error.
fn tighten_everything(layout: &Layout) {
    let _ = layout.door().tighten_all(Path::new(""));
}

/// SQLite makes its files as the umask says; the log and the shared memory follow the database. So that is made
/// first, private. It must be a file: a database somewhere else is not opened through a link.
fn make_private(layout: &Layout) -> Result<(), StoreError> {
    for name in ["hark.db", "hark.db-wal", "hark.db-shm"] {
        let path = layout.home().join(name);
        match layout.door().look(&path).at(&path)? {
            Some(look) if look.is_file() => {}
            Some(look) => {
                let refusal = hark_files::Refusal::Is(look.kind, hark_files::Kind::File);
                return Err(StoreError::Refused { path, refusal });
            }
            None if name == "hark.db" => match layout.door().create_new(&path) {
                Ok(_) => {}
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(StoreError::io(&path, e)),
            },
            None => {}
        }
    }
    Ok(())
}

fn open_migrated(layout: &Layout, settings: Settings) -> Result<Connection, StoreError> {
    let path = layout.database();
    make_private(layout)?;
    let conn = connection::open(&path, settings)?;
    migrate::migrate(&conn, &path, settings.patience)?;
    Ok(conn)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    Yes,
    No,
}

/// An index and its log are two files, found by name one after the other. If another process puts a
/// damaged index aside in between, the old index would meet the log of the new one. `None`: it is
/// being put aside this very moment.
fn while_nobody_replaces_it(layout: &Layout, wait: Wait) -> Option<Opening> {
    let Ok(lock) = layout.lock_file(&layout.lock()) else {
        return Some(Opening { _lock: None });
    };
    match wait {
        // A file system without locks is not an error.
        Wait::Yes => drop(lock.lock_shared()),
        Wait::No if matches!(lock.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock)) => return None,
        Wait::No => {}
    }
    Some(Opening { _lock: Some(lock) })
}

/// Held while an index is opened. Where no lock file can be made, nothing can be put aside either.
struct Opening {
    _lock: Option<File>,
}

/// Moves a damaged index aside, once, even if several processes noticed.
fn set_aside_damaged(layout: &Layout, options: &OpenOptions) -> Result<Option<PathBuf>, StoreError> {
    let lock_path = layout.lock();
    let lock = layout.lock_file(&lock_path).at(&lock_path)?;
    lock.lock().at(&lock_path)?;
    // Another process may have done it while we waited.
    if is_sound(layout, options.role.settings()) {
        // A row that is damaged while the rest is whole: memories and sessions are made again from their
        // files, and what only the index knows stays.
        let conn = open_migrated(layout, options.role.settings())?;
        damage::make_damaged_rows_anew(&conn).at(layout)?;
        return Ok(None);
    }
    let database = layout.database();
    let aside = layout.home().join(format!("hark.db.damaged-{}", options.now.as_millis()));
    match layout.door().rename(&database, &aside) {
        Ok(()) => {}
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(StoreError::io(&database, e)),
    }
    for suffix in ["-wal", "-shm"] {
        layout.remove(&layout.home().join(format!("hark.db{suffix}")))?;
    }
    Ok(Some(aside))
}

/// Reads the whole index; only asked when something was wrong with it a moment ago.
fn is_sound(layout: &Layout, settings: Settings) -> bool {
    let Ok(conn) = open_migrated(layout, settings) else { return false };
    let pages = conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0));
    let lexicon = conn.execute("INSERT INTO lexicon (lexicon, rank) VALUES ('integrity-check', 0)", []);
    pages.is_ok_and(|verdict| verdict == "ok") && lexicon.is_ok()
}

impl Role {
    fn settings(self) -> Settings {
        match self {
            Role::Ordinary => {
                Settings { patience: Duration::from_secs(60), skip_checkpoint: false, cache_kib: 12_000 }
            }
            Role::Hook => {
                Settings { patience: Duration::from_millis(600), skip_checkpoint: true, cache_kib: 400 }
            }
        }
    }
}

impl Store {
    /// For damage found after opening: closes this store and moves its index aside. Open it again to
    /// rebuild the index from the files.
    pub fn put_index_aside(self, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
        let Store { conn, layout, embedder, redactor, .. } = self;
        drop(conn);
        set_aside_damaged(&layout, &OpenOptions { role: Role::Ordinary, embedder, redactor, now })
    }

    /// Remembers, for the report, where a damaged index went.
    #[must_use]
    pub fn after_setting_aside(mut self, aside: Option<PathBuf>) -> Self {
        self.set_aside = aside;
        self
    }

    /// Runs several reads on one snapshot of the index. It is also quicker: locks are taken once.
    pub fn on_one_snapshot<T, E: From<StoreError>>(
        &self,
        reads: impl FnOnce(&Store) -> Result<T, E>,
    ) -> Result<T, E> {
        self.conn.execute_batch("BEGIN DEFERRED").at(self)?;
        let outcome = reads(self);
        // Ends a transaction that only read; there is nothing to lose.
        let _ = self.conn.execute_batch("COMMIT");
        outcome
    }
}
