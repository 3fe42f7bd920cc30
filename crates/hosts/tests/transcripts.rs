//! What the readers of transcripts report: the same story from each assistant, and no harm from broken files.

use std::path::{Path, PathBuf};

use hark_core::redact::{RedactOptions, Redactor};
use hark_hosts::hook::What;
use hark_hosts::transcript::{Item, Shape, Skip, TRANSCRIPTS, Told, recognise};
use proptest::prelude::*;

fn fixture(name: &str) -> (PathBuf, Vec<u8>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let bytes = std::fs::read(&path).unwrap();
    (path, bytes)
}

/// Feeds a file to the reader that recognises it.
fn read(path: &Path, bytes: &[u8]) -> (&'static str, Told) {
    let transcripts = recognise(path, bytes).expect("somebody wrote it");
    let mut reader = transcripts.reader(path);
    let mut told = Told::default();
    if transcripts.shape == Shape::Document {
        reader.read(bytes, 0, &mut told);
    } else {
        let mut at = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            reader.read(line.trim_ascii(), at, &mut told);
            at += line.len() as u64;
        }
    }
    (transcripts.host, told)
}

fn words(text: &hark_core::Raw) -> String {
    Redactor::new(RedactOptions::default(), [1; 32]).clean(text.clone()).into_string()
}

