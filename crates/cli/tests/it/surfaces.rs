//! One row, every surface: a command and the tool of the same operation give the same data.

use hark_testkit::git::repository;
use hark_testkit::{Home, Mcp};
use serde_json::{Value, json};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark")).at("2026-06-15T12:00:00Z")
}

fn table(home: &Home) -> Vec<Value> {
    home.hark(["help", "--json"]).ok().json()["operations"].as_array().unwrap().clone()
}

/// What a call depends on besides the store: times, sizes of a file that changes while it is open.
const VARIES: [&str; 3] = ["micros", "index_bytes", "score"];

/// Everything in `part` is in `whole`, under the same names. A tool may leave out what a model does not need.
fn assert_within(part: &Value, whole: &Value, at: &str) {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => {
            for (key, value) in part.iter().filter(|(key, _)| !VARIES.contains(&key.as_str())) {
                // A memory's body is a hit's text.
                let there = whole.get(key).or_else(|| whole.get("body").filter(|_| key == "text"));
                assert_within(value, there.unwrap_or(&Value::Null), &format!("{at}.{key}"));
            }
        }
        (Value::Array(part), Value::Array(whole)) => {
            assert_eq!(part.len(), whole.len(), "{at}");
            for (i, (part, whole)) in part.iter().zip(whole).enumerate() {
                assert_within(part, whole, &format!("{at}[{i}]"));
            }
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            assert!((a - b).abs() < 1e-4, "{at}: {a} {b}");
        }
        _ => assert_eq!(part, whole, "{at}"),
    }
}

#[test]
fn a_command_and_its_tool_give_the_same_data() {
    let home = home();
    let folder = repository(&home, "shop");
    let hook = |name: &str, more: Value| {
        let mut event = json!({ "session_id": "s1", "cwd": folder, "hook_event_name": name });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        home.hook("claude-code", name, &event);
    };
    hook("UserPromptSubmit", json!({ "prompt": "make the walrus exporter faster" }));
    hook(
        "PostToolUse",
        json!({ "tool_name": "Bash", "tool_use_id": "t1", "tool_input": { "command": "cargo test walrus" },
            "tool_response": { "stdout": "", "stderr": "error: walrus not found in src/walrus.rs" } }),
    );
    let run = |words: &[&str]| home.hark(words.iter().copied()).within(&folder).ok().json();
    let id =
        run(&["remember", "The walrus exporter reads src/walrus.rs twice.", "--tag", "zoo", "--json"])["id"]
            .as_str()
            .unwrap()
            .to_owned();
    run(&["edit", &id, "--why", "the second pass counts", "--json"]);
    run(&["checkpoint", "--session", "s1", "--goal", "a fast walrus", "--json"]);
    let session = run(&["sessions", "--json"])["sessions"][0]["id"].as_str().unwrap().to_owned();

    // A tool writes into the folder for exports.
    let exported = home.store().join("exports/all.json");
    let exported = exported.to_str().unwrap();
    let mut cases: Vec<(&str, Vec<&str>, Value)> = vec![
        ("memory_recall", vec!["recall", "walrus exporter"], json!({ "query": "walrus exporter" })),
        ("memory_get", vec!["show", &id], json!({ "ids": [id] })),
        ("memory_list", vec!["list"], json!({})),
        ("memory_context", vec!["context", "src/walrus.rs"], json!({ "reference": "src/walrus.rs" })),
        ("memory_resume", vec!["resume"], json!({})),
        ("memory_sessions", vec!["sessions"], json!({})),
        ("memory_session", vec!["sessions", "show", &session], json!({ "id": session })),
        ("memory_grep", vec!["grep", "walrus"], json!({ "pattern": "walrus" })),
        ("memory_expand", vec!["expand", &session], json!({ "id": session })),
        ("memory_describe", vec!["describe", &session], json!({ "id": session })),
        ("memory_ledger", vec!["ledger"], json!({})),
        ("memory_check_failures", vec!["failures"], json!({})),
        ("memory_links", vec!["links", &id], json!({ "id": id })),
        ("memory_history", vec!["history", &id], json!({ "id": id })),
        ("memory_tags", vec!["tags"], json!({})),
        ("memory_stats", vec!["stats"], json!({})),
        ("memory_doctor", vec!["doctor"], json!({})),
        ("memory_export", vec!["export", exported], json!({ "path": "all.json" })),
    ];
    // A tool that is not among them is called without arguments.
    let reading = |row: &&Value| row["effect"] == "read" && row["tool"]["name"].is_string();
    let table = table(&home);
    for row in table.iter().filter(reading) {
        let tool = row["tool"]["name"].as_str().unwrap();
        if cases.iter().all(|(name, _, _)| *name != tool) {
            cases.push((tool, row["name"].as_str().unwrap().split(' ').collect(), json!({})));
        }
    }
    let mut mcp: Mcp = home.mcp_within(&folder, &[]);
    for (tool, command, arguments) in &cases {
        let told = mcp.data(tool, arguments);
        let printed = run(&[command.as_slice(), &["--json"]].concat());
        if *tool == "memory_resume" {
            assert_eq!(told["text"], printed["text"], "{tool}");
            continue;
        }
        assert_within(&told, &printed, tool);
    }
}

#[test]
fn a_tool_outside_the_list_answers_when_it_is_called_by_name() {
    let home = home();
    let id = home.remember("The heron nests on the roof.");
    let mut mcp = home.mcp();
    let listed = mcp.ask("tools/list", &json!({})).unwrap();
    assert!(!listed.to_string().contains("memory_links"), "{listed}");
    assert_eq!(mcp.data("memory_links", &json!({ "id": id }))["id"], json!(id));
}

#[test]
fn operations_that_only_the_user_may_run_are_not_run_for_an_assistant() {
    let home = home();
    for row in table(&home).iter().filter(|row| row["only_user"] == true) {
        let name = row["name"].as_str().unwrap();
        let mut words: Vec<&str> = name.split(' ').collect();
        words.extend(match name {
            "config set" => vec!["recall.limit", "3"],
            "rules export" => vec!["--to", "agents"],
            "skills export" => vec!["--to", "codex"],
            "inbox edit" => vec!["m-00000000", "--text", "x"],
            "project merge" | "project rename" => vec!["one", "two"],
            "trust" | "reset" | "pause" | "unpause" => vec![],
            _ => vec!["m-00000000"],
        });
        let said = home.hark(&words).env("CLAUDECODE", "1").fails(1).stderr();
        assert!(said.contains("for the user to run"), "{name}: {said}");
    }
}

#[test]
fn help_lists_ten_commands_first_and_all_of_them_on_request() {
    let home = home();
    let first = home.hark(["help"]).ok().stdout();
    let all = home.hark(["help", "--all"]).ok().stdout();
    let commands =
        |text: &str| text.lines().filter(|line| line.starts_with("  ") && !line.contains("HARK_")).count();
    assert_eq!(commands(&first), 10, "{first}");
    assert!(commands(&all) > 40, "{all}");
    assert!(first.contains("hark help --all"));
    for row in table(&home).iter().filter(|row| row["command"] == true) {
        let name: Vec<&str> = row["name"].as_str().unwrap().split(' ').collect();
        let help = home.hark([&name[..], &["--help"]].concat()).ok().stdout();
        assert!(help.contains("Examples:"), "{name:?}: {help}");
        let again = home.hark([&["help"], &name[..]].concat()).ok().stdout();
        assert_eq!(help, again);
    }
}
