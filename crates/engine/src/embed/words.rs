//! Splits a text into words for vocabulary lookup, and records where an identifier could be split further.
//!
//! `snake_case`, `kebab-case` and `path/to/file.rs` are split at their punctuation. `getUserById` and
//! `HTTPServer2` come out as one word with marks at `get|User|By|Id` and `HTTP|Server|2`, so that the caller
//! can try the whole (`GitHub`, `sha256`) before the parts.

use super::fold::{Fold, fold};

/// Longer words are encoded data rather than language and are skipped.
const MAX_BYTES: usize = 64;

/// One word, folded to lower-case ASCII.
pub(super) struct Word {
    bytes: [u8; MAX_BYTES],
    len: usize,
    /// Bit `i` is set where a part starts at byte `i` (never at 0).
    cuts: u64,
    has_digit: bool,
    too_long: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
}

impl Word {
    const EMPTY: Word = Word { bytes: [0; MAX_BYTES], len: 0, cuts: 0, has_digit: false, too_long: false };

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// The parts of an identifier, in order; the word itself if it has only one.
    pub(super) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        std::iter::from_fn(move || {
            if start >= self.len {
                return None;
            }
            let rest = self.cuts.checked_shr(start as u32 + 1).unwrap_or(0);
            let end = if rest == 0 { self.len } else { start + 1 + rest.trailing_zeros() as usize };
            let part = self.bytes.get(start..end);
            start = end;
            part
        })
    }

    /// Digits and letters that alternate quickly: a hash, an id, encoded bytes.
    fn is_noise(&self) -> bool {
        let cuts = self.cuts.count_ones() as usize;
        self.has_digit && cuts >= 3 && cuts * 3 >= self.len
    }

    fn cut_at(&mut self, at: usize) {
        if (1..MAX_BYTES).contains(&at) {
            self.cuts |= 1 << at;
        }
    }

    fn push(&mut self, text: &[u8]) {
        match self.bytes.get_mut(self.len..self.len + text.len()) {
            Some(room) => {
                room.copy_from_slice(text);
                self.len += text.len();
            }
            None => self.too_long = true,
        }
    }
}

/// Calls `each` for every word of `text` until it returns `false`.
pub(super) fn each_word(text: &str, mut each: impl FnMut(&Word) -> bool) {
    let mut word = Word::EMPTY;
    // The class of the last two characters, and where the last one starts.
    let (mut before, mut last): (Option<Class>, Option<Class>) = (None, None);
    let mut last_start = 0;
    for c in text.chars().chain(std::iter::once(' ')) {
        match fold(c) {
            Fold::Mark => {}
            Fold::Text(folded) => {
                let class = class(c);
                match (last, class) {
                    (Some(Class::Upper), Class::Lower) if before == Some(Class::Upper) => {
                        word.cut_at(last_start);
                    }
                    (Some(Class::Lower), Class::Upper)
                    | (Some(Class::Digit), Class::Upper | Class::Lower)
                    | (Some(Class::Upper | Class::Lower), Class::Digit) => word.cut_at(word.len),
                    _ => {}
                }
                word.has_digit |= class == Class::Digit;
                last_start = word.len;
                word.push(folded);
                (before, last) = (last, Some(class));
            }
            Fold::Break => {
                if word.len > 0 {
                    if !word.too_long && !word.is_noise() && !each(&word) {
                        return;
                    }
                    word = Word { bytes: word.bytes, ..Word::EMPTY };
                }
                (before, last) = (None, None);
            }
        }
    }
}

fn class(c: char) -> Class {
    if c.is_numeric() {
        Class::Digit
    } else if c.is_uppercase() {
        Class::Upper
    } else {
        Class::Lower
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        each_word(text, |w| {
            let parts: Vec<_> = w.parts().map(|p| String::from_utf8_lossy(p).into_owned()).collect();
            out.push(parts.join("|"));
            true
        });
        out
    }

    #[test]
    fn identifiers_are_split_into_parts() {
        assert_eq!(split("getUserById"), ["get|user|by|id"]);
        assert_eq!(split("HTTPServer2"), ["http|server|2"]);
        assert_eq!(split("snake_case kebab-case"), ["snake", "case", "kebab", "case"]);
        assert_eq!(split("path/to/file.rs"), ["path", "to", "file", "rs"]);
        assert_eq!(split("sha256 utf8Decode"), ["sha|256", "utf|8|decode"]);
        assert_eq!(split("ÉtéIndien"), ["ete|indien"]);
    }

    #[test]
    fn other_scripts_separate_words() {
        assert_eq!(split("用postgres做缓存 плюс redis"), ["postgres", "redis"]);
    }

    #[test]
    fn noise_and_encoded_data_are_left_out() {
        assert!(split("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b").is_empty());
        assert!(split(&"x".repeat(65)).is_empty());
        assert_eq!(split(&"x".repeat(64)).len(), 1);
    }

    #[test]
    fn the_walk_stops_when_told() {
        let mut n = 0;
        each_word("one two three", |_| {
            n += 1;
            n < 2
        });
        assert_eq!(n, 2);
    }
}