/// What was reported, as lines.
fn story(told: &Told) -> Vec<String> {
    let line = |item: &Item| match item {
        Item::Session(identity) => {
            let parts = [Some(identity.session.clone()), identity.cwd.clone(), identity.branch.clone()];
            format!("session {}", parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
        }
        Item::Turn(turn) => match &turn.what {
            What::Prompt(text) => format!("prompt {}", words(text)),
            What::Task(text) => format!("task {}", words(text)),
            What::Reply(text) => format!("reply {}", words(text).lines().next().unwrap_or_default()),
            What::Compacted(text) => format!("compacted {}", words(text)),
            What::AfterTool { tool, output, ok } => {
                let target = tool.target.as_ref().map(words).unwrap_or_default();
                let output = words(output);
                format!("tool {} {target} {ok:?} {}", tool.name, output.lines().next().unwrap_or_default())
            }
            other => format!("{other:?}"),
        },
    };
    told.items.iter().map(line).collect()
}

fn check(name: &str, host: &str, expected: &[&str]) {
    let (path, bytes) = fixture(name);
    let (found, told) = read(&path, &bytes);
    assert_eq!(found, host, "{name}");
    let mut story = story(&told);
    story.dedup();
    assert_eq!(story, expected, "{name}");
}

#[test]
fn each_assistant_tells_the_same_story_in_its_own_words() {
    check(
        "gemini.jsonl",
        "gemini-cli",
        &[
            "session 7485bc2c-91da-4f26-99fb-f6a7f03272c1",
            "prompt How do we deploy?",
            "session 7485bc2c-91da-4f26-99fb-f6a7f03272c1",
            "reply Let me look.",
            "tool run_shell_command make deploy Some(true) Output: deployed",
        ],
    );
    check(
        "qwen.jsonl",
        "qwen-code",
        &[
            "session a967e1db /p master",
            "prompt How do we deploy?",
            "session a967e1db /p master",
            "reply Let me look.",
            "tool run_shell_command make deploy Some(false) Command: make deploy",
        ],
    );
    check(
        "copilot.jsonl",
        "copilot-cli",
        &[
            "session 5308da0f /p master",
            "prompt How do we deploy?",
            "reply Let me look.",
            "tool bash make deploy Some(false) no such target",
        ],
    );
    check(
        "droid.jsonl",
        "droid",
        &[
            "session 1d062700 /p",
            "prompt How do we deploy?",
            "reply Let me look.",
            "tool Execute make deploy Some(false) no such target",
        ],
    );
    check(
        "cursor.jsonl",
        "cursor",
        &[
            "session cursor",
            "prompt How do we deploy?",
            "reply Let me look.",
            "tool run_terminal_cmd make deploy None ",
        ],
    );
    check(
        "cline.messages.json",
        "cline",
        &[
            "session 1794768842809_qtj01",
            "prompt How do we deploy?",
            "reply Let me look.",
            "tool run_commands make deploy Some(false) no such target",
        ],
    );
    check(
        "continue.json",
        "continue",
        &[
            "session fa460d91-02fd-4f71-bdc1-b1b1ae243ead /p",
            "prompt How do we deploy?",
            "reply Let me look.",
            "tool Bash make deploy Some(false) no such target",
        ],
    );
}

#[test]
fn aiders_sessions_are_told_one_by_one_and_no_unfinished_reply() {
    let (path, bytes) = fixture("aider.md");
    let (host, told) = read(&path, &bytes);
    assert_eq!(host, "aider");
    let folder = path.parent().unwrap().display();
    assert_eq!(
        story(&told),
        [
            format!("session {folder} 2026-11-15 19:54:00 {folder}"),
            "prompt How do we deploy?".to_owned(),
            "reply Let me look.".to_owned(),
            "tool edit notes.txt Some(true) ".to_owned(),
            format!("session {folder} 2026-11-16 08:00:00 {folder}"),
            "prompt And the other day?".to_owned(),
        ]
    );
}

#[test]
fn opencodes_parts_are_told_when_they_are_done() {
    let transcripts = TRANSCRIPTS.iter().find(|t| t.host == "opencode").unwrap();
    let mut reader = transcripts.reader(Path::new("opencode.db"));
    let mut told = Told::default();
    let part = |message: &str, part: &str| {
        format!(
            "{{\"session\":{{\"id\":\"ses_1\",\"parent\":null,\"directory\":\"/p\"}},\"message\":{message},\"part\":{part},\
             \"part_id\":\"prt_1\",\"created\":1,\"updated\":1794767916590}}"
        )
    };
    let user = r#"{"role":"user","time":{"created":1}}"#;
    let done = r#"{"role":"assistant","time":{"created":1,"completed":2}}"#;
    for (message, piece) in [
        (user, r#"{"type":"text","text":"\"How do we deploy?\""}"#),
        (user, r#"{"type":"text","text":"said by a plugin","synthetic":true}"#),
        (done, r#"{"type":"text","text":"Let me look.","time":{"start":1,"end":2}}"#),
        (
            done,
            r#"{"type":"tool","tool":"bash","callID":"call_1","state":{"status":"running","input":{"command":"make"}}}"#,
        ),
        (
            done,
            r#"{"type":"tool","tool":"bash","callID":"call_1","state":{"status":"completed","input":{"command":"make"},"output":"no\n\nsaid by a plugin","metadata":{"output":"no\n","exit":2}}}"#,
        ),
        (done, r#"{"type":"dream"}"#),
    ] {
        reader.read(part(message, piece).as_bytes(), 0, &mut told);
    }
    let expected = [
        "session ses_1 /p",
        "prompt How do we deploy?",
        "reply Let me look.",
        "tool bash make Some(false) no",
    ];
    assert_eq!(story(&told), expected);
    assert_eq!(told.skipped.get(&Skip::Unknown), Some(&1));
}

#[test]
fn a_call_without_its_result_is_waited_for() {
    let transcripts = TRANSCRIPTS.iter().find(|t| t.host == "claude-code").unwrap();
    let mut reader = transcripts.reader(Path::new("x.jsonl"));
    let mut told = Told::default();
    let call = br#"{"type":"assistant","sessionId":"s","message":{"content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"make"}}]}}"#;
    reader.read(call, 700, &mut told);
    assert_eq!(reader.waits_since(), Some(700));
    let result = br#"{"type":"user","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}}"#;
    reader.read(result, 900, &mut told);
    assert_eq!(reader.waits_since(), None);
    // A result that never comes is not awaited forever.
    reader.read(&call.map(|b| if b == b'1' { b'2' } else { b }), 1_000, &mut told);
    reader.read(&call.map(|b| if b == b'1' { b'3' } else { b }), 9_000_000, &mut told);
    assert_eq!(reader.waits_since(), Some(9_000_000));
}

proptest! {
    #[test]
    fn broken_records_are_harmless(cut in 0usize..4_000, noise in proptest::collection::vec(any::<u8>(), 0..40), which in 0usize..8) {
        let names = ["gemini.jsonl", "qwen.jsonl", "copilot.jsonl", "droid.jsonl", "cursor.jsonl", "cline.messages.json",
            "continue.json", "aider.md"];
        let (path, mut bytes) = fixture(names[which]);
        let cut = cut.min(bytes.len());
        bytes.splice(cut..cut, noise);
        for transcripts in TRANSCRIPTS {
            let mut reader = transcripts.reader(&path);
            let mut told = Told::default();
            for line in bytes.split(|byte| *byte == b'\n') {
                reader.read(line, 0, &mut told);
            }
            reader.read(&bytes[..cut], 0, &mut told);
        }
    }
}
