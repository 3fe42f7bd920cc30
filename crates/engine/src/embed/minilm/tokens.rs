//! Splits text into tokens as the encoder was trained: lower case, no accents, punctuation separate, and
//! words split into the longest pieces in the vocabulary.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A longer word is unknown as a whole.
const LONGEST_WORD: usize = 100;

/// The vocabulary, searched in place: opening a model builds nothing.
#[derive(Clone, Copy)]
pub(super) struct Vocabulary<'a> {
    pub(super) starts: &'a [u8],
    pub(super) order: &'a [u8],
    pub(super) strings: &'a [u8],
}

/// The special tokens, which are not pieces of text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    pub(super) first: u16,
    pub(super) last: u16,
    pub(super) unknown: u16,
}

impl Vocabulary<'_> {
    pub(super) fn marks(&self) -> Option<Marks> {
        let find = |token: &str| self.find("", token);
        Some(Marks { first: find("[CLS]")?, last: find("[SEP]")?, unknown: find("[UNK]")? })
    }

    /// The number of the token made of `prefix` and `rest`.
    pub(super) fn find(&self, prefix: &str, rest: &str) -> Option<u16> {
        let order = self.order.as_chunks::<2>().0;
        let token = |slot: &[u8; 2]| self.token(u16::from_le_bytes(*slot)).unwrap_or_default();
        let wanted = || prefix.bytes().chain(rest.bytes());
        let at = order.binary_search_by(|slot| token(slot).iter().copied().cmp(wanted())).ok()?;
        order.get(at).map(|slot| u16::from_le_bytes(*slot))
    }

    fn token(&self, number: u16) -> Option<&[u8]> {
        let starts = self.starts.as_chunks::<4>().0;
        let start = |i: usize| starts.get(i).map(|b| u32::from_le_bytes(*b) as usize);
        self.strings.get(start(usize::from(number))?..start(usize::from(number) + 1)?)
    }

    /// The tokens of a text between the special tokens, at most `most` including them. A text without words
    /// has only special tokens.
    pub(super) fn tokens(&self, text: &str, marks: Marks, most: usize) -> Vec<u16> {
        let mut tokens = vec![marks.first];
        let room = most.saturating_sub(1);
        each_word(text, |word| {
            self.pieces(word, marks.unknown, &mut tokens);
            tokens.len() < room
        });
        tokens.truncate(room);
        tokens.push(marks.last);
        tokens
    }

    /// The longest known piece, repeatedly; one unknown token if that fails.
    fn pieces(&self, word: &str, unknown: u16, tokens: &mut Vec<u16>) {
        let before = tokens.len();
        let (mut rest, mut prefix) = (word, "");
        if word.chars().count() > LONGEST_WORD {
            return tokens.push(unknown);
        }
        while !rest.is_empty() {
            let ends = rest.char_indices().rev().map(|(at, c)| at + c.len_utf8());
            let found = ends.filter_map(|end| rest.split_at_checked(end));
            let found = found.filter_map(|(piece, left)| Some((self.find(prefix, piece)?, left))).next();
            let Some((number, left)) = found else {
                tokens.truncate(before);
                return tokens.push(unknown);
            };
            tokens.push(number);
            (rest, prefix) = (left, "##");
        }
    }
}

/// Calls `each` for every word and every punctuation mark until it returns `false`.
fn each_word(text: &str, mut each: impl FnMut(&str) -> bool) {
    let cleaned = text.chars().filter(|c| !is_dropped(*c)).flat_map(|c| {
        // Each Chinese character is a word.
        let apart = is_ideograph(c);
        let c = if c.is_whitespace() { ' ' } else { c };
        [apart.then_some(' '), Some(c), apart.then_some(' ')].into_iter().flatten()
    });
    let folded = cleaned.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
    let mut word = String::new();
    for c in folded.chain(std::iter::once(' ')) {
        let apart = is_punctuation(c);
        if apart || c == ' ' {
            if !word.is_empty() && !each(&word) {
                return;
            }
            word.clear();
        }
        if apart && !each(c.encode_utf8(&mut [0; 4])) {
            return;
        }
        if !apart && c != ' ' {
            word.push(c);
        }
    }
}

