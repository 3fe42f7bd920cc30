//! Opening: a new store, one of today, one of before, one of somebody else.

use hark_store::{Role, StoreError};

use crate::home::{Home, bodies, create, fact};

#[test]
fn a_new_store_is_empty_and_private() {
    let home = Home::new();
    let store = home.open();
    assert!(bodies(&store).is_empty());
    #[cfg(unix)]
    for path in [home.layout().home().to_owned(), home.layout().memories(), home.layout().database()] {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
}

#[test]
fn a_store_of_today_opens_as_it_is() {
    let home = Home::new();
    create(&mut home.open(), &fact(1, "The port is 8080."));
    home.database()
        .execute("INSERT INTO ledger VALUES (1, 1, 'codex', 1, 'prompt', '', 10, 3, 'because')", [])
        .unwrap();
    let mut store = home.open();
    assert_eq!((store.take_rebuilt(), store.set_aside().is_some()), (None, false));
    assert_eq!(home.number("SELECT count(*) FROM ledger"), 1);
    assert_eq!(home.number("SELECT user_version FROM pragma_user_version"), 16);
}

#[test]
fn an_index_of_an_older_version_is_put_aside_and_made_again() {
    let home = Home::new();
    create(&mut home.open(), &fact(1, "The port is 8080."));
    home.database().execute_batch("PRAGMA user_version = 5").unwrap();
    assert!(matches!(home.try_open(Role::Hook), Err(StoreError::Behind { .. })), "a hook has no time for it");
    let store = home.open();
    assert!(store.set_aside().is_some_and(|aside| aside.exists()));
    assert_eq!(bodies(&store), ["The port is 8080."]);
    assert_eq!(home.number("SELECT user_version FROM pragma_user_version"), 16);
}

#[test]
fn an_index_that_is_ahead_is_used_unless_it_says_otherwise() {
    let home = Home::new();
    create(&mut home.open(), &fact(1, "The port is 8080."));
    home.database().execute_batch("PRAGMA user_version = 99").unwrap();
    assert_eq!(bodies(&home.open()), ["The port is 8080."]);
    home.database().execute("INSERT INTO meta VALUES ('min_writer', '99')", []).unwrap();
    assert!(matches!(home.try_open(Role::Ordinary), Err(StoreError::TooNew { .. })));
}

#[test]
fn a_database_of_another_program_is_refused_and_not_touched() {
    let home = Home::new();
    std::fs::create_dir_all(home.layout().home()).unwrap();
    home.database().execute_batch("CREATE TABLE bookmarks (url TEXT)").unwrap();
    let before = std::fs::read(home.layout().database()).unwrap();
    assert!(matches!(home.try_open(Role::Ordinary), Err(StoreError::Foreign { .. })));
    assert_eq!(std::fs::read(home.layout().database()).unwrap(), before);
}
