//! `<private>…</private>`: the user's own mark for what hark must not store.
//!
//! The mark takes precedence over every rule and over mistakes in its use: spans nest, and one that is never
//! closed extends to the end of the text.

use std::ops::Range;

use super::boundary;

const OPEN: &[u8] = b"<private";
const CLOSE: &[u8] = b"</private";

/// The outermost private spans, tags included.
pub(super) fn find(text: &[u8]) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut depth = 0usize;
    let mut start = 0;
    let mut at = 0;
    while let Some(offset) = boundary::find(&text[at..], b'<') {
        let tag = at + offset;
        at = tag + 1;
        if let Some(end) = tag_end(text, tag, OPEN) {
            if depth == 0 {
                start = tag;
            }
            depth += 1;
            at = end;
        } else if depth > 0
            && let Some(end) = tag_end(text, tag, CLOSE)
        {
            depth -= 1;
            at = end;
            if depth == 0 {
                spans.push(start..end);
            }
        }
    }
    if depth > 0 {
        spans.push(start..text.len());
    }
    spans
}

/// The end of the tag `name` at `at`, which may contain spaces or attributes.
fn tag_end(text: &[u8], at: usize, name: &[u8]) -> Option<usize> {
    let rest = text.get(at..at + name.len())?;
    if !rest.eq_ignore_ascii_case(name) {
        return None;
    }
    let after = at + name.len();
    let close = text[after..].iter().take(128).position(|&b| b == b'>' || b == b'<')?;
    let plain = close == 0 || text[after].is_ascii_whitespace();
    (plain && text[after + close] == b'>').then_some(after + close + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &str) -> Vec<&str> {
        find(text.as_bytes()).into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn spans_nest_and_ignore_case() {
        assert_eq!(spans("a <Private>b</PRIVATE> c"), ["<Private>b</PRIVATE>"]);
        let nested = "<private>a<private>b</private>c</private>";
        assert_eq!(spans(&format!("{nested}d")), [nested]);
    }

    #[test]
    fn an_open_span_runs_to_the_end() {
        assert_eq!(spans("a <private>b <private> c</private>"), ["<private>b <private> c</private>"]);
    }

    #[test]
    fn other_tags_are_not_private() {
        assert!(spans("<privateer> </private> <private").is_empty());
    }
}
