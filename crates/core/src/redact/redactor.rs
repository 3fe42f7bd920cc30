//! The pipeline: takes text and returns it without secrets.

use std::ops::Range;

use super::examine::examine;
use super::placeholder;
use super::private_span;
use super::rule::{Family, Rule};
use super::rules;
use super::text::{Clean, Raw};

/// The name under which private spans are reported.
const PRIVATE_RULE: &str = "private";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedactOptions {
    /// Replace e-mail addresses.
    pub emails: bool,
    /// Replace `<private>…</private>` with `[PRIVATE]`.
    pub private_spans: bool,
}

impl Default for RedactOptions {
    fn default() -> Self {
        Self { emails: true, private_spans: true }
    }
}

/// What was replaced: the rule's name and the byte range in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: &'static str,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone)]
pub struct Redactor {
    options: RedactOptions,
    infrastructure: bool,
    key: [u8; 32],
}

impl Redactor {
    /// `key` is the key of the fingerprints in placeholders. This costs nothing: rules are compiled when
    /// needed.
    pub fn new(options: RedactOptions, key: [u8; 32]) -> Self {
        Self { options, infrastructure: true, key }
    }

    /// Leaves account numbers, bucket and shop names and public recipients unchanged.
    #[must_use]
    pub fn keeping_infrastructure(mut self) -> Self {
        self.infrastructure = false;
        self
    }

    /// A mark for a text that reveals nothing about it without this store's key. `purpose` separates marks of
    /// different uses.
    pub fn mark(&self, purpose: &str, text: &str) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(purpose.as_bytes());
        hasher.update(&[0]);
        hasher.update(text.as_bytes());
        let mut mark = [0; 16];
        mark.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        mark
    }

    pub fn clean(&self, raw: Raw) -> Clean {
        self.clean_with_findings(raw).0
    }

    pub fn clean_with_findings(&self, raw: Raw) -> (Clean, Vec<Finding>) {
        let input = raw.into_inner();
        let mut draft = Draft { text: input, replaced: Vec::new() };
        if self.options.private_spans {
            let found = private_span::find(draft.text.as_bytes());
            let found = found.into_iter().map(|range| (range, PRIVATE_RULE)).collect();
            draft.replace(found, |out, _, _| out.push_str(placeholder::PRIVATE));
        }
        loop {
            let found = examine(&draft.text, &|rule| self.enabled(rule));
            if found.is_empty() {
                break;
            }
            // Every round replaces text that no later round examines again, so this terminates.
            draft.replace(found, |out, rule, secret| {
                placeholder::write(out, rule, secret, &self.key);
            });
        }
        let findings = draft.replaced.into_iter().map(|replaced| replaced.finding).collect();
        (Clean::new(draft.text), findings)
    }

    fn enabled(&self, rule: &Rule) -> bool {
        match rule.family {
            Family::Personal => self.options.emails || rule.name != rules::EMAIL,
            Family::Infrastructure => self.infrastructure,
            _ => true,
        }
    }
}

/// The text so far, and which parts of it replace which parts of the input.
struct Draft {
    text: String,
    replaced: Vec<Replaced>,
}

struct Replaced {
    /// Where the placeholder is in the draft.
    at: Range<usize>,
    finding: Finding,
}

impl Draft {
    /// Replaces `found`, which is sorted, disjoint and outside earlier placeholders.
    fn replace(
        &mut self,
        found: Vec<(Range<usize>, &'static str)>,
        write: impl Fn(&mut String, &str, &[u8]),
    ) {
        if found.is_empty() {
            return;
        }
        let old = std::mem::take(&mut self.text);
        let earlier = std::mem::take(&mut self.replaced);
        let mut earlier = earlier.into_iter().peekable();
        let mut text = String::with_capacity(old.len() + found.len() * 32);
        // `copied` is how much of the old draft is done, `input` the same position in the input.
        let mut copied = 0;
        let mut input = 0;
        let mut replaced = Vec::new();
        for (range, rule) in found {
            while let Some(before) = earlier.next_if(|before| before.at.end <= range.start) {
                text.push_str(&old[copied..before.at.start]);
                let at = text.len();
                text.push_str(&old[before.at.clone()]);
                copied = before.at.end;
                input = before.finding.end;
                replaced.push(Replaced { at: at..text.len(), ..before });
            }
            text.push_str(&old[copied..range.start]);
            let start = input + (range.start - copied);
            let end = start + range.len();
            let at = text.len();
            write(&mut text, rule, &old.as_bytes()[range.clone()]);
            copied = range.end;
            input = end;
            let finding = Finding { rule, start, end };
            replaced.push(Replaced { at: at..text.len(), finding });
        }
        for before in earlier {
            text.push_str(&old[copied..before.at.start]);
            let at = text.len();
            text.push_str(&old[before.at.clone()]);
            copied = before.at.end;
            replaced.push(Replaced { at: at..text.len(), ..before });
        }
        text.push_str(&old[copied..]);
        self.text = text;
        self.replaced = replaced;
    }
}