/// Control and invisible characters; line ends and tabs count as spaces.
fn is_dropped(c: char) -> bool {
    let invisible = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffd}'
        | '\u{e000}'..='\u{f8ff}');
    invisible || (c.is_control() && !matches!(c, '\t' | '\n' | '\r'))
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2ceaf}' | '\u{2f800}'..='\u{2fa1f}')
}

/// ASCII punctuation, and the Unicode blocks of other common punctuation.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(c, '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}'
            | '\u{37e}' | '\u{387}' | '\u{55a}'..='\u{55f}' | '\u{589}' | '\u{58a}' | '\u{5be}' | '\u{5c0}'
            | '\u{5c3}' | '\u{60c}' | '\u{60d}' | '\u{61b}' | '\u{61e}' | '\u{61f}' | '\u{66a}'..='\u{66d}'
            | '\u{6d4}' | '\u{964}' | '\u{965}' | '\u{e4f}' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{2043}'
            | '\u{2045}'..='\u{2051}' | '\u{2053}'..='\u{205e}' | '\u{207d}' | '\u{207e}' | '\u{208d}'
            | '\u{208e}' | '\u{2308}'..='\u{230b}' | '\u{2329}' | '\u{232a}' | '\u{2768}'..='\u{2775}'
            | '\u{27e6}'..='\u{27ef}' | '\u{2983}'..='\u{2998}' | '\u{2e00}'..='\u{2e2e}'
            | '\u{2e30}'..='\u{2e4f}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}'
            | '\u{3014}'..='\u{301f}' | '\u{3030}' | '\u{303d}' | '\u{30a0}' | '\u{30fb}'
            | '\u{fe10}'..='\u{fe19}' | '\u{fe30}'..='\u{fe52}' | '\u{fe54}'..='\u{fe61}' | '\u{fe63}'
            | '\u{fe68}' | '\u{fe6a}' | '\u{fe6b}' | '\u{ff01}'..='\u{ff03}' | '\u{ff05}'..='\u{ff0a}'
            | '\u{ff0c}'..='\u{ff0f}' | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}' | '\u{ff20}'
            | '\u{ff3b}'..='\u{ff3d}' | '\u{ff3f}' | '\u{ff5b}' | '\u{ff5d}' | '\u{ff5f}'..='\u{ff65}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_word(text, |word| {
            words.push(word.to_owned());
            true
        });
        words
    }

    #[test]
    fn words_are_folded_and_punctuation_is_separate() {
        assert_eq!(words("Café\tdon't  STOP\u{0}!"), ["cafe", "don", "'", "t", "stop", "!"]);
        assert_eq!(words("a用b «x» €5 soft\u{ad}ly"), ["a", "用", "b", "«", "x", "»", "€5", "softly"]);
        assert!(words(" \u{200b}\n").is_empty());
    }

    #[test]
    fn the_walk_stops_when_told() {
        let mut seen = 0;
        each_word("one, two, three", |_| {
            seen += 1;
            seen < 2
        });
        assert_eq!(seen, 2);
    }

    #[test]
    fn words_are_cut_into_the_longest_pieces() {
        let tokens = ["[CLS]", "[SEP]", "[UNK]", "un", "##aff", "##able", "##a"];
        let strings: String = tokens.concat();
        let starts = tokens.iter().scan(0u32, |at, t| Some(std::mem::replace(at, *at + t.len() as u32)));
        let starts: Vec<u8> = starts.chain([strings.len() as u32]).flat_map(u32::to_le_bytes).collect();
        let mut order: Vec<u16> = (0..tokens.len() as u16).collect();
        order.sort_by_key(|i| tokens[usize::from(*i)]);
        let order: Vec<u8> = order.into_iter().flat_map(u16::to_le_bytes).collect();
        let vocabulary = Vocabulary { starts: &starts, order: &order, strings: strings.as_bytes() };
        let marks = vocabulary.marks().expect("marks");
        assert_eq!(vocabulary.tokens("Unaffable", marks, 99), [0, 3, 4, 5, 1]);
        assert_eq!(vocabulary.tokens("unaffablez un", marks, 99), [0, 2, 3, 1]);
        assert_eq!(vocabulary.tokens("un un un un", marks, 4), [0, 3, 3, 1]);
        assert_eq!(vocabulary.tokens("", marks, 4), [0, 1]);
        assert_eq!(vocabulary.tokens(&"un".repeat(60), marks, 9), [0, 2, 1]);
    }
}
