//! The only place that reads the clock.

use std::time::{SystemTime, UNIX_EPOCH};

use hark_core::Timestamp;
use hark_core::time::TimeError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    System,
    /// For tests and replays: the time never changes.
    Fixed(Timestamp),
}

impl Clock {
    /// Parses the value of `HARK_NOW`, if set.
    pub fn from_setting(setting: Option<&str>) -> Result<Self, TimeError> {
        match setting.filter(|s| !s.is_empty()) {
            None => Ok(Clock::System),
            Some(text) => match text.parse::<i64>() {
                Ok(millis) => Ok(Clock::Fixed(Timestamp::from_millis(millis))),
                Err(_) => Timestamp::parse_absolute(text).map(Clock::Fixed),
            },
        }
    }

    pub fn now(&self) -> Timestamp {
        match self {
            Clock::Fixed(at) => *at,
            Clock::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
            }
        }
    }
}
