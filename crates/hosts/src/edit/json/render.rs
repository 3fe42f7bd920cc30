//! Writes a new value in the style of the surrounding text.

use serde_json::Value;

use crate::edit::text::line_end;

/// The layout of a text.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// One level of indentation.
    pub(super) unit: String,
    pub(super) line_end: &'static str,
    /// The space after a colon or comma on one line.
    pub(super) space: &'static str,
}

impl Layout {
    pub(super) fn of(text: &str) -> Layout {
        let indents = text.lines().skip(1).map(indent).filter(|indent| !indent.is_empty());
        let unit = indents.min_by_key(|indent| indent.len()).unwrap_or("  ");
        let tight = !text.contains('\n') && text.contains("\":") && !text.contains("\": ");
        Layout { unit: unit.to_owned(), line_end: line_end(text), space: if tight { "" } else { " " } }
    }
}

/// The leading white space of a line.
pub(super) fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The leading white space of the line that contains `at`.
pub(super) fn indent_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let line = indent(&text[start..]);
    &line[..line.len().min(at - start)]
}

/// On one line.
pub(super) fn inline(value: &Value, layout: &Layout) -> String {
    let space = layout.space;
    let join = |parts: Vec<String>| parts.join(&format!(",{space}"));
    match value {
        Value::Array(elements) => {
            format!("[{}]", join(elements.iter().map(|e| inline(e, layout)).collect()))
        }
        Value::Object(entries) => {
            let entry = |(name, value): (&String, &Value)| named(name, &inline(value, layout), layout);
            format!("{{{}}}", join(entries.iter().map(entry).collect()))
        }
        plain => plain.to_string(),
    }
}

/// On several lines; `base` is the indentation of the line where it begins.
pub(super) fn block(value: &Value, base: &str, layout: &Layout) -> String {
    let inner = format!("{base}{}", layout.unit);
    let lines = |open: char, parts: Vec<String>, close: char| {
        let end = layout.line_end;
        let body: Vec<String> = parts.iter().map(|part| format!("{end}{inner}{part}")).collect();
        format!("{open}{}{end}{base}{close}", body.join(","))
    };
    match value {
        // Lists of plain values stay on one line, as people write them.
        Value::Array(elements) if elements.iter().all(|e| !e.is_object() && !e.is_array()) => {
            inline(value, &Layout { space: " ", ..layout.clone() })
        }
        Value::Array(elements) => {
            lines('[', elements.iter().map(|e| block(e, &inner, layout)).collect(), ']')
        }
        Value::Object(entries) if !entries.is_empty() => {
            let spaced = Layout { space: " ", ..layout.clone() };
            let entry =
                |(name, value): (&String, &Value)| named(name, &block(value, &inner, layout), &spaced);
            lines('{', entries.iter().map(entry).collect(), '}')
        }
        plain => plain.to_string(),
    }
}

pub(super) fn named(name: &str, value: &str, layout: &Layout) -> String {
    format!("{}:{}{value}", Value::String(name.to_owned()), layout.space)
}
