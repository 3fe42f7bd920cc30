//! A memory as surfaces show it.

use hark_core::{Memory, Timestamp};
use hark_store::Stored;
use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::Engine;

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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
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
    /// How often it was said again.
    #[serde(skip_serializing_if = "is_zero")]
    pub confirmations: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<String>,
    /// How often it helped.
    #[serde(skip_serializing_if = "is_zero")]
    pub helpful: u32,
    /// What stands against it: wrong or stale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    pub revision: u32,
    /// Where it stands on disk: relative to the memories folder, or the whole path in the store of a project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
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
            topic: memory.topic.as_ref().map(ToString::to_string),
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
            confirmations: memory.life.confirmations,
            confirmed: memory.life.confirmed.map(|t| t.to_string()),
            helpful: memory.life.helpful,
            verdict: memory.life.verdict.map(|v| v.to_string()),
            revision: memory.revision,
            file: None,
        }
    }

    pub(crate) fn of(engine: &Engine, stored: &Stored, now: Timestamp) -> Self {
        let file = engine.store.shown_file(stored);
        MemoryView { file: Some(file), ..Self::new(&stored.memory, now) }
    }
}
