//! "Use X, not Y": what is wrong, and what is right instead.

use std::sync::LazyLock;

use crate::distil::{Pattern, expand};
use crate::text::is_stop_word;

/// One to three words, as short as what follows allows.
const TERM: &str = r"((?:[\w@./+#:`-]+ ){0,2}?[\w@./+#:-]*[\w+#])";
/// What follows a term.
const END: &str = r"(?:$|[,.;:!)]|\s[-–—]+(?:\s|$)|\s(?:here|in|for|when|whenever|everywhere|anywhere|because|since|as|please|again|to|on|at|with|from|if|unless|this|that|so|and|but|or|by|anymore|ever|always|inside|under|it|we|you|which)\b)";
const ARTICLE: &str = r"(?:the |a |an |any |only |just |plain )?";
const VERB: &str = r"(?:use|using|run|call|write|import|install|add|commit|edit|touch|mock|create|log|put)";
const NOT: &str = r"(?:don't|do not|never|avoid|stop|not to|not)";

/// Patterns with the right term first.
static RIGHT_FIRST: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    [
        format!(
            r"\b(?:use|using|prefer|run|call|write|import|install with|go with|should be|it's|want|need|we have) {ARTICLE}{TERM},? (?:and |but )?(?:not|instead of|rather than|over|never) (?:with |use |using )?{ARTICLE}{TERM}{END}"
        ),
        format!(r"^([\w@./+#:-]*[\w+#]),? (?:and )?(?:not|instead of|rather than) {ARTICLE}{TERM}{END}"),
    ]
    .iter()
    .map(|text| expand(text))
    .collect()
});

/// The wrong term, and then what is right.
static WRONG_FIRST: LazyLock<Pattern> = LazyLock::new(|| {
    expand(&format!(
        r"\b{NOT} (?:ever |just )?{VERB}(?:ing|ning|ting)? {ARTICLE}{TERM}[,.;:]?(?: [-–—])? (?:but |and |please |instead |always |just |we )*(?:use|run|call|prefer|write|import|it's) {ARTICLE}{TERM}{END}"
    ))
});

/// Only what is wrong.
static WRONG_ONLY: LazyLock<Pattern> = LazyLock::new(|| {
    expand(&format!(
        r"\b(?:{NOT}|you keep|you kept) (?:ever |just )?(?:use|using|run|running|call|calling|import|importing|install|installing) {ARTICLE}{TERM}{END}"
    ))
});

/// Only what is right.
static RIGHT_ONLY: LazyLock<Pattern> =
    LazyLock::new(|| expand(&format!(r"^(?:please |always |just )*(?:use|run|prefer) {ARTICLE}{TERM}{END}")));

/// What a sentence says is wrong, and what is right.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Swap {
    pub(super) wrong: Option<String>,
    pub(super) right: Option<String>,
}

/// Reads a sentence: `masked` in lower case with quotes masked, `written` as typed.
pub(super) fn swap(masked: &str, written: &str) -> Swap {
    for pattern in RIGHT_FIRST.iter() {
        if let Some((right, wrong)) = two(pattern, masked, written) {
            return Swap { wrong: Some(wrong), right: Some(right) };
        }
    }
    if let Some((wrong, right)) = two(&WRONG_FIRST, masked, written) {
        return Swap { wrong: Some(wrong), right: Some(right) };
    }
    if let Some(wrong) = one(&WRONG_ONLY, masked, written) {
        return Swap { wrong: Some(wrong), right: None };
    }
    Swap { wrong: None, right: one(&RIGHT_ONLY, masked, written) }
}

fn two(pattern: &Pattern, masked: &str, written: &str) -> Option<(String, String)> {
    let groups = pattern.groups(masked)?;
    let first = term(groups.get(1)?.clone()?, masked, written)?;
    let second = term(groups.get(2)?.clone()?, masked, written)?;
    (!first.eq_ignore_ascii_case(&second)).then_some((first, second))
}

fn one(pattern: &Pattern, masked: &str, written: &str) -> Option<String> {
    let groups = pattern.groups(masked)?;
    term(groups.get(1)?.clone()?, masked, written)
}

/// A term as typed, if it names something.
fn term(range: std::ops::Range<usize>, masked: &str, written: &str) -> Option<String> {
    let found = if written.len() == masked.len() { written.get(range) } else { masked.get(range) }?;
    let found = found.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '@' | '+' | '#' | '-')));
    let names = |word: &str| word.chars().any(char::is_alphanumeric) && !is_vague(&word.to_ascii_lowercase());
    // "Instead of any in types": what follows the term is not the term.
    let begins_well = found.split(' ').next().is_some_and(|word| !is_stop_word(&word.to_ascii_lowercase()));
    let is_name = found.chars().count() >= 2
        && begins_well
        && found.split(' ').all(|word| !VAGUE.contains(&word.to_ascii_lowercase().as_str()))
        && found.split(' ').any(names)
        && !found.contains("qqq");
    is_name.then(|| found.to_owned())
}

fn is_vague(word: &str) -> bool {
    is_stop_word(word) || VAGUE.contains(&word)
}

/// They name nothing by themselves.
const VAGUE: &[&str] = &[
    "it",
    "this",
    "that",
    "them",
    "these",
    "those",
    "one",
    "ones",
    "same",
    "other",
    "another",
    "something",
    "anything",
    "everything",
    "nothing",
    "you",
    "we",
    "i",
    "they",
    "he",
    "she",
    "sure",
    "yet",
    "now",
    "what",
    "how",
    "there",
    "here",
    "old",
    "new",
    "existing",
    "current",
    "previous",
    "first",
    "second",
    "only",
    "all",
    "none",
    "work",
    "working",
    "just",
    "really",
    "needed",
    "necessary",
    "change",
    "changes",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (String, String) {
        let swap = swap(&text.to_ascii_lowercase(), text);
        (swap.wrong.unwrap_or_default(), swap.right.unwrap_or_default())
    }

    #[test]
    fn both_terms_are_found_as_typed() {
        for (text, wrong, right) in [
            ("use pnpm, not npm", "npm", "pnpm"),
            ("use pnpm instead of npm here", "npm", "pnpm"),
            ("please use LoggerV2 rather than console.log in the api", "console.log", "LoggerV2"),
            ("don't use npm, use pnpm", "npm", "pnpm"),
            ("never run npm install. use pnpm install", "npm install", "pnpm install"),
            ("pnpm, not npm", "npm", "pnpm"),
            ("stop using moment and use date-fns", "moment", "date-fns"),
            ("don't use git push --force", "git push --force", ""),
            ("use ripgrep", "", "ripgrep"),
        ] {
            assert_eq!(found(text), (wrong.to_owned(), right.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_names_nothing_is_no_term() {
        for text in [
            "don't use it",
            "use this not that",
            "it's not working",
            "use the new one instead of the old one",
            "I am not sure",
            "use the one instead of any in the types",
        ] {
            assert_eq!(found(text), (String::new(), String::new()), "{text}");
        }
    }
}
