//! The command line as others rely on it: exit codes, error shape, plain output, and what is
//! printed where.

use std::io::Read;

use hark_testkit::{Home, note};
use serde_json::json;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark")).at("2026-06-15T12:00:00Z")
}

#[test]
fn exit_codes_say_whose_fault_it_is() {
    let home = home();
    let id = home.remember("The queue is drained by walruses.");
    home.hark(["recall", "nothing like this is known"]).ok();
    home.hark(["show", "m-zzzzzzzz"]).fails(1);
    home.hark(["show", "what is this"]).fails(1);
    home.hark(["remember", " "]).fails(1);
    home.hark(["list", "--since", "whenever"]).fails(1);
    home.hark(["resolve", "m-zzzzzzzz"]).fails(1);
    home.hark(["config", "get", "no.such"]).fails(1);
    home.hark(["recall", "x"]).env("HARK_NOW", "teatime").fails(1);
    home.hark(["frobnicate"]).fails(2);
    home.hark(["recall", "x", "--frob"]).fails(2);
    home.hark(["edit", &id, "--importance", "9"]).fails(2);
    home.hark(Vec::<&str>::new()).fails(2);
    home.hark(["recall", "x"]).env("HARK_HOME", "/dev/null/store").fails(3);
    home.hark(["--version"]).ok();
    home.hark(["--help"]).ok();
    home.hark(["help", "recall"]).ok();
}

#[test]
fn typos_in_commands_kinds_and_flags_get_a_suggestion() {
    let home = home();
    let said = |args: &[&str]| home.hark(args).fails(2).stderr();
    assert!(said(&["recal1", "x"]).contains("recall"));
    assert!(said(&["rememebr", "x"]).contains("remember"));
    assert!(said(&["remember", "x", "--kind", "decsion"]).contains("did you mean `decision`"));
    assert!(said(&["recall", "x", "--bugdet", "9"]).contains("--budget"));
    let outcome = home.hark(["config", "get", "recall.limt"]).fails(1);
    assert!(outcome.stderr().contains("recall.limit"), "{outcome}");
}

#[test]
fn errors_are_words_on_stderr_and_with_json_also_data_on_stdout() {
    let home = home();
    let outcome = home.hark(["show", "m-zzzzzzzz"]).fails(1);
    assert_eq!(outcome.stdout(), "");
    assert!(outcome.stderr().starts_with("error: ") && outcome.stderr().contains("\nhint: "), "{outcome}");
    let outcome = home.hark(["show", "m-zzzzzzzz", "--json"]).fails(1);
    let error = outcome.json()["error"].clone();
    assert!(error["message"].as_str().unwrap().contains("m-zzzzzzzz"), "{outcome}");
    assert!(error["hint"].as_str().unwrap().contains("hark list"), "{outcome}");
}

#[test]
fn usage_errors_with_json_are_json_too() {
    let home = home();
    for args in [
        &["recall", "--json"][..],
        &["remember", "x", "--kind", "decsion", "--json"],
        &["frobnicate", "--json"],
    ] {
        let outcome = home.hark(args).fails(2);
        assert!(outcome.json()["error"]["message"].is_string(), "{outcome}");
    }
}

