//! Stems: English for Latin words, Russian for Cyrillic; other scripts stay as they are.
//!
//! Hark does not guess languages: the English stemmer does little harm to other Latin words, and
//! documents and queries go through the same one.

use rust_stemmers::{Algorithm, Stemmer};

pub(crate) fn stem(word: &str) -> String {
    if word.len() < 3 {
        return word.to_owned();
    }
    if word.is_ascii() {
        return Stemmer::create(Algorithm::English).stem(word).into_owned();
    }
    let cyrillic = word.chars().all(|c| ('\u{0400}'..='\u{04ff}').contains(&c));
    if cyrillic {
        return Stemmer::create(Algorithm::Russian).stem(word).into_owned();
    }
    word.to_owned()
}
