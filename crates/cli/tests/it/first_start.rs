//! Ten processes that all come first: on an empty home, after the index was lost, after it was
//! damaged.

use std::thread;

use hark_testkit::{Home, Outcome, disk, note, sqlite};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

/// Ten commands started as nearly at once as threads allow.
fn ten_at_once(home: &Home, args: impl Fn(usize) -> Vec<String> + Sync) -> Vec<Outcome> {
    let barrier = std::sync::Barrier::new(10);
    thread::scope(|scope| {
        let start = |number| {
            let (barrier, args) = (&barrier, &args);
            scope.spawn(move || {
                barrier.wait();
                home.hark(args(number)).ok()
            })
        };
        let started: Vec<_> = (0..10).map(start).collect();
        started.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn remember(number: usize) -> Vec<String> {
    vec!["remember".into(), "--json".into(), format!("first start number {number} stores this line")]
}

fn healthy(home: &Home, memories: usize) {
    let doctor = home.doctor();
    assert_eq!((&doctor["healthy"], &doctor["memories"]), (&true.into(), &memories.into()), "{doctor}");
    assert_eq!(sqlite::integrity(&home.database()), "ok");
    assert_eq!(disk::notes(&home.memories()).len(), memories);
}

#[test]
fn ten_first_starts_on_an_empty_home_all_succeed() {
    for round in 0..3 {
        let home = home();
        let outcomes = ten_at_once(&home, remember);
        for outcome in &outcomes {
            assert_eq!(outcome.stderr(), "", "round {round}");
        }
        healthy(&home, 10);
        let found = home.recall_ids("first start stores this line", &["--limit", "20"]);
        assert_eq!(found.len(), 10, "round {round}");
    }
}

#[test]
fn first_starts_that_only_look_never_mistake_a_store_in_the_making_for_another_programs() {
    for _ in 0..25 {
        let home = home();
        for outcome in ten_at_once(&home, |_| vec!["list".into(), "--json".into()]) {
            assert_eq!(outcome.json()["total"], 0);
        }
    }
}

#[test]
fn ten_first_starts_agree_on_one_key_for_redacted_secrets() {
    let home = home();
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let outcomes = ten_at_once(&home, |_| {
        vec!["remember".into(), "--json".into(), format!("the deploy token is {secret} for now")]
    });
    let titles: std::collections::BTreeSet<String> =
        outcomes.iter().map(|o| o.json()["title"].to_string()).collect();
    assert_eq!(titles.len(), 1, "one secret, one placeholder: {titles:?}");
    assert!(titles.iter().all(|t| t.contains("[REDACTED")), "{titles:?}");
    assert_eq!(disk::holding(home.root(), secret), Vec::<std::path::PathBuf>::new());
}

#[test]
fn ten_starts_after_the_index_was_lost_all_see_all_three_hundred_files() {
    let home = home();
    for number in 0..300 {
        let text =
            note::text(number, &format!("Lost index note {number}"), &format!("The body of note {number}."));
        note::drop_in(&home.memories(), &format!("fact/note-{number}.md"), text);
    }
    assert_eq!(home.doctor()["memories"], 300);
    home.remove_index();
    let outcomes = ten_at_once(&home, |_| {
        vec!["list".into(), "--json".into(), "--all-projects".into(), "--limit".into(), "1000".into()]
    });
    for outcome in outcomes {
        assert_eq!(outcome.json()["total"], 300);
    }
    home.remove_index();
    ten_at_once(&home, remember);
    healthy(&home, 310);
}

#[test]
fn ten_starts_after_pages_of_the_index_were_overwritten_all_succeed() {
    let home = home();
    for number in 0..300 {
        let text = note::text(
            number,
            &format!("Spoilt index note {number}"),
            &format!("The body of note {number}."),
        );
        note::drop_in(&home.memories(), &format!("fact/note-{number}.md"), text);
    }
    assert_eq!(home.doctor()["memories"], 300);
    let mut bytes = std::fs::read(home.database()).unwrap();
    for page in 1..bytes.len() / 4096 {
        if page % 3 == 1 {
            bytes[page * 4096..(page + 1) * 4096].fill(0xa5);
        }
    }
    std::fs::write(home.database(), bytes).unwrap();
    ten_at_once(&home, remember);
    healthy(&home, 310);
}

#[test]
fn ten_starts_after_the_index_became_garbage_all_succeed_and_set_it_aside() {
    let home = home();
    for number in 0..300 {
        let text = note::text(
            number,
            &format!("Garbage index note {number}"),
            &format!("The body of note {number}."),
        );
        note::drop_in(&home.memories(), &format!("fact/note-{number}.md"), text);
    }
    assert_eq!(home.doctor()["memories"], 300);
    home.remove_index();
    std::fs::write(home.database(), "this is no database at all ".repeat(500)).unwrap();
    ten_at_once(&home, remember);
    healthy(&home, 310);
    let aside = disk::files(&home.store())
        .into_keys()
        .filter(|p| p.to_string_lossy().starts_with("hark.db.damaged-"));
    assert_eq!(aside.count(), 1, "set aside once, not by everybody");
}
