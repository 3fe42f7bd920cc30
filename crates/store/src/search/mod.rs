//! The search tiers: lexical, vector and fuzzy candidates with exact evidence for each, and graph
//! neighbours. Filters hold inside every tier. Fusing and judging is left to the caller.

mod filter;
mod graph;
mod postings;
mod query;
mod scan;

pub use filter::Filter;
pub use graph::Activation;
pub use query::{QueryTerm, QueryTerms};
pub use scan::ChunkCache;

use std::collections::HashMap;

use hark_core::Timestamp;
use hark_core::rank::bm25::{self, Corpus, Evidence, WeightedTerm};
use hark_core::vector::{Vector, dot, sign_bits};
use rusqlite::OptionalExtension;

use crate::error::StoreError;
use crate::index::{Totals, memory_of};
use crate::store::Store;

/// How many candidates each tier hands on to exact scoring.
#[derive(Debug, Clone, Copy)]
pub struct Depth {
    pub lexical: usize,
    pub vector: usize,
}

impl Default for Depth {
    fn default() -> Self {
        Depth { lexical: 80, vector: 80 }
    }
}

/// How many candidates are compared word by word: by similarity, and by shared words.
const NEAREST_COMPARED: usize = 28;
const WORDIEST_COMPARED: usize = 16;

/// What an assistant or a tool said counts a little less than what a person said.
const QUOTED: f32 = 0.9;
const QUOTED_COSINE: f32 = 0.03;

/// What a query means to the embedder: as a whole, and word by word.
#[derive(Debug, Clone)]
pub struct Meaning {
    pub vector: Vector,
    /// Each word as the embedder sees it, with how much it tells in this store.
    pub words: Vec<(Vec<u8>, f32)>,
    /// Share of the query's information that went into it, 0 to 1.
    pub understood: f32,
}

/// A passage that a tier asks to have measured.
struct Proposed {
    passage: i64,
    tie: u32,
    created: u32,
    near: bool,
}

/// One memory with everything the tiers know about it; its best passage speaks for it.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub memory: i64,
    pub passage: i64,
    /// Orders ties the same way on every machine.
    pub tie: u32,
    /// To the minute.
    pub created: Timestamp,
    /// Evidence of the words as typed.
    pub typed: Evidence,
    /// Evidence with typos repaired; equal to `typed` when there were none.
    pub repaired: Evidence,
    /// Whether it has several passages.
    pub is_long: bool,
    /// Evidence of the memory as a whole; equal to `repaired` for a memory of one passage.
    pub whole: Evidence,
    pub cosine: f32,
    /// How much of the query's words have a counterpart of like meaning, 0 to 1.
    pub words: f32,
    /// Whether the vector tier itself proposed it (and not only another tier).
    pub near: bool,
}

#[derive(Debug, Clone, Default)]
pub struct Candidates {
    pub terms: QueryTerms,
    pub found: Vec<Candidate>,
    /// Passages that passed the filter.
    pub in_scope: usize,
    /// Share of the query's information that the meaning stands for, 0 to 1.
    pub understood: f32,
}

impl Store {
    /// Everything the tiers have for an understood query.
    pub fn search(
        &self,
        terms: QueryTerms,
        meaning: Option<&Meaning>,
        filter: &Filter,
        depth: Depth,
    ) -> Result<Candidates, StoreError> {
        self.try_search(terms, meaning, filter, depth).map_err(|e| self.sql(e))
    }

    /// What the words of a query mean to this store.
    pub fn understand(&self, text: &str) -> Result<QueryTerms, StoreError> {
        let run =
            || query::understand(&self.conn, text, &self.totals(Totals::Passages)?, self.embedder.as_ref());
        run().map_err(|e| self.sql(e))
    }

