//! What happens to each client: it is connected, works in the project, and leaves something behind that
//! the next one must find; at the end hark is uninstalled.

use std::fs;

use hark_testkit::model::{Asked, Script, Step};
use serde_json::{Value, json};

use super::clients::Client;
use super::proof;
use super::stage::{Left, NOTES, Stage};
use super::verdict::{Verdict, explain};

/// Each client has a unique word that no other client would produce.
const LANES: &[&str] =
    &["cobalt", "saffron", "magenta", "viridian", "ochre", "indigo", "crimson", "turquoise", "umber"];

pub(super) fn play(stage: &mut Stage<'_>, client: &Client, verdict: &mut Verdict) {
    let failed_before = verdict.failed;
    let mut asked = Vec::new();
    if let Err(why) = perform(stage, client, verdict, &mut asked) {
        verdict.check(format!("{}: {why}", client.id), false);
    }
    if verdict.failed > failed_before {
        explain(&stage.log(client), &asked, &stage.kept(client));
    }
}

fn perform(
    stage: &mut Stage<'_>,
    client: &Client,
    verdict: &mut Verdict,
    asked: &mut Vec<Asked>,
) -> Result<(), String> {
    stage.furnish(client)?;
    wire(stage, client, verdict);
    stage.prepare(client)?;

    let lane = lane_of(client);
    let before = stage.left;
    let notes = stage.project.join(NOTES);
    let old = fs::read_to_string(&notes).unwrap_or_default().trim().to_owned();
    let new = format!("lanes: {lane}");
    let mut steps = Vec::new();
    if let Some(left) = before {
        steps.push((client.call)(
            "memory_recall",
            json!({ "query": format!("How is the {} lane shipped?", left.lane) }),
        ));
    }
    steps.push((client.call)("memory_remember", json!({ "text": fact(lane), "kind": "decision" })));
    steps.extend((client.edit)(&notes, &old, &new));
    steps.push((client.call)("memory_checkpoint", json!({ "goal": goal(lane), "pending": [pending(lane)] })));
    let mark = format!("E2E-{}", client.id);
    let prompt = format!("Bring the notes up to date. {mark}");
    let script = Script { prompt: mark.clone(), steps, closing: format!("DONE-{mark}") };
    let (outcome, all) = stage.perform(client, &prompt, script);
    *asked = all;

    verdict.check(format!("it ends well ({outcome:?})"), outcome.is_ok());
    let said = fs::read_to_string(stage.log(client)).unwrap_or_default();
    verdict.check("its model said the closing word", said.contains(&format!("DONE-{mark}")));
    if client.instructed {
        proof::rules(asked, verdict);
    }
    verdict.check("its model changed the file", fs::read_to_string(&notes).unwrap_or_default().trim() == new);
    if let Some(left) = before {
        proof::recalled(asked, &format!("ship-{}", left.lane), verdict);
    }
    let kept = stage.hark(&["recall", &format!("How is the {lane} lane shipped?")]);
    verdict.check("what it remembered is kept", kept.to_string().contains(&format!("ship-{lane}")));
    let session = proof::session(stage, client, verdict);
    proof::boot(stage, &session, asked, before, verdict);
    proof::doctor(stage, client, verdict);
    stage.left = Some(Left { lane });

    if client.hooks.prompt {
        on_prompt(stage, client, lane, verdict, asked);
    }
    Ok(())
}

/// What it says unasked when a prompt is about something it knows.
fn on_prompt(stage: &Stage<'_>, client: &Client, lane: &str, verdict: &mut Verdict, asked: &mut Vec<Asked>) {
    let mark = format!("E2E-AGAIN-{}", client.id);
    let script = Script { prompt: mark.clone(), steps: Vec::new(), closing: format!("DONE-{mark}") };
    let prompt = format!("How is the {lane} lane shipped? {mark}");
    let (outcome, all) = stage.perform(client, &prompt, script);
    verdict.check(format!("it ends well again ({outcome:?})"), outcome.is_ok());
    let session = proof::newest(stage, client);
    proof::prompted(stage, &session, &all, &format!("ship-{lane}"), verdict);
    asked.extend(all);
}

/// What it says before a tool does again what failed in a session before. Told when all have played,
/// because each is offered what the one before it left.
pub(super) fn warn(stage: &Stage<'_>, client: &Client, verdict: &mut Verdict) {
    let Some(shell) = client.shell else { return };
    println!("-- {} is warned", client.packages[0]);
    let failed_before = verdict.failed;
    let mut asked = Vec::new();
    if let Err(why) = before_tool(stage, client, shell, verdict, &mut asked) {
        verdict.check(format!("{}: {why}", client.id), false);
    }
    if verdict.failed > failed_before {
        explain(&stage.log(client), &asked, &stage.kept(client));
    }
}

