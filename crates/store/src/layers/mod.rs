//! Project stores, as layers next to the user's own store.
//!
//! Their memories are indexed in the user's database; a database in a project's store is never opened. An untrusted
//! store is only read: see [`adopt`] for how its memories are used. Writes go to a project's store only if the user
//! trusted it and it is still the same store.

mod adopt;
mod seal;
mod trust;

use std::path::{Path, PathBuf};

use hark_core::redact::Redactor;
use hark_core::{Clean, Kind, Memory, MemoryId, Origin, ProjectKey, Scope, Status, Timestamp, markdown};
use hark_files::Door;
use rusqlite::{Connection, OptionalExtension, params};

pub(crate) use adopt::adopt;
pub use trust::{Trust, TrustedStore};

use crate::connection;
use crate::error::{At, StoreError};
use crate::index;
use crate::layout::Layout;
use crate::meta;
use crate::projects;
use crate::read::{self, Stored};
use crate::store::Store;
use crate::write::Writer;

/// The file that identifies a project's store, even if another one replaces it at the same path.
const STORE_ID: &str = "store-id";
const ID_CHARS: usize = 32;

/// The store of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    pub(crate) num: i64,
    door: Door,
    trusted: bool,
    /// Its id when it was trusted.
    store: String,
    /// The key under which its memories are filed.
    pub project: ProjectKey,
}

impl Layer {
    /// `@3/decision/x.md` is `decision/x.md` in the store of number 3.
    pub(crate) fn split(file: &str) -> Option<(i64, &str)> {
        let (num, inner) = file.strip_prefix('@')?.split_once('/').or(Some((&file[1..], "")))?;
        Some((num.parse().ok()?, inner))
    }

    /// What names in the index begin with; without a slash.
    pub(crate) fn prefix(&self) -> String {
        format!("@{}", self.num)
    }

    pub fn path(&self) -> &Path {
        self.door.root()
    }

    pub(crate) fn door(&self) -> &Door {
        &self.door
    }

    pub(crate) fn store_id(&self) -> &str {
        &self.store
    }

    pub(crate) fn memories(&self) -> PathBuf {
        self.path().join("memories")
    }

    pub(crate) fn staging(&self) -> PathBuf {
        self.path().join("tmp")
    }

    /// Whether the user trusted this store, and it was not replaced since.
    pub fn is_trusted(&self) -> bool {
        self.trusted && is_own(&self.door) && store_id(&self.door).as_deref() == Some(&self.store)
    }

    /// The file of a memory with the seal of this store on it.
    pub(crate) fn sealed(&self, redactor: &Redactor, text: &str) -> String {
        seal::sealed(redactor, &self.store, text)
    }

    /// The key under which memories are filed as things stand.
    fn key(&self, trusted: bool) -> ProjectKey {
        if trusted || !self.trusted { self.project.clone() } else { untrusted_key(self.path()) }
    }
}

/// Whether a file lies in the store of a project, by its name in the index.
pub(crate) fn is_layered(file: &str) -> bool {
    Layer::split(file).is_some()
}

/// Whether a folder is a real one and belongs to this user.
fn is_own(door: &Door) -> bool {
    matches!(door.look(Path::new("")), Ok(Some(look)) if look.is_folder() && look.owner == hark_files::user())
}

/// The id in a project's store, if it has a proper one.
pub(crate) fn store_id(door: &Door) -> Option<String> {
    let text = door.read_to_string(Path::new(STORE_ID), 256).ok()?;
    let id = text.trim();
    (id.len() == ID_CHARS && id.bytes().all(|b| b.is_ascii_hexdigit())).then(|| id.to_owned())
}

/// Filed under a key of its own, which no remote or folder name can spell.
pub fn untrusted_key(path: &Path) -> ProjectKey {
    let mark = blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex();
    // A hash and words of ours.
    ProjectKey::new(&Clean::already_redacted(format!("untrusted store {}", &mark[..8])))
        .unwrap_or_else(|| unreachable!("it is not empty"))
}

