//! Condenses many events into a few sentences: extractive, so that it says nothing that was not there, and
//! deterministic, so that the same events always give the same digest. Each line is one sentence about one sort of
//! event, in a form that can be read back: a digest of digests is made from their lines.
//!
//! Events are split into stretches of work, and each gets a leaf; adjacent leaves get a condensed digest, and
//! so on up to one for the whole session.

use std::collections::BTreeMap;

use crate::budget::{estimate_tokens, truncate_to_tokens};
use crate::redact::Clean;
use crate::tier::Tier;

/// The part of an event that a digest uses. All text is clean.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// `prompt`, `task`, `tool`, `reply`, `compaction`, …
    pub kind: &'a str,
    pub tool: &'a str,
    pub target: &'a str,
    pub ok: Option<bool>,
    pub tier: Tier,
    pub body: &'a str,
    /// Whether it changed its target file.
    pub changes: bool,
}

/// A stretch ends at a new request once it has this many events …
const ENOUGH: usize = 8;
/// … and in any case at this many.
const MOST: usize = 40;
/// The number of digests under one condensed digest.
pub const FAN_OUT: usize = 6;
const LEAF_TOKENS: usize = 120;
const CONDENSED_TOKENS: usize = 200;

/// Where the stretches end, as event counts: `[8, 12]` means two of them, with 8 and 4 events.
pub fn stretches(events: &[Seen<'_>]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut from = 0;
    for (at, event) in events.iter().enumerate() {
        let length = at - from;
        let asked = matches!(event.kind, "prompt" | "task" | "compaction");
        if length >= MOST || (asked && length >= ENOUGH) {
            ends.push(at);
            from = at;
        }
    }
    if from < events.len() {
        ends.push(events.len());
    }
    ends
}

/// The digest of a stretch of events, with an external summary if there is one.
pub fn leaf(events: &[Seen<'_>], told: Option<&Clean>) -> Clean {
    let told = told.map(|text| sentences(text, TOLD_TOKENS));
    let mut points = Points { told: told.into_iter().collect(), ..Points::default() };
    for event in events {
        points.add(event);
    }
    points.render(LEAF_TOKENS)
}

/// The digest of several digests.
pub fn condense(digests: &[&str]) -> Clean {
    let mut points = Points::default();
    for digest in digests {
        points.add_lines(digest);
    }
    points.render(CONDENSED_TOKENS)
}

/// What is worth mentioning, by kind.
#[derive(Debug, Default)]
struct Points {
    asked: Vec<String>,
    changed: BTreeMap<String, usize>,
    ran: Vec<String>,
    failed: Vec<String>,
    said: Option<String>,
    told: Vec<String>,
}

const TOLD: &str = "In short: ";
const ASKED: &str = "The user asked: ";
const CHANGED: &str = "The assistant changed ";
const RAN: &str = "It ran ";
const FAILED: &str = "These calls failed: ";
const SAID: &str = "The assistant said: ";
/// Between quoted items, and between the names of files.
const BETWEEN: &str = "\"; \"";
const COMMA: &str = ", ";

/// The labels of the first version, whose items stood between dots.
const OLD: &[(&str, &str)] =
    &[("Asked: ", ASKED), ("Changed: ", CHANGED), ("Ran: ", RAN), ("Failed: ", FAILED), ("Said: ", SAID)];
const OLD_BETWEEN: &str = " · ";

const TOLD_TOKENS: usize = 60;

impl Points {
    fn add(&mut self, event: &Seen<'_>) {
        match event.kind {
            "prompt" | "task" => push_new(&mut self.asked, sentences(event.body, 30)),
            "tool" if event.ok == Some(false) => {
                let about = if event.target.is_empty() { event.tool } else { event.target };
                let error = telling_line(event.body);
                let words =
                    if error.is_empty() { line(about, 20) } else { format!("{}: {error}", line(about, 14)) };
                push_new(&mut self.failed, words);
            }
            "tool" if event.changes => {
                let name = line(event.target, 30).replace(COMMA, ",");
                *self.changed.entry(name).or_default() += 1;
            }
            "tool" if event.tier == Tier::M && !event.target.is_empty() => {
                push_new(&mut self.ran, line(event.target, 16));
            }
            "reply" if event.tier <= Tier::M => self.said = Some(sentences(event.body, 60)),
            _ => {}
        }
    }

    fn add_lines(&mut self, digest: &str) {
        for line in digest.lines() {
            if let Some(text) = line.strip_prefix(TOLD) {
                push_new(&mut self.told, text.to_owned());
                continue;
            }
            let old = OLD.iter().find_map(|(old, new)| Some((*new, line.strip_prefix(old)?)));
            if let Some((label, rest)) = old {
                let items = rest.split(OLD_BETWEEN).map(|item| item.replace('"', "'"));
                self.add_items(label, items.collect());
                continue;
            }
            let labels = [ASKED, CHANGED, RAN, FAILED, SAID];
            let Some((label, rest)) =
                labels.iter().find_map(|label| Some((*label, line.strip_prefix(label)?)))
            else {
                continue;
            };
            let rest = rest.strip_suffix('.').unwrap_or(rest);
            let items = if label == CHANGED {
                rest.split(COMMA).map(str::to_owned).collect()
            } else {
                let rest = rest.strip_prefix('"').unwrap_or(rest);
                rest.strip_suffix('"').unwrap_or(rest).split(BETWEEN).map(str::to_owned).collect()
            };
            self.add_items(label, items);
        }
    }

    fn add_items(&mut self, label: &str, items: Vec<String>) {
        for item in items {
            match label {
                ASKED => push_new(&mut self.asked, item),
                RAN => push_new(&mut self.ran, item),
                FAILED => push_new(&mut self.failed, item),
                SAID => self.said = Some(item),
                CHANGED => {
                    let (name, count) = counted(&item);
                    *self.changed.entry(name.to_owned()).or_default() += count;
                }
                _ => {}
            }
        }
    }

    /// Renders what fits, each kind with its share, in the order in which one would tell it.
    fn render(self, tokens: usize) -> Clean {
        let mut changed: Vec<(String, usize)> = self.changed.into_iter().collect();
        changed.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let changed = changed.into_iter().map(|(name, count)| match count {
            1 => name,
            count => format!("{name} ({count} times)"),
        });
        let said = self.said.into_iter().collect();
        // By importance, with the place where it is told.
        let sorts = [
            (0, TOLD, self.told, 60),
            (1, ASKED, self.asked, 35),
            (4, FAILED, self.failed, 30),
            (2, CHANGED, changed.collect(), 25),
            (5, SAID, said, 35),
            (3, RAN, self.ran, 20),
        ];
        let mut room = tokens;
        let mut lines = Vec::new();
        for (place, label, items, share) in sorts {
            let line = fitting(label, &items, room.min(tokens * share / 100));
            if !line.is_empty() {
                room = room.saturating_sub(estimate_tokens(&line) + 1);
                lines.push((place, line));
            }
        }
        lines.sort_by_key(|(place, _)| *place);
        let lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
        // Composed only of clean texts.
        Clean::already_redacted(truncate_to_tokens(&lines.join("\n"), tokens))
    }
}

/// One sentence with as many items as fit: the first, then the newest. No item is cut unless the first alone is too
/// long.
fn fitting(label: &str, items: &[String], room: usize) -> String {
    let Some(first) = items.first() else { return String::new() };
    let told = |kept: &[&str]| match label {
        TOLD => kept.iter().map(|item| format!("{label}{item}")).collect::<Vec<_>>().join("\n"),
        CHANGED => format!("{label}{}.", kept.join(COMMA)),
        _ => format!("{label}\"{}\".", kept.join(BETWEEN)),
    };
    let cost = |kept: &[&str]| estimate_tokens(&told(kept));
    let mut first = first.clone();
    while cost(&[&first]) > room {
        let fewer = estimate_tokens(&first).saturating_sub((cost(&[&first]) - room).max(1));
        if fewer < 4 {
            return String::new();
        }
        first = sentences(&first, fewer);
    }
    let mut kept = vec![first.as_str()];
    for item in items[1..].iter().rev() {
        kept.insert(1, item);
        if cost(&kept) > room {
            kept.remove(1);
            break;
        }
    }
    told(&kept)
}

fn counted(item: &str) -> (&str, usize) {
    let new = item.strip_suffix(" times)").and_then(|rest| rest.rsplit_once(" ("));
    match new.or_else(|| item.rsplit_once(" ×")) {
        Some((name, count)) => count.parse().map_or((item, 1), |count| (name, count)),
        None => (item, 1),
    }
}

fn push_new(list: &mut Vec<String>, item: String) {
    if !item.is_empty() && !list.contains(&item) {
        list.push(item);
    }
}

/// The first whole sentences of a text that fit; a first sentence that is too long is cut.
fn sentences(text: &str, tokens: usize) -> String {
    let paragraph: Vec<&str> = text
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
        .collect();
    let text = line(&paragraph.join(" "), usize::MAX);
    let mut end = 0;
    for stop in ends_of_sentences(&text) {
        if estimate_tokens(&text[..stop]) > tokens {
            break;
        }
        end = stop;
    }
    if end == 0 { truncate_to_tokens(&text, tokens) } else { text[..end].to_owned() }
}

/// The places after each sentence, up to the end of the text.
fn ends_of_sentences(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let ends_here = match c {
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            '。' | '！' | '？' => true,
            _ => next.is_none(),
        };
        if ends_here {
            ends.push(at + c.len_utf8());
        }
    }
    ends
}

/// A text on one line, without marks of markdown and without the separators of items.
fn line(text: &str, tokens: usize) -> String {
    let text = text.trim_start_matches(['#', '-', '*', '>', ' ']).replace('"', "'");
    truncate_to_tokens(&text.split_whitespace().collect::<Vec<_>>().join(" "), tokens)
}

/// The line of an output that states the error.
fn telling_line(output: &str) -> String {
    let tells = |line: &&str| {
        let lower = line.to_ascii_lowercase();
        ["error", "failed", "panicked", "exception", "not found", "cannot", "denied"]
            .iter()
            .any(|w| lower.contains(w))
    };
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let found = lines().find(tells).or_else(|| lines().next_back()).unwrap_or("");
    line(found, 24)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seen<'a>(kind: &'a str, target: &'a str, body: &'a str, ok: Option<bool>) -> Seen<'a> {
        Seen { kind, tool: "Bash", target, ok, tier: Tier::M, body, changes: target.ends_with(".rs") }
    }

    #[test]
    fn a_leaf_reports_requests_changes_and_failures() {
        let events = [
            seen("prompt", "", "Make the importer restartable, please.", None),
            seen("tool", "src/import.rs", "", Some(true)),
            seen("tool", "src/import.rs", "", Some(true)),
            seen("tool", "cargo test", "warning\nerror[E0425]: cannot find value", Some(false)),
            seen("tool", "cargo build", "done", Some(true)),
            seen("reply", "", "It keeps a cursor now.", None),
        ];
        let text = leaf(&events, None);
        let expected = "The user asked: \"Make the importer restartable, please.\".\n\
                        The assistant changed src/import.rs (2 times).\nIt ran \"cargo build\".\n\
                        These calls failed: \"cargo test: error[E0425]: cannot find value\".\n\
                        The assistant said: \"It keeps a cursor now.\".";
        assert_eq!(&*text, expected);
        let later =
            [seen("tool", "src/import.rs", "", Some(true)), seen("reply", "", "It works. Later.", None)];
        let both = condense(&[&text, &leaf(&later, None)]);
        assert!(both.contains("src/import.rs (3 times)") && both.contains("\"It works. Later.\""), "{both}");
        assert!(both.contains("\"cargo build\"") && both.contains("restartable, please."), "{both}");
    }

    #[test]
    fn digests_of_an_older_version_are_understood() {
        let old = "In short: It was fun.\nAsked: Fix \"a\" · Fix b\nChanged: src/a.rs ×2 · src/b.rs\nRan: make\nSaid: Done";
        let text = condense(&[old, "The assistant changed src/a.rs."]);
        let expected = "In short: It was fun.\nThe user asked: \"Fix 'a'\"; \"Fix b\".\n\
                        The assistant changed src/a.rs (3 times), src/b.rs.\nIt ran \"make\".\n\
                        The assistant said: \"Done\".";
        assert_eq!(&*text, expected);
    }

    #[test]
    fn what_was_said_is_told_in_whole_sentences() {
        let said = "The cursor is kept in a file now. It survives a crash of the importer and a restart of the machine. \
                    Tests cover both. Nothing else changed in the importer, and the format of the file is documented.";
        let text = leaf(&[seen("reply", "", &said.repeat(3), None)], None);
        assert!(text.ends_with(".\".") && !text.contains('…'), "{text}");
        let endless = "word ".repeat(200);
        assert!(leaf(&[seen("prompt", "", &endless, None)], None).contains('…'));
    }

    proptest! {
        #[test]
        fn stretches_cover_all_events_once(kinds in proptest::collection::vec(0usize..3, 0..300)) {
            let names = ["prompt", "tool", "reply"];
            let events: Vec<Seen<'_>> = kinds.iter().map(|k| seen(names[*k], "x", "y", None)).collect();
            let ends = stretches(&events);
            prop_assert!(ends.windows(2).all(|pair| pair[0] < pair[1] && pair[1] - pair[0] <= MOST));
            prop_assert_eq!(ends.last().copied().unwrap_or(0), events.len());
        }

        #[test]
        fn no_digest_is_longer_than_its_cap(bodies in proptest::collection::vec("\\PC{0,300}", 1..60)) {
            let events: Vec<Seen<'_>> = bodies.iter().enumerate().map(|(at, body)| {
                let kind = ["prompt", "tool", "reply", "task"][at % 4];
                Seen { kind, tool: "t", target: body, ok: Some(at % 3 == 0), tier: Tier::M, body, changes: at % 5 == 0 }
            }).collect();
            let text = leaf(&events, None);
            prop_assert!(estimate_tokens(&text) <= LEAF_TOKENS);
            let many: Vec<&str> = std::iter::repeat_n(&*text, FAN_OUT).collect();
            prop_assert!(estimate_tokens(&condense(&many)) <= CONDENSED_TOKENS);
            prop_assert_eq!(leaf(&events, None), text);
        }
    }
}
