//! Files are the truth: whatever becomes of the index, it follows them.

use std::fs;

use crate::home::{Home, NOW, bodies, body_of, create, fact, file_of};

#[test]
fn a_deleted_database_is_made_again_from_the_files() {
    let home = Home::new();
    let mut store = home.open();
    for number in 0..20 {
        create(&mut store, &fact(number, &format!("Jar {number} is in src/shelf.rs.")));
    }
    let contents = || {
        let rows = |sql: &str| -> Vec<String> {
            let conn = home.database();
            let mut statement = conn.prepare(sql).unwrap();
            statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        [
            rows("SELECT hex(id) || num || file || doc FROM memory ORDER BY num"),
            rows("SELECT id || word || term || df FROM word ORDER BY id"),
            rows("SELECT id || kind || norm || name || mentions FROM entity ORDER BY id"),
            rows("SELECT entity || '-' || memory FROM mention ORDER BY entity, memory"),
            rows("SELECT band || '-' || memory FROM likeness ORDER BY band, memory"),
            rows("SELECT hash || '-' || word FROM near ORDER BY hash, word"),
        ]
    };
    let before = contents();
    drop(store);
    home.remove_database();
    drop(home.open());
    assert_eq!(contents(), before);
}

#[test]
fn a_file_edited_by_hand_is_noticed() {
    let home = Home::new();
    let mut store = home.open();
    let memory = fact(1, "The port is 8080.");
    create(&mut store, &memory);
    let file = file_of(&home, &store, &memory);
    fs::write(&file, fs::read_to_string(&file).unwrap().replace("8080", "9090, they say")).unwrap();
    store.refresh_fully(NOW).unwrap();
    assert_eq!(body_of(&store, &memory), "The port is 9090, they say.");
    assert_eq!(home.number("SELECT count(*) FROM word WHERE word = '8080'"), 0);
}

#[test]
fn files_that_come_and_go_are_noticed_at_the_next_opening() {
    let home = Home::new();
    let mut store = home.open();
    let (kept, gone) = (fact(1, "The port is 8080."), fact(2, "The port is 9090."));
    create(&mut store, &kept);
    create(&mut store, &gone);
    fs::remove_file(file_of(&home, &store, &gone)).unwrap();
    let file = file_of(&home, &store, &kept);
    let new = fs::read_to_string(&file).unwrap().replace("000000000001", "000000000003");
    fs::write(file.with_file_name("new.md"), new.replace("8080", "7070")).unwrap();
    drop(store);
    assert_eq!(bodies(&home.open()), ["The port is 8080.", "The port is 7070."]);
}

#[test]
fn a_file_that_cannot_be_read_is_kept_and_named() {
    let home = Home::new();
    let mut store = home.open();
    create(&mut store, &fact(1, "The port is 8080."));
    let odd = home.layout().memories().join("fact/odd.md");
    fs::write(&odd, "no front matter").unwrap();
    store.refresh_fully(NOW).unwrap();
    assert_eq!(fs::read_to_string(&odd).unwrap(), "no front matter");
    assert_eq!(store.stats().unwrap().unreadable_files, 1);
}
