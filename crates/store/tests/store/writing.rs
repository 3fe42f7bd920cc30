//! Writes: a file and its rows, both or neither, one writer at a time.

use hark_core::IdRef;
use hark_store::StoreError;

use crate::home::{Home, NOW, bodies, body_of, create, fact, file_of};

#[test]
fn a_write_survives_closing() {
    let home = Home::new();
    let memory = fact(1, "The port is 8080.");
    create(&mut home.open(), &memory);
    let store = home.open();
    assert_eq!(store.find(&IdRef::Full(memory.id)).unwrap().memory, memory);
}

#[test]
fn a_change_keeps_what_was_before() {
    let home = Home::new();
    let mut store = home.open();
    let before = fact(1, "The port is 8080.");
    create(&mut store, &before);
    let after = fact(1, "The port is 9090.");
    store.write(NOW, |writer| writer.update(&before, &after, "edited")).unwrap();
    assert_eq!(body_of(&store, &after), "The port is 9090.");
    let history = store.history(&before.id).unwrap();
    assert_eq!(history.iter().map(|revision| &revision.before).collect::<Vec<_>>(), [&before]);
}

#[test]
fn a_write_that_fails_leaves_neither_file_nor_row() {
    let home = Home::new();
    let mut store = home.open();
    let memory = fact(1, "The port is 8080.");
    let outcome: Result<(), StoreError> = store.write(NOW, |writer| {
        writer.create(&memory)?;
        Err(StoreError::NotFound { id: "something else".to_owned() })
    });
    assert!(outcome.is_err());
    assert!(bodies(&store).is_empty());
    assert_eq!(std::fs::read_dir(home.layout().memories().join("fact")).unwrap().count(), 0);
}

#[test]
fn writers_take_turns_and_nothing_is_lost() {
    let home = Home::new();
    drop(home.open());
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let home = &home;
            scope.spawn(move || {
                let mut store = home.open();
                for n in 0..10 {
                    create(&mut store, &fact(writer * 100 + n, &format!("Shelf {writer} holds jar {n}.")));
                }
            });
        }
    });
    let store = home.open();
    assert_eq!(bodies(&store).len(), 40);
    assert_eq!(home.number("SELECT df FROM word WHERE word = 'shelf'"), 40);
}

#[test]
fn a_removed_memory_is_gone_from_file_and_index() {
    let home = Home::new();
    let mut store = home.open();
    let memory = fact(1, "The port is 8080.");
    create(&mut store, &memory);
    let file = file_of(&home, &store, &memory);
    store.write(NOW, |writer| writer.remove(&memory.id)).unwrap();
    assert!(!file.exists());
    for table in ["memory", "passage", "word", "near", "mention", "entity", "likeness", "tag"] {
        assert_eq!(home.number(&format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
}
