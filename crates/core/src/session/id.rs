//! Identifiers of sessions.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::id::{IdError, IdRef, MemoryId};
use crate::time::Timestamp;

/// Identity of a session: a UUIDv7 on disk, `s-7k3q9x2d` for people.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(MemoryId);

impl SessionId {
    pub fn new(now: Timestamp, random: [u8; 10]) -> Self {
        SessionId(MemoryId::new(now, random))
    }

    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        SessionId(MemoryId::from_bytes(bytes))
    }

    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        MemoryId::from_slice(bytes).map(SessionId)
    }

    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    pub fn tail(&self) -> String {
        self.0.tail()
    }

    pub fn short(&self) -> String {
        format!("s-{}", self.0.tail())
    }

    pub fn full(&self) -> String {
        self.0.full()
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.short())
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.short(), self.full())
    }
}

impl Serialize for SessionId {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(s)
    }
}

impl<'de> Deserialize<'de> for SessionId {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        MemoryId::deserialize(d).map(SessionId)
    }
}

/// A reference to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionRef {
    Full(SessionId),
    /// The beginning of the short tail.
    Tail(String),
}

impl FromStr for SessionRef {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let trimmed = text.trim();
        let bare = trimmed.strip_prefix("s-").or_else(|| trimmed.strip_prefix("S-")).unwrap_or(trimmed);
        match bare.parse::<IdRef>() {
            Ok(IdRef::Full(id)) => Ok(SessionRef::Full(SessionId(id))),
            Ok(IdRef::Tail(tail)) => Ok(SessionRef::Tail(tail)),
            Err(_) => Err(IdError { text: text.chars().take(60).collect() }),
        }
    }
}
