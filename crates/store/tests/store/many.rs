//! Very many memories in one transaction, as an import brings them: the same index as one by one.

use hark_core::Memory;
use hark_store::{Store, StoreError};

use crate::home::{Home, NOW, bodies, create, fact};

const TABLES: &[(&str, &str)] = &[
    ("memory", "num, id, file, passages, doc"),
    ("passage", "id, chunk, slot, record"),
    ("word", "id, word, term, df"),
    ("near", "hash, word"),
    ("entity", "id, project, kind, norm, leaf, name, mentions"),
    ("mention", "entity, memory"),
    ("likeness", "band, memory"),
    ("tag", "tag, memory"),
    ("corpus", "id, passages, titles, bodies, labels"),
];

fn contents(home: &Home) -> Vec<String> {
    let conn = home.database();
    let mut all = Vec::new();
    for (table, columns) in TABLES {
        let sql = format!("SELECT {columns} FROM {table} ORDER BY 1, 2");
        let mut statement = conn.prepare(&sql).unwrap();
        let count = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values = (0..count).map(|at| format!("{:?}", row.get_ref(at).unwrap()));
            all.push(format!("{table} {}", values.collect::<Vec<_>>().join("|")));
        }
    }
    all
}

fn some() -> Vec<Memory> {
    let body =
        |n: u32| format!("Jar {n} stands on shelf{} beside src/Jar{}.rs, see #{}.", n % 7, n % 5, n % 3);
    (0..60).map(|number| fact(number, &body(number))).collect()
}

fn arrive(store: &mut Store, memories: &[Memory], is_prepared: bool) {
    let preparer = store.preparer();
    store
        .write_many(NOW, |writer| {
            for memory in memories {
                writer.arrive(memory, None, None, is_prepared.then(|| preparer.prepare(memory)))?;
            }
            Ok::<_, StoreError>(())
        })
        .unwrap();
}

#[test]
fn many_at_once_make_the_same_index_as_one_by_one() {
    let one_by_one = Home::new();
    let mut store = one_by_one.open();
    for memory in &some() {
        create(&mut store, memory);
    }
    for is_prepared in [false, true] {
        let at_once = Home::new();
        arrive(&mut at_once.open(), &some(), is_prepared);
        assert_eq!(contents(&at_once), contents(&one_by_one), "prepared: {is_prepared}");
    }
}

#[test]
fn many_come_into_a_store_that_is_not_empty() {
    let (once, twice) = (Home::new(), Home::new());
    arrive(&mut once.open(), &some(), true);
    let mut store = twice.open();
    let (first, second) = (&some()[..25], &some()[25..]);
    arrive(&mut store, first, true);
    arrive(&mut store, second, true);
    assert_eq!(contents(&twice), contents(&once));
}

#[test]
fn a_memory_that_comes_and_changes_in_one_transaction_is_counted_once() {
    let home = Home::new();
    let mut store = home.open();
    let (before, after) = (fact(1, "The port is 8080."), fact(1, "The gate is 9090."));
    store
        .write_many(NOW, |writer| {
            writer.arrive(&before, None, None, None)?;
            writer.update(&before, &after, "merged")
        })
        .unwrap();
    assert_eq!(bodies(&store), ["The gate is 9090."]);
    assert_eq!(home.number("SELECT count(*) FROM word WHERE word IN ('port', '8080')"), 0);
    assert_eq!(home.number("SELECT sum(df) FROM word WHERE word IN ('gate', '9090')"), 2);
}

#[test]
fn files_that_a_killed_import_left_are_filed_by_the_next_opening() {
    let (whole, killed) = (Home::new(), Home::new());
    arrive(&mut whole.open(), &some(), true);
    // What is left of a process that was killed before it could commit: files, and an index without them.
    arrive(&mut killed.open(), &some(), true);
    killed.remove_database();
    let mut store = killed.open();
    assert_eq!(contents(&killed), contents(&whole));
    // Started again it finds everything there.
    let known = store.ids().unwrap();
    assert!(some().iter().all(|memory| known.contains(&memory.id)));
    store.refresh_fully(NOW).unwrap();
    assert_eq!(contents(&killed), contents(&whole));
}