#[test]
fn every_command_takes_json_and_prints_nothing_else_on_stdout() {
    let home = home();
    let a = home.remember("The queue is drained by walruses.");
    let b = home.remember("Penguins feed the queue.");
    let commands: Vec<Vec<&str>> = vec![
        vec!["remember", "More."],
        vec!["recall", "queue"],
        vec!["show", &a],
        vec!["list"],
        vec!["timeline"],
        vec!["edit", &a, "--tag", "x"],
        vec!["resolve", &a],
        vec!["reopen", &a],
        vec!["archive", &a],
        vec!["restore", &a],
        vec!["relate", &a, &b],
        vec!["links", &a],
        vec!["history", &a],
        vec!["context", "#1"],
        vec!["tags"],
        vec!["stats"],
        vec!["doctor"],
        vec!["reindex"],
        vec!["config"],
        vec!["config", "get", "recall.limit"],
        vec!["config", "set", "recall.limit", "9"],
        vec!["config", "path"],
        vec!["config", "defaults"],
        vec!["install", "zed"],
        vec!["uninstall"],
        vec!["init", "zed"],
        vec!["model"],
        vec!["model", "list"],
        vec!["model", "use", "static"],
        vec!["model", "verify", "static"],
        vec!["tour"],
        vec!["forget", &b],
        vec!["forget", &b, "--yes"],
    ];
    let mut failed = Vec::new();
    for args in commands {
        let outcome = home.hark(args.iter().copied().chain(["--json"])).ok();
        if serde_json::from_str::<serde_json::Value>(&outcome.stdout()).is_err() {
            failed.push(outcome.to_string());
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[test]
fn an_id_can_be_shortened_while_it_is_clear_and_is_refused_with_candidates_when_not() {
    let home = home();
    // Two ids whose short forms begin alike.
    for (number, name) in [(0x4210_0001_u32, "one"), (0x4210_0002, "two")] {
        note::drop_in(
            &home.memories(),
            &format!("fact/{name}.md"),
            note::text(number, &format!("Note {name}"), "Body."),
        );
    }
    let full = note::short(0x4210_0001);
    assert_eq!(home.show(&full)["title"], "Note one");
    assert_eq!(home.show(full.trim_start_matches("m-"))["title"], "Note one");
    assert_eq!(home.show(&full.to_uppercase())["title"], "Note one", "ids are not case sensitive");
    assert_eq!(home.show(&note::id(0x4210_0001))["title"], "Note one", "the whole id as files have it");
    let shared = &full[..full.len() - 2];
    let outcome = home.hark(["show", shared, "--json"]).fails(1);
    let message = outcome.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains(&note::id(0x4210_0001)) && message.contains(&note::id(0x4210_0002)),
        "{message}"
    );
    for args in [vec!["forget", shared, "--yes"], vec!["edit", shared, "--tag", "x"], vec!["archive", shared]]
    {
        home.hark(args).fails(1);
    }
    assert_eq!(home.doctor()["memories"], 2);
}

#[test]
fn a_closed_pipe_is_success() {
    let home = home();
    for n in 0..60 {
        note::drop_in(
            &home.memories(),
            &format!("fact/n{n}.md"),
            note::text(n, &format!("Walrus note {n}"), &"words ".repeat(900)),
        );
    }
    let mut child = home.hark(["list", "--all-projects", "--limit", "1000", "--json"]).spawn();
    let mut first = [0u8; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    // Our end is closed now, in the middle of the output.
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()),
        (Some(0), String::new())
    );
}

#[test]
fn output_is_plain_when_it_is_not_a_terminal() {
    let home = home();
    let id = home.remember("The queue is drained by walruses.");
    let all: Vec<Vec<&str>> = vec![
        vec!["recall", "walruses"],
        vec!["list"],
        vec!["show", &id],
        vec!["stats"],
        vec!["doctor"],
        vec!["history", &id],
        vec!["links", &id],
        vec!["config"],
        vec!["show", "m-zzzzzzzz"],
        vec!["recall", "x", "--frob"],
        vec!["--help"],
    ];
    for args in all {
        for variable in [None, Some(("NO_COLOR", "1"))] {
            let mut command = home.hark(&args);
            if let Some((name, value)) = variable {
                command = command.env(name, value);
            }
            let outcome = command.run();
            assert!(
                !outcome.stdout().contains('\u{1b}') && !outcome.stderr().contains('\u{1b}'),
                "{outcome}"
            );
        }
    }
    let coloured = home.hark(["recall", "walruses"]).env("CLICOLOR_FORCE", "1").ok();
    assert!(coloured.stdout().contains('\u{1b}'), "colours on request: {coloured}");
}

#[test]
fn what_is_stored_cannot_steer_a_terminal() {
    let home = home();
    let evil = "walrus \u{1b}]0;owned\u{7} \u{1b}[5;35mblink \u{9b}2J \u{8}\u{8} end";
    let id = home.remember_with(
        evil,
        &["--title", evil, "--tag", evil, "--why", evil, "--file", evil, "--entity", evil, "--project", evil],
    );
    let commands: Vec<Vec<&str>> = vec![
        vec!["recall", "walrus", "--all-projects"],
        vec!["show", &id],
        vec!["list", "--all-projects"],
        vec!["history", &id],
        vec!["links", &id],
        vec!["tags", "--all-projects"],
        vec!["stats"],
        vec!["doctor"],
        vec!["edit", &id, "--importance", "4"],
        vec!["archive", &id],
        vec!["restore", &id],
        vec!["context", evil],
        vec!["forget", &id],
        vec!["remember", evil],
        vec!["recall", "walrus", "--project", evil],
    ];
    for args in commands {
        // As on a terminal: without this, what is printed is stripped on its way out.
        let outcome = home.hark(&args).env("CLICOLOR_FORCE", "1").run();
        let shown = outcome.stdout() + &outcome.stderr();
        for raw in ["\u{1b}]0;", "\u{1b}[5;35m", "\u{9b}", "\u{8}", "\u{7}"] {
            assert!(!shown.contains(raw), "{args:?}: {shown:?}");
        }
        assert_ne!(outcome.code, Some(70), "{outcome}");
    }
}

#[test]
fn what_is_typed_comes_back_in_errors_without_its_escape_sequences() {
    let home = home();
    let evil = "walrus \u{1b}]0;owned\u{7} \u{9b}2J end";
    for args in [
        vec!["show", evil],
        vec!["config", "get", evil],
        vec!["list", "--since", evil],
        vec!["remember", "x", "--kind", evil],
    ] {
        let outcome = home.hark(&args).env("CLICOLOR_FORCE", "1").run();
        assert_ne!(outcome.code, Some(0), "{outcome}");
        for raw in ["\u{1b}]0;", "\u{9b}", "\u{7}"] {
            assert!(!outcome.stderr().contains(raw), "{args:?}: {:?}", outcome.stderr());
        }
    }
}

#[test]
fn text_comes_from_standard_input_on_request() {
    let home = home();
    let id = home.hark(["remember", "-", "--json"]).stdin("First line.\nSecond line.\n").ok().json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(home.show(&id)["body"], "First line.\nSecond line.");
    home.hark(["remember", "-"]).stdin("").fails(1);
    home.hark(["remember", "-"]).stdin([0xff, 0xfe, 0x00]).fails(1);
}

#[test]
fn words_need_no_quotes() {
    let home = home();
    let id = home.hark(["remember", "walruses", "drain", "the", "queue", "--json"]).ok().json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(home.show(&id)["body"], "walruses drain the queue");
    let found = home.hark(["recall", "who", "drains", "the", "queue", "--json"]).ok().json();
    assert_eq!(found["hits"][0]["id"], id.as_str());
}

#[test]
fn completions_and_manual_pages_are_produced() {
    let home = home();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = home.hark(["completions", shell]).ok().stdout();
        assert!(script.contains("remember") && script.len() > 1_000, "{shell}");
    }
    let folder = home.root().join("man1");
    home.hark(["man".as_ref(), folder.as_os_str()]).ok();
    let page = std::fs::read_to_string(folder.join("hark-recall.1")).unwrap();
    assert!(page.contains("budget"), "{page}");
    assert!(folder.join("hark.1").exists());
    assert!(!home.store().exists(), "neither needs a store");
}

