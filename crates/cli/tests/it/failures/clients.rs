//! A session of some client in some project, told to `hark hook` as that client tells it.

use std::path::{Path, PathBuf};

use hark_testkit::Home;
use hark_testkit::hooks::context;
use serde_json::{Value, json};

pub(crate) struct Session<'h> {
    home: &'h Home,
    host: &'static str,
    id: String,
    folder: PathBuf,
    calls: u32,
}

/// What was changed, and how, for clients that want both texts.
pub(crate) struct Change<'a> {
    pub(crate) file: &'a str,
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
}

impl<'h> Session<'h> {
    pub(crate) fn new(home: &'h Home, host: &'static str, id: &str, folder: &Path) -> Self {
        std::fs::create_dir_all(folder).expect("a folder");
        Session { home, host, id: id.to_owned(), folder: folder.to_owned(), calls: 0 }
    }

    fn send(&self, event: &str, mut payload: Value) -> String {
        let base = json!({ "session_id": self.id, "cwd": self.folder, "workspaceRoots": [self.folder],
            "workspace_roots": [self.folder], "conversation_id": self.id, "taskId": self.id, "sessionId": self.id });
        let keys: &[&str] = match self.host {
            "cline" => &["taskId", "workspaceRoots"],
            "cursor" => &["conversation_id", "session_id", "workspace_roots", "cwd"],
            "copilot-cli" => &["sessionId", "cwd"],
            _ => &["session_id", "cwd"],
        };
        for key in keys {
            payload[*key] = base[*key].clone();
        }
        match self.host {
            "cursor" => payload["cursor_version"] = json!("3.0"),
            "cline" => payload["clineVersion"] = json!("3.0"),
            "copilot-cli" => {}
            _ => payload["hook_event_name"] = json!(event),
        }
        context(&self.home.hook(self.host, event, &payload))
    }

    fn path(&self, file: &str) -> String {
        self.folder.join(file).display().to_string()
    }

    fn editing(&self, change: &Change<'_>) -> (&'static str, Value) {
        let path = self.path(change.file);
        let (old, new) = (change.old, change.new);
        match self.host {
            "codex" => {
                let minus: String = old.lines().map(|l| format!("-{l}\n")).collect();
                let plus: String = new.lines().map(|l| format!("+{l}\n")).collect();
                let patch =
                    format!("*** Begin Patch\n*** Update File: {path}\n@@\n{minus}{plus}*** End Patch\n");
                ("apply_patch", json!({ "command": patch }))
            }
            "gemini-cli" => ("replace", json!({ "file_path": path, "old_string": old, "new_string": new })),
            "qwen-code" => ("edit", json!({ "file_path": path, "old_string": old, "new_string": new })),
            "copilot-cli" => ("edit", json!({ "path": path, "old_str": old, "new_str": new })),
            "opencode" => ("edit", json!({ "filePath": path, "oldString": old, "newString": new })),
            "cline" => ("editor", json!({ "path": path, "old_str": old, "new_str": new })),
            "cursor" => ("StrReplace", json!({ "path": path, "old_string": old, "new_string": new })),
            "droid" => ("Edit", json!({ "file_path": path, "old_str": old, "new_str": new })),
            _ => ("Edit", json!({ "file_path": path, "old_string": old, "new_string": new })),
        }
    }

    fn running(&self, command: &str) -> (&'static str, Value) {
        match self.host {
            "gemini-cli" | "qwen-code" => ("run_shell_command", json!({ "command": command })),
            "copilot-cli" | "opencode" => ("bash", json!({ "command": command })),
            "cline" => ("run_commands", json!({ "commands": [command] })),
            "cursor" => ("Shell", json!({ "command": command })),
            "droid" => ("Execute", json!({ "command": command })),
            _ => ("Bash", json!({ "command": command })),
        }
    }

    fn call_before(&mut self, (name, input): (&str, Value)) -> String {
        self.calls += 1;
        let id = format!("{}-before-{}", self.id, self.calls);
        match self.host {
            "cline" => self.send(
                "PreToolUse",
                json!({ "hookName": "tool_call", "tool_call": { "id": id, "name": name, "input": input } }),
            ),
            "copilot-cli" => self.send("preToolUse", json!({ "toolName": name, "toolArgs": input })),
            "cursor" => {
                self.send("preToolUse", json!({ "tool_name": name, "tool_input": input, "tool_use_id": id }))
            }
            "gemini-cli" => self.send("BeforeTool", json!({ "tool_name": name, "tool_input": input })),
            "opencode" => self.send(
                "tool.execute.before",
                json!({ "tool_name": name, "tool_input": input, "tool_use_id": id }),
            ),
            _ => {
                self.send("PreToolUse", json!({ "tool_name": name, "tool_input": input, "tool_use_id": id }))
            }
        }
    }

