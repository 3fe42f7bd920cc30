//! Transcripts in the formats that assistants write, composed line by line.

use serde_json::{Value, json};

/// A Claude Code transcript under construction. Each line is one second later than the previous one.
#[derive(Debug, Clone)]
pub struct Claude {
    session: String,
    cwd: String,
    second: u32,
    lines: Vec<String>,
}

impl Claude {
    pub fn new(session: &str, cwd: &str) -> Self {
        Claude { session: session.to_owned(), cwd: cwd.to_owned(), second: 0, lines: Vec::new() }
    }

    fn line(&mut self, kind: &str, message: &Value, more: &Value) -> &mut Self {
        self.second += 1;
        let (minute, second) = (self.second / 60, self.second % 60);
        let mut line = json!({
            "parentUuid": null, "isSidechain": false, "type": kind, "message": message,
            "uuid": format!("{}-uuid-{:06}", self.session, self.second),
            "timestamp": format!("2026-03-01T{:02}:{:02}:{second:02}.000Z", 8 + minute / 60, minute % 60),
            "cwd": self.cwd, "sessionId": self.session, "gitBranch": "main", "version": "2.1.325",
        });
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.lines.push(line.to_string());
        self
    }

    pub fn raw(&mut self, line: &str) -> &mut Self {
        self.lines.push(line.to_owned());
        self
    }

    pub fn prompt(&mut self, text: &str) -> &mut Self {
        let id = format!("{}-prompt-{:06}", self.session, self.second);
        self.prompt_with(text, &json!({ "promptId": id }))
    }

    pub fn prompt_with(&mut self, text: &str, more: &Value) -> &mut Self {
        self.line("user", &json!({ "role": "user", "content": text }), more)
    }

    pub fn says(&mut self, text: &str) -> &mut Self {
        let message =
            json!({ "role": "assistant", "model": "model-1", "content": [{ "type": "text", "text": text }] });
        self.line("assistant", &message, &json!({}))
    }

    pub fn calls(&mut self, id: &str, name: &str, input: &Value) -> &mut Self {
        let block = json!({ "type": "tool_use", "id": id, "name": name, "input": input });
        self.line(
            "assistant",
            &json!({ "role": "assistant", "model": "model-1", "content": [block] }),
            &json!({}),
        )
    }

    pub fn gets(&mut self, id: &str, output: &str, is_error: bool) -> &mut Self {
        let block =
            json!({ "type": "tool_result", "tool_use_id": id, "content": output, "is_error": is_error });
        self.line("user", &json!({ "role": "user", "content": [block] }), &json!({ "toolUseResult": output }))
    }

    /// A command and its output.
    pub fn runs(&mut self, id: &str, command: &str, output: &str, ok: bool) -> &mut Self {
        self.calls(id, "Bash", &json!({ "command": command })).gets(id, output, !ok)
    }

    pub fn edits(&mut self, id: &str, path: &str) -> &mut Self {
        let input = json!({ "file_path": path, "old_string": "a", "new_string": "b" });
        self.calls(id, "Edit", &input).gets(id, "The file has been updated.", false)
    }

    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The whole file.
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// A Codex rollout with one prompt, one command and one reply.
pub fn codex(session: &str, cwd: &str, command: &str, exit_code: i64) -> String {
    let at = |second: u32| format!("2026-03-02T10:00:{second:02}.000Z");
    let call = format!("call_{session}_0001");
    let lines = [
        json!({ "timestamp": at(0), "type": "session_meta", "payload": { "id": session, "cwd": cwd,
            "git": { "branch": "trunk", "commit_hash": "5169716df4e01f098083897ba3723d4cb983e293" } } }),
        json!({ "timestamp": at(1), "type": "event_msg", "payload": { "type": "task_started", "turn_id": format!("turn-of-{session}") } }),
        json!({ "timestamp": at(2), "type": "response_item", "payload": { "type": "message", "role": "user",
            "content": [{ "type": "input_text", "text": "<environment_context>\n<cwd>/x</cwd>\n</environment_context>" }] } }),
        json!({ "timestamp": at(3), "type": "response_item", "payload": { "type": "message", "role": "user",
            "content": [{ "type": "input_text", "text": "Make the importer restartable." }] } }),
        json!({ "timestamp": at(4), "type": "response_item", "payload": { "type": "function_call", "name": "exec_command",
            "arguments": json!({ "cmd": command }).to_string(), "call_id": call } }),
        json!({ "timestamp": at(5), "type": "event_msg", "payload": { "type": "item_completed", "item": {
            "type": "CommandExecution", "id": call, "command": ["/bin/bash", "-lc", command],
            "aggregated_output": "what it printed\n", "exit_code": exit_code } } }),
        json!({ "timestamp": at(6), "type": "response_item", "payload": { "type": "function_call_output", "call_id": call,
            "output": "what it printed" } }),
        json!({ "timestamp": at(7), "type": "response_item", "payload": { "type": "message", "role": "assistant",
            "content": [{ "type": "output_text", "text": "It can be restarted now." }] } }),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}
