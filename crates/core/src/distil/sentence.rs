//! Splits a turn's own words into sentences, each with its position in the turn.

use std::ops::Range;

use super::own_words::FOREIGN;

/// One sentence: its range, and its masked words in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) span: Range<usize>,
    pub(super) masked: String,
    /// Sentences of one paragraph may explain each other.
    pub(super) paragraph: usize,
    /// List items are separate answers or points.
    pub(super) is_item: bool,
}

const SHORT_FORMS: &[&str] = &["e.g", "i.e", "etc", "vs", "cf", "approx", "incl", "fig", "mr", "dr"];

/// `text` is the turn as written, `masked` the same with everything foreign masked.
pub(super) fn sentences(text: &str, masked: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut paragraph = 0;
    let mut open: Option<(usize, bool)> = None;
    let mut previous = "";
    let mut at = 0;
    for line in masked.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        let is_blank =
            bare.trim_matches(|c: char| c.is_whitespace() || c as u32 == u32::from(FOREIGN)).is_empty();
        if is_blank {
            close(&mut open, at, masked, paragraph, &mut found);
            paragraph += 1;
        } else {
            let marker = item_marker(bare);
            let written = text.get(at..at + bare.len()).unwrap_or(bare);
            if marker.is_some() || !continues(previous, written) {
                close(&mut open, at, masked, paragraph, &mut found);
            }
            let from = at + marker.unwrap_or(0);
            let (start, is_item) = *open.get_or_insert((from, marker.is_some()));
            let mut start = start;
            for end in ends(&masked[from..at + bare.len()]) {
                push(start..from + end, masked, paragraph, is_item, &mut found);
                start = from + end;
            }
            open = (!masked[start..at + bare.len()].trim().is_empty()).then_some((start, is_item));
        }
        previous = if is_blank { "" } else { bare };
        at += line.len();
    }
    close(&mut open, masked.len(), masked, paragraph, &mut found);
    found
}

fn close(
    open: &mut Option<(usize, bool)>,
    end: usize,
    masked: &str,
    paragraph: usize,
    found: &mut Vec<Sentence>,
) {
    if let Some((start, is_item)) = open.take() {
        push(start..end, masked, paragraph, is_item, found);
    }
}

/// Masked parts split a sentence: the text around them does not belong together.
fn push(span: Range<usize>, masked: &str, paragraph: usize, is_item: bool, found: &mut Vec<Sentence>) {
    let foreign = char::from(FOREIGN);
    let mut from = span.start;
    for part in masked[span].split(foreign) {
        let inner = part.trim();
        if inner.len() > 3 {
            let start = from + (part.len() - part.trim_start().len());
            let words = inner.split_whitespace().collect::<Vec<_>>().join(" ");
            found.push(Sentence { span: start..start + inner.len(), masked: words, paragraph, is_item });
        }
        from += part.len() + 1;
    }
}

/// The length of a `- `, `2. ` or `b) ` at the beginning of a line.
fn item_marker(line: &str) -> Option<usize> {
    let bare = line.trim_start();
    let indent = line.len() - bare.len();
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let head = match bare.as_bytes() {
        [b'-' | b'*', b' ', ..] => 2,
        [b'a'..=b'h', b')', b' ', ..] => 3,
        _ if digits > 0
            && digits < 3
            && (bare[digits..].starts_with(". ") || bare[digits..].starts_with(") ")) =>
        {
            digits + 2
        }
        _ if bare.starts_with("• ") => "• ".len(),
        _ => return None,
    };
    Some(indent + head)
}

/// Whether a line continues the previous one: terminals and editors break lines.
fn continues(previous: &str, line: &str) -> bool {
    let previous = previous.trim_end();
    let ended = previous.ends_with(['.', '!', '?', ':', ';', '。', '！', '？']);
    let soft = line.starts_with(|c: char| c.is_lowercase() || c == ' ' || c == '@') || line.starts_with("I ");
    !previous.is_empty() && !ended && soft && previous.len() >= 35
}

/// Where sentences end inside a line, after their full stop.
fn ends(line: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let chars: Vec<(usize, char)> = line.char_indices().collect();
    for (place, (at, c)) in chars.iter().enumerate() {
        let after = chars.get(place + 1).map(|(_, next)| *next);
        let end = at + c.len_utf8();
        let is_end = match c {
            '。' | '！' | '？' => true,
            '!' | '?' => after.is_none_or(char::is_whitespace),
            '.' => after.is_none_or(char::is_whitespace) && !is_short_form(&line[..*at]),
            // An aside that is a complete sentence.
            ')' => after.is_none_or(char::is_whitespace) && opens_aside(&line[..*at]),
            _ => false,
        };
        if is_end {
            found.push(end);
        } else if *c == '(' && is_aside(&line[end..]) {
            found.push(*at);
        }
    }
    found
}

fn is_aside(rest: &str) -> bool {
    ["we ", "they ", "note ", "the ", "it ", "this ", "i "].iter().any(|start| rest.starts_with(start))
        && rest.find(')').is_some_and(|end| rest[..end].split_whitespace().count() >= 5)
}

fn opens_aside(before: &str) -> bool {
    before.rfind('(').is_some_and(|at| is_aside(&format!("{})", &before[at + 1..])))
}

fn is_short_form(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
    let is_number = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    // "I would go for   2. Move it": a copied item, number and all.
    let is_copied = before[..before.len() - word.len()].ends_with("  ");
    SHORT_FORMS.contains(&word) || (is_number && (before.len() < 4 || is_copied))
}
