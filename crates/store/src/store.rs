//! Opening a store, and the connection and paths that everything else works with.

use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hark_core::redact::Redactor;
use hark_core::vector::Embedder;
use hark_core::{ProjectKey, Timestamp};
use rusqlite::Connection;

use crate::connection::{self, Settings};
use crate::error::StoreError;
use crate::folders::{self, Depth};
use crate::index::Finish;
use crate::layout::Layout;
use crate::search::ChunkCache;
use crate::{files, index, log, migrate, projects, sessions, tombstones};

/// Who opens the store; decides how long it waits and what it tidies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A command or server: waits its turn, checkpoints on close.
    Ordinary,
    /// A hook: must be gone in milliseconds.
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
    pub(crate) finish: Finish,
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) redactor: Arc<Redactor>,
    pub(crate) cache: RefCell<ChunkCache>,
    pub(crate) last_sweep: RefCell<Option<std::time::Instant>>,
    pub(crate) log_at_opening: u64,
    pub(crate) log_when_folded: Cell<u64>,
    /// Where a damaged index was put when this store was opened.
    set_aside: Option<PathBuf>,
    /// How many memories were indexed, if opening had to index them all.
    rebuilt: Option<usize>,
}

impl Store {
    pub fn open(layout: &Layout, options: &OpenOptions) -> Result<Store, StoreError> {
        if options.role == Role::Hook && !is_new(layout) {
            return Self::open_as_it_is(layout, options);
        }
        for folder in [layout.home().to_owned(), layout.memories(), layout.revisions(), layout.staging()] {
            let fresh = !folder.is_dir();
            files::create_folder(&folder)?;
            if fresh {
                files::restrict(&folder);
            }
        }
        match Self::open_once(layout, options) {
            Err(StoreError::Corrupt { .. }) => {
                let aside = set_aside_damaged(layout, options)?;
                let store = Self::open_once(layout, options)?;
                Ok(Store { set_aside: aside, ..store })
            }
            outcome => outcome,
        }
    }

    /// For hooks, which have no time: nothing is migrated, rebuilt or picked up. What is not ready is
    /// an error.
    fn open_as_it_is(layout: &Layout, options: &OpenOptions) -> Result<Store, StoreError> {
        let settings = options.role.settings();
        let path = layout.database();
        if !path.exists() {
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
        Ok(Store { log_at_opening, ..Self::around(conn, layout, options) })
    }

    fn around(conn: Connection, layout: &Layout, options: &OpenOptions) -> Store {
        Store {
            conn,
            layout: layout.clone(),
            patience: options.role.settings().patience,
            courteous: false,
            finish: Finish::Now,
            embedder: options.embedder.clone(),
            redactor: options.redactor.clone(),
            cache: RefCell::new(ChunkCache::default()),
            last_sweep: RefCell::new(None),
            log_at_opening: 0,
            log_when_folded: Cell::new(0),
            set_aside: None,
            rebuilt: None,
        }
    }

    /// Whether recall can trust the index: it was built by this analyzer and model.
    pub fn is_current(&self) -> bool {
        index::is_outdated(self).is_ok_and(|outdated| !outdated)
    }

    fn open_once(layout: &Layout, options: &OpenOptions) -> Result<Store, StoreError> {
        let opening = while_nobody_replaces_it(layout, Wait::Yes);
        let conn = open_migrated(layout, options.role.settings())?;
        drop(opening);
        let mut store = Self::around(conn, layout, options);
        if index::is_outdated(&store)? {
            store.rebuilt = Some(store.reindex(options.now)?);
        } else {
            store.refresh(options.now)?;
        }
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

    pub(crate) fn sql(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(&self.layout.database(), error)
    }

    /// Picks up files that people edited, added or removed. Cheap when nothing changed.
    pub fn refresh(&mut self, now: Timestamp) -> Result<(), StoreError> {
        tombstones::pick_up(self)?;
        folders::pick_up(self, Depth::Quick, now)?;
        sessions::pick_up(self, false, now).map(drop)
    }

    /// Looks at every file, however many there are.
    pub fn refresh_fully(&mut self, now: Timestamp) -> Result<usize, StoreError> {
        tombstones::pick_up(self)?;
        Ok(folders::pick_up(self, Depth::Full, now)? + sessions::pick_up(self, true, now)?)
    }

    /// Rebuilds the whole index from the files. Returns how many memories it holds.
    pub fn reindex(&mut self, now: Timestamp) -> Result<usize, StoreError> {
        let count = index::rebuild(self, now)?;
        sessions::rebuild(self, now)?;
        Ok(count)
    }

    pub fn project_keys(&self) -> Result<Vec<ProjectKey>, StoreError> {
        projects::all(&self.conn).map_err(|e| self.sql(e))
    }

    pub fn cached_project(&self, root: &str, stamp: &str) -> Result<Option<ProjectKey>, StoreError> {
        projects::cached_root(&self.conn, root, stamp).map_err(|e| self.sql(e))
    }

    /// Best effort: a cache that cannot be written is no reason to fail.
    pub fn cache_project(&self, root: &str, stamp: &str, key: &ProjectKey) {
        let _ = projects::remember_root(&self.conn, root, stamp, key);
    }
}

/// No index, and no files that would have to be indexed first.
fn is_new(layout: &Layout) -> bool {
    !layout.database().exists() && has_no_files(layout)
}

fn has_no_files(layout: &Layout) -> bool {
    let is_empty = |folder: &std::path::Path| fs::read_dir(folder).map_or(true, |mut d| d.next().is_none());
    is_empty(&layout.memories()) && is_empty(&layout.sessions())
}

fn open_migrated(layout: &Layout, settings: Settings) -> Result<Connection, StoreError> {
    let path = layout.database();
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
    let path = layout.lock();
    let Ok(lock) = File::options().create(true).truncate(false).write(true).open(path) else {
        return Some(Opening { _lock: None });
    };
    match wait {
        // A file system without locks is no reason to fail.
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

/// Moves a damaged index out of the way, once, however many processes noticed.
fn set_aside_damaged(layout: &Layout, options: &OpenOptions) -> Result<Option<PathBuf>, StoreError> {
    let lock_path = layout.lock();
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&lock_path)
        .map_err(|e| StoreError::io(&lock_path, e))?;
    lock.lock().map_err(|e| StoreError::io(&lock_path, e))?;
    // Another process may have done it while we waited.
    if is_sound(layout, options.role.settings()) {
        return Ok(None);
    }
    let database = layout.database();
    let aside = layout.home().join(format!("hark.db.damaged-{}", options.now.as_millis()));
    match fs::rename(&database, &aside) {
        Ok(()) => {}
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(StoreError::io(&database, e)),
    }
    for suffix in ["-wal", "-shm"] {
        files::remove(&layout.home().join(format!("hark.db{suffix}")))?;
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
    /// For damage found later than at opening: closes this store and puts its index aside. Open
    /// again to rebuild it from the files.
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
        self.conn.execute_batch("BEGIN DEFERRED").map_err(|e| E::from(self.sql(e)))?;
        let outcome = reads(self);
        // Ends a transaction that only read; there is nothing to lose.
        let _ = self.conn.execute_batch("COMMIT");
        outcome
    }
}
