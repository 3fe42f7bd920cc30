//! Patterns over lower-case text, compared byte by byte.
//!
//! Hooks compile them, and the tables behind `\w` and `[^.]` for all of Unicode would take most of that time. So classes
//! are those of ASCII; other letters match as what they are, and only a class that names some needs Unicode.

use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};

pub(crate) struct Pattern(Regex);

/// A match, on character boundaries.
pub(crate) struct Found<'t> {
    text: &'t str,
    start: usize,
    end: usize,
}

impl Pattern {
    /// `text` is a constant; a test compiles every one.
    pub(crate) fn new(text: &str) -> Self {
        let text = text.replace("['’]", "(?:'|’)");
        let build = |unicode| RegexBuilder::new(&text).unicode(unicode).build();
        Pattern(build(false).or_else(|_| build(true)).expect("a constant pattern"))
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text.as_bytes())
    }

    pub(crate) fn find<'t>(&self, text: &'t str) -> Option<Found<'t>> {
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

    /// The ranges of its groups, the whole match first; nothing if one is not on character boundaries.
    pub(crate) fn groups(&self, text: &str) -> Option<Vec<Option<Range<usize>>>> {
        let found = self.0.captures(text.as_bytes())?;
        let ranges: Vec<Option<Range<usize>>> =
            (0..found.len()).map(|at| found.get(at).map(|group| group.range())).collect();
        let is_whole = |range: &Range<usize>| text.get(range.clone()).is_some();
        ranges.iter().flatten().all(is_whole).then_some(ranges)
    }

    /// Whether it matches, and the text of its first group.
    pub(crate) fn first_group<'t>(&self, text: &'t str) -> Option<Option<&'t str>> {
        let found = self.0.captures(text.as_bytes())?;
        Some(found.get(1).and_then(|group| text.get(group.start()..group.end())))
    }
}

impl<'t> Found<'t> {
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    pub(crate) fn end(&self) -> usize {
        self.end
    }

    pub(crate) fn as_str(&self) -> &'t str {
        &self.text[self.start..self.end]
    }
}