/// Makes a project's store, or completes one, and says its id. Everything in it is private to the user.
pub fn prepare_store(path: &Path, fresh_id: [u8; 16]) -> Result<String, StoreError> {
    let door = Door::to_stranger(path);
    door.create_folder(Path::new("memories")).at(path)?;
    door.create_folder(Path::new("tmp")).at(path)?;
    if let Some(id) = store_id(&door) {
        return Ok(id);
    }
    let id: String = fresh_id.iter().map(|b| format!("{b:02x}")).collect();
    let file = Path::new(STORE_ID);
    let target = path.join(file);
    crate::files::write_atomic(&door, Path::new("tmp"), file, format!("{id}\n").as_bytes())
        .map_err(|_| StoreError::io(&target, std::io::Error::other("cannot be written")))?;
    Ok(id)
}

fn read_rows(conn: &Connection) -> rusqlite::Result<Vec<Layer>> {
    let mut statement =
        conn.prepare_cached("SELECT num, path, trusted, store, project FROM layer ORDER BY num")?;
    let rows = statement.query_map([], |row| {
        Ok((
            row.get::<_, i64>(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, bool>(2)?,
            row.get::<_, String>(3)?,
            row.get::<_, String>(4)?,
        ))
    })?;
    let mut found = Vec::new();
    for row in rows {
        let (num, path, trusted, store, project) = row?;
        if let Some(project) = projects::key_of(project) {
            found.push(Layer { num, door: Door::to_stranger(path), trusted, store, project });
        }
    }
    Ok(found)
}

/// Removes a layer's files from the index; they are read again when the user works there.
fn clear(tx: &Connection, num: i64) -> rusqlite::Result<()> {
    let (from, to) = (format!("@{num}/"), format!("@{num}0"));
    let nums: Vec<i64> = tx
        .prepare_cached("SELECT num FROM memory WHERE file >= ?1 AND file < ?2")?
        .query_map([&from, &to], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for num in nums {
        index::clear(tx, num)?;
    }
    tx.execute("DELETE FROM unread WHERE file >= ?1 AND file < ?2", [&from, &to])?;
    tx.execute(
        "DELETE FROM folder WHERE path = ?3 OR (path >= ?1 AND path < ?2)",
        [&from, &to, &format!("@{num}")],
    )
    .map(drop)
}

/// How a store stood when its files were last read; `None` if never.
pub(crate) fn read_as(conn: &Connection, num: i64) -> rusqlite::Result<Option<bool>> {
    let code: i64 = conn
        .prepare_cached("SELECT read_as FROM layer WHERE num = ?1")?
        .query_row([num], |row| row.get(0))?;
    Ok(match code {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    })
}

/// Drops what was read of a store, because it is read under another standing from now on.
pub(crate) fn read_anew(tx: &Connection, num: i64, trusted: bool) -> rusqlite::Result<()> {
    clear(tx, num)?;
    tx.execute("UPDATE layer SET read_as = ?2 WHERE num = ?1", params![num, trusted]).map(drop)
}

fn written(stamp: Option<crate::files::Stamp>) -> String {
    stamp.map_or_else(String::new, |stamp| format!("{} {}", stamp.mtime, stamp.size))
}

/// Updates the table from `trust.json`, and loads it. If nothing changed, it only checks the file's metadata.
pub(crate) fn pick_up(store: &mut Store) -> Result<(), StoreError> {
    let stamp = store.layout.stamp(&store.layout.trust())?;
    let known = meta::get(&store.conn, "trust").at(store)?;
    if known.unwrap_or_default() != written(stamp) {
        let database = store.layout.database();
        match connection::begin(&store.conn, &database, store.patience) {
            Ok(tx) => {
                rebuild(&tx, &store.layout)?;
                tx.commit().at(&database)?;
                store.cache.borrow_mut().doubt();
            }
            Err(StoreError::ReadOnly { .. }) => {}
            Err(e) => return Err(e),
        }
    }
    load(store)
}

/// Loads the table as it is.
pub(crate) fn load(store: &mut Store) -> Result<(), StoreError> {
    store.layout.layers = read_rows(&store.conn).at(store)?;
    Ok(())
}

/// The table from the file. The caller holds the write lock.
pub(crate) fn rebuild(tx: &Connection, layout: &Layout) -> Result<(), StoreError> {
    let stamp = layout.stamp(&layout.trust())?;
    let trust = Trust::read(layout)?;
    let known = read_rows(tx).at(layout)?;
    for layer in known.iter().filter(|layer| layer.trusted && trust.of(layer.path()).is_none()) {
        clear(tx, layer.num).at(layout)?;
        tx.execute(
            "UPDATE layer SET trusted = 0, store = '', project = ?2 WHERE num = ?1",
            params![layer.num, untrusted_key(layer.path()).as_str()],
        )
        .at(layout)?;
    }
    for wanted in &trust.stores {
        let path = wanted.path.to_string_lossy();
        let same = known.iter().find(|layer| layer.path() == wanted.path);
        if same.is_some_and(|l| l.trusted && l.store == wanted.store && l.project.as_str() == wanted.project)
        {
            continue;
        }
        if let Some(layer) = same {
            clear(tx, layer.num).at(layout)?;
        }
        tx.execute(
            "INSERT INTO layer (path, trusted, store, project) VALUES (?1, 1, ?2, ?3) \
             ON CONFLICT (path) DO UPDATE SET trusted = 1, store = excluded.store, project = excluded.project",
            params![path, wanted.store, wanted.project],
        )
        .at(layout)?;
    }
    meta::put(tx, "trust", &written(stamp)).at(layout)
}

impl Store {
    /// The stores of projects that this index knows.
    pub fn layers(&self) -> &[Layer] {
        &self.layout.layers
    }

    /// The store of a project by its folder.
    pub fn layer_at(&self, path: &Path) -> Option<&Layer> {
        self.layout.layers.iter().find(|layer| layer.path() == path)
    }

    /// How many memories of a layer are indexed.
    pub fn layer_memories(&self, layer: &Layer) -> Result<i64, StoreError> {
        let prefix = layer.prefix();
        self.conn
            .query_row(
                "SELECT count(*) FROM memory WHERE file >= ?1 AND file < ?2",
                [format!("{prefix}/"), format!("{prefix}0")],
                |row| row.get(0),
            )
            .at(self)
    }

    /// Notes that the user works in this store's project, without reading anything.
    pub fn work_in(&mut self, path: &Path) {
        self.layout.here = self.layer_at(path).map(|layer| layer.num);
    }

    /// Notes that the user works outside any project store.
    pub fn leave(&mut self) {
        self.layout.here = None;
    }

    /// The user works in this store's project: registers the store and reads its files. An unreadable store is
    /// skipped, so that files in a project cannot block the user.
    pub fn visit(&mut self, path: &Path, now: Timestamp) -> Result<(), StoreError> {
        if self.read_only {
            self.work_in(path);
            return Ok(());
        }
        if self.layer_at(path).is_none() {
            let database = self.layout.database();
            let tx = match connection::begin(&self.conn, &database, self.patience) {
                Ok(tx) => tx,
                Err(StoreError::ReadOnly { .. }) => return Ok(()),
                Err(e) => return Err(e),
            };
            tx.execute(
                "INSERT INTO layer (path, trusted, store, project) VALUES (?1, 0, '', ?2) ON CONFLICT (path) DO NOTHING",
                params![path.to_string_lossy(), untrusted_key(path).as_str()],
            )
            .and_then(|_| tx.commit())
            .at(&database)?;
            load(self)?;
        }
        self.work_in(path);
        if let Some(num) = self.layout.here {
            self.visited.insert(num);
            crate::folders::pick_up_layer(self, num, crate::folders::Depth::Quick, now)?;
        }
        Ok(())
    }

    /// Reads what changed in the stores that the user trusted. Returns those that are not there any more.
    pub fn read_trusted(&mut self, now: Timestamp) -> Result<Vec<PathBuf>, StoreError> {
        let trusted = self.layout.layers.iter().filter(|layer| layer.trusted);
        let trusted: Vec<(i64, PathBuf)> =
            trusted.map(|layer| (layer.num, layer.path().to_owned())).collect();
        let mut missing = Vec::new();
        for (num, path) in trusted {
            if !path.is_dir() {
                missing.push(path);
            }
            if !self.read_only {
                crate::folders::pick_up_layer(self, num, crate::folders::Depth::Quick, now)?;
            }
        }
        Ok(missing)
    }

    /// Whether the notice about this untrusted store was already shown; marks it as shown.
    pub fn tell_of_layer(&self, path: &Path, to: Told) -> Result<bool, StoreError> {
        let bit = to as i64;
        let run = || -> rusqlite::Result<bool> {
            let told: Option<i64> = self
                .conn
                .query_row("SELECT told FROM layer WHERE path = ?1", [path.to_string_lossy()], |row| {
                    row.get(0)
                })
                .optional()?;
            match told {
                Some(told) if told & bit != 0 => Ok(true),
                _ => self
                    .conn
                    .execute(
                        "INSERT INTO layer (path, trusted, store, project, told) VALUES (?1, 0, '', ?2, ?3) \
                         ON CONFLICT (path) DO UPDATE SET told = told | excluded.told",
                        params![path.to_string_lossy(), untrusted_key(path).as_str(), bit],
                    )
                    .map(|_| false),
            }
        };
        run().at(self)
    }
}

/// The recipient of a notice about an untrusted store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// A session, when it began.
    Session = 1,
    /// The user, at a command.
    User = 2,
}

impl Layout {
    /// The trusted store that new memories of this kind and scope belong to. Rules steer, and so always live with
    /// the user; so do proposals, which nobody else has to decide.
    pub(crate) fn layer_for(&self, memory: &Memory) -> Option<&Layer> {
        let Scope::Project(key) = &memory.scope else { return None };
        if memory.kind == Kind::Rule || memory.status == Status::Proposed {
            return None;
        }
        let mut fits: Vec<&Layer> = self.layers.iter().filter(|layer| layer.project == *key).collect();
        // Of several checkouts the one that somebody works in.
        fits.sort_by_key(|layer| Some(layer.num) != self.here);
        fits.into_iter().find(|layer| layer.is_trusted())
    }
}

impl Writer<'_> {
    /// Changes what the user trusts: the file first, then the table. What the index held of a store whose standing
    /// changed is gone with it, and read again under the new standing.
    pub fn change_trust<T>(&mut self, change: impl FnOnce(&mut Trust) -> T) -> Result<T, StoreError> {
        let mut trust = Trust::read(self.layout)?;
        let outcome = change(&mut trust);
        self.journal_file(&self.layout.trust());
        trust.write(self.layout)?;
        rebuild(&self.tx, self.layout)?;
        Ok(outcome)
    }
}

