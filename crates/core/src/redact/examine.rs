//! One pass over a text: everything that a rule wants redacted, wrapped or not.

use std::ops::Range;

use super::encoded;
use super::placeholder;
use super::prefilter::{Prefilter, WRAPPED};
use super::rule::{Family, Find, Rule};
use super::rules;
use super::scan::seed;
use super::shape;
use super::spans::{self, Suspect};
use super::unwrap;

/// Which rules are enabled.
pub(super) type Enabled<'a> = &'a dyn Fn(&Rule) -> bool;

/// Disjoint ranges to replace, in order, none inside a placeholder.
pub(super) fn examine(text: &str, enabled: Enabled<'_>) -> Vec<(Range<usize>, &'static str)> {
    let bytes = text.as_bytes();
    let table = rules::all();
    let placeholders = placeholders(bytes);
    let mut found = Vec::new();
    let mut wrapped = Vec::new();
    as_written(bytes, &placeholders, enabled, Some(&mut wrapped), &mut found);
    // Unwrapped text is arbitrary data: only credentials count there.
    let doors =
        |rule: &Rule| !matches!(rule.family, Family::Personal | Family::Infrastructure) && enabled(rule);
    for view in unwrap::views(bytes, &wrapped) {
        let mut inside = Vec::new();
        as_written(&view.text, &self::placeholders(&view.text), &doors, None, &mut inside);
        vendor_tokens(&view.text, &mut inside);
        found.extend(inside.into_iter().map(|c| Suspect { range: view.origin(&c.range), rule: c.rule }));
    }
    vendor_tokens(bytes, &mut found);
    encoded_lines(bytes, &doors, &mut found);
    let mut phrases = Vec::new();
    seed::alone(bytes, &mut phrases);
    found.extend(phrases.into_iter().map(|range| Suspect { range, rule: rules::row(rules::SEED_PHRASE) }));

    spans::unite(found)
        .into_iter()
        .flat_map(|candidate| {
            let range = whole_characters(text, candidate.range);
            let parts = spans::cut(&range, &placeholders);
            parts.into_iter().map(move |part| (part, table[candidate.rule].name))
        })
        .collect()
}

fn placeholders(text: &[u8]) -> Vec<Range<usize>> {
    let table = rules::all();
    placeholder::existing(text, |rule| table.iter().any(|known| known.name.as_bytes() == rule))
}

/// What the rules find in a text as written. `wrapped` receives the places where something may be in pieces
/// or escaped; without it, text that was unwrapped once is not unwrapped again.
fn as_written(
    text: &[u8],
    placeholders: &[Range<usize>],
    enabled: Enabled<'_>,
    mut wrapped: Option<&mut Vec<usize>>,
    found: &mut Vec<Suspect>,
) {
    let table = rules::all();
    let mut ranges = Vec::new();
    let mut wanted = vec![false; table.len()];
    let mut done = vec![0usize; table.len()];
    let mut looked = vec![usize::MAX; table.len()];
    Prefilter::shared().scan(text, |hit| {
        if spans::inside(hit.at, placeholders) {
            return;
        }
        let row = hit.rule;
        if row == WRAPPED {
            if let Some(places) = wrapped.as_deref_mut()
                && unwrap::is_wrapped(text, hit.at)
            {
                places.push(hit.at);
            }
            return;
        }
        let rule = &table[row];
        // Inside a range that the rule already found: a second look finds nothing new.
        if hit.at < done[row] || !enabled(rule) {
            return;
        }
        if matches!(rule.find, Find::Anywhere(_)) {
            wanted[row] = true;
            let whole = unwrap::lines::continued(text, hit.at, hit.keyword, rule, None);
            found.extend(whole.map(|range| Suspect { range, rule: row }));
            return;
        }
        // `pass` and `passw` begin at the same place: run a scanner only once.
        if matches!(rule.find, Find::Scan(_)) && std::mem::replace(&mut looked[row], hit.at) == hit.at {
            return;
        }
        rule.find_at(text, hit.at, hit.keyword, &mut ranges);
        if rule.may_be_cut() {
            let end = ranges.last().map(|range| range.end);
            ranges.extend(unwrap::lines::continued(text, hit.at, hit.keyword, rule, end));
        }
        for range in ranges.drain(..) {
            done[row] = done[row].max(range.end);
            found.push(Suspect { range, rule: row });
        }
    });
    for (row, _) in wanted.iter().enumerate().filter(|(_, wanted)| **wanted) {
        table[row].find_all(text, &mut ranges);
        found.extend(ranges.drain(..).map(|range| Suspect { range, rule: row }));
    }
}

/// Tokens that no rule knows by name.
fn vendor_tokens(text: &[u8], found: &mut Vec<Suspect>) {
    encoded::long_words(text, |word| {
        // Hashes in base64 may begin like anything: `sha256=ab_…`.
        let hash = shape::contains(&text[word.start.saturating_sub(10)..word.start], "sha");
        if !hash && encoded::is_vendor_token(&text[word.clone()]) {
            found.push(Suspect { range: word, rule: rules::row(rules::VENDOR_TOKEN) });
        }
    });
}

/// Encoded lines that contain a secret.
fn encoded_lines(text: &[u8], enabled: Enabled<'_>, found: &mut Vec<Suspect>) {
    let mut dealt_with = 0;
    encoded::long_words(text, |word| {
        if word.start < dealt_with {
            return;
        }
        let Some((line, range)) = encoded::decoded(text, &word) else { return };
        let mut inside = Vec::new();
        as_written(&line, &placeholders(&line), enabled, None, &mut inside);
        vendor_tokens(&line, &mut inside);
        if let Some(rule) = inside.iter().map(|candidate| candidate.rule).min() {
            dealt_with = range.end;
            found.push(Suspect { range, rule });
        }
    });
}

/// Widens a range to character boundaries. Scanners work on bytes and end at ASCII delimiters, so this
/// changes nothing unless a window cut a character in half.
fn whole_characters(text: &str, range: Range<usize>) -> Range<usize> {
    let start = (0..=range.start).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
    let end = (range.end..text.len()).find(|&i| text.is_char_boundary(i)).unwrap_or(text.len());
    start..end
}
