//! Imports from other stores and tools: any file is imported or refused with a message, and a refused file
//! leaves no trace.

use std::cell::RefCell;
use std::path::Path;

use hark_core::Timestamp;
use hark_engine::ops::migrate;
use hark_engine::transfer::import::{self, Trust};
use hark_engine::transfer::{Passphrase, documents};
use hark_engine::{Caller, Clock, Config, Engine, EngineError, Home};
use tempfile::TempDir;

/// Tools that store text. Databases are read by SQLite, which has its own fuzzers.
const TOOLS: &[&str] = &["server-memory", "instructions", "obsidian", "sessionmem"];

struct Desk {
    engine: Engine,
    folder: TempDir,
}

thread_local! {
    static DESK: RefCell<Option<Desk>> = const { RefCell::new(None) };
}

pub fn import(input: &[u8]) {
    DESK.with_borrow_mut(|desk| take_in(desk.get_or_insert_with(open), input));
}

fn open() -> Desk {
    let folder = tempfile::Builder::new().prefix("hark-harness-").tempdir().expect("a folder");
    let home = Home::new(folder.path().join("store"));
    let clock = Clock::Fixed(Timestamp::from_millis(1_780_000_000_000));
    let engine = Engine::open(home, Config::default(), clock).expect("a store");
    Desk { engine, folder }
}

fn take_in(desk: &mut Desk, input: &[u8]) {
    let path = desk.folder.path().join("input.md");
    std::fs::write(&path, input).expect("written");
    let engine = &mut desk.engine;
    let passphrase = Passphrase::new("correct horse battery staple");
    for (passphrase, trust) in [(None, Trust::Own), (passphrase.as_ref(), Trust::Others)] {
        judged(import::read(engine, &path, passphrase, trust, true, &mut |_, _| {}), &path);
    }
    let caller = Caller::user(Some(desk.folder.path().to_owned()));
    for tool in TOOLS {
        let request = migrate::Request {
            tool: Some((*tool).to_owned()),
            path: Some(path.clone()),
            dry_run: true,
            ..migrate::Request::default()
        };
        judged(migrate::run(engine, &caller, &request), &path);
    }
    let chosen = documents::Chosen { root: desk.folder.path(), path: &path, everything: true };
    judged(documents::read(engine, &chosen, None, true), &path);
}

fn judged<T>(outcome: Result<T, EngineError>, path: &Path) {
    if let Err(error) = outcome {
        let said = error.to_string();
        assert!(!said.is_empty(), "{}: refused without a word", path.display());
    }
}
