//! When a session is over: adds what a rule came to in it to the record in the rule's file.

use std::time::{Duration, Instant};

use hark_core::guidance::Record;
use hark_core::{IdRef, Memory};
use hark_store::{RuleCase, StoreError};

use crate::engine::Engine;
use crate::error::EngineError;

/// What a rule is trusted with before anything is known of it.
pub(crate) const INITIAL: f32 = 0.8;
const BATCH: usize = 500;

/// Closes the cases of sessions that are over. Returns how many.
pub(crate) fn in_background(
    engine: &mut Engine,
    started: Instant,
    limit: Duration,
) -> Result<usize, EngineError> {
    let mut closed = 0;
    for case in engine.store.rule_cases_to_close(BATCH)? {
        if started.elapsed() > limit {
            break;
        }
        let now = engine.now();
        engine.store.write(now, |writer| {
            match writer.load(&IdRef::Full(case.rule)) {
                Ok(before) => {
                    let after = recorded(&before, &case);
                    if after != before {
                        writer.update(&before, &after, "recorded")?;
                    }
                }
                // It was forgotten, or its file cannot be read now.
                Err(StoreError::NotFound { .. } | StoreError::Unreadable { .. }) => {}
                Err(error) => return Err(EngineError::from(error)),
            }
            writer.close_rule_case(&case.rule, case.session)?;
            Ok::<_, EngineError>(())
        })?;
        closed += 1;
    }
    Ok(closed)
}

/// The rule with one more session in its record. Its age is that of its words, so `updated` stays.
fn recorded(before: &Memory, case: &RuleCase) -> Memory {
    let mut after = before.clone();
    after.guidance.record = counted(before.guidance.record, case);
    if after.guidance.record != before.guidance.record {
        after.confidence = hark_core::rule::confidence(INITIAL, &after.guidance.record);
        after.revision += 1;
    }
    after
}

/// A silent session says nothing about a rule that nobody was told; it counts in the proof only.
fn counted(record: Record, case: &RuleCase) -> Record {
    if case.silent {
        return record;
    }
    let was = |count: u32| u32::from(count > 0);
    let heard = case.told > 0 || case.asked > 0;
    let held = case.matched > 0 && heard && case.broken == 0 && case.overruled == 0;
    Record {
        told: record.told + was(case.told),
        matched: record.matched + was(case.matched),
        upheld: record.upheld + u32::from(held),
        broken: record.broken + was(case.broken),
        overruled: record.overruled + was(case.overruled),
        last: if case.matched > 0 { record.last.max(Some(case.at)) } else { record.last },
    }
}

/// The record as it would be if the sessions that are still open ended now.
pub(crate) fn with_open(engine: &Engine, rule: &Memory) -> Result<Record, EngineError> {
    let cases = engine.store.rule_cases(&rule.id)?;
    Ok(cases.iter().filter(|case| !case.closed).fold(rule.guidance.record, counted))
}

#[cfg(test)]
mod tests {
    use hark_core::{MemoryId, Timestamp};

    use super::*;

    fn case() -> RuleCase {
        RuleCase {
            rule: MemoryId::from_bytes([1; 16]),
            session: 1,
            at: Timestamp::from_millis(5),
            matched: 0,
            told: 0,
            denied: 0,
            asked: 0,
            broken: 0,
            overruled: 0,
            silent: false,
            closed: false,
            call: String::new(),
        }
    }

    #[test]
    fn a_session_upholds_a_rule_or_breaks_it() {
        let of = |case: RuleCase| counted(Record::default(), &case);
        let held = of(RuleCase { matched: 4, told: 1, ..case() });
        assert_eq!((held.matched, held.upheld, held.broken), (1, 1, 0));
        let broken = of(RuleCase { matched: 4, told: 2, broken: 3, ..case() });
        assert_eq!((broken.upheld, broken.broken), (0, 1), "one session counts once");
        let overruled = of(RuleCase { matched: 1, asked: 1, overruled: 1, ..case() });
        assert_eq!((overruled.upheld, overruled.overruled), (0, 1));
        assert_eq!(of(RuleCase { matched: 1, silent: true, broken: 1, ..case() }), Record::default());
        assert_eq!(of(RuleCase { told: 1, ..case() }).upheld, 0, "it never came to it");
    }
}
