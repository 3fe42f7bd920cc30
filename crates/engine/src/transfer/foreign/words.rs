//! Words, numbers and times as other tools write them.

use hark_core::{Kind, Timestamp};

use super::harvest::Harvest;

/// A kind by the tool's word. What would steer an assistant becomes a convention: only a user's own
/// words may, and nobody can tell whose these were.
pub(super) fn kind(harvest: &mut Harvest, word: &str, otherwise: Kind) -> Kind {
    match word.parse::<Kind>() {
        Ok(kind) if kind.steers() => {
            harvest.unmapped(format!(
                "`{}` became a convention; make it yours with `hark edit ID --kind {kind}`",
                plain(word)
            ));
            Kind::Convention
        }
        Ok(kind) => kind,
        Err(_) => {
            harvest.unmapped(format!("kind `{}` became {otherwise}", plain(word)));
            otherwise
        }
    }
}

/// A word that is safe to show: it names a sort of thing in the tool's own schema.
pub(super) fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ')).take(30).collect()
}

/// ISO text with or without a zone, SQLite's own form, or seconds or milliseconds since 1970.
pub(super) fn time(text: Option<&str>) -> Option<Timestamp> {
    let text = text?.trim();
    if let Ok(number) = text.parse::<f64>() {
        let millis = if number.abs() < 100_000_000_000.0 { number * 1000.0 } else { number };
        return (millis.is_finite() && millis > 0.0).then(|| Timestamp::from_millis(millis as i64));
    }
    let spaced = text.replacen(' ', "T", 1);
    Timestamp::parse_absolute(text).or_else(|_| Timestamp::parse_absolute(&spaced)).ok()
}

/// A JSON list of words, or words with commas between them.
pub(super) fn list(text: Option<&str>) -> Vec<String> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty() && *text != "null") else {
        return Vec::new();
    };
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(serde_json::Value::Array(items)) => items
            .into_iter()
            .filter_map(|item| match item {
                serde_json::Value::String(text) => Some(text),
                serde_json::Value::Null => None,
                other => Some(other.to_string()),
            })
            .filter(|text| !text.trim().is_empty())
            .collect(),
        _ => text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect(),
    }
}

/// Text without the codes by which programs colour a terminal: they were never meant to be read.
pub(super) fn without_colours(text: &str) -> std::borrow::Cow<'_, str> {
    const ESCAPE: char = '\u{1b}';
    if !text.contains(ESCAPE) {
        return text.into();
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(ESCAPE) {
        kept.push_str(before);
        rest = match after.strip_prefix('[') {
            // A control sequence ends with the first character from `@` to `~`.
            Some(code) => code.find(|c| ('@'..='~').contains(&c)).map_or("", |end| &code[end + 1..]),
            None => after,
        };
    }
    kept.push_str(rest);
    kept.into()
}

/// From a scale of 1 to 10 to ours of 1 to 5.
pub(super) fn from_ten(value: Option<i64>) -> u8 {
    match value {
        Some(value) => ((value.clamp(1, 10) + 1) / 2) as u8,
        None => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_every_spelling_mean_the_same() {
        let expected = Timestamp::parse_absolute("2026-03-03T10:00:00Z").ok();
        let spellings = [
            "2026-03-03T10:00:00Z",
            "2026-03-03T10:00:00.000+00:00",
            "2026-03-03T10:00:00",
            "2026-03-03 10:00:00",
            "1772532000",
            "1772532000000",
            "1772532000.0",
        ];
        for text in spellings {
            assert_eq!(time(Some(text)), expected, "{text}");
        }
        for text in ["", "never", "0", "-5", "NaN", "inf"] {
            assert_eq!(time(Some(text)), None, "{text}");
        }
    }

    #[test]
    fn colours_are_dropped_and_words_stay() {
        assert_eq!(without_colours("\u{1b}[1;31mFAIL\u{1b}[0m src/a.ts [x]"), "FAIL src/a.ts [x]");
        assert_eq!(without_colours("plain [31m text"), "plain [31m text");
        assert_eq!(without_colours("cut \u{1b}[31"), "cut ");
    }

    #[test]
    fn lists_and_scales() {
        assert_eq!(list(Some("[\"a\", 2, null]")), ["a", "2"]);
        assert_eq!(list(Some("a, b")), ["a", "b"]);
        assert!(list(Some("null")).is_empty() && list(None).is_empty());
        assert_eq!([1, 2, 5, 9, 10, 99].map(|v| from_ten(Some(v))), [1, 1, 3, 5, 5, 5]);
    }
}
