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
use hark_core::vector::{Vector, sign_bits};
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
        Depth { lexical: 192, vector: 192 }
    }
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
    /// Whether the vector tier itself proposed it (and not only another tier).
    pub near: bool,
}

#[derive(Debug, Clone, Default)]
pub struct Candidates {
    pub terms: QueryTerms,
    pub found: Vec<Candidate>,
    /// Passages that passed the filter.
    pub in_scope: usize,
}

impl Store {
    /// Everything the tiers have for a query.
    pub fn search(
        &self,
        text: &str,
        vector: Option<&Vector>,
        filter: &Filter,
        depth: Depth,
    ) -> Result<Candidates, StoreError> {
        self.try_search(text, vector, filter, depth).map_err(|e| self.sql(e))
    }

    fn try_search(
        &self,
        text: &str,
        vector: Option<&Vector>,
        filter: &Filter,
        depth: Depth,
    ) -> rusqlite::Result<Candidates> {
        let corpus = self.corpus()?;
        let terms = query::understand(&self.conn, text, &corpus)?;
        let postings = postings::gather(&self.conn, &terms)?;
        let signs = vector.map(|v| sign_bits(&v.values));
        let scan = scan::scan(self, filter, signs.as_ref().map(|s| s.as_slice()), depth.vector, &postings)?;

        let mut lexical = scan.allowed;
        lexical.sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight).then(a.tie.cmp(&b.tie)));
        lexical.truncate(depth.lexical);
        let mut ties: HashMap<i64, (u32, bool)> = lexical.iter().map(|l| (l.passage, (l.tie, false))).collect();
        for near in &scan.nearest {
            ties.insert(near.passage, (near.tie, true));
        }

        let typed = terms.typed();
        let repaired = terms.repaired();
        let mut best: HashMap<i64, Candidate> = HashMap::with_capacity(ties.len());
        let mut read = self.conn.prepare_cached("SELECT scale, vec, record FROM passage WHERE id = ?1")?;
        for (passage, (tie, near)) in ties {
            let measured = read
                .query_row([passage], |row| {
                    let scale: f64 = row.get(0)?;
                    let values = row.get_ref(1)?.as_blob()?;
                    let record = row.get_ref(2)?.as_blob()?;
                    let cosine = vector.map_or(0.0, |v| cosine(v, scale as f32, values));
                    Ok((cosine, bm25::score(record, &typed, &corpus), match &repaired {
                        Some(terms) => bm25::score(record, terms, &corpus),
                        None => Evidence::default(),
                    }))
                })
                .optional()?;
            let Some((cosine, typed, fixed)) = measured else { continue };
            let repaired = if repaired.is_some() { fixed } else { typed };
            let candidate = Candidate { memory: memory_of(passage), passage, tie, typed, repaired, cosine, near };
            merge(&mut best, candidate);
        }
        let mut found: Vec<Candidate> = best.into_values().collect();
        found.sort_unstable_by_key(|c| (c.tie, c.memory));
        Ok(Candidates { terms, found, in_scope: scan.in_scope })
    }

    fn corpus(&self) -> rusqlite::Result<Corpus> {
        self.conn.prepare_cached("SELECT passages, titles, bodies, labels FROM corpus WHERE id = 1")?.query_row(
            [],
            |row| {
                let unsigned = |at: usize| row.get::<_, i64>(at).map(|v| v.max(0) as u64);
                Ok(Corpus { passages: unsigned(0)?, lengths: [unsigned(1)?, unsigned(2)?, unsigned(3)?] })
            },
        )
    }
}

/// Keeps the best of each measure over a memory's passages; the strongest passage stays its face.
fn merge(best: &mut HashMap<i64, Candidate>, new: Candidate) {
    let Some(old) = best.get_mut(&new.memory) else {
        best.insert(new.memory, new);
        return;
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
    old.cosine = old.cosine.max(new.cosine);
    old.near |= new.near;
}

fn cosine(query: &Vector, scale: f32, bytes: &[u8]) -> f32 {
    if bytes.len() != query.values.len() {
        return 0.0;
    }
    let dot: i32 = query.values.iter().zip(bytes).map(|(a, b)| i32::from(*a) * i32::from(b.cast_signed())).sum();
    dot as f32 * query.scale * scale
}
