//! A chunk of slots, decoded for the sweep: what filters ask in one array, sign bits in another, so
//! that a sweep in which the filter holds for a whole chunk reads little more than the signs.

use hark_core::vector::{Signs, sign_words};

use super::filter::Sieve;
use crate::index::{Facets, SIGN_BYTES, SLOT_BYTES};

/// The live slots of a chunk, in the order of passages.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) passages: Vec<i64>,
    pub(super) facets: Vec<Facets>,
    pub(super) signs: Vec<Signs>,
    /// How many are no phrases.
    pub(super) bodies: usize,
    /// Every slot has a vector.
    pub(super) all_signed: bool,
    /// In ascending order of passages, so that one can be looked up.
    in_order: bool,
    /// What the slots have between them, for a filter to judge all at once.
    statuses: u8,
    kinds: u32,
    any_expires: bool,
}

impl Chunk {
    /// Takes in the slots of a stored chunk in place of what was here.
    pub(super) fn fill(&mut self, data: &[u8]) {
        self.passages.clear();
        self.facets.clear();
        self.signs.clear();
        (self.all_signed, self.in_order, self.any_expires) = (true, true, false);
        (self.bodies, self.statuses, self.kinds) = (0, 0, 0);
        let mut last = i64::MIN;
        for slot in data.as_chunks::<SLOT_BYTES>().0 {
            let Some(facets) = Facets::decode(slot) else { continue };
            let Some(signs) = slot[SLOT_BYTES - SIGN_BYTES..].first_chunk() else { continue };
            self.all_signed &= facets.has_vector;
            self.in_order &= facets.passage > last;
            self.any_expires |= facets.expires != 0;
            self.statuses |= 1 << (facets.status & 7);
            self.kinds |= 1 << (facets.kind & 31);
            self.bodies += usize::from(!facets.is_phrase);
            last = facets.passage;
            self.passages.push(facets.passage);
            self.facets.push(facets);
            self.signs.push(sign_words(signs));
        }
    }

    /// Whether the filter certainly lets every slot pass.
    pub(super) fn passes_whole(&self, sieve: &Sieve) -> bool {
        !self.any_expires && sieve.passes_all(self.statuses, self.kinds)
    }

    /// Calls with each passage that is both here and in a list in ascending order, and its place
    /// here. `false` if this chunk is in no order.
    pub(super) fn meet<T: Copy>(&self, wanted: &[(i64, T)], mut found: impl FnMut(usize, T)) -> bool {
        if !self.in_order {
            return false;
        }
        let (Some(first), Some(last)) = (self.passages.first(), self.passages.last()) else { return true };
        let from = wanted.partition_point(|(passage, _)| passage < first);
        let mut at = 0;
        for (passage, value) in &wanted[from..] {
            if passage > last {
                break;
            }
            // Both are read once from end to end: searching would jump about in memory.
            while self.passages[at] < *passage {
                at += 1;
            }
            if self.passages[at] == *passage {
                found(at, *value);
            }
        }
        true
    }
}
