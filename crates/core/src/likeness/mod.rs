//! Decides whether two texts say the same, or one is a newer state of the other.
//!
//! Sharing most words is not enough: "always run the linter" and "never run the linter" share four words of
//! five. So words are matched first, and what is left over on either side decides. A number, a name, a path,
//! a negation or a word without a counterpart makes a different statement. In doubt, two texts are not the
//! same: a duplicate memory is a nuisance, a lost one is a bug.

mod sketch;
mod table;
mod words;

pub use sketch::{BANDS, bands};
pub use words::{Difference, Sort};

use words::Statement;

/// How the second text relates to the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Likeness {
    /// It says the same.
    Same,
    /// It says everything the first says, and more.
    More,
    /// It says less, and nothing else.
    Less,
    /// It is about the same thing and says something else.
    Changed(Vec<Difference>),
    /// It is about something else.
    Other,
}

/// The share of common words from which two texts are about the same thing.
const ABOUT_THE_SAME: f32 = 0.5;
/// How much a longer text may add, as a share of its words, before it is a different one.
const MOST_ADDED: f32 = 0.5;
/// Two texts whose vectors are further apart do not say the same, whatever their words.
const NEAR: f32 = 0.5;

/// A text prepared for comparison with several others.
pub struct Text {
    normalised: String,
    statement: Statement,
}

impl Text {
    pub fn of(text: &str) -> Text {
        Text { normalised: normalised(text), statement: Statement::of(text) }
    }
}

/// Compares two texts. `cosine` is the similarity of their vectors, if known.
pub fn compare(before: &str, after: &str, cosine: Option<f32>) -> Likeness {
    compare_texts(&Text::of(before), &Text::of(after), cosine)
}

/// Compares two prepared texts.
pub fn compare_texts(before: &Text, after: &Text, cosine: Option<f32>) -> Likeness {
    if before.normalised == after.normalised {
        return Likeness::Same;
    }
    let (a, b) = (&before.statement, &after.statement);
    let matched = words::match_up(a, b);
    let all = matched.common + matched.lost.len() + matched.gained.len();
    if matched.common == 0 || (matched.common as f32) < ABOUT_THE_SAME * all as f32 {
        return Likeness::Other;
    }
    let differences = words::differences(a, b, &matched);
    if !differences.is_empty() {
        return Likeness::Changed(differences);
    }
    if cosine.is_some_and(|cosine| cosine < NEAR) {
        return Likeness::Other;
    }
    let added = |words: usize| words as f32 > MOST_ADDED * (matched.common + words) as f32;
    match (matched.lost.len(), matched.gained.len()) {
        (0, 0) => Likeness::Same,
        (0, gained) if !added(gained) => Likeness::More,
        (lost, 0) if !added(lost) => Likeness::Less,
        _ => Likeness::Other,
    }
}

/// A text normalised for comparison: without case, spacing, and punctuation around words. What is inside or
/// before a word (`v1.2`, `!12`, `--no-verify`) stays.
pub fn normalised(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let word = words::bare(word);
        if word.chars().any(char::is_alphanumeric) {
            if !out.is_empty() {
                out.push(' ');
            }
            out.extend(word.chars().flat_map(char::to_lowercase));
        }
    }
    out
}

#[cfg(test)]
mod tests;
