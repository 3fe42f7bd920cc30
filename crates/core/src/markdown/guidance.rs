//! The front-matter keys of rules, insights, skills, decisions and reminders.

use std::fmt::Write;

use super::front_matter::{EvidenceEntry, OneOrMany, RecordEntry};
use super::parse::{ParseError, checked, field, time};
use super::render::{flow_scalar, line, list};
use crate::guidance::{Evidence, Guidance, Record, Sort};
use crate::redact::{Clean, Raw};

/// The keys as they are in the file.
pub(super) struct Entries {
    pub(super) when: OneOrMany,
    pub(super) action: Option<String>,
    pub(super) avoid: OneOrMany,
    pub(super) paused: Option<bool>,
    pub(super) evidence: Option<Vec<EvidenceEntry>>,
    pub(super) record: Option<RecordEntry>,
    pub(super) rejected: OneOrMany,
    pub(super) criteria: OneOrMany,
    pub(super) remind: Option<String>,
}

impl Entries {
    pub(super) fn read(self, clean: &dyn Fn(Raw) -> Clean) -> Result<Guidance, ParseError> {
        let list = |values: OneOrMany| -> Vec<Clean> {
            let kept = values.into_sentences().into_iter().filter(|text| !text.trim().is_empty());
            kept.map(|text| clean(Raw::new(text))).collect()
        };
        let evidence = self.evidence.unwrap_or_default().into_iter().map(|entry| {
            Ok(Evidence {
                at: time("evidence", Some(&entry.at), clean)?.unwrap_or_default(),
                sort: checked("evidence", &entry.sort, clean, |word| word.parse::<Sort>())?,
                session: entry.session.filter(|id| !id.is_empty()).map(|id| clean(Raw::new(id))),
                text: clean(Raw::new(entry.text)),
            })
        });
        let record = self.record.unwrap_or_default();
        Ok(Guidance {
            when: list(self.when),
            action: field("action", self.action.as_deref(), clean)?,
            avoid: list(self.avoid),
            paused: self.paused.unwrap_or(false),
            evidence: evidence.collect::<Result<_, ParseError>>()?,
            record: Record {
                told: record.told.unwrap_or(0),
                matched: record.matched.unwrap_or(0),
                upheld: record.upheld.unwrap_or(0),
                broken: record.broken.unwrap_or(0),
                overruled: record.overruled.unwrap_or(0),
                last: time("record", record.last.as_deref(), clean)?,
            },
            rejected: list(self.rejected),
            criteria: list(self.criteria),
            remind: time("remind", self.remind.as_deref(), clean)?,
        })
    }
}

pub(super) fn render(out: &mut String, guidance: &Guidance) {
    list(out, "when", &guidance.when);
    if let Some(action) = guidance.action {
        line(out, "action", action.name());
    }
    list(out, "avoid", &guidance.avoid);
    if guidance.paused {
        line(out, "paused", "true");
    }
    if !guidance.evidence.is_empty() {
        out.push_str("evidence:\n");
        for one in &guidance.evidence {
            let session = one.session.as_ref().map(|id| format!(", session: {}", flow_scalar(id)));
            let (at, sort, text) = (one.at, one.sort, flow_scalar(&one.text));
            let _ = writeln!(out, "  - {{at: {at}, sort: {sort}{}, text: {text}}}", session.unwrap_or_default());
        }
    }
    record(out, &guidance.record);
    list(out, "rejected", &guidance.rejected);
    list(out, "criteria", &guidance.criteria);
    if let Some(at) = guidance.remind {
        line(out, "remind", &at.to_string());
    }
}

fn record(out: &mut String, record: &Record) {
    let counts = [
        ("told", record.told),
        ("matched", record.matched),
        ("upheld", record.upheld),
        ("broken", record.broken),
        ("overruled", record.overruled),
    ];
    let mut parts: Vec<String> =
        counts.iter().filter(|(_, count)| *count > 0).map(|(key, count)| format!("{key}: {count}")).collect();
    parts.extend(record.last.map(|at| format!("last: {at}")));
    if !parts.is_empty() {
        line(out, "record", &format!("{{{}}}", parts.join(", ")));
    }
}
