//! What can go wrong with storage, each with the file it concerns and a way out.

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
    #[error("{}: is a database of another program", .path.display())]
    Foreign { path: PathBuf },
    #[error("{}: was written by a newer version of hark that this one cannot write beside", .path.display())]
    TooNew { path: PathBuf },
    #[error("{}: was written by an older version of hark (version {version} of the index)", .path.display())]
    Outdated { path: PathBuf, version: i32 },
    #[error("{}: has to be brought up to date first", .path.display())]
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
    #[error("{}: this store is not trusted, so nothing is changed in it", .path.display())]
    Untrusted { path: PathBuf },
    #[error("{}: {refusal}", .path.display())]
    Refused { path: PathBuf, refusal: Refusal },
    #[error("{}: {detail}; nothing was restored", .path.display())]
    StrangeBackup { path: PathBuf, detail: String },
    #[error("{}: changed on disk and cannot be read as a memory: {reason}", .path.display())]
    Unreadable { path: PathBuf, reason: String },
}

impl StoreError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            StoreError::Io { .. } => "check that the folder exists and belongs to you".to_owned(),
            StoreError::DiskFull { .. } => "free some space and try again; nothing was changed".to_owned(),
            StoreError::ReadOnly { .. } => {
                "make it writable, or set HARK_HOME to a folder that is; nothing was changed".to_owned()
            }
            StoreError::Denied { path } => {
                format!("check who owns it, then: chmod u+rX {}", path.display())
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
                "read what is in it, then run `hark trust` in that project; or store your own with `hark remember`"
                    .to_owned()
            }
            StoreError::Refused { refusal: Refusal::TooLarge { .. }, path } => {
                format!("move {} away; no file of a store is that large", path.display())
            }
            StoreError::Refused { path, .. } => {
                format!("move {} away; in a store hark uses regular files and folders only", path.display())
            }
            StoreError::StrangeBackup { path, .. } => {
                format!("a snapshot of hark holds plain files only; look at it: tar tvzf {}", path.display())
            }
            StoreError::NoSession { .. } => "list sessions with `hark sessions`".to_owned(),
            StoreError::SessionsAlike { .. } => "write the whole id of the one you mean".to_owned(),
            StoreError::Busy { .. } => {
                "another process holds the store; try again, or run `hark doctor`".to_owned()
            }
            StoreError::Sqlite { .. } => "run `hark doctor`".to_owned(),
            StoreError::NotFound { .. } => {
                "list ids with `hark list`, or search with `hark recall`".to_owned()
            }
            StoreError::Ambiguous { .. } => "write the whole id of the one you mean".to_owned(),
            StoreError::Unreadable { path, .. } => {
                format!("mend {} by hand; we never overwrite it", path.display())
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

    /// For what was only to be read.
    pub(crate) fn reading(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::PermissionDenied => StoreError::Denied { path: path.to_owned() },
            _ => StoreError::io(path, source),
        }
    }

    pub(crate) fn sqlite(path: &Path, source: rusqlite::Error) -> Self {
        use rusqlite::{Error, ErrorCode};
        let path = path.to_owned();
        // A row that holds something else than was written there.
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
                // SQLite reports a full or vanished disk as an I/O failure as well.
                StoreError::Io { path, source: io::Error::other(source.to_string()) }
            }
            _ => StoreError::Sqlite { path, source },
        }
    }
}

/// Says where something went wrong: `.at(path)`, or `.at(store)` for the index of a store.
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
