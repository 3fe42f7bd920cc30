//! Checks the requests that reached the model, and the state that hark reports.

use hark_testkit::model::Asked;
use serde_json::Value;

use super::ledger::{self, Entry};
use super::proven::Promise;
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

/// Its hooks reported the tools and the file.
pub(super) fn session(session: &Value, verdict: &mut Verdict) {
    let calls = session["tool_calls"].as_u64().unwrap_or(0);
    verdict.check(format!("its hooks reported {calls} tool calls"), calls >= 4);
    let files = session["top_files"].to_string();
    verdict.check(format!("its hooks reported the file it changed ({files})"), files.contains(NOTES));
}

/// The end of a session is recorded.
pub(super) fn end(session: &Value, verdict: &mut Verdict) {
    if verdict.has(Promise::End) {
        let status = session["status"].as_str().unwrap_or("unknown");
        verdict.prove_equal(Promise::End, "the session is closed", &status, &"closed");
    }
}

/// The boot context reached the model to the byte, and offers what the client before left.
pub(super) fn boot(
    stage: &Stage<'_>,
    session: &Value,
    asked: &[Asked],
    before: Option<Left>,
    verdict: &mut Verdict,
) {
    let entries = stage.ledger(session);
    let found = injected(&entries, Promise::Boot, &["boot", "notice"], asked, verdict);
    let Some(left) = before else { return };
    let offered = found.contains(&goal(left.lane)) && found.contains(&pending(left.lane));
    verdict.prove(Promise::Boot, "the checkpoint of the client before is offered", offered);
}

/// Words that a prompt brought reached the model to the byte.
pub(super) fn prompted(
    stage: &Stage<'_>,
    session: &Value,
    asked: &[Asked],
    words: &str,
    verdict: &mut Verdict,
) {
    let entries = stage.ledger(session);
    if verdict.has(Promise::Prompt) {
        let found = injected(&entries, Promise::Prompt, &["prompt"], asked, verdict);
        verdict.prove(Promise::Prompt, "a memory comes along with a prompt about it", found.contains(words));
    } else if entries.iter().any(|entry| entry.surface == "prompt") {
        verdict.prove(Promise::Prompt, "its prompts are heard after all", false);
    }
}

/// Nothing came along with the prompts of this session, and no warning.
pub(super) fn silence(stage: &Stage<'_>, session: &Value, verdict: &mut Verdict) {
    if verdict.has(Promise::Silence) {
        let volunteered: Vec<Entry> = stage
            .ledger(session)
            .into_iter()
            .filter(|entry| !["boot", "notice", "remind"].contains(&entry.surface.as_str()))
            .collect();
        let what = "nothing comes along with an unrelated prompt";
        verdict.prove_equal(Promise::Silence, what, &volunteered, &Vec::new());
    }
}

/// A session that starts while another is at work hears of it.
pub(super) fn live(asked: &[Asked], other: &Value, verdict: &mut Verdict) {
    let id = other["id"].as_str().unwrap_or("no session");
    let said = scripted(asked).flat_map(ledger::ours).any(|text| text.contains(id));
    verdict.check(format!("a second session is told of the one at work ({id})"), said);
}

/// The warning about a tool reached the model to the byte.
pub(super) fn warned(stage: &Stage<'_>, session: &Value, asked: &[Asked], file: &str, verdict: &mut Verdict) {
    if verdict.has(Promise::Alert) {
        let entries = stage.ledger(session);
        let found = injected(&entries, Promise::Alert, &["alert"], asked, verdict);
        let names = found.contains(file) && found.contains("TypeError");
        verdict.prove(Promise::Alert, format!("a warning names the file and what broke: {found}"), names);
    }
}

/// What a subagent was told reached it to the byte.
pub(super) fn delegated(
    stage: &Stage<'_>,
    session: &Value,
    asked: &[Asked],
    words: &str,
    verdict: &mut Verdict,
) {
    let entries = stage.ledger(session);
    let found = injected(&entries, Promise::Prompt, &["subagent"], asked, verdict);
    verdict.prove(Promise::Prompt, "a memory comes along with a subagent's prompt", found.contains(words));
}

/// Nothing is in two texts of a session. Its subagents have conversations of their own.
pub(super) fn told_once(stage: &Stage<'_>, session: &Value, verdict: &mut Verdict) {
    let mut entries = stage.ledger(session);
    entries.retain(|entry| entry.surface != "subagent");
    let items: Vec<&String> = entries.iter().flat_map(|entry| &entry.items).collect();
    let again: Vec<&&String> = items
        .iter()
        .enumerate()
        .filter(|(at, item)| items[..*at].contains(item))
        .map(|(_, item)| item)
        .collect();
    verdict.prove_equal(Promise::NoRepeat, "a session is told everything once", &again, &Vec::new());
}