    fn call_after(&mut self, (name, input): (&str, Value), ok: bool, output: &str, shell: bool) -> String {
        self.calls += 1;
        let id = format!("{}-after-{}", self.id, self.calls);
        let code = i32::from(!ok);
        let mut said = json!({ "tool_name": name, "tool_input": input, "tool_use_id": id });
        match self.host {
            "claude-code" | "vscode" if !ok => {
                said["error"] = json!(format!("Exit code {code}\n{output}"));
                self.send("PostToolUseFailure", said)
            }
            "qwen-code" if !ok => {
                said["error"] = json!(format!("Command exited with code {code}\n{output}"));
                self.send("PostToolUseFailure", said)
            }
            "cursor" if !ok => {
                said["error_message"] = json!("failed");
                said["error"] = json!(output);
                self.send("postToolUseFailure", said)
            }
            "cursor" => {
                said["tool_output"] = json!(output);
                self.send("postToolUse", said)
            }
            "claude-code" | "vscode" if shell => {
                said["tool_response"] = json!({ "stdout": output, "stderr": "", "interrupted": false });
                self.send("PostToolUse", said)
            }
            "gemini-cli" => {
                let tail = if ok { String::new() } else { format!("\nExit Code: {code}") };
                let text = format!(
                    "<untrusted_context>\nOutput: {output}{tail}\nProcess Group PGID: 7\n</untrusted_context>"
                );
                said["tool_response"] = json!({ "llmContent": text, "returnDisplay": "" });
                self.send("AfterTool", said)
            }
            "copilot-cli" => {
                let tail = if shell {
                    format!("\n<shellId: 0 completed with exit code {code}>")
                } else {
                    String::new()
                };
                let result =
                    json!({ "resultType": "success", "textResultForLlm": format!("{output}{tail}") });
                self.send("postToolUse", json!({ "toolName": name, "toolArgs": input, "toolResult": result }))
            }
            "droid" => {
                let tail =
                    if shell { format!("\n\n[Process exited with code {code}]") } else { String::new() };
                said["tool_response"] = json!(format!("{output}{tail}"));
                self.send("PostToolUse", said)
            }
            "opencode" => {
                said["tool_response"] = json!(output);
                self.send("tool.execute.after", said)
            }
            "cline" => {
                let part = json!({ "query": "", "result": output, "success": ok });
                let said = if shell { json!([part]) } else { json!(output) };
                let result = json!({ "id": id, "name": name, "input": input, "output": said });
                self.send("PostToolUse", json!({ "hookName": "tool_result", "tool_result": result }))
            }
            _ => {
                said["tool_response"] = json!(output);
                self.send("PostToolUse", said)
            }
        }
    }

    /// Writes the file and tells about it.
    pub(crate) fn edit(&mut self, change: &Change<'_>) -> String {
        let file = self.folder.join(change.file);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(&file, change.new).expect("a file");
        let call = self.editing(change);
        self.call_after(call, true, "ok", false)
    }

    pub(crate) fn run(&mut self, command: &str, ok: bool, output: &str) -> String {
        let call = self.running(command);
        self.call_after(call, ok, output, true)
    }

    /// What the model reads when it is about to edit; where it reads nothing before, right after.
    pub(crate) fn warned_editing(&mut self, change: &Change<'_>) -> String {
        let call = self.editing(change);
        let said = self.call_before(call);
        if self.hears_before() { said } else { said + &self.edit(change) }
    }

    pub(crate) fn warned_running(&mut self, command: &str, ok: bool, output: &str) -> String {
        let call = self.running(command);
        let said = self.call_before(call);
        if self.hears_before() { said } else { said + &self.run(command, ok, output) }
    }

    pub(crate) fn hears_before(&self) -> bool {
        !matches!(self.host, "gemini-cli" | "qwen-code" | "opencode" | "droid")
    }

    pub(crate) fn prompt(&mut self, text: &str) -> String {
        self.calls += 1;
        let event = match self.host {
            "gemini-cli" => "BeforeAgent",
            "copilot-cli" => "userPromptSubmitted",
            "cursor" => "beforeSubmitPrompt",
            "opencode" => "chat.message",
            _ => "UserPromptSubmit",
        };
        self.send(event, json!({ "prompt": text, "prompt_id": format!("{}-{}", self.id, self.calls) }))
    }

    /// A session that was heard of before: ids of tool calls go on from here.
    pub(crate) fn skip(&mut self, calls: u32) {
        self.calls = calls;
    }

    pub(crate) fn start(&self, source: &str) -> String {
        let event = match self.host {
            "copilot-cli" | "cursor" => "sessionStart",
            _ => "SessionStart",
        };
        self.send(event, json!({ "source": source }))
    }

    pub(crate) fn send_raw(&self, event: &str, payload: Value) -> String {
        self.send(event, payload)
    }
}
