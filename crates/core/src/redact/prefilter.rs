//! The keyword index: where in a text a keyword of some rule begins, in any case.
//!
//! Tables of the bytes keywords begin with, and behind them the keywords themselves. Building an
//! Aho-Corasick automaton over the same keywords takes a millisecond or more, which is most of
//! what a short-lived hook may cost, and its scan is no faster.

use std::ops::Range;
use std::sync::LazyLock;

use super::rules;

pub(super) struct Prefilter {
    /// A bit for every hash of three bytes, any case: whether a keyword may begin so.
    threes: Box<[u64; 512]>,
    /// For every pair in lower case that begins keywords, its stretch of `keywords`; sorted.
    groups: Vec<(u16, Range<usize>)>,
    /// Keywords as written in the table, each with a row that listed it; sorted by their pair.
    keywords: Vec<(&'static str, usize)>,
    /// Keywords of one byte, by that byte.
    single: Vec<(u8, usize)>,
    begins_single: [bool; 256],
}

/// A keyword in a text, and the row of a rule that listed it.
pub(super) struct Hit {
    pub(super) at: usize,
    pub(super) keyword: &'static str,
    pub(super) rule: usize,
}

static PREFILTER: LazyLock<Prefilter> = LazyLock::new(Prefilter::build);

impl Prefilter {
    pub(super) fn shared() -> &'static Self {
        &PREFILTER
    }

    fn build() -> Self {
        let mut keywords = Vec::with_capacity(1024);
        let mut single = Vec::new();
        let mut begins_single = [false; 256];
        for (row, rule) in rules::all().iter().enumerate() {
            for &keyword in rule.keywords {
                if let &[only] = keyword.as_bytes() {
                    single.push((only, row));
                    begins_single[usize::from(only)] = true;
                } else {
                    keywords.push((keyword, row));
                }
            }
        }
        keywords.sort_unstable_by_key(|&(keyword, row)| (first_pair(keyword), row));
        let mut groups: Vec<(u16, Range<usize>)> = Vec::with_capacity(keywords.len());
        let mut threes = Box::new([0u64; 512]);
        for (i, (keyword, _)) in keywords.iter().enumerate() {
            let first = first_pair(keyword);
            match groups.last_mut() {
                Some((pair, group)) if *pair == first => group.end = i + 1,
                _ => groups.push((first, i..i + 1)),
            }
            if let &[a, b, c, ..] = keyword.as_bytes() {
                set(&mut *threes, hash(a, b, c));
                continue;
            }
            // A keyword of two bytes may be followed by anything.
            let [a, b] = first.to_be_bytes();
            for c in 0..=u8::MAX {
                set(&mut *threes, hash(a, b, c));
            }
        }
        Self { threes, groups, keywords, single, begins_single }
    }

    /// Calls `hit` for every keyword in `text`, in order of where they begin.
    pub(super) fn scan(&self, text: &[u8], mut hit: impl FnMut(Hit)) {
        let (mut second, mut third) = (folded(text, 0), folded(text, 1));
        for (at, &byte) in text.iter().enumerate() {
            let first = second;
            (second, third) = (third, folded(text, at + 2));
            let may_begin = is_set(&self.threes, mixed(first, second, third));
            if !may_begin && !self.begins_single[usize::from(byte)] {
                continue;
            }
            if self.begins_single[usize::from(byte)] {
                for &(_, rule) in self.single.iter().filter(|(only, _)| *only == byte) {
                    hit(Hit { at, keyword: "", rule });
                }
            }
            let Some(&next) = text.get(at + 1) else { return };
            if !may_begin {
                continue;
            }
            let pair = u16::from_be_bytes([byte.to_ascii_lowercase(), next.to_ascii_lowercase()]);
            let Ok(group) = self.groups.binary_search_by_key(&pair, |(pair, _)| *pair) else { continue };
            for &(keyword, rule) in &self.keywords[self.groups[group].1.clone()] {
                let there = text.get(at..at + keyword.len());
                if there.is_some_and(|there| there.eq_ignore_ascii_case(keyword.as_bytes())) {
                    hit(Hit { at, keyword, rule });
                }
            }
        }
    }
}

fn set(bits: &mut [u64], bit: usize) {
    bits[bit / 64] |= 1 << (bit % 64);
}

fn is_set(bits: &[u64; 512], bit: usize) -> bool {
    bits[(bit / 64) % 512] & (1 << (bit % 64)) != 0
}

/// Fifteen bits of three bytes. Setting bit 5 folds the case of letters; what else it folds only
/// costs a look at the keywords.
fn hash(a: u8, b: u8, c: u8) -> usize {
    mixed(usize::from(a | 0x20), usize::from(b | 0x20), usize::from(c | 0x20))
}

fn mixed(a: usize, b: usize, c: usize) -> usize {
    (a ^ (b << 5) ^ (c << 8)) & 0x7fff
}

/// A byte as [`hash`] sees it; behind the end there is nothing.
fn folded(text: &[u8], at: usize) -> usize {
    usize::from(text.get(at).map_or(0, |byte| *byte) | 0x20)
}

/// The first two bytes of a keyword in lower case.
fn first_pair(keyword: &str) -> u16 {
    match keyword.as_bytes() {
        &[a, b, ..] => u16::from_be_bytes([a.to_ascii_lowercase(), b.to_ascii_lowercase()]),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_found_in_any_case_and_inside_each_other() {
        let mut found = Vec::new();
        Prefilter::shared().scan(b"x SK-PROJ-", |hit| found.push((hit.at, hit.keyword)));
        assert!(found.contains(&(2, "sk-")) && found.contains(&(2, "sk-proj-")), "{found:?}");
    }

    #[test]
    fn every_keyword_is_found_alone() {
        for rule in rules::all() {
            for keyword in rule.keywords {
                let mut found = false;
                Prefilter::shared().scan(keyword.as_bytes(), |hit| {
                    found |= hit.at == 0 && rules::all()[hit.rule].name == rule.name;
                });
                assert!(found, "{keyword}");
            }
        }
    }
}
