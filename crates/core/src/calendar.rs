//! The days on which a store was used. Memories age by these days and not by the calendar, so that neither a
//! long holiday nor a clock that is years ahead archives a whole store: each counts as one day.

use crate::time::{DAY_MS, Timestamp};

/// Days of use up to today, each once, in order, as day numbers since the epoch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Calendar {
    days: Vec<i64>,
}

/// The number of a day.
pub const fn day_of(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(DAY_MS)
}

impl Calendar {
    /// Ignores days after `now`: a clock that was ahead recorded them.
    pub fn new(days: impl IntoIterator<Item = i64>, now: Timestamp) -> Self {
        let today = day_of(now);
        let mut days: Vec<i64> = days.into_iter().filter(|day| *day <= today).collect();
        days.sort_unstable();
        days.dedup();
        Calendar { days }
    }

    /// Days of use after the day of `since`.
    pub fn days_since(&self, since: Timestamp) -> u32 {
        let from = self.days.partition_point(|day| *day <= day_of(since));
        u32::try_from(self.days.len() - from).unwrap_or(u32::MAX)
    }

    /// Whether a time is certainly past: there are two days of use after it, close to each other. A single
    /// such day, or one every few years, is a clock that is ahead.
    pub fn is_past(&self, then: Timestamp) -> bool {
        const NEAR: i64 = 31;
        let from = self.days.partition_point(|day| *day <= day_of(then));
        self.days[from..].windows(2).any(|pair| pair[1] - pair[0] <= NEAR)
    }

    /// The time before which everything has seen this many days of use. `None` if there were fewer.
    pub fn before(&self, days: u32) -> Option<Timestamp> {
        let back = usize::try_from(days).ok()?;
        let day = self.days.len().checked_sub(back.max(1)).and_then(|at| self.days.get(at))?;
        Some(Timestamp::from_millis(day * DAY_MS))
    }

    /// The stored form: `20400-20410 20413`.
    pub fn written(&self) -> String {
        let mut spans: Vec<(i64, i64)> = Vec::new();
        for day in &self.days {
            match spans.last_mut() {
                Some((_, to)) if *to + 1 == *day => *to = *day,
                _ => spans.push((*day, *day)),
            }
        }
        let span = |(from, to): &(i64, i64)| {
            if from == to { from.to_string() } else { format!("{from}-{to}") }
        };
        spans.iter().map(span).collect::<Vec<_>>().join(" ")
    }

    /// Reads the days from the stored form of [`Calendar::written`]. Skips what cannot be parsed.
    pub fn read(text: &str) -> Vec<i64> {
        /// No valid range is longer than a few lifetimes.
        const LONGEST: i64 = 100_000;
        let span = |word: &str| -> Option<(i64, i64)> {
            let (from, to) = word.split_once('-').unwrap_or((word, word));
            Some((from.parse().ok()?, to.parse().ok()?))
        };
        let spans = text.split_whitespace().filter_map(span);
        spans
            .filter(|(from, to)| (0..LONGEST).contains(&(to - from)))
            .flat_map(|(from, to)| from..=to)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_millis(day * DAY_MS + 7_000)
    }

    #[test]
    fn a_clock_jump_counts_as_one_day_and_future_days_do_not_count() {
        let calendar = Calendar::new([10, 11, 12, 12, 4_000], at(4_000));
        assert_eq!(calendar.days_since(at(10)), 3);
        let back = Calendar::new([10, 11, 12, 12, 4_000, 13], at(13));
        assert_eq!((back.days_since(at(10)), back.days_since(at(13)), back.days_since(at(4_000))), (3, 0, 0));
        assert_eq!(back.before(3), Some(Timestamp::from_millis(11 * DAY_MS)));
        assert!(back.is_past(at(10)) && !back.is_past(at(12)));
        assert!(!Calendar::new([10, 500, 1_000, 4_000], at(4_000)).is_past(at(11)));
        assert_eq!((back.before(5), Calendar::default().before(1)), (None, None));
    }

    #[test]
    fn the_stored_form_round_trips() {
        let calendar = Calendar::new([5, 1, 2, 3, 9, 10], at(100));
        assert_eq!(calendar.written(), "1-3 5 9-10");
        assert_eq!(Calendar::new(Calendar::read(&calendar.written()), at(100)), calendar);
        assert_eq!(Calendar::read("x 3-1 7 1-999999999999"), [7]);
    }
}
