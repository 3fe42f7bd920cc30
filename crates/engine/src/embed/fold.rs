//! Reduces a character to the alphabet of the static model's vocabulary: `a`–`z` and `0`–`9`.
//!
//! Removes case and accents (`É` → `e`, `ß` → `ss`) and combining marks. Everything else (punctuation,
//! symbols, scripts the model was not trained on) ends the word. Uses a range table rather than full Unicode
//! decomposition: the vocabulary contains only Latin letters, and this needs no tables at startup.

/// The result for one character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    /// Written as these lower-case ASCII bytes.
    Text(&'static [u8]),
    /// A combining mark: dropped without ending the word.
    Mark,
    /// Not part of any word.
    Break,
}

const ASCII: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";

pub(super) fn fold(c: char) -> Fold {
    match c {
        'a'..='z' => ascii(c as usize - 'a' as usize),
        'A'..='Z' => ascii(c as usize - 'A' as usize),
        '0'..='9' => ascii(c as usize - '0' as usize + 26),
        '\0'..='\u{7f}' => Fold::Break,
        '\u{300}'..='\u{36f}' => Fold::Mark,
        // Full-width forms of ASCII.
        '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => {
            u8::try_from(c as u32 - 0xfee0).map_or(Fold::Break, |b| fold(char::from(b)))
        }
        _ => latin(c),
    }
}

fn ascii(index: usize) -> Fold {
    ASCII.get(index..=index).map_or(Fold::Break, Fold::Text)
}

fn latin(c: char) -> Fold {
    let text: &'static [u8] = match c as u32 {
        0xd7 | 0xf7 => return Fold::Break,
        0xc0..=0xc5 | 0xe0..=0xe5 | 0x100..=0x105 | 0x1ea0..=0x1eb7 => b"a",
        0xc6 | 0xe6 => b"ae",
        0xc7 | 0xe7 | 0x106..=0x10d => b"c",
        0xd0 | 0xf0 | 0x10e..=0x111 => b"d",
        0xc8..=0xcb | 0xe8..=0xeb | 0x112..=0x11b | 0x1eb8..=0x1ec7 => b"e",
        0x11c..=0x123 => b"g",
        0x124..=0x127 => b"h",
        0xcc..=0xcf | 0xec..=0xef | 0x128..=0x131 | 0x1ec8..=0x1ecb => b"i",
        0x132 | 0x133 => b"ij",
        0x134 | 0x135 => b"j",
        0x136..=0x138 => b"k",
        0x139..=0x142 => b"l",
        0xd1 | 0xf1 | 0x143..=0x14b => b"n",
        0xd2..=0xd6 | 0xd8 | 0xf2..=0xf6 | 0xf8 | 0x14c..=0x151 | 0x1a0 | 0x1a1 | 0x1ecc..=0x1ee3 => b"o",
        0x152 | 0x153 => b"oe",
        0x154..=0x159 => b"r",
        0xdf => b"ss",
        0x15a..=0x161 | 0x17f | 0x218 | 0x219 => b"s",
        0x162..=0x167 | 0x21a | 0x21b => b"t",
        0xde | 0xfe => b"th",
        0xd9..=0xdc | 0xf9..=0xfc | 0x168..=0x173 | 0x1af | 0x1b0 | 0x1ee4..=0x1ef1 => b"u",
        0x174 | 0x175 => b"w",
        0xdd | 0xfd | 0xff | 0x176..=0x178 | 0x1ef2..=0x1ef9 => b"y",
        0x179..=0x17e => b"z",
        _ => return Fold::Break,
    };
    Fold::Text(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_lose_case_and_accents() {
        let folded = |s: &str| -> String {
            s.chars()
                .filter_map(|c| match fold(c) {
                    Fold::Text(t) => Some(String::from_utf8_lossy(t).into_owned()),
                    _ => None,
                })
                .collect()
        };
        assert_eq!(folded("Café Straße ÆØÅ Łódź"), "cafestrasseaeoalodz");
        assert_eq!(folded("e\u{301}te\u{301}"), "ete");
        assert_eq!(folded("ＡＰＩ２"), "api2");
        assert_eq!(folded("Nguyễn Việt"), "nguyenviet");
    }

    #[test]
    fn other_scripts_and_punctuation_break() {
        for c in ['_', '-', ' ', '漢', 'ж', 'λ', '×', '😀', '\0'] {
            assert_eq!(fold(c), Fold::Break, "{c:?}");
        }
    }
}
