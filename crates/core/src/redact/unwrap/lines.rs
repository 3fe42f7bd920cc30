//! Tokens that a line end split in two, in terminals, mails and text that people type.
//!
//! A line end alone is not a joint: most lines are unrelated to the next. So only a token that some rule
//! recognises by its beginning and that reaches the end of its line is followed, line by line, until the rule
//! is satisfied.

use std::ops::Range;

use super::super::boundary;
use super::super::rule::{Find, Row};
use super::super::shape;
use super::View;

const MOST_LINES: usize = 24;
const LONGEST: usize = 4096;
/// The same for a token of which only the middle is known.
const SHORT: usize = 300;
/// A line that ends at or beyond this column was broken because it was full.
const FULL: usize = 60;

/// The whole token at `keyword`, found by `row` at `at`, if the next lines contain more of it. `found` is
/// where the rule saw it end, if it matched at all.
pub(in super::super) fn continued(
    text: &[u8],
    at: usize,
    keyword: &str,
    row: &Row,
    found: Option<usize>,
) -> Option<Range<usize>> {
    // A rule that matches anywhere may have its keyword in the middle of a token.
    let anywhere = matches!(row.find, Find::Anywhere(_));
    let begins = anywhere || boundary::before_keyword(text, at) && row.begins(text, at, keyword);
    if !begins {
        return None;
    }
    let most = if anywhere { SHORT } else { LONGEST };
    let mut end = at + piece(&text[at..text.len().min(at + most)]);
    if !text.get(end).is_some_and(|b| b"\r\n".contains(b)) || end - at < keyword.len().max(4) {
        return None;
    }
    let start = if anywhere { at - piece_before(text, at) } else { at };
    if found.is_some() && !looks_drawn(&text[start..end]) {
        return None;
    }
    let column = |end: usize| end - boundary::line_start(text, end, 200);
    let width = column(end);
    let mut view = View::with_capacity(256);
    view.extend(text, start..end);
    let mut whole = found.is_some_and(|found| found >= end) && row.is_whole(&text[start..end]);
    let mut best = None;
    for line in 0..MOST_LINES {
        let Some(next) = next_piece(text, end) else { break };
        let more = &text[next.clone()];
        // This token ends where the next one begins.
        if view.text.len() + more.len() > LONGEST || more.starts_with(keyword.as_bytes()) {
            break;
        }
        // A rule without a length is satisfied too early: continue if the line was full, or if the next line
        // contains only more of the same.
        if whole {
            let full = column(end) >= FULL || line > 0 && column(end) == width;
            let same = is_mixed(more) && more.len() >= 8 && ends_line(text, next.end);
            if shape::is_wordy(more) || !(full || same) {
                break;
            }
        }
        let seam = view.text.len();
        view.extend(text, next.clone());
        let mut ranges = Vec::new();
        row.find_at(&view.text, at - start, keyword, &mut ranges);
        row.find_all(&view.text, &mut ranges);
        if let Some(range) = ranges.into_iter().find(|range| range.start < seam && range.end > seam) {
            whole = row.is_whole(&view.text[range.clone()]);
            best = Some(view.origin(&range));
        }
        end = next.end;
        if !ends_line(text, end) {
            break;
        }
    }
    best
}

fn is_part(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"_-.+/~".contains(&b)
}

/// The length of the token piece at the start of a text, padding included.
fn piece(rest: &[u8]) -> usize {
    let length = rest.iter().take(LONGEST).take_while(|b| is_part(**b)).count();
    length + rest[length..].iter().take(2).take_while(|&&b| b == b'=').count()
}

fn piece_before(text: &[u8], at: usize) -> usize {
    text[at.saturating_sub(SHORT)..at].iter().rev().take_while(|b| is_part(**b)).count()
}

/// The piece at the start of the line after `end`, after its indent or quote mark.
fn next_piece(text: &[u8], end: usize) -> Option<Range<usize>> {
    let mut at = end + usize::from(text.get(end) == Some(&b'\r'));
    if text.get(at) != Some(&b'\n') {
        return None;
    }
    at += 1;
    let skip = |at: usize, set: &[u8]| text[at..].iter().take(60).take_while(|b| set.contains(b)).count();
    at += skip(at, b" \t");
    let marks = skip(at, b">|#*+");
    if marks > 0 {
        let blanks = skip(at + marks, b" \t");
        // A `+` may be the next character of the token.
        at += if blanks > 0 { marks + blanks } else { skip(at, b">|") };
    }
    let length = piece(&text[at..]);
    let named = text.get(at + length).is_some_and(|b| b":=([{".contains(b));
    (length > 0 && !named && text[at..at + length].iter().any(u8::is_ascii_alphanumeric))
        .then(|| at..at + length)
}

fn ends_line(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|b| b"\r\n".contains(b))
}

fn looks_drawn(piece: &[u8]) -> bool {
    piece.len() >= 8 && (shape::digits(piece) > 0 || shape::has_both_cases(piece))
}

fn is_mixed(piece: &[u8]) -> bool {
    shape::digits(piece) > 0 && shape::has_both_cases(piece)
}
