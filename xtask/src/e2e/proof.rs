//! Checks the requests that reached the model, and the state that hark reports.

use hark_testkit::model::Asked;
use serde_json::Value;

use super::clients::Client;
use super::stage::{Left, NOTES, Stage};
use super::story::{goal, pending};
use super::verdict::Verdict;

/// The instructions that were put into the client's own rules.
pub(super) fn rules(asked: &[Asked], verdict: &mut Verdict) {
    let told = scripted(asked).any(|request| request.says("remembers earlier sessions of every assistant"));
    verdict.check("its model read the instructions", told);
}

/// What a tool gave came to the model after the call, and not before.
pub(super) fn recalled(asked: &[Asked], words: &str, verdict: &mut Verdict) {
    let first = scripted(asked).next().is_some_and(|request| request.says(words));
    let later = scripted(asked).skip(1).any(|request| request.says(words));
    verdict.check("memory_recall finds what the client before remembered", later && !first);
}

/// The newest session of this client.
pub(super) fn newest(stage: &Stage<'_>, client: &Client) -> Value {
    let listed = stage.hark(&["sessions"]);
    let sessions = listed["sessions"].as_array().cloned().unwrap_or_default();
    let own = sessions.into_iter().filter(|session| session["host"] == client.id);
    own.max_by_key(|session| session["started"].as_str().unwrap_or_default().to_owned()).unwrap_or_default()
}

/// Its hooks reported one session, with its tools and the file.
pub(super) fn session(stage: &Stage<'_>, client: &Client, verdict: &mut Verdict) -> Value {
    let session = newest(stage, client);
    let calls = session["tool_calls"].as_u64().unwrap_or(0);
    verdict.check(format!("its hooks reported {calls} tool calls"), calls >= 3);
    let files = session["top_files"].to_string();
    verdict.check(format!("its hooks reported the file it changed ({files})"), files.contains(NOTES));
    let expected = if client.hooks.ends { "closed" } else { "open" };
    let what = format!("the session is {expected}");
    verdict.equal(what, &session["status"].as_str().unwrap_or("unknown"), &expected);
    session
}

/// The boot context reached the model to the byte, and offers what the client before left.
pub(super) fn boot(
    stage: &Stage<'_>,
    session: &Value,
    asked: &[Asked],
    before: Option<Left>,
    verdict: &mut Verdict,
) {
    let found = injected(stage, session, "boot", asked, verdict);
    let Some(left) = before else { return };
    let offered = found.contains(&goal(left.lane)) && found.contains(&pending(left.lane));
    verdict.check("the checkpoint of the client before is offered", offered);
}

/// Words that a prompt brought reached the model to the byte.
pub(super) fn prompted(
    stage: &Stage<'_>,
    session: &Value,
    asked: &[Asked],
    words: &str,
    verdict: &mut Verdict,
) {
    let found = injected(stage, session, "prompt", asked, verdict);
    verdict.check("a memory comes along with a prompt about it", found.contains(words));
}

/// The warning before a tool reached the model to the byte, after the call it is about.
pub(super) fn warned(stage: &Stage<'_>, session: &Value, asked: &[Asked], file: &str, verdict: &mut Verdict) {
    let found = injected(stage, session, "alert", asked, verdict);
    let names = found.contains(file) && found.contains("TypeError");
    verdict.check(format!("a warning names the file and what broke: {found}"), names);
}

/// The text of this surface in the ledger and in a request.
fn injected(
    stage: &Stage<'_>,
    session: &Value,
    surface: &str,
    asked: &[Asked],
    verdict: &mut Verdict,
) -> String {
    let id = session["id"].as_str().unwrap_or_default();
    let ledger = stage.hark(&["ledger", "--session", id]);
    let entries = ledger["entries"].as_array().cloned().unwrap_or_default();
    let Some(entry) = entries.iter().find(|entry| entry["surface"] == surface) else {
        verdict.check(format!("the ledger has a {surface} text of session {id}: {ledger}"), false);
        return String::new();
    };
    let bytes = entry["bytes"].as_u64().unwrap_or(0);
    let blocks: Vec<String> = scripted(asked).flat_map(blocks).collect();
    let same = blocks.iter().find(|block| block.len() as u64 == bytes);
    let lengths: Vec<usize> = blocks.iter().map(String::len).collect();
    verdict.check(
        format!("the {surface} text is in the request to the byte ({bytes}; found {lengths:?})"),
        same.is_some(),
    );
    let found = same.or(blocks.first()).cloned().unwrap_or_default();
    let items = entry["items"].as_array().into_iter().flatten().filter_map(Value::as_str);
    // A failure is named by its memory; its own number is for the ledger.
    let is_said = |item: &&str| *item != "boot" && !item.starts_with("f-");
    let absent: Vec<&str> = items.filter(|item| is_said(item) && !found.contains(item)).collect();
    verdict.equal("with everything that the ledger names", &absent, &Vec::new());
    found
}

const OPEN: &str = "<hark-memory";
const CLOSE: &str = "</hark-memory>";

/// What we said in a request, from the first byte to the last. Gemini CLI writes `&lt;` for `<`.
fn blocks(request: &Asked) -> Vec<String> {
    let mut found = Vec::new();
    for text in request.texts() {
        let text = text.replace("&lt;", "<").replace("&gt;", ">");
        let mut rest = text.as_str();
        while let Some(start) = rest.find(OPEN) {
            let Some(length) = rest[start..].find(CLOSE) else { break };
            let end = start + length + CLOSE.len();
            found.push(rest[start..end].to_owned());
            rest = &rest[end..];
        }
    }
    found
}

pub(super) fn doctor(stage: &Stage<'_>, client: &Client, verdict: &mut Verdict) {
    let outcome = stage.home.hark(["doctor", "--json"]).within(&stage.project).run();
    let report: Value = serde_json::from_str(&outcome.stdout()).unwrap_or_default();
    let assistants = report["assistants"].as_array().cloned().unwrap_or_default();
    let own = assistants.into_iter().find(|one| one["host"] == client.id).unwrap_or_default();
    verdict.equal("`hark doctor` says that it is wired", &own["wired"].as_str().unwrap_or("nothing"), &"yes");
    let heard = own["last_event"].is_string() && own["last_injection"].is_string();
    verdict.check("`hark doctor` shows its last event and last injection", heard);
    verdict.equal("`hark doctor` finds no fault", &report["findings"], &serde_json::json!([]));
}

fn scripted(asked: &[Asked]) -> impl Iterator<Item = &Asked> {
    asked.iter().filter(|request| request.scripted)
}
