//! Condenses many events into a few words: extractive, so that it says nothing that was not there, and
//! deterministic, so that the same events always give the same digest.
//!
//! Events are split into stretches of work, and each gets a leaf; adjacent leaves get a condensed digest, and
//! so on up to one for the whole session.

use std::collections::BTreeMap;

use crate::budget::{estimate_tokens, truncate_to_tokens};
use crate::memory::{one_line, title_from_body};
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
    let told = told.map(|text| one_line(text).replace(BETWEEN, " "));
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
const ASKED: &str = "Asked: ";
const CHANGED: &str = "Changed: ";
const RAN: &str = "Ran: ";
const FAILED: &str = "Failed: ";
const SAID: &str = "Said: ";
const BETWEEN: &str = " · ";

impl Points {
    fn add(&mut self, event: &Seen<'_>) {
        match event.kind {
            "prompt" | "task" => push_new(&mut self.asked, short(event.body, 24)),
            "tool" if event.ok == Some(false) => {
                let about = if event.target.is_empty() { event.tool } else { event.target };
                let error = telling_line(event.body);
                let words = if error.is_empty() {
                    short(about, 20)
                } else {
                    format!("{}: {error}", short(about, 14))
                };
                push_new(&mut self.failed, words);
            }
            "tool" if event.changes => *self.changed.entry(short(event.target, 30)).or_default() += 1,
            "tool" if event.tier == Tier::M && !event.target.is_empty() => {
                push_new(&mut self.ran, short(event.target, 16));
            }
            "reply" if event.tier <= Tier::M => self.said = Some(short(event.body, 60)),
            _ => {}
        }
    }

    fn add_lines(&mut self, digest: &str) {
        for line in digest.lines() {
            let items = |rest: &str| rest.split(BETWEEN).map(str::to_owned).collect::<Vec<_>>();
            if let Some(rest) = line.strip_prefix(ASKED) {
                items(rest).into_iter().for_each(|item| push_new(&mut self.asked, item));
            } else if let Some(rest) = line.strip_prefix(CHANGED) {
                for item in items(rest) {
                    let (name, count) = counted(&item);
                    *self.changed.entry(name.to_owned()).or_default() += count;
                }
            } else if let Some(rest) = line.strip_prefix(RAN) {
                items(rest).into_iter().for_each(|item| push_new(&mut self.ran, item));
            } else if let Some(rest) = line.strip_prefix(FAILED) {
                items(rest).into_iter().for_each(|item| push_new(&mut self.failed, item));
            } else if let Some(rest) = line.strip_prefix(SAID) {
                self.said = Some(rest.to_owned());
            } else if let Some(rest) = line.strip_prefix(TOLD) {
                items(rest).into_iter().for_each(|item| push_new(&mut self.told, item));
            }
        }
    }

    /// Renders what fits, each kind with its share, in a fixed order.
    fn render(self, tokens: usize) -> Clean {
        let mut changed: Vec<(String, usize)> = self.changed.into_iter().collect();
        changed.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let changed = changed.into_iter().map(|(name, count)| match count {
            1 => name,
            count => format!("{name} ×{count}"),
        });
        let said = self.said.into_iter().collect();
        let sorts = [
            (TOLD, self.told, 60),
            (ASKED, self.asked, 35),
            (FAILED, self.failed, 30),
            (CHANGED, changed.collect(), 25),
            (SAID, said, 35),
            (RAN, self.ran, 15),
        ];
        let mut room = tokens;
        let mut lines = Vec::new();
        for (label, items, share) in sorts {
            let line = fitting(label, &items, room.min(tokens * share / 100));
            if !line.is_empty() {
                room = room.saturating_sub(estimate_tokens(&line) + 1);
                lines.push(line);
            }
        }
        // Composed only of clean texts.
        Clean::already_redacted(truncate_to_tokens(&lines.join("\n"), tokens))
    }
}

/// As many items as fit: the first, then the newest.
fn fitting(label: &str, items: &[String], room: usize) -> String {
    let Some(first) = items.first() else { return String::new() };
    let mut kept = vec![first.as_str()];
    let cost = |kept: &[&str]| estimate_tokens(&format!("{label}{}", kept.join(BETWEEN)));
    for item in items[1..].iter().rev() {
        kept.insert(1, item);
        if cost(&kept) > room {
            kept.remove(1);
            break;
        }
    }
    truncate_to_tokens(&format!("{label}{}", kept.join(BETWEEN)), room.max(8))
}

fn counted(item: &str) -> (&str, usize) {
    match item.rsplit_once(" ×") {
        Some((name, count)) => (name, count.parse().unwrap_or(1)),
        None => (item, 1),
    }
}

fn push_new(list: &mut Vec<String>, item: String) {
    if !item.is_empty() && !list.contains(&item) {
        list.push(item);
    }
}

/// The beginning of a text on one line, without the separators of items.
fn short(text: &str, tokens: usize) -> String {
    let title = one_line(&title_from_body(&Clean::already_redacted(text.to_owned())));
    truncate_to_tokens(&title.replace(BETWEEN, " "), tokens)
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
    short(found, 24)
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
        let expected = "Asked: Make the importer restartable, please\n\
                        Failed: cargo test: error[E0425]: cannot find value\n\
                        Changed: src/import.rs ×2\nSaid: It keeps a cursor now\nRan: cargo build";
        assert_eq!(&*text, expected);
        let both = condense(&[&text, "Changed: src/import.rs\nSaid: Later."]);
        assert!(both.contains("src/import.rs ×3") && both.contains("Said: Later."), "{both}");
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
