//! JSON fragments that are common to many transcripts.

use std::borrow::Cow;

use hark_core::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::hook::names::without_frames;

/// A time as assistants write it: RFC 3339, or seconds or milliseconds since 1970.
pub(crate) fn time(text: &str) -> Option<Timestamp> {
    if let Ok(number) = text.parse::<f64>() {
        // Seconds reach the year 2286 with ten digits, milliseconds have thirteen.
        let millis = if number.abs() < 1e11 { number * 1_000.0 } else { number };
        return (millis.abs() < 1e15).then(|| Timestamp::from_millis(millis as i64));
    }
    Timestamp::parse_absolute(text).ok()
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(rename = "type", default, borrow)]
    kind: Cow<'a, str>,
    #[serde(default, borrow)]
    text: Option<Cow<'a, str>>,
}

const TEXTS: &[&str] = &["text", "input_text", "output_text", "Text", ""];

/// The text in a content, which is a string or a list of parts. Leaves out quotes from hark's own memory.
pub(crate) fn text_in(content: &RawValue) -> String {
    let raw = content.get();
    if raw.starts_with('"') {
        let text: String = serde_json::from_str(raw).unwrap_or_default();
        return owned(without_frames(&text)).unwrap_or(text);
    }
    if !raw.starts_with('[') {
        return String::new();
    }
    let parts: Vec<Part<'_>> = serde_json::from_str(raw).unwrap_or_default();
    let mut joined = String::new();
    for part in parts.iter().filter(|part| TEXTS.contains(&&*part.kind)) {
        if let Some(text) = &part.text {
            if !joined.is_empty() {
                joined.push('\n');
            }
            joined.push_str(text);
        }
    }
    owned(without_frames(&joined)).unwrap_or(joined)
}

fn owned(text: Cow<'_, str>) -> Option<String> {
    match text {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_usual_form() {
        let expected = Some(Timestamp::from_millis(1_794_768_562_077));
        assert_eq!(time("2026-11-15T18:49:22.077Z"), expected);
        assert_eq!(time("1794768562077"), expected);
        assert_eq!(time("1794768562.077"), expected);
        assert_eq!(time("soon"), None);
        assert_eq!(time("1e300"), None);
    }

    #[test]
    fn contents_are_read_without_quotes_from_memory() {
        let read = |text: &str| text_in(&RawValue::from_string(text.to_owned()).unwrap());
        assert_eq!(read(r#""plain""#), "plain");
        assert_eq!(
            read(r#"[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]"#),
            "a\nb"
        );
        assert_eq!(read(r#""x <hark-memory note=\"n\">\nsecret plan\n</hark-memory> y""#), "x  y");
        assert_eq!(read(r#""x <hark-memory cut off""#), "x ");
        assert_eq!(read(r#"{"a":1}"#), "");
    }
}
