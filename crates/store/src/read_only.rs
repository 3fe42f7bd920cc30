//! A read-only store: a mounted snapshot, a full disk, or a folder without write permission. It can still be
//! read, and `hark doctor` reports it.
//!
//! The index is used if it matches the files. Otherwise hark builds one in memory, for this process.

use std::path::Path;

use crate::connection;
use crate::error::StoreError;
use crate::folders;
use crate::index;
use crate::inspect::{Finding, Severity};
use crate::layers;
use crate::layout::Layout;
use crate::migrate;
use crate::store::{OpenOptions, Store};

/// Whether an opening failed because nothing can be written, or the index not be read.
pub(crate) fn is_about_writing(error: &StoreError) -> bool {
    matches!(error, StoreError::ReadOnly { .. } | StoreError::Denied { .. })
}

/// Opens what can be read. Without memories there is nothing to read, and `why` says what is wrong.
pub(crate) fn open(layout: &Layout, options: &OpenOptions, why: StoreError) -> Result<Store, StoreError> {
    // Anything else under one of these names must be fixed first.
    let door = layout.door();
    let strange = door.look(&layout.database()).is_ok_and(|found| found.is_some_and(|look| !look.is_file()));
    if strange || !door.has_folder(&layout.memories()) {
        return Err(why);
    }
    if let Some(store) = as_it_is(layout, options) {
        return Ok(store);
    }
    let conn = connection::open_in_memory(&layout.database())?;
    migrate::migrate(&conn, &layout.database(), std::time::Duration::ZERO)?;
    let mut store = Store::around(conn, layout, options);
    store.read_only = true;
    store.reindex(options.now)?;
    Ok(store)
}

/// The index, if it is there, can be read, and knows the files as they are.
fn as_it_is(layout: &Layout, options: &OpenOptions) -> Option<Store> {
    if !layout.door().has_file(&layout.database()) {
        return None;
    }
    let conn = connection::open_to_read(&layout.database()).ok()?;
    let mut store = Store::around(conn, layout, options);
    store.read_only = true;
    layers::load(&mut store).ok()?;
    let path = layout.database();
    let is_current = migrate::version(&store.conn, &path).ok()? == migrate::current_version();
    let is_usable = is_current
        && index::is_outdated(&store).is_ok_and(|outdated| !outdated)
        && index::is_finished(&store.conn).unwrap_or(false)
        && folders::is_in_step(&store).unwrap_or(false);
    is_usable.then_some(store)
}

impl Store {
    /// Nothing can be stored here.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// For `hark doctor`.
    pub(crate) fn about_writing(&self) -> Option<Finding> {
        let home = self.layout.home();
        let fix = if may_be_written(home) {
            format!("check the owner of its files, then run: chmod -R u+rwX {}", home.display())
        } else {
            format!(
                "make it writable, for example: chmod -R u+rwX {}, or set HARK_HOME to another folder",
                home.display()
            )
        };
        self.read_only.then(|| Finding {
            severity: Severity::Problem,
            what: format!(
                "{}: cannot be written; hark reads memories but stores nothing new",
                home.display()
            ),
            mend: Some(fix),
        })
    }
}

fn may_be_written(folder: &Path) -> bool {
    std::fs::metadata(folder).is_ok_and(|meta| !meta.permissions().readonly())
}
