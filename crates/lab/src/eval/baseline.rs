//! What plain SQLite full-text search finds in the same documents: the least to be better than.
//!
//! Porter stems over whole documents, the question's words without stop words, any of them, in the
//! order of `bm25()`. Nothing of the product is used.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, params};

use super::score::Run;
use super::sets::{Query, Set};
use crate::failure::{Failure, Outcome};

/// As many documents per question as the product is asked for.
const LIMIT: usize = 20;

/// Common English words, with the pieces that apostrophes leave.
const STOP_WORDS: &str = "a about above after again against all am an and any are as at be because been before \
    being below between both but by can could d did do does doing don down during each few for from further had \
    has have having he her here hers herself him himself his how i if in into is it its itself just ll m me might \
    more most must my myself no nor not now o of off on once only or other our ours ourselves out over own re s \
    same shall she should so some such t than that the their theirs them themselves then there these they this \
    those through to too under until up ve very was we were what when where which while who whom why will with \
    would you your yours yourself yourselves";

pub(super) fn rank(set: &Set, queries: &[Query]) -> Outcome<Run> {
    let documents = set.documents()?;
    let straws = set.straws()?;
    let mut by_haystack: HashMap<&str, Vec<&Query>> = HashMap::new();
    let mut of_all: Vec<&Query> = Vec::new();
    for query in queries {
        match query.haystack.as_deref().filter(|_| !straws.is_empty()) {
            Some(name) => by_haystack.entry(name).or_default().push(query),
            None => of_all.push(query),
        }
    }
    let texts: HashMap<&str, &str> = documents.iter().map(|(id, text)| (&**id, &**text)).collect();
    let mut run = Run::default();
    for (name, asked) in by_haystack {
        let ids = straws.get(name).ok_or_else(|| Failure::new(format!("there is no haystack {name}")))?;
        let mut seen = HashSet::new();
        let own = ids.iter().filter(|id| seen.insert(id.as_str()));
        ask(
            own.filter_map(|id| texts.get_key_value(&**id)).map(|(id, text)| (*id, *text)),
            &asked,
            &mut run,
        )?;
    }
    if !of_all.is_empty() {
        ask(documents.iter().map(|(id, text)| (&**id, &**text)), &of_all, &mut run)?;
    }
    Ok(run)
}

/// Puts documents into a table of their own, since how rare a word is depends on the others.
fn ask<'a>(
    documents: impl Iterator<Item = (&'a str, &'a str)>,
    queries: &[&Query],
    run: &mut Run,
) -> Outcome {
    search(documents, queries, run).map_err(|e| Failure::new(format!("the FTS5 baseline: {e}")))
}

fn search<'a>(
    documents: impl Iterator<Item = (&'a str, &'a str)>,
    queries: &[&Query],
    run: &mut Run,
) -> rusqlite::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "the baseline is another program's index, not a store")]
    let mut connection = Connection::open_in_memory()?;
    connection.execute_batch(
        "CREATE VIRTUAL TABLE document USING fts5(id UNINDEXED, text, tokenize = 'porter unicode61')",
    )?;
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare("INSERT INTO document (id, text) VALUES (?1, ?2)")?;
        for (id, text) in documents {
            insert.execute(params![id, text])?;
        }
    }
    transaction.commit()?;
    let mut select = connection
        .prepare("SELECT id FROM document WHERE document MATCH ?1 ORDER BY bm25(document), rowid LIMIT ?2")?;
    for query in queries {
        let wanted = expression(&query.text);
        let mut ranked = Vec::new();
        if !wanted.is_empty() {
            let mut rows = select.query(params![wanted, LIMIT as i64])?;
            while let Some(row) = rows.next()? {
                ranked.push(row.get(0)?);
            }
        }
        run.insert(query.id.clone(), ranked);
    }
    Ok(())
}

/// The question's words, quoted, any of them. One of nothing but stop words keeps them.
fn expression(question: &str) -> String {
    let lower = question.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let stop: HashSet<&str> = STOP_WORDS.split_whitespace().collect();
    let mut seen = HashSet::new();
    let mut kept: Vec<&str> =
        words.iter().copied().filter(|w| !stop.contains(w) && seen.insert(*w)).collect();
    if kept.is_empty() {
        kept = words;
    }
    kept.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_become_their_telling_words() {
        assert_eq!(expression("Where did I buy my new racket?"), "\"buy\" OR \"new\" OR \"racket\"");
        assert_eq!(expression("foo_bar foo"), "\"foo\" OR \"bar\"");
        assert_eq!(expression("Who am I"), "\"who\" OR \"am\" OR \"i\"");
        assert_eq!(expression("?!"), "");
    }

    #[test]
    fn stems_match_and_the_rarest_word_decides() {
        let documents = [("a", "walked the dog"), ("b", "walked the cat"), ("c", "walked home")];
        let query = Query { id: "q".to_owned(), text: "walking a cat".to_owned(), ..Query::default() };
        let mut run = Run::default();
        ask(documents.into_iter(), &[&query], &mut run).unwrap();
        let ranked = run.get("q").cloned().unwrap_or_default();
        assert_eq!(ranked.len(), 3);
        assert_eq!(ranked[0], "b");
    }
}
