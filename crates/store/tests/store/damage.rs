//! A damaged index costs nothing but the time to make it again.

use std::fs;

use hark_store::{Role, StoreError};

use crate::home::{Home, bodies, create, fact};

#[test]
fn a_corrupt_index_is_put_aside() {
    let home = Home::new();
    create(&mut home.open(), &fact(1, "The port is 8080."));
    home.remove_database();
    let nonsense = b"SQLite format 3\0 and then nonsense ".repeat(400);
    fs::write(home.layout().database(), &nonsense).unwrap();
    assert!(
        matches!(home.try_open(Role::Hook), Err(StoreError::Corrupt { .. })),
        "a hook has no time for it"
    );
    let store = home.open();
    assert_eq!(bodies(&store), ["The port is 8080."]);
    let aside = home.beginning("hark.db.damaged-");
    assert_eq!(store.set_aside(), aside.first());
    assert_eq!(fs::read(&aside[0]).unwrap(), nonsense);
}

#[test]
fn an_index_of_another_model_is_made_again_in_place() {
    let home = Home::new();
    create(&mut home.open(), &fact(1, "The port is 8080."));
    home.database().execute("UPDATE meta SET value = '0 other' WHERE key = 'built'", []).unwrap();
    let mut store = home.open();
    assert_eq!(store.take_rebuilt(), Some(1));
    assert!(home.beginning("hark.db.damaged-").is_empty());
}
