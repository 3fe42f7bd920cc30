//! Secrets in pieces or escapes: joined by a backslash or a `+`, percent- or JSON-escaped, or with invisible
//! characters in them.
//!
//! The keyword pass notes where such a thing begins ([`MARKS`]), at no cost to other text. Only the lines
//! around such places are unwrapped, and only once; the rules examine the result, and what they find is
//! mapped back to the whole wrapped form.

mod escape;
mod join;
pub(super) mod lines;

use std::ops::Range;

use super::boundary;

/// What a wrapped secret contains, for the keyword pass. One place per line is enough, so not every character
/// that can be escaped is listed: a token that is escaped as a whole contains one of these.
pub(super) const MARKS: &[&str] = &[
    // Zero-width characters and the soft hyphen.
    "\u{200b}", "\u{200c}", "\u{200d}", "\u{200e}", "\u{200f}", "\u{2060}", "\u{2061}", "\u{2062}",
    "\u{2063}", "\u{2064}", "\u{feff}", "\u{180e}", "\u{ad}", // Escapes.
    "\\u00", "\\x2", "\\x3", "\\x4", "\\x5", "\\x6", "\\x7", "\\/", "&#1", "&#4", "&#5", "&#6", "&#7", "&#8",
    "&#9", "&#x", "%2b", "%2d", "%2e", "%2f", "%3a", "%3d", "%40", "%5f", "%7e", "%41", "%47", "%53", "%65",
    "%67", "%6e", "%73", "%78", // Strings and lines that are joined.
    "\\\n", "\\\r\n", "\"+ ", "\"+\n", "\"+\r", "\"+\"", "\" + ", "\" +\n", "\" +\r", "\"\n ", "\"\n\t",
    "\"\n\"", "\"\n+", "\"\r\n", "\" . ", "\".\"", "\" .\n", "\" & ", "\" \\\n", "\" \\\r", "\" .. ",
    "\"..\"", "\" ~ ", "\" <> ", "'+ ", "'+\n", "'+'", "' + ", "' +\n", "' +\r", "'\n ", "'\n\t", "'\n'",
    "'\r\n", "' . ", "'.'", "' .\n", "' \\\n", "' .. ", "'..'", "`+`", "` + ", "` +\n",
];

/// How much of the line before and after a place is examined.
const BEFORE: usize = 512;
const AFTER: usize = 4096;

/// An unwrapped range of text, and which bytes of the text each of its bytes came from.
pub(super) struct View {
    pub(super) text: Vec<u8>,
    from: Vec<Range<usize>>,
}

impl View {
    fn with_capacity(length: usize) -> Self {
        View { text: Vec::with_capacity(length), from: Vec::with_capacity(length) }
    }

    fn push(&mut self, byte: u8, from: Range<usize>) {
        self.text.push(byte);
        self.from.push(from);
    }

    fn extend(&mut self, text: &[u8], range: Range<usize>) {
        self.text.extend_from_slice(&text[range.clone()]);
        self.from.extend(range.map(|at| at..at + 1));
    }

    /// The range of the text that a range of the view covers.
    pub(super) fn origin(&self, range: &Range<usize>) -> Range<usize> {
        match (self.from.get(range.start), range.end.checked_sub(1).and_then(|last| self.from.get(last))) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        }
    }
}

/// Whether something is really wrapped at a mark.
pub(super) fn is_wrapped(text: &[u8], at: usize) -> bool {
    unseen(&text[at..]) > 0 || join::length(text, at) > 0 || escape::byte(&text[at..]).is_some()
}

/// The unwrapped surroundings of the places, which are sorted.
pub(super) fn views(text: &[u8], places: &[usize]) -> Vec<View> {
    let mut regions: Vec<Range<usize>> = Vec::new();
    for &place in places {
        // Well inside a region that is already examined.
        if regions.last().is_some_and(|last| place + AFTER / 2 <= last.end) {
            continue;
        }
        let region = around(text, place);
        match regions.last_mut() {
            Some(last) if region.start <= last.end => last.end = last.end.max(region.end),
            _ => regions.push(region),
        }
    }
    regions.into_iter().map(|region| plainly(text, region)).collect()
}

fn around(text: &[u8], place: usize) -> Range<usize> {
    let mut start = boundary::line_start(text, place, BEFORE);
    // In the middle of a long line, but not in the middle of a word.
    if start > 0 && text[start - 1] != b'\n' {
        let word = text[start..place].iter().position(|b| !b.is_ascii_alphanumeric() && !b"_-".contains(b));
        start += word.map_or(0, |end| end + 1);
    }
    let after = place + join::length(text, place);
    let limit = text.len().min(after + AFTER);
    let end = text[after..limit].iter().position(|&b| b == b'\n').map_or(limit, |end| after + end);
    start..end
}

fn plainly(text: &[u8], region: Range<usize>) -> View {
    let mut view = View::with_capacity(region.len());
    let mut at = region.start;
    while at < region.end {
        let byte = text[at];
        if byte.is_ascii_alphanumeric() {
            view.push(byte, at..at + 1);
            at += 1;
            continue;
        }
        let skipped = match byte {
            b'\\' | b'"' | b'\'' | b'`' => join::length(text, at),
            0x80.. => unseen(&text[at..]),
            _ => 0,
        };
        if skipped > 0 {
            at += skipped;
        } else if let Some((byte, length)) = escape::byte(&text[at..]) {
            view.push(byte, at..at + length);
            at += length;
        } else {
            view.push(byte, at..at + 1);
            at += 1;
        }
    }
    view
}

/// The length of the zero-width character at the start of a text.
fn unseen(rest: &[u8]) -> usize {
    match rest {
        [0xe2, 0x80, 0x8b..=0x8f, ..] | [0xe2, 0x81, 0xa0..=0xa4, ..] => 3,
        [0xef, 0xbb, 0xbf, ..] | [0xe1, 0xa0, 0x8e, ..] => 3,
        [0xc2, 0xad, ..] => 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written_plainly(text: &str) -> String {
        let view = plainly(text.as_bytes(), 0..text.len());
        String::from_utf8_lossy(&view.text).into_owned()
    }

    #[test]
    fn every_wrapping_is_removed() {
        for (wrapped, plain) in [
            ("a\u{200b}b\u{feff}c\u{ad}d", "abcd"),
            (r"a\u0062c\x64\/e", "abcd/e"),
            ("a%62c%2Fd", "abc/d"),
            ("a&#98;c&#x64;", "abcd"),
            ("\"a\" + \"b\" +\n  \"c\"", "\"abc\""),
            ("\"a\"\n   \"b\"", "\"ab\""),
            ("'a' . 'b'", "'ab'"),
            ("a\\\n   b", "ab"),
            (r#"\"a\""#, "\"a\""),
        ] {
            assert_eq!(written_plainly(wrapped), plain);
        }
    }

    #[test]
    fn text_that_only_looks_wrapped_stays() {
        for text in ["100%25 of it", "\"a\" + b", "\"a\", \"b\"", "a \\\n b", "%zz", r"\u00e9\n\d", "&#8212;"]
        {
            assert_eq!(written_plainly(text), text);
        }
    }

    #[test]
    fn findings_are_mapped_back_to_the_text() {
        let text = "x %61bc y";
        let view = plainly(text.as_bytes(), 0..text.len());
        assert_eq!(view.text, b"x abc y");
        assert_eq!(&text[view.origin(&(2..5))], "%61bc");
    }
}
