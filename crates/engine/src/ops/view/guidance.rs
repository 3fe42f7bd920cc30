//! What a rule, insight, skill, decision or reminder has besides its text, as surfaces show it.

use hark_core::{Guidance, Kind, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::operation::BOLD;
use crate::operation::text::words;

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
    /// When to remind of it, or to review it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remind: Option<String>,
    /// That time has come.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub due: bool,
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
            due: guidance.remind.is_some_and(|at| at <= now),
        }
    }
}

impl GuidanceView {
    /// Rejected options and acceptance criteria, for people.
    pub(crate) fn lists(&self) -> String {
        let mut text = String::new();
        for (label, lines) in self.labelled() {
            text.push_str(&format!("\n{BOLD}{label}:{BOLD:#}\n"));
            for line in lines {
                text.push_str(&format!("- {}\n", words(line)));
            }
        }
        text
    }

    /// The same for models.
    pub(crate) fn sentences(&self) -> String {
        let lines = self.labelled().map(|(label, lines)| format!("{label}: {}\n", lines.join("; ")));
        lines.collect()
    }

    fn labelled(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        let lists = [("Rejected", self.rejected.as_slice()), ("Accepted when", self.criteria.as_slice())];
        lists.into_iter().filter(|(_, lines)| !lines.is_empty())
    }

    /// When to remind of it, in words. The triggers of rules and skills are not reminders.
    pub(crate) fn reminder(&self, kind: &str) -> Option<String> {
        let may_wait = kind.parse::<Kind>().is_ok_and(Kind::has_reminders);
        let files = self.when.iter().filter_map(|text| text.strip_prefix("file:"));
        let files = files.filter(|_| may_wait).map(|file| format!("before an edit of {file}"));
        let date = self.remind.as_ref().map(|at| {
            let day = day(at);
            if self.due { format!("{day}, due") } else { day.to_owned() }
        });
        let parts: Vec<String> = date.into_iter().chain(files).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// The date of a time.
pub(crate) fn day(at: &str) -> &str {
    at.get(..10).unwrap_or(at)
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
