//! What a rule, insight, skill, decision or reminder has besides its text, as surfaces show it.

use hark_core::{Guidance, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

/// Absent keys have nothing to say.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct GuidanceView {
    /// Triggers: when it applies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<String>,
    /// What Hark does then: tell, warn, ask or deny.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// What the mistake looks like.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub avoid: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
    /// What it was concluded from.
    #[serde(rename = "rests_on", skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EvidenceView>,
    /// What came of it, counted in sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordView>,
    /// Options that were rejected, with reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<String>,
    /// How to tell that it is met.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
    /// When to remind of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remind: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EvidenceView {
    pub at: String,
    pub age: String,
    /// correction, rejection, undone, failure, procedure or learned.
    pub sort: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct RecordView {
    pub told: u32,
    pub matched: u32,
    pub upheld: u32,
    pub broken: u32,
    pub overruled: u32,
}

impl GuidanceView {
    pub fn new(guidance: &Guidance, now: Timestamp) -> Self {
        let texts = |values: &[hark_core::Clean]| values.iter().map(ToString::to_string).collect();
        let record = guidance.record;
        GuidanceView {
            when: texts(&guidance.when),
            action: guidance.action.map(|action| action.to_string()),
            avoid: texts(&guidance.avoid),
            paused: guidance.paused,
            evidence: guidance.evidence.iter().map(|one| EvidenceView::new(one, now)).collect(),
            record: (!record.is_new()).then_some(RecordView {
                told: record.told,
                matched: record.matched,
                upheld: record.upheld,
                broken: record.broken,
                overruled: record.overruled,
            }),
            rejected: texts(&guidance.rejected),
            criteria: texts(&guidance.criteria),
            remind: guidance.remind.map(|at| at.to_string()),
        }
    }
}

impl EvidenceView {
    pub fn new(evidence: &hark_core::Evidence, now: Timestamp) -> Self {
        EvidenceView {
            at: evidence.at.to_string(),
            age: evidence.at.age(now),
            sort: evidence.sort.to_string(),
            session: evidence.session.as_ref().map(ToString::to_string),
            text: evidence.text.to_string(),
        }
    }
}
