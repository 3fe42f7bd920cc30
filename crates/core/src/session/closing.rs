//! The last words of an assistant: the best summary of a session that anybody wrote. They are cut to whole
//! sentences, without code, tables and decoration.

use crate::budget::{estimate_tokens, truncate_to_tokens};

/// What a reply says, in at most `room` tokens: its first sentences and, if it ends with a question to the user, that.
pub fn closing_words(reply: &str, room: usize) -> String {
    let sentences = sentences(reply);
    let Some((last, before)) = sentences.split_last() else { return String::new() };
    // A question at the end is what the session was left with.
    let question = (last.ends_with('?') && !before.is_empty())
        .then_some(last)
        .filter(|question| estimate_tokens(question) * 2 <= room);
    let told = if question.is_some() { before } else { &sentences };
    let left = room - question.map_or(0, |question| (estimate_tokens(question) + 3).min(room));
    let mut words = String::new();
    let mut is_whole = true;
    for sentence in told {
        let longer = if words.is_empty() { sentence.clone() } else { format!("{words} {sentence}") };
        if estimate_tokens(&longer) > left {
            is_whole = false;
            // A long sentence after a short one is what there is to say.
            if estimate_tokens(&words) * 2 < left {
                words = truncate_to_tokens(&longer, left);
            }
            break;
        }
        words = longer;
    }
    // A colon promises what was cut off.
    if !is_whole && words.ends_with(':') {
        words.pop();
        words.push('.');
    }
    match question {
        Some(question) if is_whole => format!("{words} {question}"),
        Some(question) => format!("{words} … {question}"),
        None => words,
    }
}

/// The sentences that say something, in their order.
pub(crate) fn sentences(reply: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in reply.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        let is_decoration = line.starts_with(['|', '#', '<']) || !line.chars().any(char::is_alphanumeric);
        if fenced || is_decoration {
            continue;
        }
        let line = without_marks(line);
        let mut rest = line.as_str();
        while !rest.is_empty() {
            let end = end_of_sentence(rest);
            let sentence = rest[..end].trim();
            if says_something(sentence) {
                found.push(sentence.to_owned());
            }
            rest = rest[end..].trim_start();
        }
    }
    found
}

/// Where the first sentence ends.
fn end_of_sentence(text: &str) -> usize {
    let mut ends = text.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?' | '。' | '？' | '！'));
    let is_end = |at: usize, c: char| {
        let after = &text[at + c.len_utf8()..];
        // `e.g. this` and `file.rs` go on.
        let starts_anew = after.trim_start().chars().next().is_none_or(|c| !c.is_lowercase());
        after.is_empty() || !c.is_ascii() || (after.starts_with(char::is_whitespace) && starts_anew)
    };
    ends.find(|(at, c)| is_end(*at, *c)).map_or(text.len(), |(at, c)| at + c.len_utf8())
}

/// Sentences that announce others.
const ANNOUNCEMENTS: &[&str] = &[
    "Here's",
    "Here’s",
    "Here is",
    "Here are",
    "Let me",
    "I'll",
    "Great question",
    "You're right",
    "Good catch",
];

/// "Done." and "Here's a summary:" say nothing beside what follows.
fn says_something(sentence: &str) -> bool {
    let announces = ANNOUNCEMENTS.iter().any(|words| sentence.starts_with(words));
    !announces
        && sentence.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count() >= 3
}

/// A line without list markers and emphasis.
fn without_marks(line: &str) -> String {
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let line = match numbered.strip_prefix(". ").or_else(|| numbered.strip_prefix(") ")) {
        Some(rest) if numbered.len() < line.len() => rest,
        _ => line.trim_start_matches(['-', '*', '•', '>', ' ']),
    };
    line.replace("**", "").replace("__", "").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_sentences_without_decoration() {
        let reply = "Done. Here's a summary:\n\n## Summary\nThe parser now keeps `a.b` apart. All tests pass.\n\n| a | b |\n|---|---|\n\
                     ```go\nx := 1\n```\n1. **Extracted** the cache from parser.rs.\n";
        assert_eq!(
            closing_words(reply, 60),
            "The parser now keeps `a.b` apart. All tests pass. Extracted the cache from parser.rs."
        );
        assert_eq!(closing_words(reply, 14), "The parser now keeps `a.b` apart.");
    }

    #[test]
    fn a_question_at_the_end_is_kept() {
        let reply = "I moved the cache into its own crate. It has a lock now. There is one more thing to know \
                     about the lock, which is long. Shall I remove the old one?";
        let words = closing_words(reply, 26);
        assert_eq!(words, "I moved the cache into its own crate. … Shall I remove the old one?");
    }

    #[test]
    fn a_colon_before_a_cut_becomes_a_full_stop() {
        let reply = "I changed three things in the loader:\n- the cache is now a map that is never emptied";
        assert_eq!(closing_words(reply, 12), "I changed three things in the loader.");
    }

    #[test]
    fn nothing_to_say_is_nothing() {
        assert_eq!(closing_words("", 50), "");
        assert_eq!(closing_words("Done.", 50), "");
        assert_eq!(closing_words("```\nonly code here now\n```", 50), "");
        assert!(estimate_tokens(&closing_words(&"word ".repeat(300), 40)) <= 40);
    }
}
