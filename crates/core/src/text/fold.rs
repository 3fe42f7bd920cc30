//! Folds compatibility forms, accents and zero-width characters, so that a word written in two ways is one
//! word. Keeps case, because splitting identifiers needs it.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Text with compatibility forms unified and accents removed.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let decomposed = text.nfkd().filter(|c| !is_dropped(*c));
    decomposed.nfc().collect()
}

/// Removes accents of alphabetic scripts; the voicing marks of kana and Indic vowel signs carry meaning and
/// stay.
fn is_dropped(c: char) -> bool {
    let accent = ('\u{0300}'..='\u{036f}').contains(&c) || ('\u{1ab0}'..='\u{1aff}').contains(&c);
    let invisible =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{00ad}' | '\u{fe00}'..='\u{fe0f}');
    (accent && is_combining_mark(c)) || invisible
}
