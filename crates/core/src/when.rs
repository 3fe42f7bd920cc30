//! Times that a question mentions: "two weeks ago", "last Friday", "in March", "on 3 May 2023".
//!
//! They are approximate: each is a day with a spread, and what happened close to it fits better. A question
//! without a time fits everything equally. Only English is understood; anything else is not a time.

use std::ops::Range;

use jiff::Span;
use jiff::civil::{Date, date};

use crate::time::{DAY_MS, Timestamp};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const EPOCH: Date = date(1970, 1, 1);
/// Below this, a memory is from another time.
const NO_FIT: f32 = 0.02;

/// A time with at most this spread in days narrows the search.
const EXACT: f64 = 8.0;

/// The times in a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Times {
    around: Vec<Around>,
    /// The ranges of words that only express a time.
    spans: Vec<Range<usize>>,
    /// The ranges of all words that belong to a time, such as the name of a month.
    said: Vec<Range<usize>>,
}

/// A time that is meant: everything inside fits equally, and what is near it a little less.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Around {
    /// Days since 1970.
    center: f64,
    /// Days on each side of the centre that are meant as well.
    reach: f64,
    /// How exact people are, in days.
    spread: f64,
}

impl Around {
    fn day(center: f64, spread: f64) -> Self {
        Around { center, reach: 0.0, spread }
    }

    fn period(center: f64, reach: f64) -> Self {
        Around { center, reach, spread: 0.5 + 0.25 * reach }
    }

    fn fit(&self, day: f64) -> f64 {
        let beyond = ((day - self.center).abs() - self.reach).max(0.0);
        (-0.5 * (beyond / self.spread).powi(2)).exp()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    fn named(word: &str) -> Option<Unit> {
        match word {
            "day" | "days" => Some(Unit::Day),
            "week" | "weeks" => Some(Unit::Week),
            "month" | "months" => Some(Unit::Month),
            "year" | "years" => Some(Unit::Year),
            _ => None,
        }
    }

    const fn days(self) -> f64 {
        match self {
            Unit::Day => 1.0,
            Unit::Week => 7.0,
            Unit::Month => 30.4,
            Unit::Year => 365.0,
        }
    }

    /// How exact people are when they count in this unit.
    const fn spread(self) -> f64 {
        match self {
            Unit::Day => 0.6,
            Unit::Week => 2.0,
            Unit::Month => 8.0,
            Unit::Year => 60.0,
        }
    }
}

impl Times {
    pub fn in_question(text: &str, now: Timestamp) -> Times {
        Times::read_all(text, now, false)
    }

    /// In a search for what happened: "today" is a time, too. In a prompt it rarely is.
    pub fn in_search(text: &str, now: Timestamp) -> Times {
        Times::read_all(text, now, true)
    }

    fn read_all(text: &str, now: Timestamp, today: bool) -> Times {
        let lower = text.to_ascii_lowercase();
        let words = words(&lower);
        let mut times = Times::default();
        let mut at = 0;
        while at < words.len() {
            let mut taken = times.read(&lower, &words, at, now);
            if today && taken == 0 && lower[words[at].clone()] == *"today" {
                times.around.push(Around::day(day_of(now), 0.5));
                taken = 1;
            }
            if taken > 0 {
                times.said.push(words[at].start..words[(at + taken).min(words.len()) - 1].end);
            }
            at += taken.max(1);
        }
        times
    }

    pub fn is_empty(&self) -> bool {
        self.around.is_empty()
    }

    /// How well something from `when` fits, 0 to 1; 0 if the question mentions no time.
    pub fn fit(&self, when: Timestamp) -> f32 {
        let day = day_of(when);
        let best = self.around.iter().map(|around| around.fit(day)).fold(0.0, f64::max) as f32;
        if best < NO_FIT { 0.0 } else { best }
    }

