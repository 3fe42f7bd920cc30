//! Hook events of every assistant, written by hand in the shapes that its own code sends. For assistants that
//! cannot run here, these are the only samples; the others are also tested with recorded events
//! ([`crate::hooks::recorded`]).

use serde_json::{Value, json};

/// One event as `hark hook HOST EVENT` receives it.
#[derive(Debug, Clone)]
pub struct Made {
    pub host: &'static str,
    pub event: &'static str,
    pub payload: Value,
}

/// Every event of every assistant. The sessions work in `folder`.
pub fn all(folder: &str) -> Vec<Made> {
    let mut all = Vec::new();
    all.extend(claude_like("claude-code", folder));
    all.extend(claude_like("codex", folder));
    all.extend(claude_like("qwen-code", folder));
    all.extend(claude_like("droid", folder));
    all.extend(claude_like("vscode", folder));
    all.extend(gemini(folder));
    all.extend(copilot(folder));
    all.extend(cursor(folder));
    all.extend(cline(folder));
    all.extend(windsurf(folder));
    all.extend(antigravity(folder));
    all.extend(plugin("opencode", folder));
    all.extend(plugin("kilo", folder));
    all.extend(claude_like("generic", folder));
    all
}

/// Adds the fields that all events of the client share.
fn made(host: &'static str, base: &Value, events: Vec<(&'static str, Value)>) -> Vec<Made> {
    let whole = |(event, more): (&'static str, Value)| {
        let mut payload = base.clone();
        if let (Some(all), Value::Object(more)) = (payload.as_object_mut(), more) {
            all.extend(more);
        }
        Made { host, event, payload }
    };
    events.into_iter().map(whole).collect()
}

fn named(mut all: Vec<Made>, key: &str) -> Vec<Made> {
    for one in &mut all {
        one.payload[key] = json!(one.event);
    }
    all
}

fn claude_like(host: &'static str, folder: &str) -> Vec<Made> {
    let base = json!({ "session_id": format!("made-{host}"), "transcript_path": "/nowhere/t.jsonl", "cwd": folder,
        "permission_mode": "default", "turn_id": "turn-1", "model": "m" });
    let edit = json!({ "file_path": format!("{folder}/notes.txt"), "old_string": "a", "new_string": "b" });
    let events = vec![
        ("SessionStart", json!({ "source": "startup" })),
        ("UserPromptSubmit", json!({ "prompt": "How do we deploy?", "prompt_id": "p1" })),
        ("PreToolUse", json!({ "tool_name": "Edit", "tool_input": edit, "tool_use_id": "t1" })),
        (
            "PostToolUse",
            json!({ "tool_name": "Edit", "tool_input": edit, "tool_use_id": "t1", "duration_ms": 3,
                "tool_response": { "filePath": "notes.txt", "structuredPatch": [], "userModified": false } }),
        ),
        (
            "PostToolUseFailure",
            json!({ "tool_name": "Bash", "tool_input": { "command": "make" }, "tool_use_id": "t2",
                "error": "Exit code 2", "is_interrupt": false }),
        ),
        ("PostToolBatch", json!({ "tool_calls": [{ "tool_name": "Edit", "tool_input": edit }] })),
        ("PermissionRequest", json!({ "tool_name": "Bash", "tool_input": { "command": "rm -r x" } })),
        ("Notification", json!({ "message": "waiting", "notification_type": "idle" })),
        ("SubagentStart", json!({ "agent_id": "a1", "agent_type": "general-purpose" })),
        ("SubagentStop", json!({ "agent_id": "a1", "agent_transcript_path": "/nowhere/a.jsonl" })),
        ("PreCompact", json!({ "trigger": "auto", "custom_instructions": "" })),
        ("PostCompact", json!({ "trigger": "auto", "compact_summary": "All of it." })),
        (
            "Stop",
            json!({ "stop_hook_active": false, "last_assistant_message": "Done.", "background_tasks": [] }),
        ),
        ("SessionEnd", json!({ "reason": "other" })),
    ];
    named(made(host, &base, events), "hook_event_name")
}

