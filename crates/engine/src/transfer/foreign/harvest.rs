//! Data read from another tool, in hark's terms but with the tool's ids. It is not redacted yet: only
//! [`super::store`] can store it.

use std::collections::BTreeMap;

use hark_core::session::{FileOp, SessionStatus};
use hark_core::{Kind, Relation, Status, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

/// Something that hark cannot represent, and how often it occurred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unmapped {
    pub what: String,
    pub count: usize,
}

/// The name of a note in its tool: table and id.
pub(super) type Key = (&'static str, String);

/// One thing that the tool remembered. Not `Debug`: its text is as it was found.
#[derive(Clone)]
pub(super) struct Note {
    pub(super) key: Key,
    pub(super) kind: Kind,
    pub(super) status: Status,
    pub(super) title: Option<String>,
    pub(super) body: String,
    pub(super) why: Option<String>,
    pub(super) learned: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) files: Vec<String>,
    pub(super) entities: Vec<String>,
    /// 1 to 5, already in our scale.
    pub(super) importance: u8,
    pub(super) confidence: f32,
    /// As the tool names it; `None` holds everywhere.
    pub(super) project: Option<String>,
    pub(super) session: Option<String>,
    pub(super) author: Option<String>,
    pub(super) created: Option<Timestamp>,
    pub(super) updated: Option<Timestamp>,
    /// When it was resolved, archived or replaced.
    pub(super) closed: Option<Timestamp>,
    pub(super) expires: Option<Timestamp>,
    pub(super) superseded_by: Option<Key>,
}

impl Note {
    pub(super) fn new(key: Key, kind: Kind, body: String) -> Self {
        Note {
            key,
            kind,
            status: Status::Active,
            title: None,
            body,
            why: None,
            learned: None,
            tags: Vec::new(),
            files: Vec::new(),
            entities: Vec::new(),
            importance: 3,
            confidence: 0.6,
            project: None,
            session: None,
            author: None,
            created: None,
            updated: None,
            closed: None,
            expires: None,
            superseded_by: None,
        }
    }
}

/// A link between two notes.
#[derive(Clone)]
pub(super) struct Tie {
    pub(super) from: Key,
    pub(super) to: Key,
    pub(super) relation: Relation,
    pub(super) weight: f32,
}

/// A session that the tool kept.
pub(super) struct Run {
    pub(super) id: String,
    /// Which assistant, as in `hark install`.
    pub(super) host: String,
    pub(super) project: Option<String>,
    pub(super) title: Option<String>,
    pub(super) goal: Option<String>,
    pub(super) status: SessionStatus,
    pub(super) started: Timestamp,
    pub(super) updated: Timestamp,
    pub(super) ended: Option<Timestamp>,
    pub(super) branch: Option<String>,
    pub(super) head_start: Option<String>,
    pub(super) head_end: Option<String>,
    pub(super) done: Vec<String>,
    pub(super) pending: Vec<String>,
    pub(super) work: Vec<String>,
    /// Its summary in one text, if the tool kept one.
    pub(super) summary: Option<String>,
    pub(super) decisions: Vec<String>,
    pub(super) files: Vec<(String, FileOp)>,
    pub(super) plans: Vec<(String, Option<String>)>,
    pub(super) references: Vec<(String, Option<String>)>,
}

impl Run {
    pub(super) fn new(id: String, host: String, started: Timestamp) -> Self {
        Run {
            id,
            host,
            project: None,
            title: None,
            goal: None,
            status: SessionStatus::Closed,
            started,
            updated: started,
            ended: None,
            branch: None,
            head_start: None,
            head_end: None,
            done: Vec::new(),
            pending: Vec::new(),
            work: Vec::new(),
            summary: None,
            decisions: Vec::new(),
            files: Vec::new(),
            plans: Vec::new(),
            references: Vec::new(),
        }
    }
}

pub(crate) struct Harvest {
    pub(super) tool: &'static str,
    pub(super) notes: Vec<Note>,
    pub(super) ties: Vec<Tie>,
    pub(super) runs: Vec<Run>,
    unmapped: BTreeMap<String, usize>,
}

impl Harvest {
    pub(super) fn new(tool: &'static str) -> Self {
        Harvest { tool, notes: Vec::new(), ties: Vec::new(), runs: Vec::new(), unmapped: BTreeMap::new() }
    }

    /// Reports something that hark cannot represent. `what` names its kind, never its text.
    pub(super) fn unmapped(&mut self, what: impl Into<String>) {
        *self.unmapped.entry(what.into()).or_default() += 1;
    }

    /// The same for many things at once.
    pub(super) fn left_out(&mut self, what: impl Into<String>, count: usize) {
        if count > 0 {
            *self.unmapped.entry(what.into()).or_default() += count;
        }
    }

    pub(super) fn into_unmapped(self) -> Vec<Unmapped> {
        self.unmapped.into_iter().map(|(what, count)| Unmapped { what, count }).collect()
    }
}
