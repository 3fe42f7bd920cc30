//! A memory as surfaces show it.

mod guidance;

use hark_core::memory::Importance;
use hark_core::{Kind, Memory, Origin, Status, Timestamp};
use hark_store::{Stored, StoredTurn};
use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::Engine;

use crate::operation::text::words;
use crate::operation::{BOLD, DIM, ID, Page, WARN};
use std::path::Path;

pub use guidance::{EvidenceView, GuidanceView, RecordView};

/// One memory in full.
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
    /// Questions that it answers, as its writer put them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked_as: Vec<String>,
    /// Absent if it applies to every project.
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
    /// The objection to it: wrong or stale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    pub revision: u32,
    /// The day since which nobody has looked at these steps, if their review is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreviewed: Option<String>,
    #[serde(flatten)]
    pub guidance: GuidanceView,
    /// Its file: relative to the memories folder, or the full path in a project's store.
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
            asked_as: texts(&memory.asked_as),
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
            unreviewed: unreviewed(memory, now),
            guidance: GuidanceView::new(&memory.guidance, now),
            file: None,
        }
    }

    /// A turn in the same shape. It has no file of its own: it is a line in the file of its session.
    pub(crate) fn of_turn(stored: &StoredTurn, now: Timestamp) -> Self {
        let StoredTurn { turn, session, project } = stored;
        let at = turn.at.to_string();
        MemoryView {
            id: stored.id(),
            uuid: stored.id(),
            kind: "turn".to_owned(),
            status: Status::Active.to_string(),
            title: turn.asked.to_string(),
            body: turn.story(),
            why: None,
            learned: None,
            topic: None,
            tags: Vec::new(),
            files: turn.files.iter().map(ToString::to_string).collect(),
            entities: Vec::new(),
            asked_as: Vec::new(),
            project: project.as_ref().map(ToString::to_string),
            importance: Importance::default().get(),
            confidence: 1.0,
            pinned: false,
            origin: Origin::Assistant.to_string(),
            author: None,
            session: Some(session.short()),
            turn: None,
            created: at.clone(),
            updated: at,
            age: turn.at.age(now),
            closed: None,
            expires: None,
            superseded_by: None,
            confirmations: 0,
            confirmed: None,
            helpful: 0,
            verdict: None,
            revision: 1,
            unreviewed: None,
            guidance: GuidanceView::default(),
            file: None,
        }
    }

    pub(crate) fn of(engine: &Engine, stored: &Stored, now: Timestamp) -> Self {
        let file = engine.store.shown_file(stored);
        MemoryView { file: Some(file), ..Self::new(&stored.memory, now) }
    }
}

/// The day since which nobody has looked at steps whose review is due.
pub(crate) fn unreviewed(memory: &Memory, now: Timestamp) -> Option<String> {
    memory.unreviewed_since(now).map(Timestamp::day)
}

/// One aligned line: id, kind, title, age and project.
pub(crate) fn line(memory: &MemoryView, page: &Page) -> String {
    let mut marks = String::new();
    if memory.status != "active" {
        marks.push_str(&format!(" {}", memory.status));
    }
    if let Some(verdict) = &memory.verdict {
        marks.push_str(&format!(" rated {verdict}"));
    }
    if memory.origin == "repository" {
        marks.push_str(" from the repository");
    }
    if let Some(at) = memory.guidance.remind.as_deref().filter(|_| memory.status == "active") {
        let word = if memory.guidance.due { "due" } else { "remind" };
        marks.push_str(&format!(" {word} {}", guidance::day(at)));
    }
    let project = words(&page.project(memory.project.as_deref()));
    let used = memory.id.len() + memory.age.len() + project.len() + marks.len() + COLUMNS;
    format!(
        "{ID}{}{ID:#}  {DIM}{:<11}{DIM:#} {}{WARN}{marks}{WARN:#}  {DIM}{} · {project}{DIM:#}\n",
        memory.id,
        memory.kind,
        page.fit(&words(&memory.title), used),
        memory.age,
    )
}

/// The width of the kind and the separators in a line.
const COLUMNS: usize = 2 + 11 + 1 + 2 + 3;

/// An age in words: `5d old`.
pub(crate) fn old(age: &str) -> String {
    if age == "now" { "just now".to_owned() } else { format!("{age} old") }
}

/// Everything about one memory.
pub(crate) fn whole(memory: &MemoryView, page: &Page) -> String {
    let mut text = format!("{BOLD}{}{BOLD:#}\n", words(&memory.title));
    let project = page.project(memory.project.as_deref());
    text.push_str(&format!(
        "{ID}{}{ID:#} {DIM}· {} · {} · {} · from {} · importance {} · {}{DIM:#}\n",
        memory.id,
        memory.kind,
        memory.status,
        old(&memory.age),
        memory.origin,
        memory.importance,
        words(&project),
    ));
    text.push_str(&format!("\n{}\n", words(&memory.body)));
    for (label, extra) in [("Why", &memory.why), ("Learned", &memory.learned)] {
        if let Some(extra) = extra {
            text.push_str(&format!("\n{BOLD}{label}:{BOLD:#} {}\n", words(extra)));
        }
    }
    text.push_str(&memory.guidance.lists());
    let mut facts: Vec<(&str, String)> = Vec::new();
    for (label, list) in [("tags", &memory.tags), ("files", &memory.files), ("entities", &memory.entities)] {
        if !list.is_empty() {
            facts.push((label, list.join(", ")));
        }
    }
    for (label, value) in [("superseded by", &memory.superseded_by), ("expires", &memory.expires)] {
        facts.extend(value.iter().map(|v| (label, v.clone())));
    }
    let reviewed = memory.kind.parse::<Kind>().is_ok_and(Kind::is_reviewed);
    let reminder = memory.guidance.reminder(&memory.kind);
    facts.extend(reminder.map(|when| (if reviewed { "review" } else { "remind" }, when)));
    facts.extend(memory.unreviewed.iter().map(|at| ("not reviewed", format!("since {at}"))));
    if let Some(turn) = &memory.turn {
        let session = memory.session.as_deref().unwrap_or("a session");
        facts.push(("distilled", format!("from {session}, {turn}; confidence {:.2}", memory.confidence)));
    }
    facts.push(("created", memory.created.clone()));
    let shown = |file: &String| match Path::new(file).is_absolute() {
        true => file.clone(),
        false => format!("memories/{file}"),
    };
    facts.extend(memory.file.iter().map(|file| ("file", shown(file))));
    text.push('\n');
    for (label, value) in facts {
        text.push_str(&format!("{DIM}{label:<14}{DIM:#}{}\n", words(&value)));
    }
    text
}
