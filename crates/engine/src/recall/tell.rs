//! Memories as lines for a prompt, within a hard token budget: as many titles as fit, and the remaining
//! tokens for the text of the first ones. A title is enough to ask for the rest.

use hark_core::budget::{estimate_tokens, truncate_to_tokens};
use hark_core::quote::quoted;
use hark_core::{Memory, Timestamp};

/// A longer title adds nothing.
const TITLE_TOKENS: usize = 24;
/// The maximum for the text of one memory.
const TEXT_TOKENS: usize = 120;
/// The minimum: a shorter text is useless.
const LEAST_TOKENS: usize = 12;

/// A line for each memory that fits, best first.
pub fn tell(memories: &[&Memory], room: usize, now: Timestamp) -> Vec<String> {
    let entries: Vec<(String, String)> =
        memories.iter().map(|memory| (name(memory, now), text(memory))).collect();
    lines(&entries, room)
}

/// Titles first, then text.
fn lines(entries: &[(String, String)], room: usize) -> Vec<String> {
    let mut left = room;
    let mut lines = Vec::with_capacity(entries.len());
    for (name, _) in entries {
        // One for the line end.
        let tokens = estimate_tokens(name) + 1;
        if tokens > left {
            break;
        }
        left -= tokens;
        lines.push(name.clone());
    }
    for (line, (_, text)) in lines.iter_mut().zip(entries) {
        // Two for the separator.
        let limit = left.saturating_sub(2).min(TEXT_TOKENS);
        if limit < LEAST_TOKENS {
            break;
        }
        let text = truncate_to_tokens(text, limit);
        if !text.is_empty() {
            let before = estimate_tokens(line);
            line.push_str(": ");
            line.push_str(&text);
            left = left.saturating_sub(estimate_tokens(line).saturating_sub(before));
        }
    }
    lines
}

fn name(memory: &Memory, now: Timestamp) -> String {
    let title = truncate_to_tokens(&quoted(&memory.title), TITLE_TOKENS);
    let ago = memory.updated.ago(now);
    let review = memory.unreviewed_since(now).map(|at| format!(", not reviewed since {}", at.day()));
    let review = review.unwrap_or_default();
    format!("- [{}] {title} ({}, {ago}, from {}{review})", memory.id.short(), memory.kind, memory.origin)
}

/// What the title does not already say, on one line.
fn text(memory: &Memory) -> String {
    let text = memory.searchable_body().split_whitespace().collect::<Vec<_>>().join(" ");
    let rest = match text.strip_prefix(&*memory.title) {
        Some(rest) => rest.trim_start_matches(['.', ':', '?', '!', ' ']),
        None => &text,
    };
    quoted(rest).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(name: &str, text: &str) -> (String, String) {
        (name.to_owned(), text.to_owned())
    }

    #[test]
    fn all_titles_come_before_any_long_text() {
        let long = "word ".repeat(300);
        let entries: Vec<_> = (0..6).map(|n| entry(&format!("- [m-{n}] a title"), &long)).collect();
        let told = lines(&entries, 200);
        assert_eq!(told.len(), 6);
        assert!(told[0].len() > 400 && told[5] == "- [m-5] a title", "{told:?}");
        assert_eq!(lines(&entries, 12).len(), 1);
        assert!(lines(&entries, 2).is_empty());
        assert_eq!(lines(&[entry("- a title that says it all", "")], 100), ["- a title that says it all"]);
    }

    proptest! {
        #[test]
        fn the_room_is_never_exceeded(
            entries in prop::collection::vec(("\\PC{0,60}", "\\PC{0,900}"), 0..10),
            room in 0usize..500,
        ) {
            let told = lines(&entries, room);
            prop_assert!(estimate_tokens(&told.join("\n")) <= room, "{told:?}");
        }
    }
}