/// When the session goes on, its model is not told again what it was told `before` and still has; until a
/// compaction. `since` is what the ledger says it was told when it went on.
pub(super) fn not_again(asked: &[Asked], before: &[Entry], since: &[Entry], verdict: &mut Verdict) {
    let until = asked.iter().position(|request| request.summarises).unwrap_or(asked.len());
    let told = before.iter().filter(|entry| entry.surface != "subagent").flat_map(|entry| &entry.items);
    let told: Vec<&String> = told.filter(|item| *item != "boot").collect();
    let mut again: Vec<String> = Vec::new();
    for request in scripted(&asked[..until]) {
        let mut texts = ledger::ours(request);
        // Gemini CLI repeats results of tools by itself.
        texts.sort_unstable();
        texts.dedup();
        let is_twice = |item: &&&String| texts.iter().filter(|text| text.contains(item.as_str())).count() > 1;
        again.extend(told.iter().filter(is_twice).map(|item| format!("{item}: {texts:?}")));
    }
    again.truncate(1);
    let warnings = since.iter().filter(|entry| entry.surface == "alert").flat_map(|entry| &entry.items);
    again.extend(warnings.filter(|item| told.contains(item)).cloned());
    verdict.prove(Promise::NoRepeat, "the session goes on", until > 0);
    verdict.prove_equal(Promise::NoRepeat, "a resumed session is not told it again", &again, &Vec::new());
}

/// After the compaction, `entries` were told: the context of the session, and the memory for a prompt.
pub(super) fn told_again(asked: &[Asked], entries: &[Entry], words: &str, verdict: &mut Verdict) {
    // OpenCode puts the context of the session into the request for the summary.
    let from = asked.iter().position(|request| request.summarises).unwrap_or(asked.len());
    let promise = Promise::AfterCompaction;
    injected(entries, promise, &["boot", "notice"], &asked[from..], verdict);
    let after = &asked[(from + 1).min(asked.len())..];
    if verdict.has(Promise::Prompt) {
        let found = injected(entries, promise, &["prompt"], after, verdict);
        verdict.prove(promise, "a memory comes along with a prompt again", found.contains(words));
    }
}

/// The newest text of these surfaces in the ledger and in a request.
fn injected(
    entries: &[Entry],
    promise: Promise,
    surfaces: &[&str],
    asked: &[Asked],
    verdict: &mut Verdict,
) -> String {
    let surface = surfaces[0];
    let of_surface = |entry: &&Entry| surfaces.contains(&entry.surface.as_str());
    let Some(entry) = entries.iter().rev().find(of_surface) else {
        verdict.prove(promise, format!("the ledger has a {surface} text: {entries:?}"), false);
        return String::new();
    };
    let said: Vec<String> = scripted(asked).flat_map(ledger::ours).collect();
    let found = said.iter().find(|text| entry.is(text));
    let lengths: Vec<usize> = said.iter().map(String::len).collect();
    let bytes = entry.bytes;
    verdict.prove(
        promise,
        format!("the {surface} text is in a request to the byte ({bytes} among {lengths:?})"),
        found.is_some(),
    );
    found.cloned().unwrap_or_default()
}

/// Everything that the ledger has of a session is in its requests, and the other way round.
pub(super) fn same_texts(
    stage: &Stage<'_>,
    session: &Value,
    asked: &[Asked],
    subagents: &[String],
    verdict: &mut Verdict,
) {
    let entries = stage.ledger(session);
    let is_sub = |request: &&Asked| request.script.as_ref().is_some_and(|script| subagents.contains(script));
    let (subs, own): (Vec<&Asked>, Vec<&Asked>) = scripted(asked).partition(is_sub);
    let difference = ledger::compare(&entries, &[own, subs]);
    let id = session["id"].as_str().unwrap_or_default();
    let what = format!("all {} texts that the ledger has of {id} reached the model", entries.len());
    verdict.prove_equal(Promise::Ledger, what, &difference.undelivered, &Vec::new());
    let what = format!("the ledger has everything that reached the model of {id}");
    verdict.prove_equal(Promise::Ledger, what, &difference.unrecorded, &Vec::new());
}

fn scripted(asked: &[Asked]) -> impl Iterator<Item = &Asked> {
    asked.iter().filter(|request| request.script.is_some())
}
