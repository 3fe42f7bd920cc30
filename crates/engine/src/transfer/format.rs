//! The export format, version 1, as it is on the wire. `docs/export-format.md` describes it.
//!
//! Texts here are as they were read: [`super::arrival`] takes them through the redactor.

use hark_core::Timestamp;
use hark_store::tombstones::Tombstone;
use serde::{Deserialize, Serialize};

pub const NAME: &str = "hark-export";
pub const VERSION: u32 = 1;

/// Sections of a document, in the order in which they are written.
pub const SECTIONS: &[&str] = &["memories", "history", "links", "entities", "sessions", "tombstones"];

/// How an export is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// One JSON document
    #[default]
    Json,
    /// One record a line, for large stores
    Ndjson,
    /// A folder of markdown files, for people
    Markdown,
}

/// The first line of a stream, and the first keys of a document. It holds no time: the same store
/// gives the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub format: String,
    pub version: u32,
    #[serde(default, skip_serializing_if = "Chosen::is_everything")]
    pub chosen: Chosen,
}

/// What was asked for, if not everything.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

impl Chosen {
    pub fn is_everything(&self) -> bool {
        *self == Chosen::default()
    }
}

/// One thing in an export. Not `Debug`: it holds text that no redactor has seen.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Record {
    Memory(MemoryRecord),
    History(HistoryRecord),
    Link(LinkRecord),
    Entity(EntityRecord),
    Session(SessionRecord),
    /// Something that was forgotten: an id, and marks that only its own store can read. No text.
    Tombstone(Tombstone),
}

/// `text` is the file, byte for byte, and all that an import reads; the rest is for other readers.
#[derive(Serialize, Deserialize)]
pub struct MemoryRecord {
    pub id: String,
    #[serde(default)]
    pub kind: String,
    #[serde(default)]
    pub status: String,
    #[serde(default)]
    pub project: Option<String>,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub created: String,
    #[serde(default)]
    pub updated: String,
    #[serde(default)]
    pub entities: Vec<String>,
    /// Relative to the memories folder.
    #[serde(default)]
    pub file: Option<String>,
    pub text: String,
}

impl MemoryRecord {
    /// A file on its own, without the facts that stand beside it in an export.
    pub fn of_file(id: String, file: String, text: String) -> Self {
        MemoryRecord {
            id,
            file: Some(file),
            text,
            kind: String::new(),
            status: String::new(),
            project: None,
            title: String::new(),
            created: String::new(),
            updated: String::new(),
            entities: Vec::new(),
        }
    }
}

/// What a memory was before each change, oldest first.
#[derive(Serialize, Deserialize)]
pub struct HistoryRecord {
    pub id: String,
    pub revisions: Vec<serde_json::Value>,
}

/// Taken from the files; an import takes links from there.
#[derive(Serialize, Deserialize)]
pub struct LinkRecord {
    pub from: String,
    pub relation: String,
    pub to: String,
    pub weight: f32,
    pub origin: String,
}

/// Derived from the texts; an import derives it again.
#[derive(Serialize, Deserialize)]
pub struct EntityRecord {
    pub kind: String,
    pub name: String,
    #[serde(default)]
    pub project: Option<String>,
    pub mentions: i64,
}

#[derive(Serialize, Deserialize)]
pub struct SessionRecord {
    pub id: String,
    /// Inside the sessions folder.
    #[serde(default)]
    pub file: Option<String>,
    pub text: String,
}

impl Record {
    pub const fn section(&self) -> &'static str {
        match self {
            Record::Memory(_) => "memories",
            Record::History(_) => "history",
            Record::Link(_) => "links",
            Record::Entity(_) => "entities",
            Record::Session(_) => "sessions",
            Record::Tombstone(_) => "tombstones",
        }
    }

    /// Roughly what it takes in memory.
    pub fn weight(&self) -> usize {
        match self {
            Record::Memory(record) => record.text.len(),
            Record::Session(record) => record.text.len(),
            Record::History(record) => record.revisions.len() * 2_000,
            Record::Link(_) | Record::Entity(_) | Record::Tombstone(_) => 0,
        }
    }
}
