//! `hark doctor` tells the truth: that all is well when it is, and what is wrong when something is broken.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::clients::Client;
use super::proven::Promise;
use super::stage::Stage;
use super::verdict::Verdict;

const PROMISE: Promise = Promise::Doctor;

/// After the client has worked: all is well. Then each of hark's pieces is broken and repaired in turn.
pub(super) fn doctor(stage: &Stage<'_>, client: &Client, installed: &[PathBuf], verdict: &mut Verdict) {
    let (report, own) = report(stage, client);
    verdict.prove_equal(PROMISE, "it is connected", &wired(&own), &"yes");
    verdict.prove_equal(PROMISE, "it has no problems", &own["problems"], &serde_json::json!([]));
    let heard = own["last_event"].is_string() && own["last_injection"].is_string();
    verdict.prove(PROMISE, "its last event and last injection are shown", heard);
    verdict.prove_equal(PROMISE, "no fault is found", &report["findings"], &serde_json::json!([]));
    let wrong: Vec<String> = installed.iter().filter_map(|path| broken(stage, client, path).err()).collect();
    let what = format!("each of {} files is missed, and repaired by the advice", installed.len());
    verdict.prove_equal(PROMISE, what, &wrong, &Vec::new());
}

/// The client does not run hooks that its user has not reviewed.
pub(super) fn untrusted(stage: &Stage<'_>, client: &Client, verdict: &mut Verdict) {
    let (_, own) = report(stage, client);
    let said = own["problems"].to_string().contains("trusted") && own["mend"].is_string();
    verdict.prove(PROMISE, format!("hooks that are not trusted are a problem: {}", own["problems"]), said);
}

/// Takes hark out of one file, follows the advice, and puts everything back as it was.
fn broken(stage: &Stage<'_>, client: &Client, path: &Path) -> Result<(), String> {
    let name = path.strip_prefix(stage.home.root()).unwrap_or(path).display();
    let failed = |e: std::io::Error| format!("{name}: {e}");
    let whole = fs::read(path).map_err(failed)?;
    match stage.settings.get(path) {
        Some(bytes) => fs::write(path, bytes).map_err(failed)?,
        None => fs::remove_file(path).map_err(failed)?,
    }
    let (_, own) = report(stage, client);
    let is_named = own["problems"].to_string().contains(file_name(path));
    let mend: Vec<&str> = own["mend"].as_str().unwrap_or_default().split(' ').skip(1).collect();
    if wired(&own) == "yes" || !is_named || mend.is_empty() {
        return Err(format!("without {name}: {own}"));
    }
    stage.hark(&mend);
    let (_, mended) = report(stage, client);
    if wired(&mended) != "yes" || mended["problems"].to_string().contains(file_name(path)) {
        return Err(format!("{name} after `hark {}`: {mended}", mend.join(" ")));
    }
    fs::write(path, whole).map_err(failed)
}

/// Settings of hark that cannot be read are named.
pub(super) fn unreadable(stage: &Stage<'_>, settings: &Path, verdict: &mut Verdict) {
    let outcome = stage.home.hark(["doctor"]).within(&stage.project).run();
    let said = outcome.stdout() + &outcome.stderr();
    let is_named = outcome.code != Some(0) && said.contains(&settings.display().to_string());
    verdict.prove(PROMISE, format!("settings that cannot be read are named: {}", said.trim()), is_named);
}

/// Events that a hook could not handle are reported even when all is well again.
pub(super) fn failed_events(stage: &Stage<'_>, client: &Client, is_well: bool, verdict: &mut Verdict) {
    let (report, _) = report(stage, client);
    let findings = report["findings"].to_string();
    let told = is_well && findings.contains("hook event") && findings.contains(client.id);
    verdict.prove(PROMISE, format!("failed events of its hooks are reported: {findings}"), told);
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn wired(own: &Value) -> &str {
    own["wired"].as_str().unwrap_or("not listed")
}

/// The whole report, and what it says of this client.
fn report(stage: &Stage<'_>, client: &Client) -> (Value, Value) {
    let outcome = stage.home.hark(["doctor", "--json"]).within(&stage.project).run();
    let report: Value = serde_json::from_str(&outcome.stdout()).unwrap_or_default();
    let assistants = report["assistants"].as_array().cloned().unwrap_or_default();
    let own = assistants.into_iter().find(|one| one["host"] == client.id).unwrap_or_default();
    (report, own)
}