    /// The periods that the question means, if it is precise to within a few weeks.
    pub fn windows(&self) -> Vec<Range<Timestamp>> {
        let exact = self.around.iter().filter(|around| around.reach.max(around.spread) <= EXACT);
        let at = |day: f64| Timestamp::from_millis((day * DAY_MS as f64) as i64);
        let window = |around: &Around| {
            let width = around.reach + 2.0 * around.spread;
            at(around.center - width)..at(around.center + width)
        };
        exact.map(window).collect()
    }

    /// The question without the words that only express a time.
    pub fn without_spans(&self, text: &str) -> String {
        let mut left = String::with_capacity(text.len());
        let mut from = 0;
        for span in &self.spans {
            left.push_str(text.get(from..span.start).unwrap_or_default());
            from = span.end;
        }
        left.push_str(text.get(from..).unwrap_or_default());
        // A question that is nothing but a time must still ask for something.
        if left.chars().any(char::is_alphanumeric) { left } else { text.to_owned() }
    }

    /// The words of a search that are not about time: none of "in May" or "yesterday". Unlike a question for
    /// memories, a search for what happened then names a month as a time.
    pub fn topic(&self, text: &str) -> String {
        let mut left = String::with_capacity(text.len());
        let mut from = 0;
        for span in &self.said {
            left.push_str(text.get(from..span.start).unwrap_or_default());
            from = span.end;
        }
        left.push_str(text.get(from..).unwrap_or_default());
        left
    }

    /// Reads a time that begins at word `at`; returns how many words it took.
    fn read(&mut self, text: &str, words: &[Range<usize>], at: usize, now: Timestamp) -> usize {
        let word = |i: usize| words.get(at + i).map_or("", |range| &text[range.clone()]);
        let span = |count: usize| words[at].start..words[at + count - 1].end;
        let today = day_of(now);
        let asks_how_many = at > 0 && text[words[at - 1].clone()] == *"many";
        if let (Some(count), Some(unit), "ago") = (number(word(0)), Unit::named(word(1)), word(2))
            && !asks_how_many
        {
            let vague = if count < 5.0 { 1.0 } else { 1.5 };
            self.around.push(Around::day(today - count * unit.days(), unit.spread() * vague));
            self.spans.push(span(3));
            return 3;
        }
        match word(0) {
            "yesterday" => {
                self.around.push(Around::day(today - 1.0, 0.7));
                self.spans.push(span(1));
                1
            }
            "last" | "past" | "previous" | "this" => self.read_recent(word, span, today),
            "in" | "during" | "since" | "on" | "of" => self.read_month(word(1), word(2), now),
            _ => self.read_date(word, today),
        }
    }

    /// "last Friday", "this week", "the past three months".
    fn read_recent<'t>(
        &mut self,
        word: impl Fn(usize) -> &'t str,
        span: impl Fn(usize) -> Range<usize>,
        today: f64,
    ) -> usize {
        if let Some(weekday) = WEEKDAYS.iter().position(|day| *day == word(1)) {
            // Day 0 of 1970 was a Thursday.
            let back = (today as i64 + 3 - weekday as i64).rem_euclid(7);
            self.around.push(Around::day(today - if back == 0 { 7.0 } else { back as f64 }, 0.7));
            self.spans.push(span(2));
            return 2;
        }
        if let Some(unit) = Unit::named(word(1)).filter(|unit| *unit != Unit::Day) {
            let back = if word(0) == "last" { 1.0 } else { 0.5 };
            self.around.push(Around::period(today - back * unit.days(), 0.5 * unit.days()));
            self.spans.push(span(2));
            return 2;
        }
        if let (Some(count), Some(unit)) = (number(word(1)), Unit::named(word(2))) {
            let days = count * unit.days();
            self.around.push(Around::period(today - 0.5 * days, 0.5 * days));
            self.spans.push(span(3));
            return 3;
        }
        0
    }

