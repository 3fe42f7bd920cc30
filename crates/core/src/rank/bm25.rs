//! BM25 over weighted fields, computed from a compact record of a passage's terms.
//!
//! The record is stored with the passage, so that a candidate can be scored exactly without asking the
//! full-text index about every term again.

use std::collections::HashMap;

use crate::text::Token;

const K1: f32 = 1.2;
/// The influence of length, per field.
const B: [f32; FIELDS] = [0.3, 0.75, 0.2];
/// Added to the length of every body: for very short texts, a few words more or less mean nothing.
const SHORT: f32 = 8.0;
/// A match in the title or a label says more than one in the body.
const WEIGHTS: [f32; FIELDS] = [2.2, 1.0, 1.4];
/// Neighbours in the question that are at most this far apart in the passage belong together.
const NEIGHBOURS: u8 = 6;
/// The gap between title and body, so that their words are not neighbours.
const TITLE_GAP: usize = 8;

/// In a store of a few notes every word is rare; counted literally, a word that occurs would weigh almost
/// nothing compared with one that does not.
const SMALLEST: u64 = 64;

/// Title, body, labels (tags, files, entities).
pub const FIELDS: usize = 3;
/// Hash, frequency per field, position of the first occurrence.
const ENTRY_BYTES: usize = 4 + FIELDS + 1;
const HEADER_BYTES: usize = 2 * FIELDS;
/// The position of a word that is too far into the text or in no running text.
const NOWHERE: u8 = u8::MAX;

/// Average field lengths and the number of passages, which BM25 compares with.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Corpus {
    pub passages: u64,
    pub lengths: [u64; FIELDS],
}

impl Corpus {
    pub fn idf(&self, df: u64) -> f32 {
        let n = self.passages.max(SMALLEST) as f32;
        let df = (df as f32).min(n);
        (1.0 + (n - df + 0.5) / (df + 0.5)).ln()
    }

    fn average(&self, field: usize) -> f32 {
        (self.lengths[field] as f32 / self.passages.max(1) as f32).max(1.0)
    }
}

/// One weighted query term; `idf` already includes how rare it is.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedTerm {
    pub hash: u32,
    pub idf: f32,
    /// 1 for a word as typed; less for a corrected typo.
    pub weight: f32,
}

/// How well a passage matches a query.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence {
    pub score: f32,
    /// The score as a share of the maximum for the query, 0 to about 1.
    pub share: f32,
    /// Share of the query's information that the passage contains, 0 to 1.
    pub coverage: f32,
    /// How many distinct terms matched.
    pub matched: u32,
    /// Share of the query's information whose neighbours in the query are neighbours here.
    pub together: f32,
    /// Information of the rarest term that matched.
    pub rarest: f32,
    /// Which terms matched: one bit for each of the first 64.
    pub held: u64,
}

impl Evidence {
    /// The same evidence with a lower weight.
    #[must_use]
    pub fn damped(self, factor: f32) -> Self {
        Evidence {
            score: self.score * factor,
            share: self.share * factor,
            together: self.together * factor,
            ..self
        }
    }
}