impl Store {
    /// Memories in a trusted store that call themselves the user's and were not written or confirmed here.
    pub fn claims(&self, path: &Path) -> Result<Vec<Memory>, StoreError> {
        let Some(layer) = self.layer_at(path).filter(|layer| layer.is_trusted()) else {
            return Ok(Vec::new());
        };
        let prefix = layer.prefix();
        let run = || -> rusqlite::Result<Vec<Stored>> {
            self.conn
                .prepare("SELECT num, doc, file, mtime, size FROM memory WHERE file >= ?1 AND file < ?2 AND origin = 'teammate' ORDER BY id")?
                .query_map([format!("{prefix}/"), format!("{prefix}0")], read::stored)?
                .collect()
        };
        let found = run().at(self)?;
        let claims = |stored: &Stored| {
            let located = self.layout.locate(&stored.file);
            let text =
                located.and_then(|located| located.read().ok()).and_then(|b| String::from_utf8(b).ok());
            let text = text.unwrap_or_default();
            markdown::parse(&text, &|raw| self.redactor.clean(raw))
                .is_ok_and(|said| said.origin == Origin::User)
        };
        Ok(found.into_iter().filter(claims).map(|stored| stored.memory).collect())
    }

    /// Memories of this project that lie in the user's own store though the project has a trusted one.
    pub fn movable(&self, project: &ProjectKey) -> Result<Vec<MemoryId>, StoreError> {
        let Some(num) = self.project_num(project)? else { return Ok(Vec::new()) };
        let run = || -> rusqlite::Result<Vec<Vec<u8>>> {
            self.conn
                .prepare("SELECT id FROM memory WHERE project = ?1 AND file NOT LIKE '@%' AND kind <> 'rule' ORDER BY id")?
                .query_map([num.0], |row| row.get(0))?
                .collect()
        };
        let ids = run().at(self)?;
        Ok(ids.iter().filter_map(|id| MemoryId::from_slice(id)).collect())
    }
}
