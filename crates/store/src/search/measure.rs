//! Exact evidence of one passage for a query: its words, its words with typos repaired, its meaning.

use hark_core::rank::bm25::{self, Corpus, Evidence, WeightedTerm};
use hark_core::vector::{Vector, dot};
use rusqlite::Row;

use super::Meaning;

/// What an assistant or a tool said counts a little less than what a person said.
const QUOTED: f32 = 0.9;
const QUOTED_COSINE: f32 = 0.03;

/// The columns that [`Measure::passage`] reads, in its order.
pub(super) const COLUMNS: &str = "scale, vec, record, other, id";

/// A query in the form that a passage is measured against.
pub(super) struct Measure<'q> {
    pub(super) meaning: Option<&'q Meaning>,
    pub(super) typed: Vec<WeightedTerm>,
    pub(super) repaired: Option<Vec<WeightedTerm>>,
    pub(super) corpus: Corpus,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Measured {
    pub(super) typed: Evidence,
    pub(super) repaired: Evidence,
    pub(super) cosine: f32,
}

impl Measure<'_> {
    /// The words that count: repaired where something was mistyped.
    pub(super) fn meant(&self) -> &[WeightedTerm] {
        self.repaired.as_deref().unwrap_or(&self.typed)
    }

    pub(super) fn passage(&self, row: &Row<'_>) -> rusqlite::Result<Measured> {
        let scale: f64 = row.get(0)?;
        let values = row.get_ref(1)?.as_blob()?;
        let record = row.get_ref(2)?.as_blob()?;
        let typed = bm25::score(record, &self.typed, &self.corpus);
        let fixed = self.repaired.as_ref().map(|terms| bm25::score(record, terms, &self.corpus));
        let repaired = fixed.unwrap_or(typed);
        let cosine = self.meaning.map_or(0.0, |m| cosine(&m.vector, scale as f32, values));
        Ok(if row.get(3)? {
            let (typed, repaired) = (typed.damped(QUOTED), repaired.damped(QUOTED));
            Measured { typed, repaired, cosine: cosine - QUOTED_COSINE }
        } else {
            Measured { typed, repaired, cosine }
        })
    }
}

fn cosine(query: &Vector, scale: f32, bytes: &[u8]) -> f32 {
    if bytes.len() != query.values.len() {
        return 0.0;
    }
    let values: Vec<i8> = bytes.iter().map(|b| b.cast_signed()).collect();
    dot(&query.values, &values) as f32 * query.scale * scale
}
