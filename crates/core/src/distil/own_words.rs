//! Separates what a person typed in a turn from what they only pasted.
//!
//! The result is the turn at the same length in bytes, with everything foreign masked: tags that clients wrap
//! around what they inject, fenced and indented code, quoted lines, logs, diffs, documents, review findings,
//! and text announced as someone else's ([`pasted`]). Quotes and inline code inside a sentence become a run
//! of [`NAME`], so that nothing in them can be read as an instruction while the sentence stays whole.

use std::ops::Range;
use std::sync::LazyLock;

use super::pattern::Pattern;

use super::pasted;

/// Replaces a byte that is not the user's own.
pub(super) const FOREIGN: u8 = 1;
/// Replaces a byte of quoted text or inline code.
pub(super) const NAME: u8 = b'q';

/// Turns that clients write on behalf of the user.
const MACHINE: &[&str] = &[
    "[Request interrupted",
    "Caveat: The messages below",
    "This session is being continued from",
    "# AGENTS.md instructions",
    "Stop hook feedback",
    "Base directory for this skill",
    "System:",
];

/// The actual request follows everything that an editor adds.
const IDE_REQUEST: &str = "## My request for Codex:";

/// Opening words that announce a document.
static DOCUMENT_FOLLOWS: LazyLock<Pattern> = LazyLock::new(|| {
    pattern(
        r"^\s*(?:please )?(?:implement|execute|follow|carry out|here is|here's|review|summari[sz]e)\b[^\n]{0,80}:\s*\n",
    )
});

/// A finding in the format of review bots.
static SEVERITY: LazyLock<Pattern> =
    LazyLock::new(|| pattern(r"(?m)^\W*(?:low|medium|high|critical|minor|major) (?:severity|priority)\W*$"));

/// Someone addresses someone.
static PERSONAL: LazyLock<Pattern> = LazyLock::new(|| {
    pattern(
        r"\b(?:i|we|us|our|my|me|you|your|let's|lets|i'm|i'd|i've|we're|we've|we'll|don't|please|always|never)\b",
    )
});

static LOG: LazyLock<Pattern> = LazyLock::new(|| {
    pattern(concat!(
        r"^\s*(?:\d{4}-\d\d-\d\d[t ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|[a-z]{3} +\d{1,2} \d\d:\d\d:\d\d|",
        r"(?:error|warn|warning|info|debug|trace|fatal|hint|panic|fail|ok|traceback|caused by)(?:[:\[]|\s{2,})|traceback |",
        r"---? (?:fail|pass|ok)|===|\$ |❯|➜|⎿|⏺|✓|✗|❌|✅ |@@|\+\+\+|diff --git|index [0-9a-f]{7}|",
        r"at [\w.$<>]+ ?\(|file \x22|goroutine |\w+@[\w-]+[ :][^ ]* ?[%$#] |remote:|from [\w./:@-]+$|commit [0-9a-f]{7,}|",
        r"author: |date: |subject: |#{1,6}\s|[|│├└┌╭]|\*{3}|[-=_]{4,}|[\w./-]+:\d+:\d+)",
    ))
});

/// A line of code rather than of prose.
static CODE: LazyLock<Pattern> = LazyLock::new(|| {
    pattern(concat!(
        r"^\s*(?:import |from \w+ import|export |const |let \w+ ?=|var |func |fn |def |class |struct |impl |use \w+::|",
        r"return\b|if ?\(|for ?\(|while ?\(|package |public |private |static |#include|//|/\*|\*/|<!--|<[a-z/])|",
        r"[{;]\s*$|^\s*[\])}]+[,;)]*\s*$|^\s*[\x22']?[\w-]+[\x22']?: ?[\x22\[{]|:=|=>|->\s*\w+\s*\{",
    ))
});

pub(super) fn pattern(text: &str) -> Pattern {
    Pattern::new(text)
}

/// How a sentence ends that announces the next.
const AHEAD: &[&str] = &["this.", "following.", "follows.", "quote."];

/// The turn with everything foreign masked, in lower case. Offsets are those of `text`.
pub(super) fn own_words(text: &str) -> String {
    let mut page = Page::new(text);
    if MACHINE.iter().any(|start| text.trim_start().starts_with(start)) {
        page.blot(0..text.len());
        return page.finish();
    }
    if let Some(at) = text.find(IDE_REQUEST) {
        page.blot(0..at + IDE_REQUEST.len());
    } else if text.trim_start().starts_with("# Context from") {
        page.blot(0..text.len());
    }
    tags(&mut page);
    fences(&mut page);
    documents(&mut page);
    lines(&mut page);
    // Nothing announces a text in a single line without these.
    let may_announce = text.contains([':', '\n']) || AHEAD.iter().any(|word| page.lower.contains(word));
    if may_announce {
        pasted::blot(&mut page);
    }
    paragraphs(&mut page);
    names(&mut page);
    page.finish()
}

