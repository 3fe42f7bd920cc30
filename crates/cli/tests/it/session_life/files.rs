//! Which files a session touched.

use std::fs;

use hark_testkit::git::{git, repository};
use serde_json::{Value, json};

use super::{home, show, start, tell};

fn touched(view: &Value) -> Vec<(String, String)> {
    let text = |touch: &Value, name: &str| touch[name].as_str().unwrap().to_owned();
    let mut found: Vec<_> =
        view["touched"].as_array().unwrap().iter().map(|t| (text(t, "path"), text(t, "op"))).collect();
    found.sort();
    found
}

fn owned(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(path, op)| ((*path).to_owned(), (*op).to_owned())).collect()
}

#[test]
fn a_file_that_is_written_and_then_edited_counts_once() {
    let home = home();
    let work = home.work();
    let file = work.join("new.rs");
    let tool = |name: &str, id: &str, input: Value, response: Value| {
        let more =
            json!({ "tool_name": name, "tool_use_id": id, "tool_input": input, "tool_response": response });
        tell(&home, "claude-code", &work, "s", "PostToolUse", &more);
    };
    tool(
        "Write",
        "toolu_1",
        json!({ "file_path": file, "content": "a" }),
        json!({ "type": "create", "filePath": file, "content": "a" }),
    );
    for id in ["toolu_2", "toolu_3"] {
        let input = json!({ "file_path": file, "old_string": "a", "new_string": "b" });
        tool("Edit", id, input, json!({ "filePath": file, "structuredPatch": [] }));
    }
    let view = show(&home, "s");
    assert_eq!((view["files"].as_u64(), touched(&view)), (Some(1), owned(&[("new.rs", "created")])));
    assert_eq!(view["touched"][0]["edits"], 3);
    tell(&home, "claude-code", &work, "s", "SessionEnd", &json!({ "reason": "other" }));
    let text = fs::read_to_string(show(&home, "s")["path"].as_str().unwrap()).unwrap();
    assert_eq!(text.matches("new.rs").count(), 2, "in the list and in the summary, once each: {text}");
}

#[test]
fn files_staged_before_a_session_are_not_its_work() {
    let home = home();
    let repo = repository(&home, "shop");
    for name in ["moved.txt", "stashed.txt", "reset.txt"] {
        fs::write(repo.join(name), format!("{name} has some text of its own\n").repeat(5)).unwrap();
    }
    git(&home, &repo, &["add", "."]);
    git(&home, &repo, &["commit", "-qm", "files"]);
    fs::write(repo.join("staged.txt"), "new\n").unwrap();
    fs::write(repo.join("stashed.txt"), "changed\n").unwrap();
    git(&home, &repo, &["mv", "moved.txt", "renamed.txt"]);
    git(&home, &repo, &["add", "."]);
    // Once by a hook, and once by a checkpoint of a client without hooks.
    start(&home, "codex", &repo, "hooked", "startup");
    home.hark(["checkpoint", "--session", "own", "--goal", "Mend it"]).within(&repo).ok();
    git(&home, &repo, &["stash", "-q"]);
    git(&home, &repo, &["stash", "pop", "-q"]);
    git(&home, &repo, &["reset", "-q"]);
    fs::write(repo.join("work.txt"), "mine\n").unwrap();
    tell(&home, "codex", &repo, "hooked", "SessionEnd", &json!({}));
    home.hark(["checkpoint", "--session", "own", "--done", "mended"]).within(&repo).ok();
    for session in ["hooked", "own"] {
        let view = home.hark(["sessions", "show", session, "--json"]).within(&repo).ok().json();
        assert_eq!(touched(&view), owned(&[("work.txt", "created")]), "{session}");
    }
}

#[test]
fn an_untracked_file_of_before_was_modified_and_not_created() {
    let home = home();
    let repo = repository(&home, "shop");
    fs::write(repo.join("notes.txt"), "before\n").unwrap();
    start(&home, "codex", &repo, "s", "startup");
    fs::write(repo.join("notes.txt"), "after\n").unwrap();
    tell(&home, "codex", &repo, "s", "SessionEnd", &json!({}));
    let view = home.hark(["sessions", "show", "s", "--json"]).within(&repo).ok().json();
    assert_eq!(touched(&view), owned(&[("notes.txt", "modified")]));
}