fn before_tool(
    stage: &Stage<'_>,
    client: &Client,
    shell: fn(&str) -> Step,
    verdict: &mut Verdict,
    asked: &mut Vec<Asked>,
) -> Result<(), String> {
    let lane = lane_of(client);
    let (source, check) = (format!("{lane}.cjs"), format!("check-{lane}.cjs"));
    let line = |time: &str| format!("module.exports = (when) => ({{ {time}: {{ rate: 1 }} }})[when].rate;");
    let path = stage.project.join(&source);
    fs::write(&path, line("day") + "\n").map_err(|e| e.to_string())?;
    fs::write(stage.project.join(&check), format!("require(\"./{source}\")(\"day\");\n"))
        .map_err(|e| e.to_string())?;

    let mut play = |name: &str, steps: Vec<Step>| {
        let mark = format!("E2E-{name}-{}", client.id);
        let script = Script { prompt: mark.clone(), steps, closing: format!("DONE-{mark}") };
        let (outcome, all) = stage.perform(client, &format!("Work on the rates. {mark}"), script);
        verdict.check(format!("it ends well once more ({outcome:?})"), outcome.is_ok());
        asked.extend(all.clone());
        all
    };
    let mut breaks = (client.edit)(&path, &line("day"), &line("night"));
    breaks.push(shell(&format!("node {check}")));
    play("BREAKS", breaks);
    let all = play("RETURNS", (client.edit)(&path, &line("night"), &line("dawn")));
    let session = proof::newest(stage, client);
    proof::warned(stage, &session, &all, &source, verdict);
    Ok(())
}

/// Installs, takes out again, and installs for good.
fn wire(stage: &Stage<'_>, client: &Client, verdict: &mut Verdict) {
    let before = stage.files();
    let installed = stage.hark(&["install", client.id]);
    let changed = installed["assistants"][0]["changed"].as_array().map_or(0, Vec::len);
    verdict.check(format!("`hark install {}` wires it ({changed} files)", client.id), changed > 0);
    stage.hark(&["uninstall", client.id]);
    let differing = differing(&before, &stage.files());
    verdict.equal("`hark uninstall` gives every byte back", &differing, &Vec::new());
    stage.hark(&["install", client.id]);
}

fn differing<K: Clone + Ord, V: PartialEq>(
    before: &std::collections::BTreeMap<K, V>,
    after: &std::collections::BTreeMap<K, V>,
) -> Vec<K> {
    let changed =
        before.iter().filter(|(path, bytes)| after.get(*path) != Some(*bytes)).map(|(path, _)| path);
    changed.chain(after.keys().filter(|path| !before.contains_key(*path))).cloned().collect()
}

/// Takes everything out after clients have written into their own settings.
pub(super) fn leave(stage: &Stage<'_>, clients: &[&Client], verdict: &mut Verdict) {
    println!("-- uninstall");
    let removed = stage.hark(&["uninstall"]);
    verdict.equal("nothing refuses", &removed["refused"], &json!([]));
    let places = removed["assistants"].as_array().map_or(0, Vec::len);
    verdict.equal("all of them are taken out", &places, &clients.len());
    for (path, bytes) in &stage.settings {
        let now = fs::read(path).unwrap_or_default();
        let same = now == *bytes;
        let text = String::from_utf8_lossy(&now);
        let ours = [stage.home.binary().to_string_lossy().as_ref(), "\"hark\"", "hook "]
            .iter()
            .any(|w| text.contains(w));
        let path = path.strip_prefix(stage.home.root()).unwrap_or(path).display();
        let note = if same { "as its user wrote it" } else { "changed by the client, without us" };
        verdict.check(format!("{path} is {note}"), same || !ours);
    }
    let mut left: Vec<String> = Vec::new();
    for report in removed["assistants"].as_array().into_iter().flatten() {
        for path in report["removed"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let path =
                path.strip_prefix("~/").map_or_else(|| path.into(), |below| stage.home.user().join(below));
            left.extend(path.exists().then(|| path.display().to_string()));
        }
    }
    verdict.equal("hark's own files were removed", &left, &Vec::new());
}

fn lane_of(client: &Client) -> &'static str {
    let at = super::clients::ALL.iter().position(|other| other.id == client.id).unwrap_or(0);
    LANES[at % LANES.len()]
}

fn fact(lane: &str) -> String {
    format!("The {lane} lane is shipped with `make ship-{lane}`, never by hand.")
}

pub(super) fn goal(lane: &str) -> String {
    format!("Move the {lane} lane to the new depot")
}

pub(super) fn pending(lane: &str) -> String {
    format!("paint the {lane} sign")
}