/// The text being masked. Masking replaces bytes, but only whole characters.
pub(super) struct Page<'t> {
    pub(super) text: &'t str,
    pub(super) lower: String,
    bytes: Vec<u8>,
}

impl<'t> Page<'t> {
    fn new(text: &'t str) -> Self {
        let lower = text.to_ascii_lowercase();
        Page { text, bytes: lower.clone().into_bytes(), lower }
    }

    pub(super) fn blot(&mut self, range: Range<usize>) {
        self.fill(range, FOREIGN);
    }

    /// Line ends stay, because they separate what is left.
    fn fill(&mut self, range: Range<usize>, with: u8) {
        for byte in &mut self.bytes[range] {
            if *byte != b'\n' {
                *byte = with;
            }
        }
    }

    pub(super) fn is_blotted(&self, at: usize) -> bool {
        self.bytes.get(at) == Some(&FOREIGN)
    }

    pub(super) fn line_ranges(&self) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        let mut from = 0;
        for line in self.text.split_inclusive('\n') {
            ranges.push(from..from + line.trim_end_matches(['\n', '\r']).len());
            from += line.len();
        }
        ranges
    }

    fn finish(self) -> String {
        // Whole characters were replaced by ASCII bytes, so this is valid UTF-8; if it ever is not, the
        // result is empty.
        String::from_utf8(self.bytes).unwrap_or_default()
    }
}

/// `<tag>…</tag>`, up to the last closing tag of that name: a forged closing tag inside stays inside.
fn tags(page: &mut Page<'_>) {
    let mut from = 0;
    while let Some(open) = page.lower[from..].find('<').map(|at| from + at) {
        from = open + 1;
        let Some(name) = tag_name(&page.lower[open + 1..]) else { continue };
        let Some(close) = page.lower[open..].find('>').map(|at| open + at + 1) else { continue };
        let end_tag = format!("</{name}");
        let end = page.lower[close..].rfind(&end_tag).map(|at| close + at + end_tag.len());
        let end = end.map(|at| page.lower[at..].find('>').map_or(page.text.len(), |gt| at + gt + 1));
        let begins_line = page.lower[..open].rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
        let wraps = name.contains(['-', '_', ':'])
            || matches!(name, "file" | "document" | "context" | "instructions");
        from = match end {
            Some(end) => end,
            // Never closed: everything that follows may belong to it.
            None if begins_line && wraps => page.text.len(),
            // `session-<id>`: a placeholder inside a sentence.
            None if !begins_line => {
                page.fill(open..close, NAME);
                from = close;
                continue;
            }
            None => close,
        };
        page.blot(open..from);
    }
}

fn tag_name(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')))?;
    let name = &rest[..end];
    let follows = rest[end..].starts_with(['>', ' ', '/', '\n']);
    (name.starts_with(|c: char| c.is_ascii_lowercase()) && follows).then_some(name)
}

fn fences(page: &mut Page<'_>) {
    let mut open: Option<usize> = None;
    for range in page.line_ranges() {
        let line = page.text[range.clone()].trim_start();
        if line.starts_with("```") || line.starts_with("~~~") {
            match open.take() {
                Some(from) => page.blot(from..range.end),
                // ```one line```
                None if line.len() > 6 && line[3..].contains("```") => page.blot(range),
                None => open = Some(range.start),
            }
        }
    }
    if let Some(from) = open {
        let end = page.text.len();
        page.blot(from..end);
    }
}

/// From the first heading on, or after words that announce one, a turn is a document.
fn documents(page: &mut Page<'_>) {
    let end = page.text.len();
    let may_follow = page.text.contains(':') && page.text.contains('\n');
    if let Some(found) =
        Some(&page.lower).filter(|_| may_follow).and_then(|lower| DOCUMENT_FOLLOWS.find(lower))
    {
        let announced = found.end();
        let long = end - announced > 400;
        if long {
            page.blot(announced..end);
        }
    }
    for range in page.line_ranges() {
        let line = &page.text[range.clone()];
        let marks = line.bytes().take_while(|b| *b == b'#').count();
        let is_heading = (1..=6).contains(&marks) && line[marks..].starts_with(' ');
        if is_heading && !page.is_blotted(range.start) {
            page.blot(range.start..end);
            return;
        }
    }
}

/// Quoted and indented lines, output and code.
fn lines(page: &mut Page<'_>) {
    for range in page.line_ranges() {
        let line = &page.lower[range.clone()];
        let indent = line.bytes().take_while(|b| *b == b' ').count();
        let is_quoted = line.trim_start().starts_with('>');
        let is_indented = (indent >= 4 || line.starts_with('\t')) && !is_item(line.trim_start());
        let is_diff = (line.starts_with('+') || line.starts_with('-'))
            && line[1..].starts_with(['\t', ' ', '-', '+'])
            && line[1..].trim_start().len() + 3 <= line.len();
        // A terminal pads its lines when they are copied.
        let is_padded = line.ends_with("    ") && !line.trim().is_empty();
        if is_quoted
            || is_indented
            || is_padded
            || is_diff
            || LOG.is_match(line)
            || CODE.is_match(line)
            || is_symbols(line)
        {
            page.blot(range);
        }
    }
}

