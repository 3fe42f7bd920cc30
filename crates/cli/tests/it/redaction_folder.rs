//! A folder whose own name holds a secret: whatever an assistant does in it, through every door that
//! takes the folder along, nothing below the store spells that secret out.

use std::fs;
use std::path::{Path, PathBuf};

use hark_testkit::transcripts::Claude;
use hark_testkit::{Home, disk, git};
use serde_json::json;

/// That much of a secret is a leak.
const PIECE: usize = 14;

const NOW: &str = "2026-06-01T12:00:00Z";

/// Put together here, so that no scanner takes this file for a leak. Some forms end where their last
/// character is: another one behind it, such as the mark of a project's name, must not hide them.
fn secrets() -> Vec<String> {
    let drawn = "aZ3bY4cX5dW6eV7fU8gT9hS0jR1kQ2lP3mN4oM5p";
    vec![
        ["gh", "p_", &drawn[..36]].concat(),
        ["AI", "zaSy", &drawn[..33]].concat(),
        ["AK", "IA", "QWERTY234567UIOP"].concat(),
        ["hv", "s.", &drawn[..24]].concat(),
        ["npm", "_", &drawn[..36]].concat(),
        ["BS", "A", &drawn[..28]].concat(),
    ]
}

fn folder(home: &Home, name: &str, versioned: bool) -> PathBuf {
    if versioned {
        return git::repository(home, name);
    }
    let folder = home.root().join(name);
    fs::create_dir_all(folder.join("src")).expect("a folder");
    folder
}

/// A session with a prompt, an edit, a command that fails and a checkpoint.
fn work_in(home: &Home, folder: &Path, session: &str) {
    let cwd = folder.to_string_lossy();
    let send = |event: &str, more: serde_json::Value| {
        let mut payload = json!({
            "session_id": session, "cwd": cwd, "hook_event_name": event,
            "transcript_path": format!("{}/.claude/projects/{}/{session}.jsonl", home.user().display(),
                cwd.replace(['/', '.', '_'], "-")),
        });
        let fields = payload.as_object_mut().expect("an object");
        fields.extend(more.as_object().cloned().unwrap_or_default());
        home.hark(["hook", "claude-code", event]).within(folder).stdin(payload.to_string()).ok();
    };
    send("SessionStart", json!({ "source": "startup" }));
    send("UserPromptSubmit", json!({ "prompt": "Please make the importer restartable." }));
    let file = folder.join("src/import.rs");
    let edit = json!({ "file_path": file, "old_string": "a", "new_string": "b" });
    send("PreToolUse", json!({ "tool_name": "Edit", "tool_input": edit }));
    send(
        "PostToolUse",
        json!({ "tool_name": "Edit", "tool_input": edit, "tool_response": { "filePath": file } }),
    );
    let command = json!({ "command": format!("cd {cwd} && cargo test") });
    let failed = format!(
        "error[E0425]: cannot find value `x`\n --> {cwd}/src/import.rs:3:5\nerror: could not compile"
    );
    send(
        "PostToolUse",
        json!({ "tool_name": "Bash", "tool_input": command, "tool_response": { "stderr": failed, "exit_code": 101 } }),
    );
    send("PreCompact", json!({ "trigger": "auto" }));
    send("Stop", json!({}));
    send("SessionEnd", json!({ "reason": "exit" }));
}

#[test]
fn a_folder_named_after_a_secret_does_not_spell_it_out() {
    for (number, secret) in secrets().into_iter().enumerate() {
        for versioned in [true, false] {
            let home = Home::new(env!("CARGO_BIN_EXE_hark")).at(NOW);
            let folder = folder(&home, &secret, versioned);
            let session = format!("5b1c{number:04}-0000-4000-8000-00000000000{}", u8::from(versioned));
            work_in(&home, &folder, &session);
            home.hark(["remember", "The importer runs at night.", "--kind", "decision"]).within(&folder).ok();
            home.hark(["checkpoint", "--goal", "restartable importer", "--done", "read it"])
                .within(&folder)
                .run();
            home.hark(["recall", "importer"]).within(&folder).ok();

            let cwd = folder.to_string_lossy();
            let mut transcript = Claude::new(&format!("old-{session}"), &cwd);
            transcript.prompt("Always run the importer with --dry-run first.").says("I will.");
            let dashed = cwd.replace(['/', '.', '_'], "-");
            let path = home.user().join(format!(".claude/projects/{dashed}/old-{session}.jsonl"));
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, transcript.text()).expect("a transcript");
            home.hark(["ingest"]).within(&folder).ok();
            home.hark(["work"]).within(&folder).ok();
            home.hark(["doctor"]).within(&folder).run();
            home.hark(["reindex"]).within(&folder).ok();

            assert!(disk::holding(&home.store(), "importer").len() > 1, "nothing was stored for {secret}");
            // The end of it will do: assistants write a folder's name with dashes for underscores.
            let holding = disk::holding(&home.store(), &secret[secret.len() - PIECE..]);
            assert!(holding.is_empty(), "{secret}, versioned {versioned}: {holding:?}");
            let shown = home.hark(["stats"]).within(&folder).ok().stdout();
            assert!(!shown.contains(&secret), "{shown}");
        }
    }
}
