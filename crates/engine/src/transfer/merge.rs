//! Merges two states of one memory: the newer wins, the higher importance and all tags are kept. The caller
//! stores the other state in the history.

use std::cmp::Ordering;

use hark_core::{Memory, markdown};

/// What becomes of an arriving state of a memory that is here already.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Merge {
    /// Ours says all that it says.
    Unchanged,
    /// Ours stays; the arriving one is an older state that differs.
    Older,
    /// The arriving state as it is.
    Theirs,
    /// Something of both.
    Both(Box<Memory>),
    /// The arriving one is newer, but its origin may not replace ours.
    Refused,
}

pub(super) fn merge(ours: &Memory, theirs: &Memory) -> Merge {
    if ours == theirs {
        return Merge::Unchanged;
    }
    let they_win = newer(theirs, ours) == Ordering::Greater;
    if they_win && !theirs.origin.may_supersede(ours.kind, ours.origin) {
        return Merge::Refused;
    }
    let (winner, loser) = if they_win { (theirs, ours) } else { (ours, theirs) };
    let mut merged = winner.clone();
    merged.importance = winner.importance.max(loser.importance);
    for tag in &loser.tags {
        if !merged.tags.iter().any(|known| known.eq_ignore_ascii_case(tag)) {
            merged.tags.push(tag.clone());
        }
    }
    // Sources without dates of their own have a file's, which moves on.
    merged.created = winner.created.min(loser.created);
    match (merged == *winner, they_win) {
        (true, true) => Merge::Theirs,
        (true, false) => Merge::Older,
        (false, _) => {
            // So that the same arrival later finds nothing left to do.
            merged.revision = winner.revision.max(loser.revision).saturating_add(1);
            Merge::Both(Box::new(merged))
        }
    }
}

/// By the time of the last change, then by the number of changes, then by what is written: two stores
/// that swap exports end up with the same.
fn newer(a: &Memory, b: &Memory) -> Ordering {
    a.updated
        .cmp(&b.updated)
        .then(a.revision.cmp(&b.revision))
        .then_with(|| markdown::render(a).cmp(&markdown::render(b)))
}

#[cfg(test)]
mod tests {
    use hark_core::memory::Importance;
    use hark_core::redact::{Clean, RedactOptions, Redactor};
    use hark_core::{Kind, Origin, Timestamp};
    use proptest::prelude::*;

    use super::*;

    /// One memory in some state.
    fn state() -> impl Strategy<Value = Memory> {
        let tags = proptest::collection::vec("[ab]", 0..3);
        (0..3i64, 1..4u32, 1..=5i64, tags, "[xy]").prop_map(|(day, revision, importance, tags, body)| {
            let text = format!(
                "---\nid: 0195a3c0-0000-7000-8000-000000000001\nkind: fact\ntitle: t\norigin: user\n---\n\n{body}\n"
            );
            let redactor = Redactor::new(RedactOptions::default(), [0; 32]);
            let mut memory = markdown::parse(&text, &|raw| redactor.clean(raw)).unwrap();
            memory.updated = Timestamp::from_millis(memory.created.as_millis() + day);
            memory.revision = revision;
            memory.importance = Importance::clamped(importance);
            memory.tags = tags.into_iter().map(Clean::already_redacted).collect();
            memory.tags.dedup();
            memory
        })
    }

    fn outcome(ours: &Memory, theirs: &Memory) -> Memory {
        match merge(ours, theirs) {
            Merge::Unchanged | Merge::Older | Merge::Refused => ours.clone(),
            Merge::Theirs => theirs.clone(),
            Merge::Both(merged) => *merged,
        }
    }

    proptest! {
        #[test]
        fn a_second_arrival_changes_nothing(ours in state(), theirs in state()) {
            let once = outcome(&ours, &theirs);
            prop_assert_eq!(outcome(&once, &theirs), once);
        }

        #[test]
        fn both_sides_end_up_with_the_same(ours in state(), theirs in state()) {
            prop_assert_eq!(outcome(&ours, &theirs), outcome(&theirs, &ours));
        }

        #[test]
        fn nothing_of_worth_is_lost(ours in state(), theirs in state()) {
            let merged = outcome(&ours, &theirs);
            prop_assert_eq!(merged.importance, ours.importance.max(theirs.importance));
            prop_assert_eq!(merged.updated, ours.updated.max(theirs.updated));
            for tag in ours.tags.iter().chain(&theirs.tags) {
                prop_assert!(merged.tags.contains(tag));
            }
        }

        #[test]
        fn an_assistant_does_not_overwrite_a_user(ours in state(), theirs in state()) {
            let theirs = Memory { origin: Origin::Assistant, kind: Kind::Fact, ..theirs };
            prop_assert_eq!(&outcome(&ours, &theirs).body, &ours.body);
        }
    }
}