    fn try_search(
        &self,
        terms: QueryTerms,
        meaning: Option<&Meaning>,
        filter: &Filter,
        depth: Depth,
    ) -> rusqlite::Result<Candidates> {
        let corpus = self.totals(Totals::Passages)?;
        let postings = postings::gather(&self.conn, &terms)?;
        let signs = meaning.map(|m| sign_bits(&m.vector.values));
        let scan = scan::scan(self, filter, signs.as_ref().map(|s| s.as_slice()), depth.vector, &postings)?;

        let mut lexical = scan.allowed;
        lexical.sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight).then(a.tie.cmp(&b.tie)));
        lexical.truncate(depth.lexical);
        // In the order of the table: neighbours share pages.
        let mut proposed: Vec<Proposed> = lexical
            .iter()
            .map(|l| Proposed { passage: l.passage, tie: l.tie, created: l.created, near: false })
            .collect();
        proposed.extend(scan.nearest.iter().map(|near| Proposed {
            passage: near.passage,
            tie: near.tie,
            created: near.created,
            near: true,
        }));
        proposed.sort_unstable_by_key(|p| (p.passage, !p.near));
        proposed.dedup_by_key(|p| p.passage);

        let typed = terms.typed();
        let repaired = terms.repaired();
        let mut found: Vec<Candidate> = Vec::with_capacity(proposed.len());
        let mut read =
            self.conn.prepare_cached("SELECT scale, vec, record, other FROM passage WHERE id = ?1")?;
        for Proposed { passage, tie, created, near } in proposed {
            let measured = read
                .query_row([passage], |row| {
                    let scale: f64 = row.get(0)?;
                    let values = row.get_ref(1)?.as_blob()?;
                    let record = row.get_ref(2)?.as_blob()?;
                    let quoted: bool = row.get(3)?;
                    let cosine = meaning.map_or(0.0, |m| cosine(&m.vector, scale as f32, values));
                    let fixed = repaired.as_ref().map(|terms| bm25::score(record, terms, &corpus));
                    Ok((cosine, bm25::score(record, &typed, &corpus), fixed, quoted))
                })
                .optional()?;
            let Some((mut cosine, mut typed, fixed, quoted)) = measured else { continue };
            let mut repaired = fixed.unwrap_or(typed);
            if quoted {
                cosine -= QUOTED_COSINE;
                (typed, repaired) = (typed.damped(QUOTED), repaired.damped(QUOTED));
            }
            found.push(Candidate {
                memory: memory_of(passage),
                passage,
                tie,
                created: Timestamp::from_minutes(created),
                typed,
                repaired,
                is_long: false,
                whole: repaired,
                cosine,
                words: 0.0,
                near,
            });
        }
        if let Some(meaning) = meaning {
            self.compare_words(&mut found, meaning)?;
        }
        let mut found = best_of_each(found);
        self.look_at_whole(&mut found, repaired.as_deref().unwrap_or(&typed))?;
        found.sort_unstable_by_key(|c| (c.tie, c.memory));
        let understood = meaning.map_or(0.0, |m| m.understood);
        Ok(Candidates { terms, found, in_scope: scan.in_scope, understood })
    }

    /// Word by word is dearer than one vector: only what leads by one measure or the other is
    /// compared so.
    fn compare_words(&self, found: &mut [Candidate], meaning: &Meaning) -> rusqlite::Result<()> {
        let mut read = self.conn.prepare_cached("SELECT words FROM passage WHERE id = ?1")?;
        let leaders = |found: &mut [Candidate], count: usize, measure: fn(&Candidate) -> f32| -> Vec<i64> {
            found.sort_unstable_by(|a, b| measure(b).total_cmp(&measure(a)).then(a.tie.cmp(&b.tie)));
            found.iter().take(count).map(|c| c.passage).collect()
        };
        let mut leading = leaders(found, NEAREST_COMPARED, |c| c.cosine);
        leading.extend(leaders(found, WORDIEST_COMPARED, |c| c.repaired.score));
        for candidate in found.iter_mut().filter(|c| leading.contains(&c.passage)) {
            candidate.words = read.query_row([candidate.passage], |row| {
                Ok(self.embedder.word_match(&meaning.words, row.get_ref(0)?.as_blob()?))
            })?;
        }
        Ok(())
    }

    /// A memory of several passages is also judged as a whole.
    fn look_at_whole(&self, found: &mut [Candidate], terms: &[WeightedTerm]) -> rusqlite::Result<()> {
        let corpus = self.totals(Totals::Documents)?;
        if corpus.passages == 0 {
            return Ok(());
        }
        let mut read = self.conn.prepare_cached("SELECT record FROM document WHERE memory = ?1")?;
        for candidate in found {
            let whole = read.query_row([candidate.memory], |row| {
                Ok(bm25::score(row.get_ref(0)?.as_blob()?, terms, &corpus))
            });
            if let Some(whole) = whole.optional()? {
                (candidate.whole, candidate.is_long) = (whole, true);
            }
        }
        Ok(())
    }

    fn totals(&self, of: Totals) -> rusqlite::Result<Corpus> {
        self.conn
            .prepare_cached("SELECT passages, titles, bodies, labels FROM corpus WHERE id = ?1")?
            .query_row([of as i64], |row| {
                let unsigned = |at: usize| row.get::<_, i64>(at).map(|v| v.max(0) as u64);
                Ok(Corpus { passages: unsigned(0)?, lengths: [unsigned(1)?, unsigned(2)?, unsigned(3)?] })
            })
    }
}

/// One candidate per memory, with the best of each measure over its passages; the strongest
/// passage stays its face.
fn best_of_each(found: Vec<Candidate>) -> Vec<Candidate> {
    let mut best: HashMap<i64, Candidate> = HashMap::with_capacity(found.len());
    for new in found {
        let Some(old) = best.get_mut(&new.memory) else {
            best.insert(new.memory, new);
            continue;
        };
        let strength = |c: &Candidate| (c.repaired.score, c.cosine);
        if strength(&new) > strength(old) {
            old.passage = new.passage;
        }
        if new.typed.score > old.typed.score {
            old.typed = new.typed;
        }
        if new.repaired.score > old.repaired.score {
            old.repaired = new.repaired;
            old.whole = new.whole;
        }
        // From one passage: nearness in one place and words in another are no evidence together.
        if new.cosine + new.words > old.cosine + old.words {
            (old.cosine, old.words) = (new.cosine, new.words);
        }
        old.near |= new.near;
    }
    best.into_values().collect()
}

fn cosine(query: &Vector, scale: f32, bytes: &[u8]) -> f32 {
    if bytes.len() != query.values.len() {
        return 0.0;
    }
    let values: Vec<i8> = bytes.iter().map(|b| b.cast_signed()).collect();
    dot(&query.values, &values) as f32 * query.scale * scale
}
