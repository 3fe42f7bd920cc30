//! Real clients with hark in them: installed from npm, in a home of their own, against the scripted
//! model of the testkit on 127.0.0.1. One after the other they work in the same project, and each
//! must find what the one before left behind. Two such rows run side by side.
//!
//! `clients` describes the clients, `story` what they do, `proof`, `ledger` and `health` what is checked,
//! and `proven` the table of what was proven.

mod clients;
mod health;
mod ledger;
mod processes;
mod proof;
mod proven;
mod stage;
mod story;
mod trust;
mod verdict;

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::npm::{Missing, Npm, pass_over};
use clients::{Client, Release};
use proven::{Promise, Row};
use stage::Stage;
use verdict::Verdict;

const NEWEST: &str = "--newest";
/// The table, below the cache.
const TABLE: &str = "proven.txt";

/// Runs these clients (all of them if none is named) with the binary `hark`; they are kept in
/// `cache`. `Ok` says what was skipped because it is not available on this machine. With `--newest` among
/// the words, the newest release of each client runs, and what fails is only reported.
pub(crate) fn run(hark: &Path, cache: &Path, words: &[&str]) -> Result<String, String> {
    let (flags, wanted): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.starts_with('-'));
    let release = match flags.as_slice() {
        [] => Release::Pinned,
        [NEWEST] => Release::Newest,
        other => return Err(format!("unknown options {other:?}; there is {NEWEST}")),
    };
    if let Some(unknown) = wanted.iter().find(|id| clients::all().all(|client| client.id != **id)) {
        let known: Vec<&str> = clients::all().map(|client| client.id).collect();
        return Err(format!("no client `{unknown}` here; there are {}", known.join(", ")));
    }
    let absolute = |path: &Path| fs::canonicalize(path).map_err(|e| format!("{}: {e}", path.display()));
    fs::create_dir_all(cache).map_err(|e| format!("{}: {e}", cache.display()))?;
    let (hark, cache) = (absolute(hark)?, absolute(cache)?);
    let npm = match Npm::ready(&cache) {
        Ok(npm) => npm,
        Err(Missing(what)) => return pass_over(&what),
    };
    let rows: Vec<Vec<&'static Client>> = clients::ROWS
        .iter()
        .map(|row| {
            row.iter().copied().filter(|client| wanted.is_empty() || wanted.contains(&client.id)).collect()
        })
        .collect();
    let verdicts: Vec<Verdict> = std::thread::scope(|scope| {
        let play = |row: Vec<&'static Client>| play_row(&hark, &cache, &npm, release, row);
        let started: Vec<_> = rows.into_iter().map(|row| scope.spawn(move || play(row))).collect();
        started
            .into_iter()
            .map(|row| row.join().unwrap_or_else(|_| Err("a row of clients panicked".to_owned())))
            .collect::<Result<Vec<_>, _>>()
    })?
    .into_iter()
    .flatten()
    .collect();
    report(&cache, release, &verdicts)
}

/// Plays clients one after the other in one home.
fn play_row(
    hark: &Path,
    cache: &Path,
    npm: &Npm,
    release: Release,
    row: Vec<&'static Client>,
) -> Result<Vec<Verdict>, String> {
    let mut stage = Stage::new(hark, cache, npm, release)?;
    let mut verdicts = Vec::new();
    let mut played = Vec::new();
    for client in row {
        if !client.runs_here() {
            println!("skipped: {} is pinned to its package for Linux on x86-64", client.id);
            continue;
        }
        let began = Instant::now();
        let packages = release.packages(client);
        let verdict = match npm.install(&release.folder(client), &packages) {
            Ok(()) => {
                played.push(client);
                story::play(&mut stage, client)
            }
            Err(Missing(what)) => {
                let mut verdict = Verdict::new(client);
                verdict.check(what, false);
                for promise in Promise::ALL {
                    verdict.row.note(promise, "it could not be installed", false);
                }
                verdict
            }
        };
        print!("-- {}\n{}   {:.1} s\n", packages[0], verdict.said, began.elapsed().as_secs_f64());
        verdicts.push(verdict);
    }
    // The last one answers for what is left in the home when all have gone.
    if let Some(last) = verdicts.last_mut().filter(|_| !played.is_empty()) {
        let before = last.said.len();
        if let Some(client) = played.last() {
            story::trouble(&stage, client, last);
        }
        story::leave(&stage, &played, last);
        print!("-- in trouble, and uninstalled\n{}", &last.said[before..]);
    }
    Ok(verdicts)
}

/// Prints what was proven and keeps it below the cache.
fn report(cache: &Path, release: Release, verdicts: &[Verdict]) -> Result<String, String> {
    let rows: Vec<Row> = clients::all()
        .filter_map(|client| verdicts.iter().find(|verdict| verdict.row.client == client.id))
        .map(|verdict| verdict.row.clone())
        .collect();
    let table = proven::table(&rows);
    print!("\n{table}");
    let path =
        cache.join(if release == Release::Newest { format!("newest-{TABLE}") } else { TABLE.to_owned() });
    fs::write(&path, &table).map_err(|e| format!("{}: {e}", path.display()))?;
    let passed: usize = verdicts.iter().map(|verdict| verdict.passed).sum();
    let failed: usize = verdicts.iter().map(|verdict| verdict.failed).sum();
    let broken: usize = rows.iter().map(Row::broken).sum();
    println!("{} clients: {passed} checks passed, {failed} failed; see {}", rows.len(), path.display());
    match (release, failed + broken) {
        (_, 0) => Ok(format!("{} clients, {passed} checks", rows.len())),
        (Release::Newest, _) => {
            Ok(format!("{failed} checks failed with the newest releases (only reported)"))
        }
        (Release::Pinned, _) => {
            Err(format!("{failed} checks with real clients failed, {broken} promises are not proven"))
        }
    }
}
