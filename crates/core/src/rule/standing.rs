//! What the record of a rule says about it: how much to trust it, and when to propose its end.

use crate::guidance::Record;
use crate::time::{DAY_MS, Timestamp};

/// What an insight needs to be proposed as a rule by itself: the thresholds of importance and confidence.
pub const PROMOTE_IMPORTANCE: u8 = 5;
pub const PROMOTE_CONFIDENCE: f32 = 0.8;
/// A rule that never matches for this long is probably over.
pub const QUIET_DAYS: i64 = 90;
/// A rule starts as if this many sessions had been seen, so that one of them does not decide.
const PRIOR: f32 = 4.0;
/// So many breaches in a row of nobody minding make a rule doubtful.
const MOST_BROKEN: u32 = 3;

/// The confidence of a rule: the share of sessions in which it held, and what it started with until there are many. What the
/// user let happen counts against it like a breach: the rule was wrong then.
pub fn confidence(initial: f32, record: &Record) -> f32 {
    let held = record.upheld as f32;
    let against = (record.broken + record.overruled) as f32;
    (initial.clamp(0.0, 1.0) * PRIOR + held) / (PRIOR + held + against)
}

/// Why a rule should be retired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retire {
    /// It is broken more often than upheld, and nobody minded.
    Broken,
    /// The user keeps overruling it.
    Overruled,
    /// It has not matched for [`QUIET_DAYS`].
    Quiet,
}

impl Retire {
    pub const fn reason(self) -> &'static str {
        match self {
            Retire::Broken => "it is broken more often than upheld, and nobody minds",
            Retire::Overruled => "you overrule it more often than not",
            Retire::Quiet => "it has not matched for 90 days",
        }
    }
}

/// Whether to propose that a rule is retired. `since` is when it was accepted or last changed; `minded` is how often the
/// user complained about what it is about since then.
pub fn retire(record: &Record, has_triggers: bool, minded: u32, since: Timestamp, now: Timestamp) -> Option<Retire> {
    if record.overruled >= MOST_BROKEN && record.overruled > record.upheld {
        return Some(Retire::Overruled);
    }
    if record.broken >= MOST_BROKEN && record.broken > record.upheld && minded == 0 {
        return Some(Retire::Broken);
    }
    let last = record.last.unwrap_or(since).max(since);
    let quiet = now.as_millis() - last.as_millis() > QUIET_DAYS * DAY_MS;
    (has_triggers && quiet).then_some(Retire::Quiet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_that_holds_rises_and_one_that_does_not_sinks() {
        let after = |upheld, broken| confidence(0.8, &Record { upheld, broken, ..Record::default() });
        assert!((after(0, 0) - 0.8).abs() < 1e-6);
        assert!(after(5, 0) > after(1, 0) && after(1, 0) > 0.8);
        assert!(after(0, 5) < after(0, 1) && after(0, 5) < 0.5);
    }

    #[test]
    fn retirement_is_proposed_for_a_reason() {
        let day = |n: i64| Timestamp::from_millis(n * DAY_MS);
        let of = |record: Record, minded, now| retire(&record, true, minded, day(0), day(now));
        assert_eq!(of(Record::default(), 0, 89), None);
        assert_eq!(of(Record::default(), 0, 91), Some(Retire::Quiet));
        assert_eq!(of(Record { last: Some(day(50)), ..Record::default() }, 0, 91), None);
        let broken = Record { broken: 3, last: Some(day(80)), ..Record::default() };
        assert_eq!(of(broken, 0, 81), Some(Retire::Broken));
        assert_eq!(of(broken, 1, 81), None, "somebody minds");
        assert_eq!(of(Record { overruled: 4, upheld: 1, ..broken }, 1, 81), Some(Retire::Overruled));
    }
}
