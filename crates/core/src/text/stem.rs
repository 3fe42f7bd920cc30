//! Stems: English for Latin words, Russian for Cyrillic; other scripts stay unchanged.
//!
//! Hark does not guess languages: the English stemmer does little harm to other Latin words, and documents
//! and queries use the same one.

use std::cell::RefCell;
use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};

/// How many stems a thread caches before it starts over.
const MOST_KNOWN: usize = 4_096;

thread_local! {
    /// Texts repeat their words, and one text is analysed for several purposes.
    static KNOWN: RefCell<HashMap<Box<str>, Box<str>>> = RefCell::default();
}

pub(crate) fn stem(word: &str) -> String {
    if word.len() < 3 {
        return word.to_owned();
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some(stem) = known.get(word) {
            return stem.to_string();
        }
        let stem = of_new(word);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(word.into(), stem.as_str().into());
        stem
    })
}

fn of_new(word: &str) -> String {
    if word.is_ascii() {
        return Stemmer::create(Algorithm::English).stem(word).into_owned();
    }
    let cyrillic = word.chars().all(|c| ('\u{0400}'..='\u{04ff}').contains(&c));
    if cyrillic {
        return Stemmer::create(Algorithm::Russian).stem(word).into_owned();
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_the_same_with_and_without_the_cache() {
        assert_eq!((stem("migrations"), stem("migrations")), ("migrat".to_owned(), "migrat".to_owned()));
        for number in 0..=MOST_KNOWN {
            assert_eq!(stem(&format!("x{number}")), format!("x{number}"));
        }
        assert_eq!(stem("migrations"), "migrat");
        assert!(KNOWN.with_borrow(HashMap::len) <= MOST_KNOWN);
    }
}
