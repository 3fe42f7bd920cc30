//! Whether a text says that something changed, and whether a question asks for what was before.

/// Words of notes that replace another.
const CHANGE: [&[&str]; 40] = [
    &["now"],
    &["no", "longer"],
    &["switched"],
    &["switch", "to"],
    &["moved"],
    &["migrated"],
    &["replaced"],
    &["replaces"],
    &["instead", "of"],
    &["bumped"],
    &["raised"],
    &["lowered"],
    &["reduced"],
    &["increased"],
    &["changed"],
    &["renamed"],
    &["dropped"],
    &["retired"],
    &["since"],
    &["as", "of"],
    &["from", "now", "on"],
    &["anymore"],
    &["any", "more"],
    &["was"],
    &["were"],
    &["used", "to"],
    &["previously"],
    &["formerly"],
    &["new"],
    &["upgraded"],
    &["downgraded"],
    &["reverted"],
    &["actually"],
    &["scratch", "that"],
    &["on", "second", "thought"],
    &["let's", "go", "with"],
    &["update"],
    &["updated"],
    &["back", "to"],
    &["deprecated"],
];

/// Words of questions about what was before. "Before" alone is rather an order of steps: "run this before that".
const FORMER: [&[&str]; 24] = [
    &["previously"],
    &["previous"],
    &["formerly"],
    &["former"],
    &["originally"],
    &["original"],
    &["used", "to"],
    &["history"],
    &["in", "the", "past"],
    &["at", "first"],
    &["initially"],
    &["old"],
    &["older"],
    &["earlier"],
    &["use", "before"],
    &["have", "before"],
    &["do", "before"],
    &["was", "before"],
    &["were", "before"],
    &["before", "we", "switched"],
    &["before", "the", "change"],
    &["before", "we", "changed"],
    &["before", "that"],
    &["prior", "to"],
];

pub fn speaks_of_change(text: &str) -> bool {
    holds(text, &CHANGE)
}

pub fn asks_for_former(question: &str) -> bool {
    holds(question, &FORMER)
}

fn holds(text: &str, phrases: &[&[&str]]) -> bool {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    phrases.iter().any(|phrase| words.windows(phrase.len()).any(|found| found.iter().eq(phrase.iter())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_about_the_past_are_told_from_others() {
        for text in [
            "what did we use before pnpm",
            "history of the retry policy",
            "which queue did we originally use",
        ] {
            assert!(asks_for_former(text), "{text}");
        }
        for text in ["what must run before the deploy", "which queue do we use", "threshold"] {
            assert!(!asks_for_former(text), "{text}");
        }
        assert!(speaks_of_change("CI now runs on Node 22") && speaks_of_change("We no longer use npm."));
        assert!(!speaks_of_change("CI runs on Node 22"));
    }
}
