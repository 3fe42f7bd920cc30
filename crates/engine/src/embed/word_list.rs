//! The words of a passage, sentence by sentence, as the bytes that the store keeps next to its vector: row
//! numbers in the table, numbers for words that are not in the table, and marks where sentences begin.

/// The maximum number of words and marks per text.
const MOST: usize = 256;
/// Row numbers of the table are below this.
pub(super) const FIRST_STRANGER: u16 = 0x8000;
const FIRST_MARK: u16 = 0xfff0;
const SENTENCE: u16 = FIRST_MARK;
const SENTENCE_OF_SELF: u16 = FIRST_MARK + 1;

/// The number of a word without a row: only the same word matches it.
pub(super) fn stranger(word: &[u8]) -> u16 {
    let hash =
        word.iter().fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    let room = u32::from(FIRST_MARK - FIRST_STRANGER);
    FIRST_STRANGER + ((hash >> 8) % room) as u16
}

/// A list under construction.
#[derive(Default)]
pub(super) struct WordList {
    entries: Vec<u16>,
    /// Where the words of the current sentence begin.
    here: usize,
}

impl WordList {
    pub(super) fn begin(&mut self, tells_of_self: bool) {
        self.drop_empty_sentence();
        self.entries.push(if tells_of_self { SENTENCE_OF_SELF } else { SENTENCE });
        self.here = self.entries.len();
    }

    /// Adds a word once per sentence.
    pub(super) fn add(&mut self, word: u16) {
        if !self.is_full() && !self.entries[self.here..].contains(&word) {
            self.entries.push(word);
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.entries.len() >= MOST
    }

    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        self.drop_empty_sentence();
        self.entries.iter().flat_map(|entry| entry.to_le_bytes()).collect()
    }

    fn drop_empty_sentence(&mut self) {
        if self.entries.last().is_some_and(|last| *last >= FIRST_MARK) {
            self.entries.pop();
        }
    }
}

/// One sentence of a list.
pub(super) struct Words<'l> {
    pub(super) tells_of_self: bool,
    pub(super) words: Entries<'l>,
}

/// The sentences of a list. Words before the first mark are a sentence too.
pub(super) fn read(list: &[u8]) -> impl Iterator<Item = Words<'_>> {
    let mut rest = list.as_chunks::<2>().0;
    std::iter::from_fn(move || {
        let (first, after) = rest.split_first()?;
        let mark = u16::from_le_bytes(*first);
        let words = if mark >= FIRST_MARK { after } else { rest };
        let end =
            words.iter().position(|pair| u16::from_le_bytes(*pair) >= FIRST_MARK).unwrap_or(words.len());
        let (words, after) = words.split_at(end);
        rest = after;
        Some(Words { tells_of_self: mark == SENTENCE_OF_SELF, words: Entries(words.iter()) })
    })
}

/// All words of a list.
pub(super) fn words(list: &[u8]) -> impl Iterator<Item = u16> {
    read(list).flat_map(|sentence| sentence.words)
}

/// Words as stored.
pub(super) struct Entries<'l>(std::slice::Iter<'l, [u8; 2]>);

impl Iterator for Entries<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        self.0.next().map(|pair| u16::from_le_bytes(*pair))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_word_list_round_trips(said in prop::collection::vec((any::<bool>(), prop::collection::vec(0..FIRST_MARK, 0..30)), 0..20)) {
            let mut list = WordList::default();
            for (tells_of_self, words) in &said {
                list.begin(*tells_of_self);
                words.iter().for_each(|word| list.add(*word));
            }
            let bytes = list.into_bytes();
            prop_assert!(bytes.len() <= 2 * MOST);
            let read: Vec<(bool, Vec<u16>)> = read(&bytes).map(|s| (s.tells_of_self, s.words.collect())).collect();
            let meant = said.iter().filter(|(_, words)| !words.is_empty());
            for (kept, (tells_of_self, words)) in read.iter().zip(meant) {
                prop_assert_eq!(kept.0, *tells_of_self);
                prop_assert!(!kept.1.is_empty() && kept.1.iter().all(|word| words.contains(word)));
            }
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200), word in prop::collection::vec(any::<u8>(), 0..20)) {
            prop_assert!(words(&bytes).count() <= bytes.len() / 2);
            prop_assert!((FIRST_STRANGER..FIRST_MARK).contains(&stranger(&word)));
        }
    }
}
