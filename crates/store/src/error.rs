//! Errors of the store, each with the file it concerns and a hint.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use hark_core::MemoryId;
use hark_files::Refusal;

use crate::layout::Layout;
use crate::store::Store;
use crate::write::Writer;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{}: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: the disk is full", .path.display())]
    DiskFull { path: PathBuf },
    #[error("{}: cannot be written", .path.display())]
    ReadOnly { path: PathBuf },
    #[error("{}: cannot be read (permission denied)", .path.display())]
    Denied { path: PathBuf },
    #[error("{}: the index is damaged ({detail})", .path.display())]
    Corrupt { path: PathBuf, detail: String },
    #[error("{}: belongs to another program", .path.display())]
    Foreign { path: PathBuf },
    #[error("{}: was written by a newer version of hark that is not compatible with this one", .path.display())]
    TooNew { path: PathBuf },
    #[error("{}: was written by an older version of hark (index version {version})", .path.display())]
    Outdated { path: PathBuf, version: i32 },
    #[error("{}: must be upgraded first", .path.display())]
    Behind { path: PathBuf },
    #[error("{}: still busy after {waited_ms} ms", .path.display())]
    Busy { path: PathBuf, waited_ms: u128 },
    #[error("{}: {source}", .path.display())]
    Sqlite { path: PathBuf, source: rusqlite::Error },
    #[error("there is no memory {id}")]
    NotFound { id: String },
    #[error("{id} could be any of {}", .candidates.iter().map(MemoryId::full).collect::<Vec<_>>().join(", "))]
    Ambiguous { id: String, candidates: Vec<MemoryId> },
    #[error("there is no session {id}")]
    NoSession { id: String },
    #[error("{id} could be any of {}", .candidates.join(", "))]
    SessionsAlike { id: String, candidates: Vec<String> },
    #[error("{}: this store is not trusted, so hark does not change it", .path.display())]
    Untrusted { path: PathBuf },
    #[error("{}: {refusal}", .path.display())]
    Refused { path: PathBuf, refusal: Refusal },
    #[error("{}: {detail}; nothing was restored", .path.display())]
    StrangeBackup { path: PathBuf, detail: String },
    #[error("{}: changed on disk and cannot be read as a memory: {reason}", .path.display())]
    Unreadable { path: PathBuf, reason: String },
}

impl StoreError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            StoreError::Io { .. } => "check that the folder exists and belongs to you".to_owned(),
            StoreError::DiskFull { .. } => "free some space and try again; nothing was changed".to_owned(),
            StoreError::ReadOnly { .. } => {
                "make it writable, or set HARK_HOME to a writable folder; nothing was changed".to_owned()
            }
            StoreError::Denied { path } => {
                format!("check its owner, then run: chmod u+rX {}", path.display())
            }
            StoreError::Corrupt { .. } | StoreError::Outdated { .. } => {
                "your memories are safe in their files; run `hark reindex` to rebuild the index".to_owned()
            }
            StoreError::Foreign { path } => {
                format!("move {} away, or set HARK_HOME to another folder", path.display())
            }
            StoreError::TooNew { .. } => "update hark, or set HARK_HOME to another folder".to_owned(),
            StoreError::Behind { .. } => {
                "run any other command, such as `hark doctor`; nothing is lost".to_owned()
            }
            StoreError::Untrusted { .. } => {
                "review its files, then run `hark trust` in that project; or store your own with `hark remember`"
                    .to_owned()
            }
            StoreError::Refused { refusal: Refusal::TooLarge { .. }, path } => {
                format!("move {} away; files in a store are never that large", path.display())
            }
            StoreError::Refused { path, .. } => {
                format!("move {} away; hark uses only regular files and folders in a store", path.display())
            }
            StoreError::StrangeBackup { path, .. } => {
                format!("a snapshot contains only regular files; list its entries with: tar tvzf {}", path.display())
            }
            StoreError::NoSession { .. } => "list sessions with `hark sessions`".to_owned(),
            StoreError::SessionsAlike { .. } => "use the full id".to_owned(),
            StoreError::Busy { .. } => {
                "another process is using the store; try again, or run `hark doctor`".to_owned()
            }
            StoreError::Sqlite { .. } => "run `hark doctor`".to_owned(),
            StoreError::NotFound { .. } => {
                "list ids with `hark list`, or search with `hark recall`".to_owned()
            }
            StoreError::Ambiguous { .. } => "use the full id".to_owned(),
            StoreError::Unreadable { path, .. } => {
                format!("fix {} by hand; hark never overwrites it", path.display())
            }
        })
    }

    pub fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        if let Some(refusal) = hark_files::refusal_of(&source) {
            return StoreError::Refused { path, refusal };
        }
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull { path },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreError::ReadOnly { path }
            }
            _ => StoreError::Io { path, source },
        }
    }

    /// For a file that was only read.
    pub(crate) fn reading(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::PermissionDenied => StoreError::Denied { path: path.to_owned() },
            _ => StoreError::io(path, source),
        }
    }

    pub(crate) fn sqlite(path: &Path, source: rusqlite::Error) -> Self {
        use rusqlite::{Error, ErrorCode};
        let path = path.to_owned();
        // A row with an unexpected value.
        if let Error::FromSqlConversionFailure(..)
        | Error::InvalidColumnType(..)
        | Error::Utf8Error(..)
        | Error::BlobSizeError = source
        {
            return StoreError::Corrupt { path, detail: source.to_string() };
        }
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                StoreError::Corrupt { path, detail: source.to_string() }
            }
            Some(ErrorCode::DiskFull) => StoreError::DiskFull { path },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                StoreError::ReadOnly { path }
            }
            Some(ErrorCode::SystemIoFailure) => {
                // SQLite also reports a full or missing disk as an I/O error.
                StoreError::Io { path, source: io::Error::other(source.to_string()) }
            }
            _ => StoreError::Sqlite { path, source },
        }
    }
}

/// Adds the location of an error: `.at(path)`, or `.at(store)` for the index of a store.
pub(crate) trait At<T> {
    fn at<P: Place + ?Sized>(self, place: &P) -> Result<T, StoreError>;
}

impl<T> At<T> for rusqlite::Result<T> {
    fn at<P: Place + ?Sized>(self, place: &P) -> Result<T, StoreError> {
        self.map_err(|e| StoreError::sqlite(&place.file(), e))
    }
}

impl<T> At<T> for io::Result<T> {
    fn at<P: Place + ?Sized>(self, place: &P) -> Result<T, StoreError> {
        self.map_err(|e| StoreError::io(&place.file(), e))
    }
}

/// What an error can name: a file, or something with an index.
pub(crate) trait Place {
    fn file(&self) -> Cow<'_, Path>;
}

impl Place for Path {
    fn file(&self) -> Cow<'_, Path> {
        Cow::Borrowed(self)
    }
}

impl Place for PathBuf {
    fn file(&self) -> Cow<'_, Path> {
        Cow::Borrowed(self)
    }
}

impl Place for Layout {
    fn file(&self) -> Cow<'_, Path> {
        Cow::Owned(self.database())
    }
}

impl Place for Store {
    fn file(&self) -> Cow<'_, Path> {
        self.layout.file()
    }
}

impl Place for Writer<'_> {
    fn file(&self) -> Cow<'_, Path> {
        self.layout.file()
    }
}
