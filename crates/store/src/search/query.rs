//! What a query's words mean to this store: how rare each is, and what a mistyped one was meant
//! to be.

use std::collections::HashSet;

use hark_core::rank::bm25::{Corpus, WeightedTerm, term_hash};
use hark_core::text::{Shape, analyze, may_be_typo_of, query_deletions, typo_distance};
use hark_core::vector::Embedder;
use rusqlite::{Connection, params};

/// Longer queries say no more; the cost of a pasted log must stay small.
const MAX_QUERY_BYTES: usize = 16 * 1024;
const MAX_TERMS: usize = 64;
/// Words tried for one that nobody wrote.
const MAX_REPAIRS: usize = 3;

#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    pub word: String,
    pub term: String,
    pub shape: Shape,
    /// Passages that hold it.
    pub df: u64,
    pub idf: f32,
    /// Known terms that were probably meant, with how much each is believed.
    pub repairs: Vec<Repair>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Repair {
    pub word: String,
    pub term: String,
    pub df: u64,
    pub idf: f32,
    pub belief: f32,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryTerms {
    pub terms: Vec<QueryTerm>,
}

impl QueryTerms {
    /// The query as typed; unknown words count, so that they lower coverage.
    pub(crate) fn typed(&self) -> Vec<WeightedTerm> {
        self.terms
            .iter()
            .map(|t| WeightedTerm { hash: term_hash(&t.term), idf: t.idf, weight: 1.0 })
            .collect()
    }

    /// The query with typos repaired; `None` when there is nothing to repair.
    pub(crate) fn repaired(&self) -> Option<Vec<WeightedTerm>> {
        self.terms.iter().any(|t| !t.repairs.is_empty()).then(|| {
            let weigh = |t: &QueryTerm| -> Vec<WeightedTerm> {
                match t.repairs.first() {
                    None => vec![WeightedTerm { hash: term_hash(&t.term), idf: t.idf, weight: 1.0 }],
                    // Rivals share one claim: finding any of them is finding the word.
                    Some(_) => t
                        .repairs
                        .iter()
                        .map(|r| WeightedTerm {
                            hash: term_hash(&r.term),
                            idf: r.idf / t.repairs.len() as f32,
                            weight: r.belief * t.repairs.len() as f32,
                        })
                        .collect(),
                }
            };
            self.terms.iter().flat_map(weigh).collect()
        })
    }

    pub fn has_repairs(&self) -> bool {
        self.terms.iter().any(|t| !t.repairs.is_empty())
    }

    /// Share of the typed words that this store has ever seen, by weight.
    pub fn known_share(&self) -> f32 {
        let total: f32 = self.terms.iter().map(|t| t.idf).sum();
        let known: f32 = self.terms.iter().filter(|t| t.df > 0).map(|t| t.idf).sum();
        if total > 0.0 { known / total } else { 0.0 }
    }
}

pub(crate) fn understand(
    conn: &Connection,
    text: &str,
    corpus: &Corpus,
    embedder: &dyn Embedder,
) -> rusqlite::Result<QueryTerms> {
    let tokens = analyze(head(text));
    let mut seen = HashSet::new();
    let mut terms = Vec::new();
    let mut count = conn.prepare_cached("SELECT coalesce(sum(df), 0) FROM word WHERE term = ?1")?;
    let has_parts = tokens.iter().any(|t| t.shape == Shape::Word);
    for token in tokens {
        if !seen.insert(token.term.clone()) {
            continue;
        }
        let df = count.query_row([&token.term], |row| row.get::<_, i64>(0))?.max(0) as u64;
        // An identifier that nobody wrote is still there in its parts.
        if df == 0 && token.shape == Shape::Whole && has_parts {
            continue;
        }
        let repairs = Vec::new();
        terms.push(QueryTerm {
            idf: corpus.idf(df),
            word: token.word,
            term: token.term,
            shape: token.shape,
            df,
            repairs,
        });
    }
    if terms.len() > MAX_TERMS {
        // A pasted log: its rare known words tell the most.
        terms.sort_by(|a, b| (a.df == 0).cmp(&(b.df == 0)).then(a.df.cmp(&b.df)).then(a.term.cmp(&b.term)));
        terms.truncate(MAX_TERMS);
    }
    for term in &mut terms {
        // A word of the language is meant as it stands, even if nobody wrote it here before.
        let strange = term.df == 0 && term.shape == Shape::Word && !embedder.knows(&term.word);
        if strange && may_be_typo_of(&term.word) {
            term.repairs = repairs(conn, &term.word, corpus)?;
        }
    }
    Ok(QueryTerms { terms })
}

fn repairs(conn: &Connection, typed: &str, corpus: &Corpus) -> rusqlite::Result<Vec<Repair>> {
    let mut look_up = conn.prepare_cached(
        "SELECT w.word, w.term, w.df FROM near n JOIN word w ON w.id = n.word WHERE n.hash = ?1",
    )?;
    let mut found: Vec<(usize, Repair)> = Vec::new();
    for hash in query_deletions(typed) {
        let mut rows = look_up.query(params![hash])?;
        while let Some(row) = rows.next()? {
            let word: String = row.get(0)?;
            let Some(distance) = typo_distance(typed, &word) else { continue };
            if found.iter().any(|(_, repair)| repair.word == word) {
                continue;
            }
            let df = row.get::<_, i64>(2)?.max(0) as u64;
            let belief = if distance <= 1 { 0.8 } else { 0.6 };
            found.push((distance, Repair { word, term: row.get(1)?, df, idf: corpus.idf(df), belief }));
        }
    }
    found.sort_by(|(da, a), (db, b)| da.cmp(db).then(b.df.cmp(&a.df)).then(a.word.cmp(&b.word)));
    let nearest = found.first().map_or(0, |(distance, _)| *distance);
    let mut repairs: Vec<Repair> = Vec::new();
    for (distance, repair) in found {
        let rival = repairs.iter().any(|r| r.term == repair.term);
        if distance == nearest && !rival && repairs.len() < MAX_REPAIRS {
            repairs.push(repair);
        }
    }
    Ok(repairs)
}

fn head(text: &str) -> &str {
    let mut end = text.len().min(MAX_QUERY_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
