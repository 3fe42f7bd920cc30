//! A markdown text as its sections. Headings inside code are text, not headings.

/// One section: its own words, without those of the sections below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::transfer) struct Section {
    /// Empty for what stands before the first heading.
    pub(in crate::transfer) heading: String,
    /// Headings above it, outermost first.
    pub(in crate::transfer) above: Vec<String>,
    /// What a link to it would say; unique in its text.
    pub(in crate::transfer) anchor: String,
    pub(in crate::transfer) text: String,
}

impl Section {
    /// `Deploy › Rollback`; a title for people who do not see the document.
    pub(in crate::transfer) fn path(&self, document: &str) -> String {
        let mut parts: Vec<&str> = self.above.iter().map(String::as_str).collect();
        parts.push(&self.heading);
        // The first heading of a document is mostly its name.
        if parts.first().is_some_and(|first| first.is_empty()) || parts.is_empty() {
            parts = vec![document];
        }
        parts.retain(|part| !part.is_empty());
        parts.join(" › ")
    }
}

/// Splits at headings down to the third level; deeper ones stay in the text.
pub(in crate::transfer) fn split(text: &str) -> Vec<Section> {
    const DEEPEST: usize = 3;
    let mut sections = vec![Section {
        heading: String::new(),
        above: Vec::new(),
        anchor: String::new(),
        text: String::new(),
    }];
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut taken: Vec<String> = vec![String::new()];
    let mut fence: Option<(char, usize)> = None;
    for line in without_front_matter(text).lines() {
        fence = after(line, fence);
        let heading = heading(line).filter(|(level, _)| fence.is_none() && *level <= DEEPEST);
        let Some((level, words)) = heading else {
            if let Some(section) = sections.last_mut() {
                section.text.push_str(line);
                section.text.push('\n');
            }
            continue;
        };
        open.retain(|(above, _)| *above < level);
        let above = open.iter().map(|(_, words)| words.clone()).collect();
        open.push((level, words.clone()));
        let anchor = unique(&anchor(&words), &mut taken);
        sections.push(Section { heading: words, above, anchor, text: String::new() });
    }
    for section in &mut sections {
        section.text = section.text.trim().to_owned();
    }
    sections
}

pub(in crate::transfer) fn without_front_matter(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else { return text };
    for end in ["\n---\n", "\n---\r\n"] {
        if let Some((_, body)) = rest.split_once(end) {
            return body;
        }
    }
    text
}

fn after(line: &str, fence: Option<(char, usize)>) -> Option<(char, usize)> {
    let bare = line.trim_start();
    let Some(mark) = bare.chars().next().filter(|c| matches!(c, '`' | '~')) else { return fence };
    let length = bare.chars().take_while(|c| *c == mark).count();
    match fence {
        None if length >= 3 => Some((mark, length)),
        Some((open, least))
            if open == mark && length >= least && bare.trim_end().chars().all(|c| c == mark) =>
        {
            None
        }
        other => other,
    }
}

fn heading(line: &str) -> Option<(usize, String)> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let rest = line.get(level..)?;
    if !(1..=6).contains(&level) || !(rest.starts_with(' ') || rest.is_empty()) {
        return None;
    }
    let words = rest.trim().trim_end_matches('#').trim();
    let plain: String = words.chars().filter(|c| !matches!(c, '`' | '*')).collect();
    Some((level, plain.trim().to_owned()))
}

fn anchor(words: &str) -> String {
    let mut out = String::new();
    for c in words.chars() {
        if c.is_alphanumeric() || c == '_' {
            out.extend(c.to_lowercase());
        } else if (c == ' ' || c == '-') && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.trim_matches('-').to_owned()
}

fn unique(anchor: &str, taken: &mut Vec<String>) -> String {
    let mut name = anchor.to_owned();
    let mut number = 0;
    while taken.contains(&name) {
        number += 1;
        name = format!("{anchor}-{number}");
    }
    taken.push(name.clone());
    name
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn headings_make_sections_and_code_does_not() {
        let text = "---\ntitle: x\n---\nintro\n# Shop\n\n## Build\n```sh\n# not a heading\nmake\n```\n### Fast\nquick\n## Build\nagain\n#### deep\nx";
        let found = split(text);
        let told: Vec<(&str, &str)> = found.iter().map(|s| (s.anchor.as_str(), s.text.as_str())).collect();
        assert_eq!(
            told,
            [
                ("", "intro"),
                ("shop", ""),
                ("build", "```sh\n# not a heading\nmake\n```"),
                ("fast", "quick"),
                ("build-1", "again\n#### deep\nx"),
            ]
        );
        assert_eq!(found[3].path("README.md"), "Shop › Build › Fast");
    }

    proptest! {
        #[test]
        fn no_text_is_lost_and_anchors_differ(text in "(#{0,4} ?[a-z]{0,3}|```|~~~~|---|\n){0,40}") {
            let found = split(&text);
            let mut anchors: Vec<&str> = found.iter().map(|s| s.anchor.as_str()).collect();
            let count = anchors.len();
            anchors.sort_unstable();
            anchors.dedup();
            prop_assert_eq!(anchors.len(), count);
            for word in without_front_matter(&text).split(|c: char| !c.is_ascii_lowercase()).filter(|w| w.len() == 3) {
                prop_assert!(found.iter().any(|s| s.text.contains(word) || s.heading.contains(word)));
            }
        }
    }
}
