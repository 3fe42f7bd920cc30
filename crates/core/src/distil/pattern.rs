//! Patterns over lower-case text, compared byte by byte.
//!
//! Hooks compile them, and the tables behind `\w` and `[^.]` for all of Unicode would take most of that time. So classes
//! are those of ASCII; other letters match as what they are, and only a class that names some needs Unicode.

use regex::bytes::{Regex, RegexBuilder};

pub(super) struct Pattern(Regex);

/// A match, on character boundaries.
pub(super) struct Found<'t> {
    text: &'t str,
    start: usize,
    end: usize,
}

impl Pattern {
    /// `text` is a constant; a test compiles every one.
    pub(super) fn new(text: &str) -> Self {
        let text = text.replace("['’]", "(?:'|’)");
        let build = |unicode| RegexBuilder::new(&text).unicode(unicode).build();
        Pattern(build(false).or_else(|_| build(true)).expect("a constant pattern"))
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text.as_bytes())
    }

    pub(super) fn find<'t>(&self, text: &'t str) -> Option<Found<'t>> {
        let found = self.0.find(text.as_bytes())?;
        let (mut start, mut end) = (found.start(), found.end());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        while !text.is_char_boundary(end) {
            end += 1;
        }
        Some(Found { text, start, end })
    }

    /// Whether it matches, and the text of its first group.
    pub(super) fn first_group<'t>(&self, text: &'t str) -> Option<Option<&'t str>> {
        let found = self.0.captures(text.as_bytes())?;
        Some(found.get(1).and_then(|group| text.get(group.start()..group.end())))
    }
}

impl<'t> Found<'t> {
    pub(super) fn start(&self) -> usize {
        self.start
    }

    pub(super) fn end(&self) -> usize {
        self.end
    }

    pub(super) fn as_str(&self) -> &'t str {
        &self.text[self.start..self.end]
    }
}
