//! Times, numbers and words as pages show them.

use hark_core::Timestamp;
use serde::Deserialize;

/// Text without characters that turn the writing direction or control a device.
pub(crate) fn shown(text: &str) -> String {
    let acts = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}')
    };
    if text.contains(acts) { text.replace(acts, "\u{fffd}") } else { text.to_owned() }
}

/// The beginning of a text, for a line or a page.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// The first line, short enough for a row.
pub(crate) fn line(text: &str) -> String {
    cut(text.trim().lines().next().unwrap_or_default(), 240)
}

pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// `1,240`.
pub(crate) fn number(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if n < 0 { format!("-{text}") } else { text }
}

pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", number(n as i64), if n == 1 { one } else { many })
}

pub(crate) fn bytes(n: i64) -> String {
    match n {
        ..1_000 => format!("{n} B"),
        1_000..1_000_000 => format!("{:.0} kB", n as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", n as f64 / 1e6),
        _ => format!("{:.1} GB", n as f64 / 1e9),
    }
}

/// A moment that is shown by its age.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct Moment(pub(crate) String);

impl Moment {
    fn at(&self) -> Option<Timestamp> {
        Timestamp::parse_absolute(&self.0).ok()
    }

    pub(crate) fn millis(&self) -> i64 {
        self.at().map_or(0, Timestamp::as_millis)
    }

    pub(crate) fn iso(&self) -> &str {
        &self.0
    }

    /// `2026-10-03 14:05 UTC`
    pub(crate) fn exact(&self) -> String {
        let (day, rest) = self.0.split_once('T').unwrap_or((&self.0, ""));
        format!("{day} {} UTC", rest.get(..5).unwrap_or(rest))
    }

    pub(crate) fn clock(&self) -> &str {
        self.0.get(11..16).unwrap_or(&self.0)
    }

    pub(crate) fn day(&self) -> &str {
        self.0.get(..10).unwrap_or(&self.0)
    }

    pub(crate) fn ago(&self, now: &Timestamp) -> String {
        self.at().map_or_else(|| self.0.clone(), |at| at.ago(*now))
    }

    /// `5d`
    pub(crate) fn age(&self, now: &Timestamp) -> String {
        self.at().map_or_else(|| self.0.clone(), |at| at.age(*now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_shown_as_a_mark() {
        assert_eq!(shown("a\u{202e}b\u{7}c\n"), "a\u{fffd}b\u{fffd}c\n");
    }

    #[test]
    fn numbers_and_cuts() {
        assert_eq!(number(1_234_567), "1,234,567");
        assert_eq!(number(-12), "-12");
        assert_eq!(cut("äöü", 2), "äö…");
        assert_eq!(cut("ab", 2), "ab");
        assert_eq!(escaped("<a href='\"'>&"), "&lt;a href=&#39;&quot;&#39;&gt;&amp;");
    }
}
