//! Points in time as UTC milliseconds, and the few formats in which people write them.
//!
//! Only the outer layers read the clock; everything here takes `now` as a parameter.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
pub const DAY_MS: i64 = 24 * HOUR;

/// Milliseconds since 1970 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{text}` is not a time; write 30d, 12h, 2026-03-01 or 2026-03-01T14:30:00Z")]
pub struct TimeError {
    pub text: String,
}

impl Timestamp {
    pub const fn from_millis(millis: i64) -> Self {
        Timestamp(millis)
    }

    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Whole minutes, for the compact facets of the vector tier.
    pub fn as_minutes(self) -> u32 {
        u32::try_from(self.0.max(0) / MINUTE).unwrap_or(u32::MAX)
    }

    pub fn from_minutes(minutes: u32) -> Self {
        Timestamp(i64::from(minutes) * MINUTE)
    }

    pub fn days_until(self, later: Timestamp) -> f64 {
        (later.0 - self.0) as f64 / DAY_MS as f64
    }

    pub fn minus_millis(self, millis: i64) -> Self {
        Timestamp(self.0.saturating_sub(millis))
    }

    pub fn plus_millis(self, millis: i64) -> Self {
        Timestamp(self.0.saturating_add(millis))
    }

    /// RFC 3339 with an optional fraction, or a plain date (its first moment in UTC).
    pub fn parse_absolute(text: &str) -> Result<Self, TimeError> {
        let bad = || TimeError { text: text.chars().take(40).collect() };
        let trimmed = text.trim();
        if let Ok(ts) = trimmed.parse::<jiff::Timestamp>() {
            return Ok(Timestamp(ts.as_millisecond()));
        }
        if let Ok(dt) = trimmed.parse::<jiff::civil::DateTime>() {
            let zoned = dt.to_zoned(jiff::tz::TimeZone::UTC).map_err(|_| bad())?;
            return Ok(Timestamp(zoned.timestamp().as_millisecond()));
        }
        Err(bad())
    }

    /// An absolute time, or a span back from `now` such as `30d`, `12h`, `2w`, `6mo`, `1y`.
    pub fn parse_since(text: &str, now: Timestamp) -> Result<Self, TimeError> {
        match parse_span(text.trim()) {
            Some(span) => Ok(now.minus_millis(span)),
            None => Self::parse_absolute(text),
        }
    }

    /// How long ago, in short form: `now`, `5m`, `3h`, `2d`, `3w`, `4mo`, `2y`.
    pub fn age(self, now: Timestamp) -> String {
        let ms = now.0.saturating_sub(self.0);
        match ms {
            _ if ms < MINUTE => "now".to_owned(),
            _ if ms < HOUR => format!("{}m", ms / MINUTE),
            _ if ms < DAY_MS => format!("{}h", ms / HOUR),
            _ if ms < 14 * DAY_MS => format!("{}d", ms / DAY_MS),
            _ if ms < 60 * DAY_MS => format!("{}w", ms / (7 * DAY_MS)),
            _ if ms < 730 * DAY_MS => format!("{}mo", ms / (30 * DAY_MS)),
            _ => format!("{}y", ms / (365 * DAY_MS)),
        }
    }

    /// The day in UTC: `2026-03-01`.
    pub fn day(self) -> String {
        self.to_string().chars().take(10).collect()
    }

    /// How long ago, in words.
    pub fn ago(self, now: Timestamp) -> String {
        match self.age(now).as_str() {
            "now" => "just now".to_owned(),
            age => format!("{age} ago"),
        }
    }
}

/// A duration such as `90d`, in milliseconds.
pub fn parse_span(text: &str) -> Option<i64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > 9 {
        return None;
    }
    let count: i64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim() {
        "s" => SECOND,
        "m" | "min" => MINUTE,
        "h" => HOUR,
        "d" => DAY_MS,
        "w" => 7 * DAY_MS,
        "mo" => 30 * DAY_MS,
        "y" => 365 * DAY_MS,
        _ => return None,
    };
    count.checked_mul(unit)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(ts) => write!(f, "{ts:.3}"),
            Err(_) => write!(f, "{}ms", self.0),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        Timestamp::parse_absolute(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    #[test]
    fn text_form_round_trips_to_the_millisecond() {
        let ts = Timestamp::from_millis(1_772_548_320_123);
        assert_eq!(ts.to_string(), "2026-03-03T14:32:00.123Z");
        assert_eq!(Timestamp::parse_absolute(&ts.to_string()).unwrap(), ts);
    }

    #[test]
    fn people_may_write_dates_and_spans() {
        assert_eq!(Timestamp::parse_absolute("2026-03-01").unwrap().to_string(), "2026-03-01T00:00:00.000Z");
        assert_eq!(Timestamp::parse_since("30d", NOW).unwrap(), NOW.minus_millis(30 * DAY_MS));
        assert!(Timestamp::parse_since("yesterdayish", NOW).is_err());
        assert!(Timestamp::parse_since("99999999999999d", NOW).is_err());
    }

    #[test]
    fn ages_are_readable() {
        let ages: Vec<String> = [0, 5 * MINUTE, 3 * HOUR, 2 * DAY_MS, 21 * DAY_MS, 90 * DAY_MS, 800 * DAY_MS]
            .iter()
            .map(|back| NOW.minus_millis(*back).age(NOW))
            .collect();
        assert_eq!(ages, ["now", "5m", "3h", "2d", "3w", "3mo", "2y"]);
        assert_eq!(
            NOW.plus_millis(DAY_MS).age(NOW),
            "now",
            "a clock that jumped back must not cause a panic"
        );
    }
}
