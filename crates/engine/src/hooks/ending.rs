//! How a session ended, as its events tell: the assistant's last words, its open todos, its last commit, and a check
//! that failed last.

use hark_core::event::EventKind;
use hark_core::failure::{Place as FailurePlace, Step, Verdict, judge};
use hark_core::session::closing::closing_words;
use hark_hosts::hook::tools::{ToolClass, class_of};
use hark_store::{PastEvent, StoredSession};
use serde_json::Value;

use crate::engine::Engine;
use crate::error::EngineError;

/// What the session was left with is near its end.
const TOOLS: usize = 120;
/// Some turns end without words.
const REPLIES: usize = 5;

#[derive(Debug, Default)]
pub(crate) struct Ending {
    /// The last reply, as it was given.
    said: String,
    pub(crate) todos: Vec<String>,
    /// The subject of the last commit.
    pub(crate) commit: Option<String>,
    /// The last check, if it failed.
    pub(crate) failing: Option<String>,
    /// The assistant was at work when it ended: it said nothing after its last tool.
    pub(crate) is_cut_short: bool,
}

impl Ending {
    pub(crate) fn of(engine: &Engine, stored: &StoredSession) -> Result<Ending, EngineError> {
        let replies = engine.store.events(stored.num, &[EventKind::Reply], REPLIES)?;
        let tools = engine.store.events(stored.num, &[EventKind::Tool], TOOLS)?;
        let reply =
            replies.iter().rev().map(|reply| reply.body.as_str()).find(|body| !body.trim().is_empty());
        let said = reply.map(str::to_owned).or_else(|| last_said(stored)).unwrap_or_default();
        let spoke = replies.last().map_or(0, |reply| reply.seq);
        let is_cut_short = tools.last().is_some_and(|tool| tool.seq > spoke);
        Ok(Ending {
            said,
            todos: todos(&tools),
            commit: commit(&tools),
            failing: failing(&tools),
            is_cut_short,
        })
    }

    /// The last words, in whole sentences.
    pub(crate) fn said(&self, room: usize) -> Option<String> {
        Some(closing_words(&self.said, room)).filter(|words| !words.is_empty())
    }

    /// Whether something is open.
    pub(crate) fn is_open(&self) -> bool {
        !self.todos.is_empty() || self.failing.is_some()
    }
}

/// The last words in the summary of a session whose events are gone.
fn last_said(stored: &StoredSession) -> Option<String> {
    let summary = stored.session.summary.as_ref()?;
    let said = summary.text.lines().find_map(|line| line.strip_prefix("Last said: "))?;
    Some(said.to_owned())
}

/// Todos that are not done, of the last list that the assistant wrote.
fn todos(tools: &[PastEvent]) -> Vec<String> {
    let is_list = |tool: &str| {
        let name = tool.to_ascii_lowercase().replace(['_', '-'], "");
        ["todowrite", "writetodos", "updateplan", "managetodolist", "updatetodolist"].contains(&name.as_str())
    };
    let Some(list) = tools.iter().rev().find(|event| is_list(&event.tool)) else { return Vec::new() };
    let body = list.body.as_str();
    let mut open = Vec::new();
    let mut at = 0;
    // A long list was cut, so its items are read one by one.
    while let Some(found) = body[at..].find('{') {
        at += found;
        let mut items = serde_json::Deserializer::from_str(&body[at..]).into_iter::<Value>();
        match items.next() {
            Some(Ok(item)) if item["status"].is_string() => {
                let text =
                    ["content", "step", "description", "title"].iter().find_map(|key| item[key].as_str());
                let is_done = matches!(item["status"].as_str(), Some("completed" | "done" | "cancelled"));
                open.extend(text.filter(|_| !is_done).map(str::to_owned));
                at += items.byte_offset();
            }
            _ => at += 1,
        }
    }
    open
}

/// Git reports a commit as `[branch 1a2b3c4] subject`.
fn commit(tools: &[PastEvent]) -> Option<String> {
    let commits = tools.iter().rev().filter(|event| {
        class_of(&event.tool) == ToolClass::Shell
            && event.ok != Some(false)
            && event.target.contains("git commit")
    });
    commits.into_iter().find_map(|event| {
        event.body.lines().rev().find_map(|line| {
            let (place, subject) = line.trim().strip_prefix('[')?.split_once("] ")?;
            let id = place.rsplit(' ').next()?;
            let is_id = id.len() >= 7 && id.bytes().all(|b| b.is_ascii_hexdigit());
            (is_id && !subject.trim().is_empty()).then(|| subject.trim().to_owned())
        })
    })
}

/// The last run that checked something, if it failed.
fn failing(tools: &[PastEvent]) -> Option<String> {
    for event in tools.iter().rev().filter(|event| class_of(&event.tool) == ToolClass::Shell) {
        let judged = judge(&event.target, event.ok, &event.body, &FailurePlace::default());
        match judged.filter(|judged| judged.ran.step != Step::Other) {
            Some(judged) if judged.verdict == Verdict::Passed => return None,
            Some(judged) if judged.verdict != Verdict::Unknown => return Some(judged.ran.key),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use hark_core::{Clean, Timestamp};

    use super::*;

    fn event(tool: &str, target: &str, ok: bool, body: &str) -> PastEvent {
        PastEvent {
            seq: 1,
            at: Timestamp::from_millis(0),
            kind: "tool".to_owned(),
            tool: tool.to_owned(),
            target: target.to_owned(),
            ok: Some(ok),
            body: Clean::already_redacted(body.to_owned()),
        }
    }

    #[test]
    fn open_todos_are_read_from_a_list_that_was_cut() {
        let list = r#"{"todos":[{"content":"Write the parser","status":"completed"},{"content":"Te
…
tus":"pending"},{"content":"Update the docs","status":"pending","activeForm":"Updating"}]}"#;
        assert_eq!(todos(&[event("TodoWrite", "", true, list)]), ["Update the docs"]);
        let plan =
            r#"{"plan":[{"step":"Move it","status":"in_progress"},{"step":"Test it","status":"done"}]}"#;
        assert_eq!(todos(&[event("update_plan", "", true, plan)]), ["Move it"]);
    }

    #[test]
    fn a_commit_is_known_by_what_git_prints() {
        let made =
            event("Bash", "git commit -m x", true, "[main 1a2b3c4d] Keep rows apart\n 2 files changed");
        assert_eq!(commit(&[made]).as_deref(), Some("Keep rows apart"));
        assert_eq!(commit(&[event("Bash", "git commit -m x", true, "nothing to commit")]), None);
    }

    #[test]
    fn a_check_fails_until_it_passes() {
        let failed = event("Bash", "go test ./...", false, "--- FAIL: TestCart (0.00s)\nFAIL\nexit status 1");
        let passed = event("Bash", "go test ./...", true, "ok  \tshop/cart\t0.1s");
        assert_eq!(failing(&[passed.clone(), failed.clone()]).as_deref(), Some("go test ./..."));
        assert_eq!(failing(&[failed, passed]), None);
    }
}
