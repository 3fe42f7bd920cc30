//! Long texts are searched passage by passage, so that one answer in a long note is not drowned.

/// Target size of a passage.
pub const PASSAGE_CHARS: usize = 1_200;
const OVERLAP_CHARS: usize = 200;
/// A memory never has more passages than a passage number can name.
const MAX_PASSAGES: usize = 4_096;

/// Byte ranges of the passages of a text: the whole text if it is short, else overlapping pieces
/// cut at paragraph, line, sentence or word ends.
pub fn passages(text: &str) -> Vec<std::ops::Range<usize>> {
    if text.len() <= PASSAGE_CHARS + OVERLAP_CHARS {
        return std::iter::once(0..text.len()).collect();
    }
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < text.len() && ranges.len() < MAX_PASSAGES {
        let target = ceil_boundary(text, start + PASSAGE_CHARS);
        if target >= text.len() || text.len() - target < OVERLAP_CHARS {
            ranges.push(start..text.len());
            break;
        }
        let end = break_before(text, start, target);
        ranges.push(start..end);
        let back = floor_boundary(text, end.saturating_sub(OVERLAP_CHARS)).max(start + 1);
        start = word_start(text, ceil_boundary(text, back), end);
    }
    ranges
}

/// The best place to cut in the last third before `target`.
fn break_before(text: &str, start: usize, target: usize) -> usize {
    let from = ceil_boundary(text, start + (target - start) * 2 / 3);
    let window = &text[from..target];
    for mark in ["\n\n", "\n", ". ", "。", " "] {
        if let Some(at) = window.rfind(mark) {
            return from + at + mark.len();
        }
    }
    target
}

fn word_start(text: &str, from: usize, limit: usize) -> usize {
    text[from..limit].find(char::is_whitespace).map_or(limit, |at| ceil_boundary(text, from + at + 1))
}

fn ceil_boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn short_text_is_one_passage() {
        assert_eq!(passages("short"), vec![0..5]);
        assert_eq!(passages(""), vec![0..0]);
    }

    proptest! {
        #[test]
        fn passages_cover_everything_in_order(text in "(\\PC{0,40}[ \\n.。]){0,200}") {
            let ranges = passages(&text);
            prop_assert_eq!(ranges[0].start, 0);
            prop_assert_eq!(ranges.last().unwrap().end, text.len());
            for pair in ranges.windows(2) {
                prop_assert!(pair[1].start <= pair[0].end && pair[1].start > pair[0].start && pair[1].end > pair[0].end);
            }
            for range in ranges {
                prop_assert!(text.get(range).is_some());
            }
        }
    }
}
