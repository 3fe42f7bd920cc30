//! The assistant's message before a turn: people quote from it without marks, and answer it.

use super::compose::one_line;
use super::own_words::own_words;
use super::sentence::sentences;

/// Shorter sentences may be the same by chance.
const LEAST_LETTERS: usize = 40;
/// A longer last sentence explains nothing.
const LONGEST: usize = 280;

pub(super) struct Reply<'t> {
    text: &'t str,
    words: String,
}

impl<'t> Reply<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Reply { text, words: words(text) }
    }

    /// Whether a sentence of the turn was copied from the reply.
    pub(super) fn holds(&self, sentence: &str) -> bool {
        let sentence = words(sentence);
        sentence.len() >= LEAST_LETTERS && self.words.contains(&sentence)
    }

    /// What the turn probably answers.
    pub(super) fn last_sentence(&self) -> Option<String> {
        let all = sentences(self.text, &own_words(self.text));
        let last = all.iter().rfind(|one| one.masked.split_whitespace().count() >= 5)?;
        let last = one_line(&self.text[last.span.clone()]);
        (last.len() <= LONGEST).then_some(last)
    }
}

/// Letters and digits in lower case, one blank between words.
fn words(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        found.push_str(&word.to_lowercase());
        found.push(' ');
    }
    found
}
