//! Which passages hold the query's terms, within a budget.
//!
//! Rare terms first, until the budget is used up: a long prompt then costs the same in a small and
//! in a large store. Common terms still count when a candidate is scored exactly.

use rusqlite::Connection;
use rusqlite::functions::{Aggregate, Context, FunctionFlags};

use super::query::QueryTerms;
use crate::index::{lexicon_token, passage_of};

/// How many postings one query may read.
const BUDGET: u64 = 6_000;
/// The list of a term in one row: handing over each posting as a row costs more than finding it.
const ALL: &str = "SELECT packed(rowid) FROM lexicon WHERE lexicon MATCH ?1";
/// When even the rarest term is common, its newest 3,000 passages stand for it.
const NEWEST_OF_MANY: &str = "SELECT packed(rowid) FROM (
    SELECT rowid FROM lexicon WHERE lexicon MATCH ?1 ORDER BY rowid DESC LIMIT 3000)";

/// Makes `packed(n)` known to a connection: all the numbers as one blob.
pub(crate) fn teach_packed(conn: &Connection) -> rusqlite::Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    conn.create_aggregate_function("packed", 1, flags, Packed)
}

struct Packed;

impl Aggregate<Vec<u8>, Option<Vec<u8>>> for Packed {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<Vec<u8>> {
        Ok(Vec::with_capacity(4096))
    }

    fn step(&self, ctx: &mut Context<'_>, packed: &mut Vec<u8>) -> rusqlite::Result<()> {
        packed.extend_from_slice(&ctx.get::<i64>(0)?.to_ne_bytes());
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, packed: Option<Vec<u8>>) -> rusqlite::Result<Option<Vec<u8>>> {
        Ok(packed)
    }
}

fn unpack(packed: &[u8]) -> impl Iterator<Item = i64> {
    packed.as_chunks::<8>().0.iter().map(|bytes| i64::from_ne_bytes(*bytes))
}

/// Passages with the weight of the terms found in each, in ascending order of passages.
pub(crate) struct Postings(Vec<(i64, f32)>);

impl Postings {
    pub(crate) fn in_order(&self) -> &[(i64, f32)] {
        &self.0
    }

    pub(crate) fn weight(&self, passage: i64) -> Option<f32> {
        self.0.binary_search_by_key(&passage, |(passage, _)| *passage).ok().map(|at| self.0[at].1)
    }

    /// Adds up what several terms found in the same passage.
    fn merge(mut found: Vec<(i64, f32)>) -> Self {
        // Stable: the terms of a passage add up in the order in which they were read. And quick, because
        // the list of each term is in order already.
        found.sort_by_key(|(passage, _)| *passage);
        found.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        Postings(found)
    }
}

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
    let mut found = Vec::with_capacity(expected as usize);
    for (df, weight, term) in wanted {
        let fits = found.len() as u64 + df <= BUDGET;
        if !fits && !found.is_empty() {
            break;
        }
        let sql = if fits { ALL } else { NEWEST_OF_MANY };
        conn.prepare_cached(sql)?.query_row([lexicon_token(term)], |row| {
            let list = row.get_ref(0)?.as_blob_or_null()?.unwrap_or_default();
            found.extend(unpack(list).map(|row| (passage_of(row), weight)));
            Ok(())
        })?;
    }
    Ok(Postings::merge(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_terms_found_adds_up() {
        let merged = Postings::merge(vec![(2, 1.0), (9, 1.0), (1, 0.5), (9, 0.5), (9, 0.25)]);
        assert_eq!(merged.in_order(), [(1, 0.5), (2, 1.0), (9, 1.75)]);
        assert_eq!((merged.weight(9), merged.weight(3)), (Some(1.75), None));
    }

    #[test]
    fn numbers_go_through_a_blob_unchanged() {
        #[expect(clippy::disallowed_methods, reason = "not the store's database")]
        let conn = Connection::open_in_memory().unwrap();
        teach_packed(&conn).unwrap();
        let numbers = [0, 7, -3, i64::MAX, i64::MIN];
        conn.execute_batch("CREATE TABLE t (n INTEGER)").unwrap();
        let packed = "SELECT packed(n) FROM t";
        assert_eq!(conn.query_row(packed, [], |row| row.get::<_, Option<Vec<u8>>>(0)), Ok(None));
        for number in numbers {
            conn.execute("INSERT INTO t VALUES (?1)", [number]).unwrap();
        }
        let blob: Vec<u8> = conn.query_row(packed, [], |row| row.get(0)).unwrap();
        assert!(unpack(&blob).eq(numbers));
    }
}
