//! Retention: a policy, and what it decides about a memory. Other modules decide who applies it and when.
//!
//! Active memories that have not been used for a long time are archived: hark no longer offers them by
//! itself, but still finds them on request. Archived ones are deleted only if that was requested. Important
//! memories do not age.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::calendar::Calendar;
use crate::kind::Kind;
use crate::lifecycle::Status;
use crate::memory::{Importance, Memory};
use crate::time::{DAY_MS, Timestamp};

/// Memories of at least this importance do not age.
const IMPORTANT: u8 = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Days without a change, confirmation or use after which an active memory is archived; 0 means never.
    pub archive_days: u32,
    /// Exceptions for single kinds.
    pub kinds: BTreeMap<Kind, u32>,
    /// Days after which a resolved memory is archived; 0 means never.
    pub resolved_days: u32,
    /// Days after which an archived memory is deleted; 0 means never.
    pub purge_days: u32,
}

/// What to do with a memory, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    Keep(Reason),
    Archive(Reason),
    Purge(Reason),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    Pinned,
    /// A rule, directive or constraint.
    Standing,
    Important,
    /// Not old enough.
    Young,
    /// Its kind, or everything, is kept forever.
    NoLimit,
    /// Replaced; kept as history.
    History,
    /// A task or blocker that nobody has resolved.
    Open,
    /// Proposed and still undecided.
    Undecided,
    Untouched {
        days: u32,
    },
    Resolved {
        days: u32,
    },
    Archived {
        days: u32,
    },
    Expired,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Pinned => f.write_str("pinned"),
            Reason::Standing => f.write_str("rules, directives and constraints never expire"),
            Reason::Important => f.write_str("important"),
            Reason::Young => f.write_str("not old enough"),
            Reason::NoLimit => f.write_str("kept forever"),
            Reason::History => f.write_str("replaced; kept as history"),
            Reason::Open => f.write_str("still open"),
            Reason::Undecided => f.write_str("awaiting your decision"),
            Reason::Untouched { days } => write!(f, "not touched for {days} days"),
            Reason::Resolved { days } => write!(f, "resolved {days} days ago"),
            Reason::Archived { days } => write!(f, "archived {days} days ago"),
            Reason::Expired => f.write_str("expired"),
        }
    }
}

/// How to count days.
#[derive(Debug, Clone, Copy)]
pub enum Days<'c> {
    /// By date: for what a person requests and sees.
    OfDates(Timestamp),
    /// By the days on which the store was used: for background work.
    OfUse(Timestamp, &'c Calendar),
}

impl Days<'_> {
    fn since(&self, then: Timestamp) -> u32 {
        match self {
            Days::OfDates(now) => {
                let passed = now.as_millis().saturating_sub(then.as_millis()) / DAY_MS;
                u32::try_from(passed).unwrap_or(0)
            }
            Days::OfUse(_, calendar) => calendar.days_since(then),
        }
    }

    /// Whether a time is past; in background work, whether it certainly is.
    fn is_past(&self, then: Timestamp) -> bool {
        match self {
            Days::OfDates(now) => then <= *now,
            Days::OfUse(now, calendar) => then <= *now && calendar.is_past(then),
        }
    }
}

impl Policy {
    /// Decides about `memory`, which was last used at `used`.
    pub fn judge(&self, memory: &Memory, used: Option<Timestamp>, days: Days<'_>) -> Fate {
        if let Some(reason) = protection(memory) {
            return Fate::Keep(reason);
        }
        let closed = memory.closed.unwrap_or(memory.updated);
        match memory.status {
            Status::Superseded => Fate::Keep(Reason::History),
            Status::Proposed => Fate::Keep(Reason::Undecided),
            Status::Archived => match over(closed, self.purge_days, days) {
                Some(days) => Fate::Purge(Reason::Archived { days }),
                None if self.purge_days == 0 => Fate::Keep(Reason::NoLimit),
                None => Fate::Keep(Reason::Young),
            },
            Status::Resolved => match over(closed, self.resolved_days, days) {
                Some(days) => Fate::Archive(Reason::Resolved { days }),
                None if self.resolved_days == 0 => Fate::Keep(Reason::NoLimit),
                None => Fate::Keep(Reason::Young),
            },
            Status::Active if memory.expires.is_some_and(|at| days.is_past(at)) => {
                Fate::Archive(Reason::Expired)
            }
            // Open work ages only if a window for its kind was chosen.
            Status::Active if memory.kind.is_work() && !self.kinds.contains_key(&memory.kind) => {
                Fate::Keep(Reason::Open)
            }
            Status::Active => {
                let window = self.kinds.get(&memory.kind).copied().unwrap_or(self.archive_days);
                match over(last_touch(memory, used), window, days) {
                    Some(days) => Fate::Archive(Reason::Untouched { days }),
                    None if window == 0 => Fate::Keep(Reason::NoLimit),
                    None => Fate::Keep(Reason::Young),
                }
            }
        }
    }
}

/// Why a memory does not age, if it does not.
fn protection(memory: &Memory) -> Option<Reason> {
    if memory.pinned {
        Some(Reason::Pinned)
    } else if matches!(memory.kind, Kind::Rule | Kind::Directive | Kind::Constraint) {
        Some(Reason::Standing)
    } else if memory.importance >= Importance::clamped(i64::from(IMPORTANT)) {
        Some(Reason::Important)
    } else {
        None
    }
}

/// When it was last changed, confirmed or used.
pub fn last_touch(memory: &Memory, used: Option<Timestamp>) -> Timestamp {
    let confirmed = memory.life.confirmed.unwrap_or(memory.updated);
    memory.updated.max(confirmed).max(used.unwrap_or(memory.updated))
}