#[test]
fn settings_are_listed_changed_and_checked() {
    let home = home();
    assert_eq!(home.hark(["config", "get", "recall.limit"]).ok().stdout(), "8\n");
    home.hark(["config", "set", "recall.limit", "2"]).ok();
    for n in 0..5 {
        home.remember(&format!("Walrus number {n} drains the queue."));
    }
    assert_eq!(home.recall_ids("walrus queue", &[]).len(), 2);
    assert_eq!(home.recall_ids("walrus queue", &["--limit", "4"]).len(), 4, "a flag wins");
    let before = std::fs::read_to_string(home.user_config()).unwrap();
    home.hark(["config", "set", "recall.limit", "many"]).fails(1);
    home.hark(["config", "set", "no.such", "1"]).fails(1);
    assert_eq!(std::fs::read_to_string(home.user_config()).unwrap(), before);
    std::fs::write(home.user_config(), "# mine\n[recall]\nlimit = 3 # few\n").unwrap();
    home.hark(["config", "set", "recall.budget", "500"]).ok();
    let text = std::fs::read_to_string(home.user_config()).unwrap();
    assert!(text.contains("# mine") && text.contains("# few") && text.contains("budget = 500"), "{text}");
    std::fs::write(home.user_config(), "[recall\n").unwrap();
    let outcome = home.hark(["recall", "x"]).fails(1);
    assert!(outcome.stderr().contains("config.toml"), "{outcome}");
}

#[test]
fn every_output_tells_the_age() {
    let mut home = home();
    let id = home.remember("The queue is drained by walruses.");
    home.set_now("2026-06-20T12:00:00Z");
    for args in
        [&["recall", "walruses"][..], &["list"], &["timeline"], &["show", &id], &["context", "walruses"]]
    {
        let outcome = home.hark(args).ok();
        assert!(outcome.stdout().contains("5d") || args[0] == "context", "{outcome}");
    }
    assert_eq!(home.recall("walruses", &[])["hits"][0]["age"], "5d");
    home.hark(["edit", &id, "--tag", "x"]).ok();
    let history = home.hark(["history", &id, "--json"]).ok().json();
    assert_eq!(history["revisions"][0]["age"], "now");
}

#[test]
fn limits_and_order_of_lists_are_kept() {
    let mut home = home();
    let mut ids = Vec::new();
    for n in 0..5 {
        home.set_now(&format!("2026-06-1{n}T12:00:00Z"));
        ids.push(home.remember(&format!("Walrus number {n}.")));
    }
    home.set_now("2026-06-20T12:00:00Z");
    home.hark(["edit", &ids[1], "--tag", "x"]).ok();
    let listed = |args: &[&str]| -> Vec<String> {
        let json = home.hark([args, &["--json"]].concat()).ok().json();
        json["memories"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap().to_owned()).collect()
    };
    let pick = |order: &[usize]| order.iter().map(|n| ids[*n].clone()).collect::<Vec<_>>();
    assert_eq!(listed(&["list"]), pick(&[1, 4, 3, 2, 0]), "most recently changed first");
    assert_eq!(listed(&["timeline"]), pick(&[0, 1, 2, 3, 4]), "in the order of their making");
    assert_eq!(listed(&["list", "--limit", "2"]), pick(&[1, 4]));
    assert_eq!(listed(&["list", "--since", "2026-06-13"]), pick(&[4, 3]));
    assert_eq!(listed(&["list", "--tag", "x"]), pick(&[1]), "untagged ones are no obstacle");
    assert_eq!(home.hark(["list", "--limit", "2", "--json"]).ok().json()["total"], json!(5));
}
