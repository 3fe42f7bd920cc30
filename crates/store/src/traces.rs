//! Decides what counts as a copy of forgotten text.
//!
//! There are two kinds of places. The sessions that a memory came from are cleaned of every sentence in
//! it. Anywhere else, only text that cannot match by chance is a copy: a full text, or a long part of
//! one that no other memory contains. People say "run the tests first" in many sessions, and forgetting
//! a memory that says it too must not change them.

use std::collections::HashSet;

use aho_corasick::{AhoCorasick, MatchKind};
use hark_core::Memory;

use crate::revisions::Revision;

/// What stands where a quote was.
pub const SCRUBBED: &str = "[forgotten]";
/// Shorter texts are not searched for.
const LEAST_CHARS: usize = 16;
/// From here on a text is a copy wherever it stands.
const LONG_CHARS: usize = 40;
const LONG_WORDS: usize = 6;
/// How far before a `…` a quote may begin.
const LONGEST_CUT: usize = 400;
/// So much of a text in the name of a file is taken for a quote.
const NAME_CHARS: usize = 16;
/// With more memories than this, only full texts and titles are searched for, not sentences.
const MOST_IN_DETAIL: usize = 2_000;

/// Where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a session that one of the memories came from.
    Source,
    Elsewhere,
}

/// Texts that must be found nowhere any more.
#[derive(Debug, Default)]
pub struct Traces {
    at_source: Needles,
    elsewhere: Needles,
    /// Sessions that the memories came from, by whatever name they are called there.
    sources: HashSet<String>,
}

/// A text of a memory.
struct Said {
    text: String,
    /// All that a field says, not a line or sentence of it.
    whole: bool,
}

impl Traces {
    /// Everything that memories say, and said before. `is_said` tells which texts other memories hold.
    pub(crate) fn of<'m>(
        memories: impl IntoIterator<Item = (&'m Memory, Vec<Revision>)>,
        is_said: impl FnOnce(&[String]) -> HashSet<usize>,
    ) -> Self {
        let mut said: Vec<Said> = Vec::new();
        let mut sources = HashSet::new();
        for (at, (memory, history)) in memories.into_iter().enumerate() {
            for state in history.iter().map(|revision| &revision.before).chain([memory]) {
                add_all(state, at < MOST_IN_DETAIL, &mut said);
                let evidence = state.guidance.evidence.iter().filter_map(|one| one.session.as_ref());
                sources.extend(state.session.iter().chain(evidence).map(ToString::to_string));
            }
        }
        let parts: Vec<String> =
            said.iter().filter(|said| !said.whole && is_long(&said.text)).map(|s| s.text.clone()).collect();
        let shared: HashSet<&String> = match parts.is_empty() {
            true => HashSet::new(),
            false => is_said(&parts).into_iter().filter_map(|at| parts.get(at)).collect(),
        };
        let telling = said.iter().filter(|said| is_long(&said.text));
        let telling = telling.filter(|said| said.whole || !shared.contains(&said.text));
        Traces {
            elsewhere: Needles::new(telling.map(|said| said.text.as_str()), LONG_CHARS),
            at_source: Needles::new(said.iter().map(|said| said.text.as_str()), LEAST_CHARS),
            sources,
        }
    }

    fn needles(&self, place: Place) -> &Needles {
        match place {
            Place::Source => &self.at_source,
            Place::Elsewhere => &self.elsewhere,
        }
    }

    /// Whether a session of one of these names is one that a memory came from.
    pub(crate) fn place_of(&self, names: &[&str]) -> Place {
        let is_source = names.iter().any(|name| self.sources.contains(*name));
        if is_source { Place::Source } else { Place::Elsewhere }
    }

    /// Whether a file may be called after one of them. A name is made again from what the file says, so
    /// a wrong guess does no harm.
    pub(crate) fn named_in(&self, name: &str) -> bool {
        self.at_source.names.as_ref().is_some_and(|names| names.is_match(name))
    }

    pub fn is_empty(&self) -> bool {
        self.at_source.texts.is_empty()
    }

    /// The text without them; nothing if none was there.
    pub(crate) fn scrubbed(&self, text: &str, place: Place) -> Option<String> {
        self.needles(place).scrubbed(text)
    }

