//! What was forgotten stays forgotten.

use hark_store::Passing;

use crate::home::{Home, NOW, bodies, create, fact, file_of};

#[test]
fn a_forgotten_memory_does_not_come_back_with_its_file() {
    let home = Home::new();
    let mut store = home.open();
    let memory = fact(1, "The port is 8080.");
    create(&mut store, &memory);
    let file = file_of(&home, &store, &memory);
    let text = std::fs::read(&file).unwrap();
    store
        .write(NOW, |writer| {
            writer.bury(&memory, Passing::Forgotten)?;
            writer.remove(&memory.id)
        })
        .unwrap();
    std::fs::write(&file, text).unwrap();
    drop(store);
    for _ in 0..2 {
        let store = home.open();
        assert!(bodies(&store).is_empty());
        assert!(store.is_forgotten(&memory.id).unwrap());
        assert_eq!(store.passing_of_text("the PORT is  8080.").unwrap(), Some(Passing::Forgotten));
        drop(store);
        // The second time from the file alone.
        home.remove_database();
    }
}

#[test]
fn what_the_user_says_again_is_no_longer_forgotten() {
    let home = Home::new();
    let mut store = home.open();
    let memory = fact(1, "The port is 8080.");
    store.write(NOW, |writer| writer.bury(&memory, Passing::Forgotten)).unwrap();
    store.write(NOW, |writer| writer.lift(&memory.body)).unwrap();
    assert_eq!(store.passing_of_text(&memory.body).unwrap(), None);
}
