//! Errors of a model file, always with its path and what to do next.

use std::io;
use std::path::{Path, PathBuf};

/// How to get a good file.
const GET_AGAIN: &str =
    "get it again with `hark model get NAME --from PATH`, or go back with `hark model use encoder`";

#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("{}: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} {what}", .path.display())]
    Damaged { path: PathBuf, what: String },
    #[error("{} {what}", .path.display())]
    Source { path: PathBuf, what: String, hint: String },
}

impl ModelError {
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        ModelError::Io { path: path.to_owned(), source }
    }

    pub(super) fn damaged(path: &Path, what: &str) -> Self {
        ModelError::Damaged { path: path.to_owned(), what: what.to_owned() }
    }

    pub(super) fn source(path: &Path, what: impl Into<String>, hint: impl Into<String>) -> Self {
        ModelError::Source { path: path.to_owned(), what: what.into(), hint: hint.into() }
    }

    pub fn hint(&self) -> &str {
        match self {
            ModelError::Io { .. } | ModelError::Damaged { .. } => GET_AGAIN,
            ModelError::Source { hint, .. } => hint,
        }
    }
}
