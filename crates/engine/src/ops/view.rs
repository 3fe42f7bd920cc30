//! A memory as surfaces show it.

use hark_core::{Memory, Timestamp};
use hark_store::Stored;
use schemars::JsonSchema;
use serde::Serialize;

/// One memory, whole.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MemoryView {
    pub id: String,
    pub uuid: String,
    pub kind: String,
    pub status: String,
    pub title: String,
    pub body: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned: Option<String>,
    pub tags: Vec<String>,
    pub files: Vec<String>,
    pub entities: Vec<String>,
    /// Absent for what holds everywhere.
    pub project: Option<String>,
    pub importance: u8,
    pub confidence: f32,
    pub pinned: bool,
    pub origin: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The turn of that session it was distilled from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    pub created: String,
    pub updated: String,
    pub age: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    pub revision: u32,
    /// Where it stands on disk, relative to the memories folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl MemoryView {
    pub fn new(memory: &Memory, now: Timestamp) -> Self {
        let texts = |values: &[hark_core::Clean]| values.iter().map(ToString::to_string).collect();
        MemoryView {
            id: memory.id.short(),
            uuid: memory.id.full(),
            kind: memory.kind.to_string(),
            status: memory.status.to_string(),
            title: memory.title.to_string(),
            body: memory.body.to_string(),
            why: memory.why.as_ref().map(ToString::to_string),
            learned: memory.learned.as_ref().map(ToString::to_string),
            tags: texts(&memory.tags),
            files: texts(&memory.files),
            entities: texts(&memory.entities),
            project: memory.scope.project().map(ToString::to_string),
            importance: memory.importance.get(),
            confidence: memory.confidence,
            pinned: memory.pinned,
            origin: memory.origin.to_string(),
            author: memory.author.as_ref().map(ToString::to_string),
            session: memory.session.as_ref().map(ToString::to_string),
            turn: memory.turn.as_ref().map(ToString::to_string),
            created: memory.created.to_string(),
            updated: memory.updated.to_string(),
            age: memory.updated.age(now),
            closed: memory.closed.map(|t| t.to_string()),
            expires: memory.expires.map(|t| t.to_string()),
            superseded_by: memory.superseded_by.map(|id| id.short()),
            revision: memory.revision,
            file: None,
        }
    }

    pub fn of(stored: &Stored, now: Timestamp) -> Self {
        MemoryView { file: Some(stored.file.clone()), ..Self::new(&stored.memory, now) }
    }
}
