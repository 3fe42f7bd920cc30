//! Measures hooks in a store after a year of use: 10,000 memories and 100,000 events, some of them
//! failures. Each hook is a whole process, as a client starts it.

use std::fs;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::corpus::Corpus;
use super::measure::{quantiles, times};
use super::path_after;
use crate::client::Hark;
use crate::failure::{Failure, Outcome};
use crate::workspace::{self, Scratch};
use crate::{machine, process};

const MEMORIES: usize = 10_000;
const EVENTS: usize = 100_000;
/// As many as may wait at once.
const BATCH: usize = 20_000;
const SESSION_EVENTS: usize = 400;

pub(crate) fn run(words: &[&str]) -> Outcome {
    let (mut events, mut memories, mut rounds, mut binary) = (EVENTS, MEMORIES, 200, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--binary" => binary = Some(path_after(word, words.next())?),
            "--quick" => (events, memories, rounds) = (EVENTS / 20, MEMORIES / 10, 40),
            other => return Err(Failure::new(format!("unknown option `{other}` of bench hooks"))),
        }
    }
    let binary = match binary {
        Some(path) => fs::canonicalize(&path).map_err(|e| Failure::io(&path, &e))?,
        None => workspace::release_binary()?,
    };
    let corpus = Corpus::new(&workspace::root())?;
    let scratch = Scratch::new("bench-hooks")?;
    let hark = Hark::new(&binary, &scratch.path().join("store"));
    let project = scratch.path().join("shop");
    fs::create_dir_all(project.join("src")).map_err(|e| Failure::io(&project, &e))?;
    corpus.write(hark.home(), memories)?;
    super::measure::build_index(&hark, memories)?;
    fill(&hark, &project, events)?;
    println!("{memories} memories, {events} events; load {}", machine::describe()["load"]);

    let hook =
        |event: &Value| process::output(&mut hark.command(&["hook", "codex", &event.to_string()])).map(drop);
    let prompt = |i: usize| corpus.prompt(i % 8);
    type Make<'a> = Box<dyn Fn(usize) -> Value + 'a>;
    let folder = project.display().to_string();
    let of = |name: &str, i: usize| json!({ "session_id": format!("bench-{}", i % 7), "cwd": folder, "hook_event_name": name });
    let with = |mut base: Value, more: Value| {
        if let (Some(base), Some(more)) = (base.as_object_mut(), more.as_object()) {
            base.extend(more.clone());
        }
        base
    };
    let patch = |i: usize| {
        format!("*** Begin Patch\n*** Update File: src/mod{}.py\n@@\n-a\n+b\n*** End Patch\n", i % 50)
    };
    let cases: Vec<(&str, Make<'_>)> = vec![
        (
            "before an edit, nothing known",
            Box::new(|i| {
                with(
                    of("PreToolUse", i),
                    json!({ "tool_name": "apply_patch", "tool_use_id": format!("a{i}"),
            "tool_input": { "command": format!("*** Begin Patch\n*** Update File: src/new{i}.py\n@@\n-a\n+b\n*** End Patch\n") } }),
                )
            }),
        ),
        (
            "before an edit of a file that failed",
            Box::new(|i| {
                with(
                    of("PreToolUse", i),
                    json!({ "tool_name": "apply_patch", "tool_use_id": format!("b{i}"),
            "tool_input": { "command": patch(i) } }),
                )
            }),
        ),
        (
            "before a command",
            Box::new(|i| {
                with(
                    of("PreToolUse", i),
                    json!({ "tool_name": "Bash", "tool_use_id": format!("c{i}"),
            "tool_input": { "command": format!("pytest tests/test_mod{}.py", i % 50) } }),
                )
            }),
        ),
        (
            "after an edit",
            Box::new(|i| {
                with(
                    of("PostToolUse", i),
                    json!({ "tool_name": "apply_patch", "tool_use_id": format!("d{i}"),
            "tool_input": { "command": patch(i) }, "tool_response": "Success." }),
                )
            }),
        ),
        (
            "after a command that failed",
            Box::new(|i| {
                with(
                    of("PostToolUse", i),
                    json!({ "tool_name": "Bash", "tool_use_id": format!("e{i}"),
            "tool_input": { "command": format!("pytest tests/test_mod{}.py", i % 50) }, "tool_response": output(i % 50, false) }),
                )
            }),
        ),
        (
            "with a prompt of forty words",
            Box::new(|i| {
                with(of("UserPromptSubmit", i), json!({ "turn_id": format!("f{i}"), "prompt": prompt(i) }))
            }),
        ),
        (
            "at the end of a turn",
            Box::new(|i| {
                with(of("Stop", i), json!({ "turn_id": format!("g{i}"), "last_assistant_message": "Done." }))
            }),
        ),
    ];
    println!("| hook, whole process | p50, ms | p99, ms | instructions, M |\n|---|---|---|---|");
    for (name, event) in &cases {
        let taken = quantiles(times(rounds, |i| hook(&event(i)))?);
        let millis = |share: &str| taken[share].as_f64().unwrap_or_default() / 1_000.0;
        let counted = instructions(&hark, &event(rounds + 1))?;
        let counted = counted.map_or("–".to_owned(), |n| format!("{:.1}", n as f64 / 1e6));
        println!("| {name} | {:.2} | {:.2} | {counted} |", millis("p50"), millis("p99"));
    }
    Ok(())
}

