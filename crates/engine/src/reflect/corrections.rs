//! Corrections that the user had to repeat.

use hark_core::likeness::{Likeness, compare};
use hark_core::text::terms;
use hark_core::{IdRef, Status};
use hark_store::StoredEvidence;

use super::{Finding, Ground, Sort, head, shell_word};
use crate::error::EngineError;
use crate::operation::text::count;

/// The share of words from which two corrections are about the same.
const SHARED: f64 = 0.5;
const CHARS: usize = 120;

/// Groups of two and more corrections, in the newest words.
pub(super) fn repeated(ground: &Ground<'_>) -> Result<Vec<Finding>, EngineError> {
    let spoken = ground.complaints.iter().filter(|one| one.evidence.sort.is_explicit());
    let mut groups: Vec<Vec<&StoredEvidence>> = Vec::new();
    for one in spoken {
        let fits = |group: &&mut Vec<&StoredEvidence>| {
            group.iter().any(|other| {
                other.project == one.project && are_alike(&other.evidence.text, &one.evidence.text)
            })
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    let mut found = Vec::new();
    for group in groups.iter().filter(|group| group.len() > 1) {
        let Some(newest) = group.last() else { continue };
        let mut sessions: Vec<i64> = group.iter().map(|one| one.session).collect();
        sessions.sort_unstable();
        sessions.dedup();
        let led_to = group.iter().rev().find_map(|one| one.insight);
        let led_to = led_to.and_then(|id| ground.engine.store.find(&IdRef::Full(id)).ok());
        let led_to = led_to.map(|stored| stored.memory).filter(|memory| memory.status != Status::Archived);
        let command = match &led_to {
            Some(insight) if insight.status == Status::Proposed => {
                format!("hark inbox accept {}", insight.id.short())
            }
            // It is accepted, so it is acted on already.
            Some(_) => continue,
            None => format!("hark remember {} --kind rule", shell_word(&head(&newest.evidence.text, CHARS))),
        };
        found.push(Finding {
            sort: Sort::RepeatedCorrection,
            text: format!(
                "{} ({} in {})",
                head(&newest.evidence.text, CHARS),
                count(group.len(), "time", "times"),
                count(sessions.len(), "session", "sessions")
            ),
            ids: led_to.iter().map(|insight| insight.id.short()).collect(),
            count: group.len() as u32,
            command,
        });
    }
    Ok(found)
}

fn are_alike(one: &str, other: &str) -> bool {
    let sorted = |text: &str| {
        let mut words = terms(text);
        words.sort_unstable();
        words.dedup();
        words
    };
    let (a, b) = (sorted(one), sorted(other));
    let shared = a.iter().filter(|word| b.binary_search(word).is_ok()).count();
    let all = a.len() + b.len() - shared;
    // "No" and "stop" say nothing about what was wrong.
    (shared >= 2 && shared as f64 / all as f64 >= SHARED)
        || (shared > 0 && compare(one, other, None) != Likeness::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_of_the_same_thing_are_alike() {
        assert!(are_alike("no, use pnpm instead of npm", "use pnpm, not npm"));
        assert!(are_alike("I told you to use pnpm and not npm", "again: use pnpm, not npm!"));
        assert!(!are_alike("use pnpm, not npm", "the button must be blue"));
        assert!(!are_alike("no", "stop"));
    }
}
