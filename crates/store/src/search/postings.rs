//! Which passages hold the query's terms, within a budget.
//!
//! Rare terms first, until the budget is used up: a long prompt then costs the same in a small and
//! in a large store. Common terms still count when a candidate is scored exactly.

use std::collections::HashMap;

use rusqlite::Connection;

use super::query::QueryTerms;
use crate::index::lexicon_token;

/// How many postings one query may read.
const BUDGET: u64 = 6_000;
/// When even the rarest term is common, its newest passages stand for it.
const NEWEST: u64 = 3_000;

/// Passage → weight of the terms found there.
pub(crate) type Postings = HashMap<i64, f32, PassageHasher>;

pub(crate) fn gather(conn: &Connection, terms: &QueryTerms) -> rusqlite::Result<Postings> {
    let mut wanted: Vec<(u64, f32, &str)> = Vec::new();
    for term in &terms.terms {
        if term.df > 0 {
            wanted.push((term.df, term.idf, &term.term));
        }
        for repair in &term.repairs {
            wanted.push((repair.df, repair.idf * repair.belief, &repair.term));
        }
    }
    wanted.sort_by(|a, b| a.0.cmp(&b.0).then(a.2.cmp(b.2)));
    wanted.dedup_by(|a, b| a.2 == b.2);

    let expected = wanted.iter().map(|(df, _, _)| df).sum::<u64>().min(BUDGET);
    let mut found = Postings::with_capacity_and_hasher(expected as usize, PassageHasher);
    let mut read =
        conn.prepare_cached("SELECT rowid FROM lexicon WHERE lexicon MATCH ?1 ORDER BY rowid DESC LIMIT ?2")?;
    let mut spent = 0u64;
    for (df, weight, term) in wanted {
        let fits = spent + df <= BUDGET;
        if !fits && spent > 0 {
            break;
        }
        let limit = if fits { BUDGET } else { NEWEST };
        let mut rows = read.query(rusqlite::params![lexicon_token(term), limit as i64])?;
        while let Some(row) = rows.next()? {
            *found.entry(row.get(0)?).or_insert(0.0) += weight;
            spent += 1;
        }
    }
    Ok(found)
}

/// Passage ids are already well spread; a multiplication is hash enough, and the scan asks for
/// every passage in the store.
#[derive(Clone, Copy, Default)]
pub(crate) struct PassageHasher;

impl std::hash::BuildHasher for PassageHasher {
    type Hasher = Multiply;

    fn build_hasher(&self) -> Multiply {
        Multiply(0)
    }
}

pub(crate) struct Multiply(u64);

impl std::hash::Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_i64(i64::from(*byte));
        }
    }

    fn write_i64(&mut self, value: i64) {
        let mixed = (self.0 ^ value.cast_unsigned()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}
