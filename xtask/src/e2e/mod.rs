//! Real clients with hark in them: installed from npm, in a home of their own, against the scripted
//! model of the testkit on 127.0.0.1. One after the other they work in the same project, and each
//! must find what the one before left behind.
//!
//! `clients` describes the clients, `story` what they do, and `proof` what is checked.

mod clients;
mod processes;
mod proof;
mod stage;
mod story;
mod verdict;

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::npm::{Missing, Npm, pass_over};
use clients::Client;
use stage::Stage;
use verdict::Verdict;

/// Runs these clients (all of them if none is named) with the binary `hark`; they are kept in
/// `cache`. `Ok` says what was skipped because it is not available on this machine.
pub(crate) fn run(hark: &Path, cache: &Path, wanted: &[&str]) -> Result<String, String> {
    if let Some(unknown) = wanted.iter().find(|id| clients::ALL.iter().all(|client| client.id != **id)) {
        let known: Vec<&str> = clients::ALL.iter().map(|client| client.id).collect();
        return Err(format!("no client `{unknown}` here; there are {}", known.join(", ")));
    }
    let absolute = |path: &Path| fs::canonicalize(path).map_err(|e| format!("{}: {e}", path.display()));
    fs::create_dir_all(cache).map_err(|e| format!("{}: {e}", cache.display()))?;
    let (hark, cache) = (absolute(hark)?, absolute(cache)?);
    let npm = match Npm::ready(&cache) {
        Ok(npm) => npm,
        Err(Missing(what)) => return pass_over(&what),
    };
    let chosen = clients::ALL.iter().filter(|client| wanted.is_empty() || wanted.contains(&client.id));
    let (mut there, mut absent): (Vec<&Client>, Vec<&str>) = (Vec::new(), Vec::new());
    for client in chosen {
        match npm.install(client.id, client.packages) {
            Ok(()) => there.push(client),
            Err(Missing(what)) => {
                println!("skipped: {what}");
                absent.push(client.id);
            }
        }
    }
    let mut verdict = Verdict::default();
    let mut stage = Stage::new(&hark, &cache, &npm)?;
    for client in &there {
        let began = Instant::now();
        println!("-- {}", client.packages[0]);
        story::play(&mut stage, client, &mut verdict);
        println!("   {:.1} s", began.elapsed().as_secs_f64());
    }
    for client in &there {
        story::warn(&stage, client, &mut verdict);
    }
    if !there.is_empty() {
        story::leave(&stage, &there, &mut verdict);
    }
    println!("{} clients: {} checks passed, {} failed", there.len(), verdict.passed, verdict.failed);
    match (verdict.failed, absent.is_empty()) {
        (0, true) => Ok(format!("{} clients, {} checks", there.len(), verdict.passed)),
        (0, false) => pass_over(&absent.join(", ")).map(|note| format!("{} clients; {note}", there.len())),
        (failed, _) => Err(format!("{failed} checks with real clients failed")),
    }
}