/// Stable 32-bit hash of a term.
pub fn term_hash(term: &str) -> u32 {
    let mut state: u32 = 0x811c_9dc5;
    for byte in term.bytes() {
        state = (state ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    state
}

/// The record of one passage: field lengths, then sorted (term, frequency per field, first position).
pub fn encode(fields: [&[Token]; FIELDS]) -> Vec<u8> {
    let mut counts: HashMap<u32, ([u8; FIELDS], u8)> = HashMap::new();
    let mut place = 0usize;
    for (field, tokens) in fields.iter().enumerate() {
        for token in *tokens {
            let (frequencies, _) = counts.entry(term_hash(&token.term)).or_insert_with(|| {
                let first = if field < 2 { u8::try_from(place).unwrap_or(NOWHERE) } else { NOWHERE };
                ([0; FIELDS], first)
            });
            frequencies[field] = frequencies[field].saturating_add(1);
            place += 1;
        }
        place += TITLE_GAP;
    }
    let mut entries: Vec<(u32, ([u8; FIELDS], u8))> = counts.into_iter().collect();
    entries.sort_unstable();
    let mut record = Vec::with_capacity(HEADER_BYTES + entries.len() * ENTRY_BYTES);
    for tokens in fields {
        let length = u16::try_from(tokens.len()).unwrap_or(u16::MAX);
        record.extend_from_slice(&length.to_le_bytes());
    }
    for (hash, (frequencies, first)) in entries {
        record.extend_from_slice(&hash.to_le_bytes());
        record.extend_from_slice(&frequencies);
        record.push(first);
    }
    record
}

/// Field lengths of a record.
pub fn lengths(record: &[u8]) -> [u16; FIELDS] {
    let mut lengths = [0; FIELDS];
    for (field, length) in lengths.iter_mut().enumerate() {
        if let Some(bytes) = record.get(2 * field..2 * field + 2) {
            *length = u16::from_le_bytes([bytes[0], bytes[1]]);
        }
    }
    lengths
}

/// Scores a record against the query. A damaged record scores zero.
pub fn score(record: &[u8], terms: &[WeightedTerm], corpus: &Corpus) -> Evidence {
    if record.len() < HEADER_BYTES || !(record.len() - HEADER_BYTES).is_multiple_of(ENTRY_BYTES) {
        return Evidence::default();
    }
    let mut norm = [0f32; FIELDS];
    for (field, length) in lengths(record).into_iter().enumerate() {
        let added = if field == 1 { SHORT } else { 0.0 };
        let relative = (f32::from(length) + added) / (corpus.average(field) + added);
        norm[field] = WEIGHTS[field] / (1.0 - B[field] + B[field] * relative);
    }
    let entries = &record[HEADER_BYTES..];
    let mut evidence = Evidence::default();
    let mut wanted = 0f32;
    let mut held = 0f32;
    let mut before: Option<(u8, f32)> = None;
    for (at, term) in terms.iter().enumerate() {
        wanted += term.idf;
        let Some(entry) = find(entries, term.hash) else {
            before = None;
            continue;
        };
        let (frequencies, first) = (&entry[..FIELDS], entry[FIELDS]);
        let tf: f32 = frequencies.iter().zip(norm).map(|(count, norm)| f32::from(*count) * norm).sum();
        evidence.score += term.weight * term.idf * tf * (K1 + 1.0) / (K1 + tf);
        evidence.matched += 1;
        evidence.held |= 1u64.checked_shl(at as u32).unwrap_or(0);
        evidence.rarest = evidence.rarest.max(term.idf * term.weight.min(1.0));
        held += term.idf * term.weight;
        if let Some((place, idf)) = before
            && first != NOWHERE
            && place.abs_diff(first) <= NEIGHBOURS
        {
            evidence.together += idf.min(term.idf) / f32::from(place.abs_diff(first).max(1));
        }
        before = (first != NOWHERE).then_some((first, term.idf));
    }
    if wanted > 0.0 {
        evidence.share = evidence.score / (wanted * (K1 + 1.0));
        evidence.coverage = held / wanted;
        evidence.together /= wanted;
    }
    evidence
}

fn find(entries: &[u8], hash: u32) -> Option<&[u8]> {
    let count = entries.len() / ENTRY_BYTES;
    let at = |i: usize| &entries[i * ENTRY_BYTES..(i + 1) * ENTRY_BYTES];
    let key = |i: usize| {
        let e = at(i);
        u32::from_le_bytes([e[0], e[1], e[2], e[3]])
    };
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if key(middle) < hash { low = middle + 1 } else { high = middle }
    }
    (low < count && key(low) == hash).then(|| &at(low)[4..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::analyze;

    fn record(title: &str, body: &str) -> Vec<u8> {
        encode([&analyze(title), &analyze(body), &[]])
    }

    fn query(text: &str, corpus: &Corpus) -> Vec<WeightedTerm> {
        analyze(text)
            .iter()
            .map(|t| WeightedTerm { hash: term_hash(&t.term), idf: corpus.idf(3), weight: 1.0 })
            .collect()
    }

    const CORPUS: Corpus = Corpus { passages: 100, lengths: [500, 4000, 200] };

    #[test]
    fn titles_weigh_more_and_coverage_counts_what_is_missing() {
        let q = query("redis cache eviction", &CORPUS);
        let in_title = score(&record("Redis cache eviction", "notes"), &q, &CORPUS);
        let in_body = score(&record("Notes", "redis cache eviction policy"), &q, &CORPUS);
        let partial = score(&record("Notes", "redis cluster"), &q, &CORPUS);
        assert!(in_title.score > in_body.score && in_body.score > partial.score);
        assert_eq!((in_body.matched, partial.matched), (3, 1));
        assert!((partial.coverage - 1.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn words_that_stand_together_are_told_from_scattered_ones() {
        let q = query("connection pool", &CORPUS);
        let together = score(&record("Notes", "the connection pool is small"), &q, &CORPUS);
        let filler = "one two three four five six seven eight nine ten ";
        let apart = score(&record("Notes", &format!("a pool here {filler} and a connection")), &q, &CORPUS);
        assert!(together.together > 0.4 && apart.together == 0.0, "{together:?} {apart:?}");
    }

    #[test]
    fn damaged_records_score_nothing() {
        let q = query("redis", &CORPUS);
        for bytes in [&[][..], &[1, 2, 3][..], &[0; 11][..]] {
            assert_eq!(score(bytes, &q, &CORPUS), Evidence::default());
        }
    }
}
