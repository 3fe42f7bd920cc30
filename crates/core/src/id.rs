//! The identity of a memory: a UUIDv7 on disk, a short typed tail for people (`m-7k3q9x2d`).
//!
//! The tail is the last 40 bits of the UUID (all random in v7) in Crockford base 32. The creator of an id
//! ensures that its tail is new in the store; a reader that finds two reports both candidates instead of
//! guessing.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

use crate::time::Timestamp;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const TAIL_CHARS: usize = 8;

/// Identity of one memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId(Uuid);

impl MemoryId {
    /// A fresh id: the time orders it, `random` makes it unique.
    pub fn new(now: Timestamp, random: [u8; 10]) -> Self {
        let millis = now.as_millis().max(0) as u64;
        MemoryId(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
    }

    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        MemoryId(Uuid::from_bytes(bytes))
    }

    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        Uuid::from_slice(bytes).ok().map(MemoryId)
    }

    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// The eight characters after `m-`.
    pub fn tail(&self) -> String {
        let bytes = self.0.as_bytes();
        tail_of(bytes[11..16].iter().fold(0u64, |acc, b| (acc << 8) | u64::from(*b)))
    }

    /// What people see and copy.
    pub fn short(&self) -> String {
        format!("m-{}", self.tail())
    }

    /// The whole UUID, as written in files.
    pub fn full(&self) -> String {
        self.0.hyphenated().to_string()
    }

    /// A number that breaks ties the same way on every machine and after every rebuild.
    pub fn tie_break(&self) -> u32 {
        let b = self.0.as_bytes();
        u32::from_be_bytes([b[12], b[13], b[14], b[15]])
    }
}

/// The lowest 40 bits as eight characters.
pub(crate) fn tail_of(mut bits: u64) -> String {
    let mut out = [0u8; TAIL_CHARS];
    for slot in out.iter_mut().rev() {
        *slot = ALPHABET[(bits & 31) as usize];
        bits >>= 5;
    }
    out.iter().map(|b| *b as char).collect()
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.short())
    }
}

impl fmt::Debug for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.short(), self.0)
    }
}

impl Serialize for MemoryId {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.full())
    }
}

impl<'de> Deserialize<'de> for MemoryId {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        Uuid::parse_str(&text).map(MemoryId).map_err(serde::de::Error::custom)
    }
}

/// A reference to a memory: the whole id, or the beginning of its short tail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdRef {
    Full(MemoryId),
    /// Lower-case tail characters, at least [`IdRef::MIN_TAIL`].
    Tail(String),
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{text}` is not a memory id")]
pub struct IdError {
    pub text: String,
}

impl IdRef {
    pub const MIN_TAIL: usize = 4;
}

impl FromStr for IdRef {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let bad = || IdError { text: text.chars().take(60).collect() };
        let trimmed = text.trim();
        if let Ok(uuid) = Uuid::parse_str(trimmed) {
            return Ok(IdRef::Full(MemoryId(uuid)));
        }
        let lower = trimmed.to_ascii_lowercase();
        let tail = lower.strip_prefix("m-").unwrap_or(&lower);
        let known = tail.bytes().all(|b| ALPHABET.contains(&b));
        if !known || !(IdRef::MIN_TAIL..=TAIL_CHARS).contains(&tail.len()) {
            return Err(bad());
        }
        Ok(IdRef::Tail(tail.to_owned()))
    }
}

impl fmt::Display for IdRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IdRef::Full(id) => write!(f, "{}", id.full()),
            IdRef::Tail(tail) => write!(f, "m-{tail}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_form_round_trips_as_a_reference() {
        let id = MemoryId::new(Timestamp::from_millis(1_700_000_000_000), [7; 10]);
        assert_eq!(id.short().len(), 10);
        assert_eq!(id.short().parse::<IdRef>().unwrap(), IdRef::Tail(id.tail()));
        assert_eq!(id.full().parse::<IdRef>().unwrap(), IdRef::Full(id));
    }

    #[test]
    fn later_ids_sort_later() {
        let a = MemoryId::new(Timestamp::from_millis(1_000), [255; 10]);
        let b = MemoryId::new(Timestamp::from_millis(1_001), [0; 10]);
        assert!(a < b);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "m-", "abc", "m-il0o", "hello world", "m-7k3q9x2d9", "🦀🦀🦀🦀"] {
            assert!(text.parse::<IdRef>().is_err(), "{text}");
        }
    }
}
