//! The keyword index: where in a text a keyword of some rule begins, in any case.
//!
//! Tables of the bytes keywords begin with, and behind them the keywords themselves. Building an
//! Aho-Corasick automaton over the same keywords takes a millisecond or more, which is most of
//! what a short-lived hook may cost, and its scan is no faster. Nor are the keywords sorted for it.

use std::sync::LazyLock;

use super::{rules, unwrap};

/// In place of a rule's row: something is written in pieces or escapes here.
pub(super) const WRAPPED: usize = usize::MAX;

pub(super) struct Prefilter {
    /// A bit for every hash of three bytes, any case: whether a keyword may begin so.
    threes: Box<[u64; 512]>,
    /// For every [`slot`] of a pair, the first keyword that begins with such a pair.
    first: Box<[Place; SLOTS]>,
    /// Keywords as written in the table; those of one slot in the order of their rows.
    keywords: Vec<Keyword>,
    /// Keywords of one byte, by that byte.
    single: Vec<(u8, usize)>,
    begins_single: [bool; 256],
}

struct Keyword {
    text: &'static str,
    /// A row that listed it.
    rule: usize,
    /// The next one of the same slot.
    next: Place,
}

/// Where in `keywords` something is, and one more; 0 is nowhere.
type Place = u16;

const SLOTS: usize = 4096;

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
        let mut this = Self {
            threes: Box::new([0; 512]),
            first: Box::new([0; SLOTS]),
            keywords: Vec::with_capacity(1024),
            single: Vec::new(),
            begins_single: [false; 256],
        };
        // Whoever comes later is put before the others of its slot.
        let marks = std::iter::once((WRAPPED, unwrap::MARKS));
        let rows = rules::all().iter().enumerate().rev().map(|(rule, row)| (rule, row.keywords));
        for (rule, keywords) in marks.chain(rows) {
            for &text in keywords {
                match text.as_bytes() {
                    &[only] => {
                        this.single.push((only, rule));
                        this.begins_single[usize::from(only)] = true;
                    }
                    &[a, b, ref rest @ ..] => {
                        let first = &mut this.first[slot(a, b)];
                        this.keywords.push(Keyword { text, rule, next: *first });
                        *first = Place::try_from(this.keywords.len()).expect("a few hundred keywords");
                        match rest.first() {
                            Some(&c) => set(&mut *this.threes, hash(a, b, c)),
                            // A keyword of two bytes may be followed by anything.
                            None => (0..=u8::MAX).for_each(|c| set(&mut *this.threes, hash(a, b, c))),
                        }
                    }
                    [] => {}
                }
            }
        }
        this.single.reverse();
        this
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
            let mut place = self.first[slot(byte, next)];
            while let Some(Keyword { text: keyword, rule, next }) = self.keyword(place) {
                let there = text.get(at..at + keyword.len());
                if there.is_some_and(|there| there.eq_ignore_ascii_case(keyword.as_bytes())) {
                    hit(Hit { at, keyword, rule: *rule });
                }
                place = *next;
            }
        }
    }

    fn keyword(&self, place: Place) -> Option<&Keyword> {
        self.keywords.get(usize::from(place).checked_sub(1)?)
    }
}

/// Where keywords that begin with these two bytes are found, in any case.
fn slot(a: u8, b: u8) -> usize {
    (usize::from(a.to_ascii_lowercase()) ^ (usize::from(b.to_ascii_lowercase()) << 4)) % SLOTS
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
                    found |=
                        hit.at == 0 && rules::all().get(hit.rule).is_some_and(|row| row.name == rule.name);
                });
                assert!(found, "{keyword}");
            }
        }
    }
}