fn is_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    line.starts_with("- ")
        || line.starts_with("* ")
        || (digits > 0 && (line[digits..].starts_with(". ") || line[digits..].starts_with(") ")))
}

/// More symbols and digits than words, or set in columns.
fn is_symbols(line: &str) -> bool {
    let line = line.trim();
    if line.len() < 12 {
        return false;
    }
    let columns = line.matches("   ").count() >= 2;
    let letters = line.chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).count();
    let longest = line.split_whitespace().map(str::len).max().unwrap_or(0);
    columns || letters * 10 < line.chars().count() * 7 || longest > 120
}

/// A paragraph that is mostly output is output; a long one without a speaker is someone else's.
fn paragraphs(page: &mut Page<'_>) {
    let is_rated = ["severity", "priority"].iter().any(|word| page.lower.contains(word));
    let is_review = is_rated && SEVERITY.is_match(&page.lower);
    let ranges = page.line_ranges();
    for group in ranges.split(|range| page.text[range.clone()].trim().is_empty()) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let whole = first.start..last.end;
        let foreign = group.iter().filter(|range| page.is_blotted(range.start)).count();
        let text = &page.lower[whole.clone()];
        // Assistants indent their replies, people do not.
        let is_reply = group.len() > 1
            && group.iter().all(|range| {
                let line = &page.text[range.clone()];
                line.starts_with("  ") && !is_item(line.trim_start())
            });
        let is_impersonal = (is_review || text.len() > 260) && !PERSONAL.is_match(text);
        if is_impersonal
            || is_reply
            || (group.len() > 2 && foreign * 2 > group.len())
            || repeats_a_label(page, group)
        {
            page.blot(whole);
        }
    }
    // A finding says `you` and `always` too; only what follows it in the first person counts.
    if is_review {
        let spoken = LazyLock::force(&FIRST_PERSON);
        for group in ranges.split(|range| page.text[range.clone()].trim().is_empty()) {
            let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
            if !spoken.is_match(&page.lower[first.start..last.end]) {
                page.blot(first.start..last.end);
            }
        }
    }
}

static FIRST_PERSON: LazyLock<Pattern> =
    LazyLock::new(|| pattern(r"\b(?:i|we|our|my|let's|lets|i'm|i'd|i've|we're|we've|we'll)\b"));

/// `hint: …`, `hint: …`, `hint: …`
fn repeats_a_label(page: &Page<'_>, group: &[Range<usize>]) -> bool {
    let label = |range: &Range<usize>| {
        let line = page.text[range.clone()].trim_start();
        line.split_once(':').map(|(label, _)| label).filter(|label| label.len() < 24 && !label.contains(' '))
    };
    group.len() >= 3
        && group.windows(3).any(|three| {
            let labels: Vec<_> = three.iter().map(label).collect();
            labels[0].is_some() && labels.iter().all(|one| *one == labels[0])
        })
}

/// Quotes and inline code inside a line.
fn names(page: &mut Page<'_>) {
    const PAIRS: &[(char, char)] = &[('`', '`'), ('"', '"'), ('“', '”'), ('«', '»'), ('「', '」')];
    for range in page.line_ranges() {
        let mut at = range.start;
        while at < range.end {
            let rest = &page.text[at..range.end];
            let Some(first) = rest.chars().next() else { break };
            let pair = PAIRS.iter().find(|(open, _)| *open == first);
            let close = pair.and_then(|(_, close)| {
                let inner = &rest[first.len_utf8()..];
                inner.find(*close).map(|found| at + first.len_utf8() + found + close.len_utf8())
            });
            match close {
                Some(close) if !page.is_blotted(at) => {
                    page.fill(at..close, NAME);
                    at = close;
                }
                _ => at += first.len_utf8(),
            }
        }
        single_quotes(page, range);
    }
}

/// `'several words'`: an opening mark after a space, a closing one before a space or a stop.
fn single_quotes(page: &mut Page<'_>, range: Range<usize>) {
    let line = page.text[range.clone()].as_bytes().to_vec();
    let is_edge = |byte: Option<&u8>| byte.is_none_or(|b| !b.is_ascii_alphanumeric());
    let mut open = None;
    for (at, byte) in line.iter().enumerate().filter(|(_, byte)| **byte == b'\'') {
        let opens = at == 0 || line[at - 1] == b' ' || line[at - 1] == b'(';
        match open {
            None if opens => open = Some(at),
            Some(from) if *byte == b'\'' && is_edge(line.get(at + 1)) => {
                page.fill(range.start + from..range.start + at + 1, NAME);
                open = None;
            }
            _ => {}
        }
    }
}
