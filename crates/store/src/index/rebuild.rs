//! The index from the files alone.

use std::path::Path;

use hark_core::Timestamp;

use super::build_mark;
use crate::connection;
use crate::error::{At, StoreError};
use crate::folders::{self, Tell};
use crate::layers;
use crate::lost;
use crate::phrases;
use crate::spaces;
use crate::store::Store;
use crate::tombstones;

const EMPTY: &str = "
    DELETE FROM memory; DELETE FROM tag; DELETE FROM passage; DELETE FROM document; DELETE FROM chunk; DELETE FROM lexicon;
    DELETE FROM word; DELETE FROM near; DELETE FROM uncounted; DELETE FROM unfinished; DELETE FROM entity; DELETE FROM mention; DELETE FROM edge;
    DELETE FROM folder; DELETE FROM unread; DELETE FROM likeness; DELETE FROM topic; DELETE FROM trigger_key;
    DELETE FROM space_chunk; DELETE FROM chunk_mark;
    UPDATE corpus SET passages = 0, titles = 0, bodies = 0, labels = 0;
";

/// Empties the index and reads every file again, in one transaction: others see the old index
/// until the new one is whole.
pub(crate) fn rebuild(store: &mut Store, now: Timestamp, tell: Tell<'_>) -> Result<usize, StoreError> {
    let path = store.layout.database();
    let mark = build_mark(store.embedder.as_ref());
    // Building touches every page again and again; the usual cache would thrash.
    let _ = store.conn.execute_batch("PRAGMA cache_size = -262144");
    let outcome = rebuild_within(store, &path, &mark, now, tell);
    let _ = store.conn.execute_batch("PRAGMA cache_size = -12000; PRAGMA shrink_memory");
    store.cache.borrow_mut().forget();
    outcome
}

fn rebuild_within(
    store: &Store,
    path: &Path,
    mark: &str,
    now: Timestamp,
    tell: Tell<'_>,
) -> Result<usize, StoreError> {
    let tx = connection::begin(&store.conn, path, store.patience)?;
    tx.execute_batch(EMPTY).at(path)?;
    tx.execute(
        "INSERT INTO meta (key, value) VALUES ('built', ?1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [mark],
    )
    .at(path)?;
    tombstones::rebuild(&tx, &store.layout)?;
    phrases::rebuild(&tx, &store.layout, &store.redactor)?;
    layers::rebuild(&tx, &store.layout)?;
    // Looked at under the lock: nobody of ours can add a file in between.
    let found = folders::survey_everything(&store.layout)?;
    folders::index_files(&tx, &store.layout, store.embedder.as_ref(), &store.redactor, found, now, tell)?;
    // Failures whose file is gone; the others followed their files.
    const ORPHANS: &str =
        "SELECT num FROM failure WHERE memory IS NOT NULL AND memory NOT IN (SELECT id FROM memory)";
    for table in ["failure_target WHERE failure", "failure WHERE num"] {
        tx.execute_batch(&format!("DELETE FROM {table} IN ({ORPHANS})")).at(path)?;
    }
    spaces::relink(store).at(path)?;
    // Whoever rebuilds the index has seen what is there.
    tx.execute("DELETE FROM meta WHERE key = ?1", [lost::KEY]).at(path)?;
    let count: i64 = tx.query_row("SELECT count(*) FROM memory", [], |row| row.get(0)).at(path)?;
    tx.commit().at(path)?;
    let _ = store.conn.execute_batch("INSERT INTO lexicon (lexicon) VALUES ('optimize')");
    Ok(count as usize)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_table_that_holds_memories_is_emptied() {
        let schema = include_str!("../../../../migrations/sqlite/0009_base.sql");
        // Sessions and what belongs to them have a rebuild of their own.
        let (memories, _) = schema.split_once("-- Sessions, what happened in them").unwrap();
        // `tombstone` is made again from its own file, `used` cannot be. Vectors of a second space took long
        // to make and go by what a text says.
        let kept =
            ["meta", "project", "project_root", "corpus", "tombstone", "used", "space_vector", "layer"];
        for line in memories.lines().filter_map(|l| l.strip_prefix("CREATE TABLE ")) {
            let table = line.split_whitespace().next().unwrap();
            assert!(
                kept.contains(&table) || super::EMPTY.contains(&format!("DELETE FROM {table};")),
                "{table}"
            );
        }
    }
}
