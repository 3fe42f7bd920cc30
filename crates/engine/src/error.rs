//! The errors of operations, each with a hint. Callers turn their kinds into exit codes or protocol errors.

use hark_core::id::IdError;
use hark_core::time::TimeError;
use hark_store::StoreError;

use crate::embed::minilm::ModelError;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The request itself is wrong.
    #[error("{message}")]
    Invalid { message: String, hint: String },
    #[error("{}: {message}", .path.display())]
    Config { path: std::path::PathBuf, message: String },
    /// A file outside the store.
    #[error("{}: {message}", .path.display())]
    File { path: std::path::PathBuf, message: String },
    /// What `hark install` keeps about the files it changed.
    #[error("{message}")]
    Vault { message: String, hint: &'static str },
    #[error("the store has problems")]
    Unhealthy,
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("the system provides no random numbers: {0}")]
    Random(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The caller asked for something impossible.
    User,
    NotFound,
    Storage,
    Internal,
}

impl EngineError {
    pub fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Self {
        EngineError::Invalid { message: message.into(), hint: hint.into() }
    }

    pub fn kind(&self) -> ErrorKind {
        match self {
            EngineError::Store(StoreError::NotFound { .. } | StoreError::NoSession { .. }) => {
                ErrorKind::NotFound
            }
            EngineError::Store(StoreError::Ambiguous { .. } | StoreError::SessionsAlike { .. }) => {
                ErrorKind::User
            }
            EngineError::Invalid { .. } => ErrorKind::User,
            EngineError::Config { .. } => ErrorKind::User,
            EngineError::Model(ModelError::Source { .. }) => ErrorKind::User,
            EngineError::Store(_)
            | EngineError::Model(_)
            | EngineError::File { .. }
            | EngineError::Vault { .. }
            | EngineError::Unhealthy => ErrorKind::Storage,
            EngineError::Random(_) => ErrorKind::Internal,
        }
    }

    /// There is a file in the place of the store.
    pub(crate) fn not_a_folder(path: &std::path::Path) -> Self {
        EngineError::Vault {
            message: format!("{}: the store is a file, not a folder", path.display()),
            hint: "move that file away, or set HARK_HOME to a folder",
        }
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            EngineError::Store(e) => e.hint(),
            EngineError::Invalid { hint, .. } => Some(hint.clone()).filter(|h| !h.is_empty()),
            EngineError::Config { path, .. } => Some(format!("fix {} or delete it", path.display())),
            EngineError::File { .. } => Some("check that you may write there".to_owned()),
            EngineError::Vault { hint, .. } => Some((*hint).to_owned()),
            EngineError::Unhealthy => Some("follow the lines marked `fix`".to_owned()),
            EngineError::Model(e) => Some(e.hint().to_owned()),
            EngineError::Random(_) => None,
        }
    }
}

impl From<IdError> for EngineError {
    fn from(e: IdError) -> Self {
        EngineError::invalid(e.to_string(), "an id looks like m-7k3q9x2d; list them with `hark list`")
    }
}

impl From<TimeError> for EngineError {
    fn from(e: TimeError) -> Self {
        EngineError::invalid(e.to_string(), "")
    }
}