    /// "in May" or "in May 2023": the latest one that has begun, unless a year is given.
    fn read_month(&mut self, name: &str, year: &str, now: Timestamp) -> usize {
        let Some(month) = MONTHS.iter().position(|month| *month == name) else { return 0 };
        let (this_year, this_month, _) = civil_of(day_of(now));
        let month = month as i64 + 1;
        let given = year.parse::<i64>().ok().filter(|y| (1970..2200).contains(y));
        // "on May 3" is a day, not a month.
        if given.is_none() && day_number(year).is_some() {
            return 0;
        }
        let year = given.unwrap_or(if month <= this_month { this_year } else { this_year - 1 });
        // A named month is exact.
        let center = days_from_civil(year, month, 16);
        self.around.push(Around { center, reach: 15.0, spread: 1.0 });
        2 + usize::from(given.is_some())
    }

    /// "May 3, 2023", "3rd of May", "2023-05-03".
    fn read_date<'t>(&mut self, word: impl Fn(usize) -> &'t str, today: f64) -> usize {
        let month = |name: &str| {
            let short = name.trim_end_matches('.');
            let named = |month: &&str| **month == *short || (short.len() == 3 && month.starts_with(short));
            MONTHS.iter().position(named).map(|m| m as i64 + 1)
        };
        if let Ok(date) = Timestamp::parse_absolute(word(0))
            && word(0).len() == 10
        {
            self.around.push(Around::day(day_of(date), 1.2));
            return 1;
        }
        let (month, day, year, taken) = match (month(word(0)), day_number(word(1))) {
            (Some(month), Some(day)) => (month, day, word(2), 2),
            _ => {
                let of = usize::from(word(1) == "of");
                match (day_number(word(0)), month(word(1 + of))) {
                    (Some(day), Some(month)) => (month, day, word(2 + of), 2 + of),
                    _ => return 0,
                }
            }
        };
        let (this_year, ..) = civil_of(today);
        let given = year.parse::<i64>().ok().filter(|y| (1970..2200).contains(y));
        let at = match given {
            Some(year) => days_from_civil(year, month, day),
            None => {
                let this = days_from_civil(this_year, month, day);
                if this <= today + 1.0 { this } else { days_from_civil(this_year - 1, month, day) }
            }
        };
        self.around.push(Around::day(at, 1.2));
        taken + usize::from(given.is_some())
    }
}

