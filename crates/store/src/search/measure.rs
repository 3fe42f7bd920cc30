//! Exact evidence of one passage for a query: its words, its words with typos repaired, its meaning.

use hark_core::rank::bm25::{self, Corpus, Evidence, WeightedTerm};
use hark_core::vector::{WordMatch, dot_bytes};
use rusqlite::Row;

use super::{Meaning, QueryTerms};
use crate::index::OTHER;

/// What an assistant or a tool said counts a little less than what a person said.
const QUOTED: f32 = 0.9;
const QUOTED_COSINE: f32 = 0.03;

/// The same of what stands in one sentence,
const QUOTED_SENTENCE: f32 = 0.5;
/// and of what is so, where somebody asks about themselves.
const NOT_OF_SELF: f32 = 0.5;

/// How much of a query one sentence of a passage says.
pub(super) fn said(found: &WordMatch, about_self: bool, quoted: bool) -> f32 {
    match (quoted, about_self) {
        (true, _) => QUOTED_SENTENCE * found.sentence,
        (false, true) => found.of_self.max(NOT_OF_SELF * found.sentence),
        (false, false) => found.sentence,
    }
}

/// The columns that [`Measure::passage`] reads, in its order.
pub(super) const COLUMNS: &str = "scale, vec, record, other, id";

/// A query in the form that a passage is measured against.
pub(super) struct Measure {
    /// The vector as bytes, and its scale.
    query: Option<(Vec<u8>, f32)>,
    typed: Vec<WeightedTerm>,
    repaired: Option<Vec<WeightedTerm>>,
    corpus: Corpus,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Measured {
    pub(super) typed: Evidence,
    pub(super) repaired: Evidence,
    pub(super) cosine: f32,
}

impl Measure {
    pub(super) fn new(terms: &QueryTerms, meaning: Option<&Meaning>, corpus: Corpus) -> Self {
        let bytes = |m: &Meaning| m.vector.values.iter().map(|v| v.cast_unsigned()).collect();
        Measure {
            query: meaning.map(|m| (bytes(m), m.vector.scale)),
            typed: terms.typed(),
            repaired: terms.repaired(),
            corpus,
        }
    }

    /// The words that count: repaired where something was mistyped.
    pub(super) fn meant(&self) -> &[WeightedTerm] {
        self.repaired.as_deref().unwrap_or(&self.typed)
    }

    /// How much of the query's information each of its words is.
    pub(super) fn shares(&self) -> Vec<f32> {
        let all: f32 = self.meant().iter().map(|term| term.idf).sum();
        self.meant().iter().map(|term| if all > 0.0 { term.idf / all } else { 0.0 }).collect()
    }

    pub(super) fn passage(&self, row: &Row<'_>) -> rusqlite::Result<Measured> {
        let scale: f64 = row.get(0)?;
        let values = row.get_ref(1)?.as_blob()?;
        let record = row.get_ref(2)?.as_blob()?;
        let typed = bm25::score(record, &self.typed, &self.corpus);
        let fixed = self.repaired.as_ref().map(|terms| bm25::score(record, terms, &self.corpus));
        let repaired = fixed.unwrap_or(typed);
        let cosine = match &self.query {
            Some((query, query_scale)) if query.len() == values.len() => {
                dot_bytes(query, values) as f32 * query_scale * scale as f32
            }
            _ => 0.0,
        };
        Ok(if row.get::<_, i64>(3)? == OTHER {
            let (typed, repaired) = (typed.damped(QUOTED), repaired.damped(QUOTED));
            Measured { typed, repaired, cosine: cosine - QUOTED_COSINE }
        } else {
            Measured { typed, repaired, cosine }
        })
    }
}
