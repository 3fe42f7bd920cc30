//! The common format of a retrieval set: documents, haystacks, queries.

use hark_core::text::write_turn;
use hark_core::{Kind, Timestamp};
use serde::Deserialize;

/// A note or a conversation to find.
#[derive(Debug, Clone, Deserialize)]
pub struct Document {
    pub id: String,
    #[serde(default)]
    pub text: Option<String>,
    #[serde(default)]
    pub turns: Vec<Turn>,
    #[serde(default)]
    pub date: Option<String>,
    #[serde(default)]
    pub session: Option<String>,
    #[serde(default)]
    pub files: Vec<String>,
    #[serde(default)]
    pub kind: Option<Kind>,
    /// Phrases that it answers.
    #[serde(default)]
    pub asked_as: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Turn {
    #[serde(default)]
    pub role: String,
    #[serde(default)]
    pub content: String,
}

impl Document {
    /// The body of a memory: turns are marked with the speaker.
    pub(super) fn body(&self) -> String {
        match &self.text {
            Some(text) => text.clone(),
            None => self.turns.iter().map(|turn| write_turn(&turn.role, &turn.content)).collect(),
        }
    }

    pub(super) fn is_conversation(&self) -> bool {
        self.text.is_none()
    }
}

/// The documents of one person.
#[derive(Debug, Clone, Deserialize)]
pub struct Haystack {
    pub haystack: String,
    pub docs: Vec<Straw>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Straw {
    pub id: String,
    #[serde(default)]
    pub date: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Query {
    pub qid: String,
    pub query: String,
    #[serde(default)]
    pub haystack: Option<String>,
    #[serde(default)]
    pub date: Option<String>,
}

/// Dates as the sets write them: RFC 3339, `2023/05/20 (Sat) 02:21`, `1:56 pm on 8 May, 2023`.
pub(super) fn date(text: &str) -> Option<Timestamp> {
    if let Ok(time) = Timestamp::parse_absolute(text) {
        return Some(time);
    }
    let numbers: Vec<i64> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .filter_map(|part| part.parse().ok())
        .collect();
    let civil = |year: i64, month: i64, day: i64, hour: i64, minute: i64| {
        let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:00");
        Timestamp::parse_absolute(&text).ok()
    };
    if let [year @ 1970..=2200, month, day, rest @ ..] = &numbers[..] {
        let (hour, minute) = (rest.first().copied().unwrap_or(0), rest.get(1).copied().unwrap_or(0));
        return civil(*year, *month, *day, hour, minute);
    }
    let lower = text.to_ascii_lowercase();
    let month = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        .iter()
        .position(|name| lower.contains(name))? as i64;
    let [hour, minute, day, year] = numbers[..] else { return None };
    let hour = hour % 12 + if lower.contains("pm") { 12 } else { 0 };
    civil(year, month + 1, day, hour, minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_all_sets_are_read() {
        for (text, expected) in [
            ("2023/05/20 (Sat) 02:21", "2023-05-20T02:21:00Z"),
            ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00Z"),
            ("12:09 am on 13 September, 2023", "2023-09-13T00:09:00Z"),
            ("2026-01-05T15:56:52+01:00", "2026-01-05T14:56:52Z"),
        ] {
            assert_eq!(date(text), Timestamp::parse_absolute(expected).ok(), "{text}");
        }
        assert_eq!(date("some day"), None);
    }
}
