//! Splits long texts into passages that are searched separately, so that an answer in a long note is not
//! drowned out. A conversation is split at its turns, and each passage records who speaks.

use std::ops::Range;

/// Target size of a passage.
pub const PASSAGE_CHARS: usize = 1_200;
const OVERLAP_CHARS: usize = 200;
/// A memory never has more passages than a passage number can represent.
const MAX_PASSAGES: usize = 4_095;

/// Who speaks in a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// The owner of the memory, or no one in particular.
    Own,
    /// An assistant or a tool: counts less than a person.
    Other,
}

/// A part of a text that is searched separately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    pub range: Range<usize>,
    pub voice: Voice,
}

/// One turn of a conversation in the format of a memory's body.
pub fn write_turn(speaker: &str, text: &str) -> String {
    format!("**{speaker}:** {text}\n")
}

/// The passages of a text: the whole text if it is short, otherwise overlapping parts that end at a
/// paragraph, line, sentence or word. A text that begins with a turn (`**user:** …`) is split at its turns
/// first.
pub fn passages(text: &str) -> Vec<Passage> {
    let mut found = Vec::new();
    for (range, voice) in turns(text) {
        let from = range.start;
        for piece in pieces(&text[range]) {
            if found.len() == MAX_PASSAGES {
                return found;
            }
            found.push(Passage { range: from + piece.start..from + piece.end, voice });
        }
    }
    found
}

/// The turns of a conversation without the speaker marks; any other text is one turn.
fn turns(text: &str) -> Vec<(Range<usize>, Voice)> {
    let whole = || vec![(0..text.len(), Voice::Own)];
    if speaker(text.trim_start()).is_none() {
        return whole();
    }
    let mut turns: Vec<(Range<usize>, Voice)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some((voice, mark)) = speaker(line) {
            if let Some((open, _)) = turns.last_mut() {
                open.end = at;
            }
            turns.push((at + mark..text.len(), voice));
        }
        at += line.len();
    }
    turns.retain(|(range, _)| !text[range.clone()].trim().is_empty());
    if turns.is_empty() { whole() } else { turns }
}

/// A line of a conversation without the speaker mark.
pub fn without_speaker(line: &str) -> &str {
    speaker(line).map_or(line, |(_, mark)| line[mark..].trim_start())
}

/// The speaker of the turn that a line begins, and the length of the mark. Only roles count: `**Note:**` is
/// an ordinary heading inside a turn.
fn speaker(line: &str) -> Option<(Voice, usize)> {
    let rest = line.strip_prefix("**")?;
    let name = rest.split_once(":**")?.0;
    let voice = match name {
        "user" | "human" => Voice::Own,
        "assistant" | "model" | "tool" | "system" => Voice::Other,
        _ => return None,
    };
    Some((voice, name.len() + 5))
}

fn pieces(text: &str) -> Vec<Range<usize>> {
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

/// The best place to split in the last third before `target`.
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
        assert_eq!(passages("short"), [Passage { range: 0..5, voice: Voice::Own }]);
        assert_eq!(passages(""), [Passage { range: 0..0, voice: Voice::Own }]);
    }

    #[test]
    fn a_conversation_is_cut_at_its_turns() {
        let turns = [("user", "where?"), ("assistant", "**Note:** here\n**Step 1:** go"), ("user", "thanks")];
        let text = turns.map(|(who, said)| write_turn(who, said)).concat();
        let found: Vec<_> = passages(&text).into_iter().map(|p| (text[p.range].trim(), p.voice)).collect();
        let voices = [Voice::Own, Voice::Other, Voice::Own];
        assert_eq!(
            found,
            turns.iter().zip(voices).map(|((_, said), voice)| (*said, voice)).collect::<Vec<_>>()
        );
        let note = "A note\n**user:** quoted, but this is no conversation";
        assert_eq!(passages(note).len(), 1);
    }

    proptest! {
        #[test]
        fn passages_cover_everything_in_order(text in "(\\PC{0,40}[ \\n.。]){0,200}") {
            let ranges = pieces(&text);
            prop_assert_eq!(ranges[0].start, 0);
            prop_assert_eq!(ranges.last().unwrap().end, text.len());
            for pair in ranges.windows(2) {
                prop_assert!(pair[1].start <= pair[0].end && pair[1].start > pair[0].start && pair[1].end > pair[0].end);
            }
            for range in ranges {
                prop_assert!(text.get(range).is_some());
            }
        }

        #[test]
        fn any_turns_are_split_at_character_boundaries(turns in proptest::collection::vec(("[a-zé*: ]{0,12}", "\\PC{0,60}"), 0..12)) {
            let text: String = turns.iter().map(|(who, said)| write_turn(who, said)).collect();
            for passage in passages(&text) {
                prop_assert!(text.get(passage.range).is_some());
            }
        }
    }
}