    /// The same for a file with front matter, which stays readable.
    pub(crate) fn scrubbed_note(&self, text: &str, place: Place) -> Option<String> {
        let Some((front, body)) = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"))
        else {
            return self.scrubbed(text, place);
        };
        let lines: Vec<(&str, Option<String>)> = front
            .lines()
            .map(|line| (line, self.scrubbed(line, place).map(|line| quoted_value(&line))))
            .collect();
        let clean_body = self.scrubbed(body, place);
        if clean_body.is_none() && lines.iter().all(|(_, clean)| clean.is_none()) {
            return None;
        }
        let front: Vec<&str> = lines.iter().map(|(line, clean)| clean.as_deref().unwrap_or(line)).collect();
        Some(format!("---\n{}\n---\n{}", front.join("\n"), clean_body.as_deref().unwrap_or(body)))
    }

    /// Whether a transcript of a session that a memory came from holds one.
    pub(crate) fn found_at_source(&self, bytes: &[u8]) -> bool {
        self.at_source.matcher.as_ref().is_some_and(|matcher| matcher.is_match(bytes))
    }

    /// Whether a file that is not of a session holds one.
    pub(crate) fn found_in(&self, bytes: &[u8]) -> bool {
        self.elsewhere.matcher.as_ref().is_some_and(|matcher| matcher.is_match(bytes))
    }
}

/// One look finds any of them, however many they are.
#[derive(Debug, Default)]
struct Needles {
    /// In order.
    texts: Vec<String>,
    matcher: Option<AhoCorasick>,
    /// How they begin in names of files.
    names: Option<AhoCorasick>,
    /// So much of a text, cut with `…`, is still a quote.
    least: usize,
}

impl Needles {
    fn new<'t>(said: impl Iterator<Item = &'t str>, least: usize) -> Self {
        let mut texts = Vec::new();
        for text in said {
            // The text, and how it looks inside JSON or quoted YAML.
            let quoted = serde_json::to_string(text).unwrap_or_default();
            let quoted = quoted.trim_matches('"');
            if quoted != text {
                texts.push(quoted.to_owned());
            }
            texts.push(text.to_owned());
        }
        texts.sort();
        texts.dedup();
        // Too many texts are not an error: the memories were removed anyway.
        // A sentence that was taken out of a longer one begins with a capital letter that it had not.
        let matcher = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .ascii_case_insensitive(true)
            .build(&texts)
            .ok();
        let mut names: Vec<String> = texts.iter().map(|text| name_of(text)).collect();
        names.sort();
        names.dedup();
        names.retain(|name| name.len() >= NAME_CHARS);
        let names = AhoCorasick::new(&names).ok().filter(|_| !names.is_empty());
        Needles { matcher: matcher.filter(|_| !texts.is_empty()), names, texts, least }
    }

    fn scrubbed(&self, text: &str) -> Option<String> {
        let matcher = self.matcher.as_ref()?;
        let whole =
            matcher.is_match(text).then(|| matcher.replace_all(text, &vec![SCRUBBED; self.texts.len()]));
        let cut = self.without_cut_quotes(whole.as_deref().unwrap_or(text));
        cut.or(whole)
    }

    /// Titles are often the beginning of a text with `…` behind it: that is a quote too.
    fn without_cut_quotes(&self, text: &str) -> Option<String> {
        let mut out = String::new();
        let mut from = 0;
        for (at, _) in text.match_indices('…') {
            let mut start = at.saturating_sub(LONGEST_CUT).max(from);
            while !text.is_char_boundary(start) {
                start += 1;
            }
            let before = &text[start..at];
            let mut in_word = false;
            let begins = before.char_indices().find(|(at, c)| {
                let is_start = c.is_alphanumeric() && !in_word;
                in_word = c.is_alphanumeric();
                is_start && self.is_beginning(before[*at..].trim_end())
            });
            if let Some((begin, _)) = begins {
                out.push_str(&text[from..start + begin]);
                out.push_str(SCRUBBED);
                from = at;
            }
        }
        (from > 0).then(|| out + &text[from..])
    }

    /// Whether one of the texts begins so.
    fn is_beginning(&self, text: &str) -> bool {
        let at = self.texts.partition_point(|needle| needle.as_str() < text);
        text.chars().count() >= self.least && self.texts.get(at).is_some_and(|n| n.starts_with(text))
    }
}

