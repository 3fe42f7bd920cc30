//! The two types that let the compiler check what is redacted.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// Text that has not passed redaction. It can be neither displayed nor serialised, and its
/// `Debug` form gives only a length, so it cannot reach a log or a file by accident.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Raw(String);

impl Raw {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its words, for comparison with known words. Not for storing.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.split(|c: char| c.is_whitespace() || matches!(c, ';' | '|' | '&'))
    }

    /// For code in this crate that truncates it before it is cleaned.
    pub(crate) fn peek(&self) -> &str {
        &self.0
    }

    pub(super) fn into_inner(self) -> String {
        self.0
    }
}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raw({} bytes)", self.0.len())
    }
}

/// Text that has passed redaction and may be stored, shown and sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Clean(String);

impl Clean {
    pub(super) fn new(text: String) -> Self {
        Self(text)
    }

    /// A literal from hark's own source code, which contains no secret.
    pub fn trusted_constant(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    /// Text read back from a file or table that only ever received [`Clean`] text. Not for
    /// anything that came from a user, a tool or the network: that is [`Raw`].
    pub fn already_redacted(text: String) -> Self {
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Display for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Deref for Clean {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Clean {
    fn as_ref(&self) -> &str {
        &self.0
    }
}
