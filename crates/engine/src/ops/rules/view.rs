//! A rule as surfaces show it.

use hark_core::rule::{Retire, confidence, retire};
use hark_core::{Memory, Origin, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::operation::text::words;
use crate::operation::{BOLD, DIM, ID, Page, WARN};
use crate::ops::{EvidenceView, RecordView};
use crate::rules::close;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RuleView {
    pub id: String,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Absent if it applies to every project.
    pub project: Option<String>,
    /// active, proposed or archived.
    pub status: String,
    pub paused: bool,
    /// Triggers; without any it is told at the start of each session.
    pub when: Vec<String>,
    /// tell, warn, ask or deny.
    pub action: String,
    /// What the mistake looks like.
    pub avoid: Vec<String>,
    /// 0 to 1, from the record.
    pub confidence: f32,
    /// Counted in sessions; sessions that are still open included.
    pub record: RecordView,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_match: Option<String>,
    /// Why to retire it, if there is a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retire: Option<String>,
    pub rests_on: Vec<EvidenceView>,
    pub origin: String,
    pub created: String,
    pub age: String,
}

impl RuleView {
    pub(crate) fn new(engine: &Engine, rule: &Memory, now: Timestamp) -> Result<Self, EngineError> {
        let guidance = &rule.guidance;
        let record = close::with_open(engine, rule)?;
        let texts = |values: &[hark_core::Clean]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
        let is_active = rule.status == hark_core::Status::Active;
        let reason = retire(&record, !guidance.when.is_empty(), 0, rule.updated, now);
        let body = rule.body.trim();
        Ok(RuleView {
            id: rule.id.short(),
            text: if body.is_empty() { rule.title.to_string() } else { body.to_owned() },
            why: rule.why.as_ref().map(ToString::to_string),
            project: rule.scope.project().map(ToString::to_string),
            status: rule.status.to_string(),
            paused: guidance.paused,
            when: texts(&guidance.when),
            action: guidance.action.map_or("tell", hark_core::Action::name).to_owned(),
            avoid: texts(&guidance.avoid),
            confidence: confidence(close::INITIAL, &record),
            record: RecordView {
                told: record.told,
                matched: record.matched,
                upheld: record.upheld,
                broken: record.broken,
                overruled: record.overruled,
            },
            last_match: record.last.map(|at| at.to_string()),
            retire: reason
                .filter(|_| is_active && rule.origin == Origin::User)
                .map(Retire::reason)
                .map(str::to_owned),
            rests_on: guidance.evidence.iter().map(|one| EvidenceView::new(one, now)).collect(),
            origin: rule.origin.to_string(),
            created: rule.created.to_string(),
            age: rule.updated.age(now),
        })
    }

    /// A few lines: the text, when and what, and how it did.
    pub(super) fn print(&self, page: &mut Page) {
        let mut marks = String::new();
        if self.status != "active" {
            marks.push_str(&format!(" {WARN}{}{WARN:#}", self.status));
        }
        if self.paused {
            marks.push_str(&format!(" {WARN}paused{WARN:#}"));
        }
        let project = words(&page.project(self.project.as_deref()));
        let mut text = format!(
            "{ID}{}{ID:#} {BOLD}{}{BOLD:#}{marks} {DIM}· {project}{DIM:#}\n",
            self.id,
            words(&self.text)
        );
        let when =
            if self.when.is_empty() { "at the start of a session".to_owned() } else { self.when.join(", ") };
        text.push_str(&format!("  {DIM}{:<7}{DIM:#} {}\n", self.action, words(&when)));
        text.push_str(&format!("  {DIM}record{DIM:#}  {}\n", self.record_in_words()));
        if let Some(reason) = &self.retire {
            text.push_str(&format!("  {WARN}retire?{WARN:#} {reason}: hark rules retire {}\n", self.id));
        }
        page.print(&text);
    }

    fn record_in_words(&self) -> String {
        let record = &self.record;
        let parts = [
            ("told", record.told),
            ("matched", record.matched),
            ("upheld", record.upheld),
            ("broken", record.broken),
            ("overruled", record.overruled),
        ];
        let parts: Vec<String> =
            parts.iter().filter(|(_, n)| *n > 0).map(|(word, n)| format!("{word} {n}")).collect();
        if parts.is_empty() {
            return "no session yet".to_owned();
        }
        format!("{} (sessions); confidence {:.2}", parts.join(", "), self.confidence)
    }
}
