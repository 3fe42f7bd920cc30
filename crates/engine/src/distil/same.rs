//! Whether two statements are one, said twice.

use hark_core::text::terms;

/// Words in common, of all words, from which on two statements are the same.
const SAME: f32 = 0.9;

/// Alike in words, and in every negation, number and name: "always" and "never" differ in one word.
pub(super) fn says_the_same(a: &str, b: &str) -> bool {
    let (a_plain, b_plain) = (plain(a), plain(b));
    if a_plain == b_plain {
        return true;
    }
    if hard(&a_plain) != hard(&b_plain) {
        return false;
    }
    let unique = |text: &str| -> Vec<String> {
        let mut found = terms(text);
        found.sort();
        found.dedup();
        found
    };
    let (a, b) = (unique(a), unique(b));
    let common = a.iter().filter(|term| b.binary_search(term).is_ok()).count();
    let all = a.len() + b.len() - common;
    common > 2 && common as f32 >= SAME * all as f32
}

fn plain(text: &str) -> Vec<String> {
    let words = text.split_whitespace().map(|word| {
        word.trim_matches(|c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '"' | '(' | ')'))
            .to_lowercase()
    });
    words.filter(|word| !word.is_empty()).collect()
}

/// Words that turn a statement into another one.
fn hard(words: &[String]) -> Vec<&str> {
    const TURNS: &[&str] =
        &["not", "never", "always", "no", "only", "without", "except", "unless", "instead", "cannot"];
    let is_hard = |word: &&str| {
        TURNS.contains(word)
            || word.ends_with("n't")
            || word.ends_with("n’t")
            || word.chars().any(|c| !c.is_alphabetic() && !matches!(c, '\'' | '’' | '-'))
    };
    let mut found: Vec<&str> = words.iter().map(String::as_str).filter(is_hard).collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::says_the_same;

    #[test]
    fn a_repeat_is_the_same_and_a_change_is_not() {
        let said = "Always run the linter before you push to the main branch.";
        assert!(says_the_same(said, "always run the linter before you push to the main branch"));
        assert!(says_the_same(said, "Always run the linter before pushing to the main branch!"));
        assert!(!says_the_same(said, "Never run the linter before you push to the main branch."));
        assert!(!says_the_same("The API listens on port 8443.", "The API listens on port 8444."));
        assert!(!says_the_same("We deploy from db-stg-1.", "We deploy from db-stg-2."));
        assert!(!says_the_same(said, "Use tabs."));
    }
}