/// Events as hooks leave them when they cannot store them; the product takes them in.
fn fill(hark: &Hark, project: &Path, events: usize) -> Outcome {
    let spool = hark.home().join("spool");
    fs::create_dir_all(&spool).map_err(|e| Failure::io(&spool, &e))?;
    let started = Instant::now();
    for from in (0..events).step_by(BATCH) {
        for i in from..(from + BATCH).min(events) {
            let at = 1_760_000_000_000 + i as i64 * 9_000;
            let path = spool.join(format!("{at:015}-{i}.json"));
            fs::write(&path, event(project, i, at).to_string()).map_err(|e| Failure::io(&path, &e))?;
        }
        // An ordinary opening takes in what waits for some seconds; the worker takes the rest.
        while fs::read_dir(&spool).is_ok_and(|mut d| d.next().is_some()) {
            process::output(&mut hark.command(&["work", "--max", "10m"]))?;
        }
    }
    println!("{events} events filed in {:.1} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// One of a session's events: edits, and runs of which one in eight fails and is fixed later.
fn event(project: &Path, i: usize, at: i64) -> Value {
    let module = (i / 4) % 50;
    let (tool, target, ok, body, touches) = match i % 4 {
        0 | 2 => {
            let body = json!({ "file_path": format!("src/mod{module}.py"), "old_string": "a", "new_string": format!("b{i}") });
            (
                "Edit",
                format!("src/mod{module}.py"),
                true,
                body.to_string(),
                json!([{ "path": format!("src/mod{module}.py"), "op": "modified" }]),
            )
        }
        part => {
            let fails = part == 1 && (i / 4).is_multiple_of(8);
            ("Bash", format!("pytest tests/test_mod{module}.py"), !fails, output(module, !fails), json!([]))
        }
    };
    let mut event =
        json!({ "at": at, "kind": "tool", "tool": tool, "target": target, "ok": ok, "body": body });
    event["touches"] = touches;
    json!({ "host": "codex", "via": "codex PostToolUse", "host_session": format!("old-{}", i / SESSION_EVENTS),
        "once": format!("call-{i}"), "folder": project, "ours": false, "event": event })
}

fn output(module: usize, ok: bool) -> String {
    if ok {
        return "12 passed in 0.31s".to_owned();
    }
    format!(
        "____ test_case ____\n\ntests/test_mod{module}.py:5: \nE       KeyError: 'id{module}'\n\nsrc/mod{module}.py:2: KeyError\n\
         FAILED tests/test_mod{module}.py::test_case - KeyError: 'id{module}'\n1 failed, 11 passed in 0.03s"
    )
}

fn instructions(hark: &Hark, event: &Value) -> Outcome<Option<u64>> {
    if !process::is_there("valgrind", &["--version"]) {
        return Ok(None);
    }
    let wrapper = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"];
    let output = process::output(&mut hark.command_under(&wrapper, &["hook", "codex", &event.to_string()]))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(text.lines().find_map(|line| line.split_once("Collected :")).and_then(|(_, n)| n.trim().parse().ok()))
}
