//! What a request says about rejected options, acceptance criteria and reminders, as a memory keeps it.

use hark_core::remind::Remind;
use hark_core::{Clean, Guidance, Kind, Timestamp};

use crate::engine::Engine;
use crate::error::EngineError;

/// More of them are a document.
const MOST_LINES: usize = 20;
const MOST_CHARS: usize = 500;

/// Redacted lines of a request, each once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Particulars {
    pub(crate) rejected: Vec<Clean>,
    pub(crate) criteria: Vec<Clean>,
    pub(crate) remind: Option<Remind>,
}

impl Particulars {
    pub(crate) fn of(
        engine: &Engine,
        rejected: &[String],
        criteria: &[String],
        remind: Option<&str>,
        now: Timestamp,
    ) -> Result<Self, EngineError> {
        let remind = remind.map(|text| Remind::parse(text, now)).transpose();
        Ok(Particulars {
            rejected: lines(engine, "a rejected option", rejected)?,
            criteria: lines(engine, "a criterion", criteria)?,
            remind: remind.map_err(|e| EngineError::invalid(engine.clean(&e.to_string()).to_string(), ""))?,
        })
    }

    /// Adds them to what a memory of this kind has.
    pub(crate) fn add_to(&self, guidance: &mut Guidance, kind: Kind) -> Result<(), EngineError> {
        add(&mut guidance.rejected, &self.rejected);
        add(&mut guidance.criteria, &self.criteria);
        if guidance.rejected.len().max(guidance.criteria.len()) > MOST_LINES {
            return Err(EngineError::invalid(
                format!("a memory has at most {MOST_LINES} rejected options and as many criteria"),
                "store the details as a document, and name it with --file",
            ));
        }
        match &self.remind {
            None => {}
            Some(Remind::Never) => {
                guidance.remind = None;
                if kind.has_reminders() {
                    guidance.when.retain(|text| !text.starts_with("file:"));
                }
            }
            Some(Remind::At(at)) if kind.has_reminders() || kind.is_reviewed() => guidance.remind = Some(*at),
            Some(Remind::Touched(trigger)) if kind.has_reminders() => {
                add(&mut guidance.when, &[Clean::already_redacted(trigger.to_string())]);
            }
            Some(_) => {
                return Err(EngineError::invalid(
                    format!("a {kind} cannot have this reminder"),
                    "store the reminder as a task: hark remember \"…\" --kind task --remind 2w",
                ));
            }
        }
        Ok(())
    }
}

fn add(kept: &mut Vec<Clean>, more: &[Clean]) {
    for line in more {
        if !kept.contains(line) {
            kept.push(line.clone());
        }
    }
}

/// Each on one line. Nothing is cut: half a reason says something else.
fn lines(engine: &Engine, what: &str, texts: &[String]) -> Result<Vec<Clean>, EngineError> {
    let mut kept = Vec::new();
    for text in texts {
        let text = engine.clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
        let length = text.chars().count();
        if length > MOST_CHARS {
            return Err(EngineError::invalid(
                format!("{what} has {length} characters; the limit is {MOST_CHARS}"),
                "shorten it",
            ));
        }
        if !text.is_empty() {
            add(&mut kept, &[Clean::already_redacted(text)]);
        }
    }
    Ok(kept)
}
