//! The keyword index: where in a text a keyword of some rule begins, in any case.
//!
//! It consists of tables of the bytes that keywords begin with, and the keywords themselves. Building an
//! Aho-Corasick automaton over the same keywords takes a millisecond or more, which is most of what a
//! short-lived hook may cost, and its scan is no faster. The keywords need no sorting either.

use std::sync::LazyLock;

use super::{rules, unwrap};

/// In place of a rule's row: something is in pieces or escaped here.
pub(super) const WRAPPED: usize = usize::MAX;

pub(super) struct Prefilter {
    /// A bit for every hash of three bytes, in any case: whether a keyword may begin like that.
    threes: Box<[u64; 1024]>,
    /// For every hash of three bytes, shortened: the first keyword that begins with such bytes.
    longer: Box<[Place; SLOTS]>,
    /// The same for keywords of two bytes.
    pairs: Box<[Place; PAIR_SLOTS]>,
    /// Keywords as written in the table; those of one slot in the order of their rows.
    keywords: Vec<Keyword>,
    /// Keywords of one byte, by that byte.
    single: Vec<(u8, usize)>,
    /// Whether one of them may begin with a byte, in any case.
    begins_single: [bool; 256],
}

struct Keyword {
    text: &'static str,
    /// A row that lists it.
    rule: usize,
    /// The next keyword in the same slot.
    next: Place,
}

/// An index into `keywords` plus one; 0 means none.
type Place = u16;

const SLOTS: usize = 4096;
const PAIR_SLOTS: usize = 512;

/// A keyword in a text, and the row of a rule that lists it.
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
            threes: Box::new([0; 1024]),
            longer: Box::new([0; SLOTS]),
            pairs: Box::new([0; PAIR_SLOTS]),
            keywords: Vec::with_capacity(1536),
            single: Vec::new(),
            begins_single: [false; 256],
        };
        // Later keywords go before the others of their slot.
        let marks = std::iter::once((WRAPPED, unwrap::MARKS));
        let rows = rules::all().iter().enumerate().rev().map(|(rule, row)| (rule, row.keywords));
        for (rule, keywords) in marks.chain(rows) {
            for &text in keywords {
                let first = match *text.as_bytes() {
                    [only] => {
                        this.single.push((only, rule));
                        this.begins_single[usize::from(only | FOLD)] = true;
                        continue;
                    }
                    // A keyword of two bytes may be followed by anything.
                    [a, b] => {
                        for c in (0..=u8::MAX).filter(|c| c & FOLD != 0) {
                            set(&mut *this.threes, hash(window(a, b, c)));
                        }
                        &mut this.pairs[pair_slot(window(a, b, 0))]
                    }
                    [a, b, c, ..] => {
                        let hash = hash(window(a, b, c));
                        set(&mut *this.threes, hash);
                        &mut this.longer[hash % SLOTS]
                    }
                    [] => continue,
                };
                this.keywords.push(Keyword { text, rule, next: *first });
                *first = Place::try_from(this.keywords.len()).expect("some thousand keywords");
            }
        }
        this.single.reverse();
        this
    }

    /// Calls `hit` for every keyword in `text`, ordered by position.
    pub(super) fn scan(&self, text: &[u8], mut hit: impl FnMut(Hit)) {
        // Three bytes with their case folded, the first one lowest. Zero beyond the end.
        let byte = |at: usize| text.get(at).copied().unwrap_or(0);
        let mut three = window(0, byte(0), byte(1));
        for (at, &third) in text.iter().enumerate().skip(2) {
            three = three >> 8 | u32::from(third | FOLD) << 16;
            if self.may_begin(three) {
                self.look(text, at - 2, three, &mut hit);
            }
        }
        for at in text.len().saturating_sub(2)..text.len() {
            self.look(text, at, window(byte(at), byte(at + 1), byte(at + 2)), &mut hit);
        }
    }

    fn may_begin(&self, three: u32) -> bool {
        is_set(&self.threes, hash(three)) || self.begins_single[(three & 0xff) as usize]
    }

    /// Calls `hit` for every keyword at `at`.
    fn look(&self, text: &[u8], at: usize, three: u32, hit: &mut impl FnMut(Hit)) {
        if self.begins_single[(three & 0xff) as usize] {
            for &(_, rule) in self.single.iter().filter(|(only, _)| *only == text[at]) {
                hit(Hit { at, keyword: "", rule });
            }
        }
        for first in [self.longer[hash(three) % SLOTS], self.pairs[pair_slot(three)]] {
            let mut place = first;
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

/// Setting this bit folds the case of letters; other characters that it folds only cost an extra comparison.
const FOLD: u8 = 0x20;

fn window(a: u8, b: u8, c: u8) -> u32 {
    u32::from_le_bytes([a | FOLD, b | FOLD, c | FOLD, 0])
}

/// A 16-bit hash of three bytes.
fn hash(three: u32) -> usize {
    (three.wrapping_mul(0x9e37_79b1) >> 16) as usize
}

/// The slot of the two-byte keyword that begins a window.
fn pair_slot(three: u32) -> usize {
    ((three & 0xff) ^ (three >> 4 & 0xff0)) as usize % PAIR_SLOTS
}

fn set(bits: &mut [u64], bit: usize) {
    bits[bit / 64] |= 1 << (bit % 64);
}

fn is_set(bits: &[u64; 1024], bit: usize) -> bool {
    bits[(bit / 64) % 1024] & (1 << (bit % 64)) != 0
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