/// Days since then, if there are at least `least`.
fn over(since: Timestamp, least: u32, days: Days<'_>) -> Option<u32> {
    let passed = days.since(since);
    (least > 0 && passed >= least).then_some(passed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::{Raw, RedactOptions, Redactor};
    use crate::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn policy() -> Policy {
        Policy {
            archive_days: 180,
            kinds: BTreeMap::from([(Kind::Decision, 0), (Kind::Task, 30)]),
            resolved_days: 90,
            purge_days: 365,
        }
    }

    fn aged(kind: Kind, status: Status, days: i64) -> Memory {
        let then = NOW.minus_millis(days * DAY_MS);
        let text = format!(
            "---\nid: {}\nkind: {kind}\nstatus: {status}\ncreated: {then}\nupdated: {then}\nclosed: {then}\n---\n\nsome text\n",
            MemoryId::new(then, [7; 10]).full()
        );
        let redactor = Redactor::new(RedactOptions::default(), [0; 32]);
        markdown::parse(&text, &|raw: Raw| redactor.clean(raw)).unwrap()
    }

    fn fate(memory: &Memory) -> Fate {
        policy().judge(memory, None, Days::OfDates(NOW))
    }

    #[test]
    fn each_zone_has_its_window() {
        assert_eq!(fate(&aged(Kind::Fact, Status::Active, 179)), Fate::Keep(Reason::Young));
        assert_eq!(
            fate(&aged(Kind::Fact, Status::Active, 180)),
            Fate::Archive(Reason::Untouched { days: 180 })
        );
        assert_eq!(fate(&aged(Kind::Blocker, Status::Resolved, 89)), Fate::Keep(Reason::Young));
        assert_eq!(
            fate(&aged(Kind::Blocker, Status::Resolved, 90)),
            Fate::Archive(Reason::Resolved { days: 90 })
        );
        assert_eq!(fate(&aged(Kind::Fact, Status::Archived, 364)), Fate::Keep(Reason::Young));
        assert_eq!(
            fate(&aged(Kind::Fact, Status::Archived, 365)),
            Fate::Purge(Reason::Archived { days: 365 })
        );
        assert_eq!(fate(&aged(Kind::Fact, Status::Superseded, 4_000)), Fate::Keep(Reason::History));
        assert_eq!(
            fate(&aged(Kind::Task, Status::Active, 31)),
            Fate::Archive(Reason::Untouched { days: 31 })
        );
        assert_eq!(fate(&aged(Kind::Decision, Status::Active, 4_000)), Fate::Keep(Reason::NoLimit));
    }

    #[test]
    fn important_memories_never_age() {
        for kind in [Kind::Rule, Kind::Directive, Kind::Constraint] {
            for status in Status::ALL {
                assert!(matches!(fate(&aged(kind, *status, 9_999)), Fate::Keep(_)), "{kind} {status}");
            }
        }
        for importance in 1..=5 {
            let mut memory = aged(Kind::Fact, Status::Active, 9_999);
            memory.importance = Importance::clamped(importance);
            assert_eq!(fate(&memory) == Fate::Keep(Reason::Important), importance >= 4, "{importance}");
        }
        let mut pinned = aged(Kind::Fact, Status::Archived, 9_999);
        pinned.pinned = true;
        assert_eq!(fate(&pinned), Fate::Keep(Reason::Pinned));
    }

    #[test]
    fn open_work_does_not_age_unless_its_kind_has_a_window() {
        assert_eq!(fate(&aged(Kind::Blocker, Status::Active, 9_999)), Fate::Keep(Reason::Open));
        let without_kinds = Policy { kinds: BTreeMap::new(), ..policy() };
        let task = aged(Kind::Task, Status::Active, 9_999);
        assert_eq!(without_kinds.judge(&task, None, Days::OfDates(NOW)), Fate::Keep(Reason::Open));
        assert!(matches!(fate(&task), Fate::Archive(Reason::Untouched { .. })));
        let mut late = aged(Kind::Blocker, Status::Active, 1);
        late.expires = Some(NOW);
        assert_eq!(fate(&late), Fate::Archive(Reason::Expired));
    }

    #[test]
    fn use_and_confirmation_keep_it_young() {
        let mut memory = aged(Kind::Fact, Status::Active, 400);
        let lately = NOW.minus_millis(10 * DAY_MS);
        assert_eq!(policy().judge(&memory, Some(lately), Days::OfDates(NOW)), Fate::Keep(Reason::Young));
        memory.life.confirmed = Some(lately);
        assert_eq!(fate(&memory), Fate::Keep(Reason::Young));
        memory.expires = Some(lately);
        assert_eq!(fate(&memory), Fate::Archive(Reason::Expired));
    }

    #[test]
    fn a_clock_that_is_years_ahead_ages_nothing() {
        let day = |back: i64| NOW.minus_millis(back * DAY_MS);
        let number = |back: i64| crate::calendar::day_of(day(back));
        let mut memory = aged(Kind::Fact, Status::Active, 4_000);
        memory.expires = Some(day(3_000));
        // Used for some days ten years ago, and once today.
        let jumped = Calendar::new((4_000..4_050).map(number).chain([number(0)]), NOW);
        assert_eq!(policy().judge(&memory, None, Days::OfUse(NOW, &jumped)), Fate::Keep(Reason::Young));
        let used = Calendar::new((0..200).map(number), NOW);
        assert_eq!(policy().judge(&memory, None, Days::OfUse(NOW, &used)), Fate::Archive(Reason::Expired));
        memory.expires = None;
        let old = Fate::Archive(Reason::Untouched { days: 200 });
        assert_eq!(policy().judge(&memory, None, Days::OfUse(NOW, &used)), old);
    }
}