/// `title: [forgotten]` is a list in YAML; in quotes it is a word.
fn quoted_value(line: &str) -> String {
    match line.split_once(": ") {
        Some((key, value)) if !value.starts_with(['"', '\'']) => {
            format!("{key}: {}", serde_json::to_string(value).unwrap_or_default())
        }
        _ => line.to_owned(),
    }
}

/// Too long to be said twice by chance. Scripts without spaces say as much in fewer characters.
fn is_long(text: &str) -> bool {
    let dense = text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count() * 2;
    let chars = text.chars().count();
    if dense > chars {
        return chars >= LONG_CHARS / 2;
    }
    chars >= LONG_CHARS && text.split_whitespace().count() >= LONG_WORDS
}

/// The beginning of a text as names of files have it.
fn name_of(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars() {
        if name.len() >= NAME_CHARS {
            break;
        }
        if c.is_alphanumeric() {
            name.extend(c.to_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    name
}

fn add_all(memory: &Memory, in_detail: bool, said: &mut Vec<Said>) {
    for phrase in &memory.asked_as {
        add(phrase, false, said);
    }
    let guidance = &memory.guidance;
    let evidence = guidance.evidence.iter().map(|one| &one.text);
    for text in evidence.chain(&guidance.rejected).chain(&guidance.criteria) {
        add(text, true, said);
    }
    let fields = [Some(&memory.body), Some(&memory.title), memory.why.as_ref(), memory.learned.as_ref()];
    for field in fields.into_iter().flatten() {
        add(field, true, said);
        if !in_detail {
            continue;
        }
        for line in field.lines() {
            add(line, false, said);
            for sentence in line.split_inclusive(['.', '!', '?', ';', '。', '！', '？']) {
                add(sentence, false, said);
            }
        }
    }
}

fn add(text: &str, whole: bool, said: &mut Vec<Said>) {
    let text = text.trim().trim_end_matches(['.', '…']);
    if text.chars().count() >= LEAST_CHARS {
        said.push(Said { text: text.to_owned(), whole });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needles(texts: &[&str], least: usize) -> Needles {
        Needles::new(texts.iter().copied(), least)
    }

    #[test]
    fn quotes_go_in_whatever_form_they_stand() {
        let quoted = needles(&["say \"the walrus\" sleeps"], LEAST_CHARS);
        let text = "{\"body\":\"he said: say \\\"the walrus\\\" sleeps, too short\"}";
        assert_eq!(quoted.scrubbed(text).unwrap(), "{\"body\":\"he said: [forgotten], too short\"}");
        assert_eq!(quoted.scrubbed("nothing of it"), None);
        let cut = needles(&["the walrus sleeps on the northern beach"], LEAST_CHARS);
        let text = "He said: the walrus sleeps on…; the walrus…";
        assert_eq!(cut.scrubbed(text).unwrap(), "He said: [forgotten]…; the walrus…");
        assert!(needles(&[], LEAST_CHARS).scrubbed("anything").is_none());
    }

    #[test]
    fn front_matter_stays_readable() {
        let traces = Traces { at_source: needles(&["the walrus sleeps"], 8), ..Traces::default() };
        let text = "---\ntitle: the walrus sleeps\nbranch: main\n---\n\n## Goal\n\nthe walrus sleeps: long\n";
        let clean = "---\ntitle: \"[forgotten]\"\nbranch: main\n---\n\n## Goal\n\n[forgotten]: long\n";
        assert_eq!(traces.scrubbed_note(text, Place::Source).as_deref(), Some(clean));
        assert_eq!(traces.scrubbed_note(text, Place::Elsewhere), None);
    }

    #[test]
    fn a_phrase_that_anybody_says_is_no_copy() {
        for common in ["run the tests first", "We decided to use Postgres", "Please look at this again.", ""]
        {
            assert!(!is_long(common), "{common}");
        }
        for telling in [
            "The exporter of the billing service writes to disk",
            "我们决定把会话存储在数据库里面因为缓存会丢失数据",
        ] {
            assert!(is_long(telling), "{telling}");
        }
    }
}