fn words(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let inside = c.is_ascii_alphanumeric() || (c == '-' && start.is_some());
        match (inside, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn number(word: &str) -> Option<f64> {
    const NAMES: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    match word {
        "a" | "an" => Some(1.0),
        "couple" => Some(2.0),
        "few" => Some(3.0),
        _ => {
            let named = NAMES.iter().position(|name| *name == word).map(|n| n as f64);
            named.or_else(|| word.parse::<u16>().ok().filter(|n| *n <= 400).map(f64::from))
        }
    }
}

fn day_number(word: &str) -> Option<i64> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = &word[digits.len()..];
    let fits = ending.is_empty() || matches!(ending, "st" | "nd" | "rd" | "th");
    digits.parse().ok().filter(|day| fits && (1..=31).contains(day))
}

fn day_of(when: Timestamp) -> f64 {
    when.as_millis().div_euclid(DAY_MS) as f64
}

/// Days since 1970 of a date; a day that the month does not have becomes its last day.
fn days_from_civil(year: i64, month: i64, day: i64) -> f64 {
    let (year, month, day) = (year as i16, month as i8, day as i8);
    let date = (day - 3..=day).rev().find_map(|day| Date::new(year, month, day).ok()).unwrap_or(EPOCH);
    f64::from((date - EPOCH).get_days())
}

/// Year, month and day of a day since 1970.
fn civil_of(day: f64) -> (i64, i64, i64) {
    // A clock may be arbitrarily wrong; the calendar is finite.
    let date = EPOCH.saturating_add(Span::new().days(day.clamp(-700_000.0, 2_900_000.0) as i32));
    (i64::from(date.year()), i64::from(date.month()), i64::from(date.day()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(date: &str) -> Timestamp {
        Timestamp::parse_absolute(date).unwrap()
    }

    #[test]
    fn a_question_fits_the_day_it_speaks_of() {
        let now = at("2023-06-15");
        for (question, then, elsewhere) in [
            ("What did I buy 10 days ago?", "2023-06-05", "2023-06-12"),
            ("the event two weeks ago", "2023-06-01", "2023-05-18"),
            ("who called yesterday", "2023-06-14", "2023-06-11"),
            ("lunch last Tuesday", "2023-06-13", "2023-06-09"),
            ("trips in the past three months", "2023-05-01", "2022-11-01"),
            ("appointments in March", "2023-03-20", "2023-06-01"),
            ("appointments in August", "2022-08-20", "2023-06-01"),
            ("dinner on May 3, 2023", "2023-05-03", "2023-05-20"),
            ("dinner on the 3rd of May", "2023-05-03", "2023-05-20"),
            ("the outage of 2023-05-03", "2023-05-03", "2023-05-20"),
        ] {
            let times = Times::in_question(question, now);
            assert!(times.fit(at(then)) > 0.6, "{question} {times:?}");
            assert!(times.fit(at(elsewhere)) < 0.2, "{question} {times:?}");
        }
    }

    #[test]
    fn a_period_fits_equally_from_its_beginning_to_its_end() {
        let now = at("2023-06-15");
        for (question, days) in [
            ("what happened in the past two weeks", ["2023-06-15", "2023-06-08", "2023-06-01"]),
            ("appointments in March", ["2023-03-01", "2023-03-15", "2023-03-30"]),
            ("calls last week", ["2023-06-11", "2023-06-08", "2023-06-05"]),
        ] {
            let times = Times::in_question(question, now);
            assert_eq!(days.map(|day| times.fit(at(day))), [1.0; 3], "{question}");
        }
    }

    #[test]
    fn time_words_are_not_search_words() {
        let now = at("2023-06-15");
        let left = |q: &str| Times::in_question(q, now).without_spans(q);
        assert_eq!(left("What did I buy 10 days ago?"), "What did I buy ?");
        assert_eq!(left("yesterday"), "yesterday");
        assert_eq!(left("the March release"), "the March release");
    }

    #[test]
    fn a_search_is_about_the_words_that_are_not_a_time() {
        let now = at("2023-06-15");
        for (search, topic, then) in [
            ("login bug last week", "login bug", "2023-06-09"),
            ("in May 2023 migration", "migration", "2023-05-10"),
            ("in May", "", "2023-05-10"),
            ("yesterday", "", "2023-06-14"),
            ("today parser", "parser", "2023-06-15"),
            ("on 2023-05-03", "on", "2023-05-03"),
        ] {
            let times = Times::in_search(search, now);
            assert_eq!(times.topic(search).trim(), topic, "{search}");
            assert!(times.fit(at(then)) > 0.5, "{search} {times:?}");
        }
        assert!(Times::in_question("finish it today", now).is_empty());
    }

    #[test]
    fn other_numbers_and_units_are_not_times() {
        let now = at("2023-06-15");
        for question in
            ["How many days ago did I meet Emma?", "retry 3 times", "may I use 5 workers", "march on", ""]
        {
            assert!(Times::in_question(question, now).is_empty(), "{question}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_times_or_none(text in "\\PC{0,80}", days in proptest::num::i64::ANY) {
            let now = Timestamp::from_millis(days);
            let times = Times::in_question(&text, now);
            let _ = times.without_spans(&text);
            proptest::prop_assert!((0.0..=1.0).contains(&times.fit(now)));
        }

        #[test]
        fn dates_come_back(day in 0i64..60_000) {
            let (y, m, d) = civil_of(day as f64);
            proptest::prop_assert_eq!(days_from_civil(y, m, d) as i64, day);
        }
    }
}
