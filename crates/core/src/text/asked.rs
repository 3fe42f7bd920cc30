//! Finds the subject of a question by removing words that only say what to do with the answer: count it,
//! order it, take the latest. As search terms, "currently" and "total number" would match any text that
//! contains them.

/// Phrases, word by word; `*` stands for any of [`ENDS`].
const MANNER: &[&[&str]] = &[
    &["total", "number", "of"],
    &["total", "amount", "of"],
    &["number", "of"],
    &["in", "total"],
    &["order", "of"],
    &["order", "in", "which"],
    &["in", "which", "order"],
    &["in", "what", "order"],
    &["from", "*", "to", "*"],
    &["from", "the", "*", "to", "the", "*"],
    &["most", "recently"],
    &["most", "recent"],
    &["currently"],
    &["at", "the", "moment"],
    &["right", "now"],
    &["so", "far"],
];
const ENDS: [&str; 6] = ["earliest", "latest", "first", "last", "oldest", "newest"];
/// The first words of a question without a question mark.
const OPENINGS: [&str; 11] =
    ["what", "which", "who", "whom", "whose", "when", "where", "why", "how", "do", "did"];

/// A longer text contains more than a question, such as a log or a file. It is left unchanged.
const LONGEST: usize = 2_000;

/// The text without such phrases, if it is a question and something is left; otherwise unchanged.
pub fn what_is_asked(text: &str) -> String {
    if text.len() > LONGEST {
        return text.to_owned();
    }
    let words = words(text);
    let is = |at: usize, word: &str| {
        let found = words.get(at).map_or("", |(from, to)| &text[*from..*to]);
        if word == "*" {
            ENDS.iter().any(|end| found.eq_ignore_ascii_case(end))
        } else {
            found.eq_ignore_ascii_case(word)
        }
    };
    if !(text.contains('?') || OPENINGS.iter().any(|opening| is(0, opening))) {
        return text.to_owned();
    }
    let mut left = String::with_capacity(text.len());
    let (mut at, mut from) = (0, 0);
    while let Some((start, _)) = words.get(at) {
        let fits = |phrase: &&&[&str]| phrase.iter().enumerate().all(|(i, word)| is(at + i, word));
        match MANNER.iter().filter(fits).map(|phrase| phrase.len()).max() {
            Some(length) => {
                left.push_str(&text[from..*start]);
                from = words[at + length - 1].1;
                at += length;
            }
            None => at += 1,
        }
    }
    left.push_str(&text[from..]);
    if from == 0 || super::analyze(&left).is_empty() { text.to_owned() } else { left }
}

/// Where the words of a text are.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        match (c.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    words.extend(start.map(|from| (from, text.len())));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn phrases_about_the_answer_are_removed() {
        for (text, expected) in [
            ("How many bikes do I currently own?", "How many bikes do I  own?"),
            ("What is the total number of siblings I have?", "What is the  siblings I have?"),
            ("What is the order of the trips, from earliest to latest?", "What is the  the trips, ?"),
            ("which service did we add most recently", "which service did we add "),
            ("In which order do migrations run?", " do migrations run?"),
        ] {
            assert_eq!(what_is_asked(text), expected);
        }
        for text in [
            "the build is currently broken",
            "Currently?",
            "how far is it from home to work",
            "What is the order total?",
            "",
            "?",
        ] {
            assert_eq!(what_is_asked(text), text);
        }
        let log = format!("What is currently wrong here?\n{}", "error: no such file\n".repeat(200));
        assert_eq!(what_is_asked(&log), log);
    }

    proptest! {
        #[test]
        fn the_result_contains_only_characters_of_the_input(text in "(\\PC{0,8}( in total| currently|[ ?]|order of )){0,12}") {
            let left = what_is_asked(&text);
            prop_assert!(left.len() <= text.len());
            prop_assert!(left.chars().all(|c| text.contains(c)));
        }
    }
}
