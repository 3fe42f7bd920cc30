//! Readers for other sources: Codex rollouts, Gemini CLI chats, and sessions already in the neutral format.

use std::collections::BTreeMap;

use serde_json::Value;

use super::session::{Event, Role, Run, Session, flat};

/// One Codex rollout file is one session.
pub(super) fn codex(text: &str) -> Option<Session> {
    let mut session = Session::default();
    let mut open = BTreeMap::new();
    for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let payload = &line["payload"];
        session.seen_at(line["timestamp"].as_str().unwrap_or_default());
        let kind = payload["type"].as_str().unwrap_or_default();
        match (line["type"].as_str().unwrap_or_default(), kind) {
            ("session_meta", _) => session.id = payload["id"].as_str().unwrap_or_default().to_owned(),
            ("response_item", "message") => {
                let role = if payload["role"] == "user" { Role::User } else { Role::Assistant };
                if payload["role"] == "user" || payload["role"] == "assistant" {
                    session.say(role, &flat(&payload["content"]));
                }
            }
            ("response_item", "function_call") if payload["name"] == "shell" => {
                if let Some(run) = shell(payload["arguments"].as_str().unwrap_or_default()) {
                    patched(&mut session, &run.command);
                    let call = payload["call_id"].as_str().unwrap_or_default();
                    open.insert(call.to_owned(), session.events.len());
                    session.events.push(Event::Ran(run));
                }
            }
            ("response_item", "function_call_output") => {
                let at = payload["call_id"].as_str().and_then(|call| open.remove(call));
                if let Some(Event::Ran(run)) = at.and_then(|at| session.events.get_mut(at)) {
                    let output = payload["output"].as_str().unwrap_or_default();
                    let result: Value = serde_json::from_str(output).unwrap_or_default();
                    run.ok = result["metadata"]["exit_code"] == 0;
                    run.output = result["output"].as_str().unwrap_or(output).to_owned();
                }
            }
            _ => {}
        }
    }
    (!session.id.is_empty()).then_some(session)
}

fn shell(arguments: &str) -> Option<Run> {
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    let words = arguments["command"].as_array()?;
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    let command = match words.as_slice() {
        ["bash" | "sh" | "zsh", "-lc" | "-c", script] => (*script).to_owned(),
        words => words.join(" "),
    };
    Some(Run { command, ..Run::default() })
}

/// Codex edits files by sending a patch through the shell.
fn patched(session: &mut Session, command: &str) {
    for line in command.lines() {
        let path = ["*** Update File: ", "*** Add File: "].iter().find_map(|start| line.strip_prefix(start));
        if let Some(path) = path
            && !path.starts_with('/')
        {
            session.files.insert(path.trim().to_owned());
        }
    }
}

/// One Gemini CLI chat file is one session; the tools it ran carry no goals, so only talk is taken.
pub(super) fn gemini(text: &str) -> Option<Session> {
    let chat: Value = serde_json::from_str(text).ok()?;
    let mut session = Session { id: chat["sessionId"].as_str()?.to_owned(), ..Session::default() };
    for message in chat["messages"].as_array()? {
        let role = match message["type"].as_str() {
            Some("user") => Role::User,
            Some("gemini") => Role::Assistant,
            _ => continue,
        };
        session.seen_at(message["timestamp"].as_str().unwrap_or_default());
        session.say(role, &flat(&message["content"]));
    }
    Some(session)
}

/// Sessions of a set in the neutral format. They have talk and edited files, but no commands.
pub(super) fn neutral(text: &str) -> Vec<Session> {
    let mut found: BTreeMap<String, Session> = BTreeMap::new();
    for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let mut session = Session { id: bare(line["id"].as_str().unwrap_or_default()), ..Session::default() };
        session.seen_at(line["date"].as_str().unwrap_or_default());
        for turn in line["turns"].as_array().into_iter().flatten() {
            let role = if turn["role"] == "user" { Role::User } else { Role::Assistant };
            session.say(role, turn["content"].as_str().unwrap_or_default());
        }
        let files = line["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
        session.files.extend(files.map(str::to_owned));
        // The same session saved on several days: the longest has the others in it.
        let known = found.entry(session.id.clone()).or_default();
        if known.events.len() <= session.events.len() {
            *known = session;
        }
    }
    found.into_values().collect()
}

/// A session's own id, without a date before it.
fn bare(id: &str) -> String {
    const UUID: usize = 36;
    id.len().checked_sub(UUID).and_then(|at| id.get(at..)).unwrap_or(id).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rollout_is_a_session() {
        let lines = [
            r#"{"timestamp":"2026-01-02T00:00:00Z","type":"session_meta","payload":{"id":"c"}}"#,
            r#"{"timestamp":"2026-01-02T00:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"text":"hello there"}]}}"#,
            r#"{"timestamp":"2026-01-02T00:00:02Z","type":"response_item","payload":{"type":"function_call","name":"shell","call_id":"1","arguments":"{\"command\":[\"bash\",\"-lc\",\"ls x\"]}"}}"#,
            r#"{"timestamp":"2026-01-02T00:00:03Z","type":"response_item","payload":{"type":"function_call_output","call_id":"1","output":"{\"output\":\"no x\",\"metadata\":{\"exit_code\":2}}"}}"#,
        ];
        let session = codex(&lines.join("\n")).unwrap();
        assert_eq!(session.id, "c");
        let run = session.runs().next().unwrap();
        assert_eq!((run.command.as_str(), run.ok, run.output.as_str()), ("ls x", false, "no x"));
    }

    #[test]
    fn a_chat_is_a_session() {
        let chat = r#"{"sessionId":"g","messages":[{"type":"user","content":"hi","timestamp":"2026-01-02T00:00:00Z"},{"type":"gemini","content":[{"text":"ho"}]}]}"#;
        assert_eq!(gemini(chat).unwrap().said().count(), 2);
    }

    #[test]
    fn a_session_saved_twice_counts_once() {
        let id = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";
        let line = |day: &str, turns: &str| {
            format!(r#"{{"id":"{day}-{id}","date":"{day}","turns":[{turns}],"files":["a/b.rs"]}}"#)
        };
        let turn = r#"{"role":"user","content":"hello there"}"#;
        let text = [line("2026-01-02", turn), line("2026-01-03", &format!("{turn},{turn}"))].join("\n");
        let found = neutral(&text);
        assert_eq!((found.len(), found[0].id.as_str(), found[0].said().count()), (1, id, 2));
    }
}
