//! Turns text into search terms. The same analyzer serves documents and queries in every store engine.
//!
//! Words are folded (case, accents, width), identifiers are split and also kept whole, CJK runs become
//! bigrams, stop words are dropped, and the rest is stemmed. The store decides how to store terms.

mod asked;
mod change;
mod code;
mod fold;
mod identifier;
mod passages;
mod script;
mod sentences;
mod stem;
mod stopwords;
mod symptom;
mod typo;

pub use asked::what_is_asked;
pub use change::{asks_for_former, speaks_of_change};
pub use code::is_code;
pub use fold::fold;
pub use passages::{PASSAGE_CHARS, Passage, Voice, passages, without_speaker, write_turn};
pub use sentences::{Sentence, asks_about_self, sentences};
pub(crate) use stem::stem;
pub use stopwords::is_stop_word;
pub use symptom::{is_symptom, message};
pub use typo::{deletions, may_be_typo_of, query_deletions, typo_distance};

use script::{Run, runs};

/// Bump when the same text yields other terms, or when the index stores something else: older indexes are
/// then rebuilt.
pub const ANALYZER_VERSION: u32 = 8;

/// One searchable term and the word it came from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token {
    /// The folded word, before stemming.
    pub word: String,
    /// The term in the index.
    pub term: String,
    pub shape: Shape,
}

/// The form of a token; typo correction and phrase evidence treat them differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// An ordinary word or a part of an identifier.
    Word,
    /// A whole identifier, path, version, reference or number.
    Whole,
    /// Two adjacent ideographs or syllables.
    Bigram,
}

/// The longest token; longer runs (base64, hashes) are truncated so that they cannot bloat an index.
const MAX_TOKEN_CHARS: usize = 64;

/// All terms of a text, in reading order, with repeats.
pub fn analyze(text: &str) -> Vec<Token> {
    let folded = fold(text);
    let mut tokens = Vec::with_capacity(folded.len() / 6);
    for run in runs(&folded) {
        match run {
            Run::Ideographs(chars) => push_bigrams(chars, &mut tokens),
            Run::Word(chunk) => identifier::push_tokens(chunk, &mut tokens),
        }
    }
    tokens
}

/// The terms alone.
pub fn terms(text: &str) -> Vec<String> {
    analyze(text).into_iter().map(|token| token.term).collect()
}

/// A single character stands for its own pair.
fn push_bigrams(chars: &str, tokens: &mut Vec<Token>) {
    let starts: Vec<usize> = chars.char_indices().map(|(at, _)| at).collect();
    let ends = starts.iter().skip(2).copied().chain([chars.len()]);
    for (from, to) in starts.iter().zip(ends) {
        let pair = &chars[*from..to];
        tokens.push(Token { word: pair.to_owned(), term: pair.to_owned(), shape: Shape::Bigram });
    }
}

/// Adds a word unless it is empty, a stop word or a single letter.
fn push_word(word: &str, shape: Shape, tokens: &mut Vec<Token>) {
    let word: &str = match word.char_indices().nth(MAX_TOKEN_CHARS) {
        Some((at, _)) => &word[..at],
        None => word,
    };
    let lone_letter = word.chars().nth(1).is_none() && !word.chars().any(|c| c.is_numeric());
    if word.is_empty() || lone_letter || is_stop_word(word) {
        return;
    }
    let term = match shape {
        Shape::Word => stem::stem(word),
        Shape::Whole | Shape::Bigram => word.to_owned(),
    };
    tokens.push(Token { word: word.to_owned(), term, shape });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        terms(text)
    }

    #[test]
    fn prose_loses_stop_words_and_endings() {
        assert_eq!(words("The migrations are running in the cluster"), ["migrat", "run", "cluster"]);
    }

    #[test]
    fn identifiers_match_their_spelled_out_form() {
        let camel = words("getUserById");
        for part in words("get user by id") {
            assert!(camel.contains(&part), "{part} in {camel:?}");
        }
        let whole: Vec<_> = ["getUserById", "get_user_by_id", "get-user-by-id"]
            .iter()
            .map(|spelling| words(spelling).contains(&"getuserbyid".to_owned()))
            .collect();
        assert_eq!(whole, [true, true, true]);
    }

    #[test]
    fn acronyms_and_digits_in_identifiers() {
        let t = words("HTTPServer2 parseJSONFile oauth2 k8s utf8");
        for expected in ["http", "server", "pars", "json", "file", "oauth2", "oauth", "k8s", "utf8"] {
            assert!(t.contains(&expected.to_owned()), "{expected} in {t:?}");
        }
    }

    #[test]
    fn paths_yield_whole_and_parts() {
        let t = words("see src/auth/token_store.rs please");
        for expected in ["src/auth/token_store.rs", "token_store.rs", "auth", "token", "store"] {
            assert!(t.contains(&expected.to_owned()), "{expected} in {t:?}");
        }
    }

    #[test]
    fn references_and_versions_stay_whole() {
        let t = words("Fixed in v2.1.3, see #412 and group/proj!12 by @maria.");
        for expected in ["v2.1.3", "2.1.3", "#412", "group/proj!12", "!12", "@maria", "maria"] {
            assert!(t.contains(&expected.to_owned()), "{expected} in {t:?}");
        }
    }

    #[test]
    fn ideographs_become_bigrams_even_next_to_words() {
        assert_eq!(words("数据库"), ["数据", "据库"]);
        assert_eq!(words("Redis缓存策略"), ["redi", "缓存", "存策", "策略"]);
        assert_eq!(words("库"), ["库"]);
        assert_eq!(words("データベース"), words("ﾃﾞｰﾀﾍﾞｰｽ"));
    }

    #[test]
    fn accents_and_case_fold() {
        assert_eq!(words("Größe naïve CAFÉ"), words("große naive cafe"));
    }

    #[test]
    fn nothing_searchable_yields_nothing() {
        for text in ["", "   ", "?!… --- ***", "🦀🎉", "the and of", "a", "''", "\u{0}\u{1}"] {
            assert_eq!(words(text), Vec::<String>::new(), "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_analysed_and_every_token_is_bounded(bytes in proptest::collection::vec(0u8.., 0..400)) {
            for token in analyze(&String::from_utf8_lossy(&bytes)) {
                proptest::prop_assert!(!token.term.is_empty() && token.word.chars().count() <= MAX_TOKEN_CHARS);
            }
        }

        #[test]
        fn any_characters_are_analysed(text in "\\PC{0,200}") {
            let _ = analyze(&text);
        }
    }

    #[test]
    fn contractions_are_words() {
        assert_eq!(words("don't can't what's the server's port"), words("server port"));
    }

    #[test]
    fn a_hundred_thousand_bytes_of_one_word_stay_one_small_token() {
        let t = words(&"x".repeat(100_000));
        assert_eq!(t.len(), 1);
        assert!(t[0].len() <= MAX_TOKEN_CHARS);
    }
}