fn gemini(folder: &str) -> Vec<Made> {
    let base = json!({ "session_id": "made-gemini", "transcript_path": "/nowhere/t.jsonl", "cwd": folder,
        "timestamp": "2026-06-15T12:00:00.000Z" });
    let replace = json!({ "file_path": format!("{folder}/notes.txt"), "old_string": "a", "new_string": "b" });
    let events = vec![
        ("SessionStart", json!({ "source": "startup" })),
        ("BeforeAgent", json!({ "prompt": "<hook_context>old</hook_context>\n\nHow do we deploy?" })),
        ("PreCompress", json!({ "trigger": "auto" })),
        ("BeforeModel", json!({ "llm_request": { "model": "m", "messages": [] } })),
        ("BeforeToolSelection", json!({ "llm_request": { "model": "m" } })),
        ("AfterModel", json!({ "llm_request": {}, "llm_response": { "candidates": [] } })),
        ("BeforeTool", json!({ "tool_name": "replace", "tool_input": replace })),
        (
            "AfterTool",
            json!({ "tool_name": "replace", "tool_input": replace,
                "tool_response": { "llmContent": "changed", "returnDisplay": { "fileName": "notes.txt" } } }),
        ),
        ("Notification", json!({ "notification_type": "ToolPermission", "message": "may I?" })),
        ("AfterAgent", json!({ "prompt": "How?", "prompt_response": "Done.", "stop_hook_active": false })),
        ("SessionEnd", json!({ "reason": "exit" })),
    ];
    named(made("gemini-cli", &base, events), "hook_event_name")
}

/// The command line names the event; the payload does not.
fn copilot(folder: &str) -> Vec<Made> {
    let base = json!({ "sessionId": "made-copilot", "timestamp": 1_781_524_800_000_i64, "cwd": folder });
    let edit = json!({ "path": format!("{folder}/notes.txt"), "old_str": "a", "new_str": "b" }).to_string();
    let events = vec![
        ("sessionStart", json!({ "source": "new", "initialPrompt": "How do we deploy?" })),
        ("userPromptSubmitted", json!({ "prompt": "How do we deploy?" })),
        ("preToolUse", json!({ "toolName": "edit", "toolArgs": edit })),
        (
            "postToolUse",
            json!({ "toolName": "edit", "toolArgs": edit,
                "toolResult": { "resultType": "success", "textResultForLlm": "changed" } }),
        ),
        (
            "postToolUseFailure",
            json!({ "toolName": "bash", "toolArgs": "{\"command\":\"make\"}", "error": "no" }),
        ),
        ("preCompact", json!({ "trigger": "auto" })),
        ("subagentStop", json!({ "agentName": "task" })),
        ("errorOccurred", json!({ "error": { "message": "x", "name": "E" } })),
        ("agentStop", json!({ "stopReason": "end_turn" })),
        ("sessionEnd", json!({ "reason": "complete" })),
    ];
    made("copilot-cli", &base, events)
}

fn cursor(folder: &str) -> Vec<Made> {
    let base = json!({ "conversation_id": "made-cursor", "generation_id": "g1", "model": "m",
        "session_id": "made-cursor", "cursor_version": "2.1.0", "workspace_roots": [folder],
        "user_email": null, "transcript_path": null });
    let edit = json!({ "file_path": format!("{folder}/notes.txt"), "old_string": "a", "new_string": "b" });
    let events = vec![
        ("sessionStart", json!({ "is_background_agent": false, "composer_mode": "agent" })),
        ("beforeSubmitPrompt", json!({ "prompt": "How do we deploy?", "attachments": [] })),
        (
            "preToolUse",
            json!({ "tool_name": "Write", "tool_input": edit, "tool_use_id": "t1", "cwd": folder }),
        ),
        (
            "postToolUse",
            json!({ "tool_name": "Write", "tool_input": edit, "tool_use_id": "t1", "cwd": folder,
                "tool_output": "{\"ok\":true}", "duration": 4 }),
        ),
        (
            "postToolUseFailure",
            json!({ "tool_name": "Shell", "tool_input": { "command": "make" }, "tool_use_id": "t2",
                "error_message": "no", "failure_type": "error" }),
        ),
        ("beforeShellExecution", json!({ "command": "make", "cwd": folder })),
        ("afterShellExecution", json!({ "command": "make", "output": "ok", "duration": 5 })),
        (
            "afterFileEdit",
            json!({ "file_path": "notes.txt", "edits": [{ "old_string": "a", "new_string": "b" }] }),
        ),
        ("afterAgentResponse", json!({ "text": "Done." })),
        ("preCompact", json!({ "trigger": "auto", "context_usage_percent": 91 })),
        ("subagentStop", json!({ "subagent_type": "task", "status": "completed" })),
        ("stop", json!({ "status": "completed", "loop_count": 0 })),
        ("sessionEnd", json!({ "reason": "completed", "duration_ms": 5, "final_status": "completed" })),
    ];
    named(made("cursor", &base, events), "hook_event_name")
}

