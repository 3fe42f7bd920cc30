//! A store in a temporary folder, with a model that knows nothing.

use std::path::PathBuf;
use std::sync::Arc;

use hark_core::redact::{RedactOptions, Redactor};
use hark_core::vector::{Embedder, Vector, WordMatch};
use hark_core::{IdRef, Memory, Timestamp, markdown};
use hark_store::{Layout, ListFilter, ListOrder, OpenOptions, Role, Store, StoreError};
use rusqlite::Connection;
use tempfile::TempDir;

pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_780_000_000_000);

struct Blank;

impl Embedder for Blank {
    fn id(&self) -> &str {
        "blank"
    }

    fn dims(&self) -> usize {
        256
    }

    fn embed(&self, _: &str) -> Option<Vector> {
        None
    }

    fn knows(&self, _: &str) -> bool {
        false
    }

    fn words(&self, _: &str) -> Vec<u8> {
        Vec::new()
    }

    fn word_matches(&self, _: &[(Vec<u8>, f32)], passages: &[Vec<u8>]) -> Vec<WordMatch> {
        passages.iter().map(|_| WordMatch::default()).collect()
    }
}

pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Home { folder: TempDir::new().unwrap() }
    }

    pub(crate) fn layout(&self) -> Layout {
        Layout::new(self.folder.path().join("hark"))
    }

    pub(crate) fn open(&self) -> Store {
        self.try_open(Role::Ordinary).unwrap()
    }

    pub(crate) fn try_open(&self, role: Role) -> Result<Store, StoreError> {
        self.open_with(role, Arc::new(Blank))
    }

    pub(crate) fn open_with(&self, role: Role, embedder: Arc<dyn Embedder>) -> Result<Store, StoreError> {
        let options = OpenOptions { role, embedder, redactor: Arc::new(redactor()), now: NOW };
        Store::open(&self.layout(), &options)
    }

    /// The database as another program would open it.
    pub(crate) fn database(&self) -> Connection {
        #[expect(clippy::disallowed_methods, reason = "tests play the other program")]
        Connection::open(self.layout().database()).unwrap()
    }

    pub(crate) fn number(&self, sql: &str) -> i64 {
        self.database().query_row(sql, [], |row| row.get(0)).unwrap()
    }

    pub(crate) fn remove_database(&self) {
        for name in ["hark.db", "hark.db-wal", "hark.db-shm"] {
            let _ = std::fs::remove_file(self.layout().home().join(name));
        }
    }

    /// Files that lie directly in the store and begin so.
    pub(crate) fn beginning(&self, name: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.layout().home()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(name)).collect()
    }
}

pub(crate) fn redactor() -> Redactor {
    Redactor::new(RedactOptions::default(), [7; 32])
}

/// A fact with this number and text.
pub(crate) fn fact(number: u32, body: &str) -> Memory {
    let text = format!(
        "---\nid: 0195a3c0-0000-7000-8000-{number:012x}\nkind: fact\ntitle: Fact {number}\norigin: user\n\
         tags: [numbers]\ncreated: 2026-01-01T00:00:00.000Z\nupdated: 2026-01-01T00:00:00.000Z\n---\n\n{body}\n"
    );
    markdown::parse(&text, &|raw| redactor().clean(raw)).unwrap()
}

pub(crate) fn create(store: &mut Store, memory: &Memory) {
    store.write(NOW, |writer| writer.create(memory)).unwrap();
}

pub(crate) fn body_of(store: &Store, memory: &Memory) -> String {
    store.find(&IdRef::Full(memory.id)).unwrap().memory.body.to_string()
}

/// Where the file of a memory lies.
pub(crate) fn file_of(home: &Home, store: &Store, memory: &Memory) -> PathBuf {
    home.layout().memories().join(store.find(&IdRef::Full(memory.id)).unwrap().name())
}

pub(crate) fn bodies(store: &Store) -> Vec<String> {
    let all = store.list(&ListFilter::default(), ListOrder::OldestFirst, 10_000).unwrap();
    all.iter().map(|stored| stored.memory.body.to_string()).collect()
}
