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

use hark_core::rank::bm25::{self, Corpus, Evidence};
use hark_core::vector::{Vector, dot, sign_bits};
use rusqlite::OptionalExtension;

use crate::error::StoreError;
use crate::index::memory_of;
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

/// What a query means to the embedder: as a whole, and word by word.
#[derive(Debug, Clone)]
pub struct Meaning {
    pub vector: Vector,
    /// Each word as the embedder sees it, with how much it tells in this store.
    pub words: Vec<(Vec<u8>, f32)>,
    /// Share of the query's information that went into it, 0 to 1.
    pub understood: f32,
}

/// One memory with everything the tiers know about it; its best passage speaks for it.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub memory: i64,
    pub passage: i64,
    /// Orders ties the same way on every machine.
    pub tie: u32,
    /// Evidence of the words as typed.
    pub typed: Evidence,
    /// Evidence with typos repaired; equal to `typed` when there were none.
    pub repaired: Evidence,
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
        let run = || query::understand(&self.conn, text, &self.corpus()?, self.embedder.as_ref());
        run().map_err(|e| self.sql(e))
    }

    fn try_search(
        &self,
        terms: QueryTerms,
        meaning: Option<&Meaning>,
        filter: &Filter,
        depth: Depth,
    ) -> rusqlite::Result<Candidates> {
        let corpus = self.corpus()?;
        let postings = postings::gather(&self.conn, &terms)?;
        let signs = meaning.map(|m| sign_bits(&m.vector.values));
        let scan = scan::scan(self, filter, signs.as_ref().map(|s| s.as_slice()), depth.vector, &postings)?;

        let mut lexical = scan.allowed;
        lexical.sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight).then(a.tie.cmp(&b.tie)));
        lexical.truncate(depth.lexical);
        let mut ties: HashMap<i64, (u32, bool)> =
            lexical.iter().map(|l| (l.passage, (l.tie, false))).collect();
        for near in &scan.nearest {
            ties.insert(near.passage, (near.tie, true));
        }

        let typed = terms.typed();
        let repaired = terms.repaired();
        let mut found: Vec<Candidate> = Vec::with_capacity(ties.len());
        let mut read = self.conn.prepare_cached("SELECT scale, vec, record FROM passage WHERE id = ?1")?;
        for (passage, (tie, near)) in ties {
            let measured = read
                .query_row([passage], |row| {
                    let scale: f64 = row.get(0)?;
                    let values = row.get_ref(1)?.as_blob()?;
                    let record = row.get_ref(2)?.as_blob()?;
                    let cosine = meaning.map_or(0.0, |m| cosine(&m.vector, scale as f32, values));
                    let fixed = repaired.as_ref().map(|terms| bm25::score(record, terms, &corpus));
                    Ok((cosine, bm25::score(record, &typed, &corpus), fixed))
                })
                .optional()?;
            let Some((cosine, typed, fixed)) = measured else { continue };
            let repaired = fixed.unwrap_or(typed);
            found.push(Candidate {
                memory: memory_of(passage),
                passage,
                tie,
                typed,
                repaired,
                cosine,
                words: 0.0,
                near,
            });
        }
        if let Some(meaning) = meaning {
            self.compare_words(&mut found, meaning)?;
        }
        let mut found = best_of_each(found);
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

    fn corpus(&self) -> rusqlite::Result<Corpus> {
        self.conn
            .prepare_cached("SELECT passages, titles, bodies, labels FROM corpus WHERE id = 1")?
            .query_row([], |row| {
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