/// Scripts are named after the event, and the payload has another name for it.
fn cline(folder: &str) -> Vec<Made> {
    let base = json!({ "clineVersion": "3.0.65", "taskId": "made-cline", "agent_id": "a1", "parent_agent_id": null,
        "workspaceRoots": [folder], "workspaceInfo": { "rootPath": folder } });
    let edit = json!({ "command": "str_replace", "path": format!("{folder}/notes.txt"), "old_str": "a", "new_str": "b" });
    let call = json!({ "id": "t1", "name": "editor", "input": edit });
    let events = vec![
        ("TaskStart", json!({ "hookName": "agent_start", "taskMetadata": { "task": "How do we deploy?" } })),
        ("TaskResume", json!({ "hookName": "agent_resume" })),
        ("UserPromptSubmit", json!({ "hookName": "prompt_submit", "prompt": "How do we deploy?" })),
        ("PreToolUse", json!({ "hookName": "tool_call", "tool_call": call })),
        (
            "PostToolUse",
            json!({ "hookName": "tool_result",
                "tool_result": { "id": "t1", "name": "editor", "input": edit, "output": "changed", "durationMs": 2 } }),
        ),
        ("PreCompact", json!({ "hookName": "pre_compact" })),
        ("TaskCancel", json!({ "hookName": "agent_abort" })),
        ("TaskComplete", json!({ "hookName": "agent_end", "turn": { "outputText": "Done." } })),
        ("SessionShutdown", json!({ "hookName": "session_shutdown" })),
    ];
    made("cline", &base, events)
}

fn windsurf(folder: &str) -> Vec<Made> {
    let base = json!({ "trajectory_id": "made-windsurf", "execution_id": "e1", "timestamp": "2026-06-15T12:00:00Z",
        "model_name": "m" });
    let path = format!("{folder}/notes.txt");
    let about = |info: Value| json!({ "tool_info": info });
    let events = vec![
        ("pre_user_prompt", about(json!({ "user_prompt": "How do we deploy?" }))),
        ("pre_read_code", about(json!({ "file_path": path }))),
        ("pre_write_code", about(json!({ "file_path": path, "edits": [] }))),
        (
            "post_write_code",
            about(json!({ "file_path": path, "edits": [{ "old_string": "a", "new_string": "b" }] })),
        ),
        ("pre_run_command", about(json!({ "command_line": "make", "cwd": folder }))),
        ("post_run_command", about(json!({ "command_line": "make", "cwd": folder }))),
        (
            "post_mcp_tool_use",
            about(
                json!({ "mcp_server_name": "s", "mcp_tool_name": "t", "mcp_tool_arguments": {}, "mcp_result": "r" }),
            ),
        ),
        ("post_cascade_response", about(json!({ "response": "Done." }))),
        ("post_setup_worktree", about(json!({ "worktree_path": folder, "root_workspace_path": folder }))),
    ];
    named(made("windsurf", &base, events), "agent_action_name")
}

fn antigravity(folder: &str) -> Vec<Made> {
    let base = json!({ "session_id": "made-antigravity", "cwd": folder });
    let edit = json!({ "file_path": format!("{folder}/notes.txt") });
    let events = vec![
        ("SessionStart", json!({ "source": "startup" })),
        ("PreInvocation", json!({ "prompt": "How do we deploy?" })),
        ("PreToolUse", json!({ "tool_name": "write_to_file", "tool_input": edit })),
        ("PostToolUse", json!({ "tool_name": "write_to_file", "tool_input": edit, "tool_response": "ok" })),
        ("PostInvocation", json!({})),
        ("Stop", json!({ "last_assistant_message": "Done." })),
    ];
    named(made("antigravity", &base, events), "hook_event_name")
}

/// What our own plugin sends.
fn plugin(host: &'static str, folder: &str) -> Vec<Made> {
    let base = json!({ "session_id": format!("made-{host}"), "cwd": folder, "worktree": folder });
    let edit = json!({ "filePath": format!("{folder}/notes.txt"), "oldString": "a", "newString": "b" });
    let events = vec![
        ("session.start", json!({})),
        ("chat.message", json!({ "prompt": "How do we deploy?" })),
        ("tool.execute.before", json!({ "tool_name": "edit", "tool_use_id": "t1", "tool_input": edit })),
        (
            "tool.execute.after",
            json!({ "tool_name": "edit", "tool_use_id": "t1", "tool_input": edit, "tool_response": "changed" }),
        ),
        ("session.compacting", json!({})),
        ("session.idle", json!({})),
        ("session.end", json!({})),
    ];
    named(made(host, &base, events), "hook_event_name")
}
