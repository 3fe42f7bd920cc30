//! Entries that call `hark serve`: recognised, given the token they lack, and otherwise left alone.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::machine::{Machine, put};

const URL: &str = "http://127.0.0.1:9824/mcp";

fn shown(machine: &Machine) -> String {
    format!("Bearer {}", fs::read_to_string(machine.home.store().join("serve.token")).unwrap().trim())
}

fn health(machine: &Machine, host: &str) -> Value {
    let report = machine.hark(&["doctor", "--json"]).ok().json();
    let all = report["assistants"].as_array().unwrap();
    all.iter().find(|assistant| assistant["host"] == host).unwrap_or_else(|| panic!("{report}")).clone()
}

fn complains(health: &Value) -> bool {
    health["problems"].to_string().contains("without the right token")
}

/// Where each assistant keeps its servers, with an entry over HTTP in it.
fn entries(machine: &Machine) -> Vec<(&'static str, PathBuf, String, &'static [&'static str])> {
    let user = machine.home.user();
    let config = machine.home.root().join("xdg/config");
    let plain = |outer: &str, name: &str| {
        format!("{{\n  // mine\n  \"{outer}\": {{\n    \"hark\": {{ \"{name}\": \"{URL}\" }}\n  }}\n}}\n")
    };
    vec![
        ("claude-code", user.join(".claude.json"), plain("mcpServers", "url"), &["mcpServers", "hark"]),
        ("cursor", user.join(".cursor/mcp.json"), plain("mcpServers", "url"), &["mcpServers", "hark"]),
        (
            "gemini-cli",
            user.join(".gemini/settings.json"),
            plain("mcpServers", "httpUrl"),
            &["mcpServers", "hark"],
        ),
        (
            "windsurf",
            user.join(".codeium/windsurf/mcp_config.json"),
            plain("mcpServers", "serverUrl"),
            &["mcpServers", "hark"],
        ),
        ("opencode", config.join("opencode/opencode.jsonc"), plain("mcp", "url"), &["mcp", "hark"]),
        (
            "zed",
            config.join("zed/settings.json"),
            plain("context_servers", "url"),
            &["context_servers", "hark"],
        ),
    ]
}

/// JSON without the one comment that is in it.
fn parsed(text: &str) -> Value {
    serde_json::from_str(&text.replace("// mine", "")).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn doctor_finds_an_entry_without_a_token_and_install_repairs_it() {
    let machine = Machine::new();
    let entries = entries(&machine);
    for (_, path, text, _) in &entries {
        put(path, text);
    }
    let before = machine.tree();
    for (host, path, _, at) in &entries {
        let health = health(&machine, host);
        assert!(complains(&health), "{host}: {health}");
        assert_eq!(health["mend"], format!("hark install {host}"), "{host}");
        machine.hark(&["install", "--hooks", "none", host]).ok();
        let text = machine.read(path);
        assert!(text.contains("// mine") && text.contains(URL), "{host}: {text}");
        let entry = at.iter().fold(parsed(&text), |here, name| here[*name].clone());
        assert_eq!(entry["headers"], json!({ "Authorization": shown(&machine) }), "{host}: {text}");
        assert!(entry.get("command").is_none(), "{host}: {text}");
        let after = self::health(&machine, host);
        assert_eq!((&after["wired"], &after["problems"]), (&json!("yes"), &json!([])), "{host}");
        machine.hark(&["install", "--hooks", "none", host]).ok();
        assert_eq!(machine.read(path), text, "{host}: a second install changes nothing");
    }
    machine.hark(&["uninstall"]).ok();
    assert_eq!(machine.tree(), before);
}

#[test]
fn codex_keeps_its_headers_elsewhere() {
    let machine = Machine::new();
    let path = machine.home.user().join(".codex/config.toml");
    for entry in [
        format!("model = \"x\"\n\n[mcp_servers.hark]\nurl = \"{URL}\" # mine\n"),
        format!("model = \"x\"\n\n[mcp_servers]\nhark = {{ url = \"{URL}\" }} # mine\n"),
    ] {
        put(&path, &entry);
        assert!(complains(&health(&machine, "codex")));
        machine.hark(&["install", "codex", "--hooks", "none"]).ok();
        let text = machine.read(&path);
        assert!(text.contains("http_headers") && text.contains(&shown(&machine)), "{text}");
        assert!(text.contains("# mine") && !text.contains("command"), "{text}");
        assert_eq!(health(&machine, "codex")["wired"], "yes", "{text}");
        machine.hark(&["uninstall", "codex"]).ok();
        assert_eq!(machine.read(&path), entry);
    }
}

#[test]
fn a_new_token_is_put_where_the_old_one_was() {
    let machine = Machine::new();
    let path = machine.home.user().join(".claude.json");
    put(&path, json!({ "mcpServers": { "hark": { "type": "http", "url": URL } } }).to_string());
    machine.hark(&["install", "claude-code"]).ok();
    let old = shown(&machine);
    fs::remove_file(machine.home.store().join("serve.token")).unwrap();
    machine.hark(&["install", "generic"]).ok();
    assert_ne!(shown(&machine), old);
    assert_eq!(health(&machine, "claude-code")["wired"], "stale");
    machine.hark(&["install", "claude-code"]).ok();
    let entry = &parsed(&machine.read(&path))["mcpServers"]["hark"];
    assert_eq!(entry["headers"]["Authorization"], shown(&machine));
    assert_eq!(health(&machine, "claude-code")["wired"], "yes");
}

#[test]
fn a_token_of_the_users_own_and_a_server_elsewhere_stay() {
    let machine = Machine::new();
    let path = machine.home.user().join(".cursor/mcp.json");
    for entry in [
        json!({ "url": URL, "headers": { "authorization": "Bearer my-own-token-0123" } }),
        json!({ "url": "https://memory.example/mcp" }),
    ] {
        let text = json!({ "mcpServers": { "hark": entry } }).to_string();
        put(&path, &text);
        assert!(!complains(&health(&machine, "cursor")), "{text}");
        machine.hark(&["install", "cursor", "--hooks", "none"]).ok();
        assert_eq!(machine.read(&path), text);
        machine.hark(&["uninstall", "cursor"]).ok();
        assert_eq!(machine.read(&path), text);
    }
}

#[test]
fn no_token_goes_into_a_file_of_the_project() {
    let machine = Machine::new();
    let path = machine.home.work().join(".mcp.json");
    let text = json!({ "mcpServers": { "hark": { "type": "http", "url": URL } } }).to_string();
    put(&path, &text);
    let said = machine.hark(&["install", "claude-code", "--scope", "project"]).ok().stdout();
    assert!(said.contains("may be shared") && said.contains("your own settings"), "{said}");
    assert_eq!(machine.read(&path), text);
    let report = machine.hark(&["doctor", "--json"]).ok().json();
    let all = report["assistants"].as_array().unwrap();
    let project = all.iter().find(|a| a["host"] == "claude-code" && a["scope"] == "project").unwrap();
    assert!(complains(project), "{project}");
}

#[test]
fn continue_is_told_by_hand() {
    let machine = Machine::new();
    let path = machine.home.user().join(".continue/config.yaml");
    let text =
        format!("name: mine\nmcpServers:\n  - name: hark\n    type: streamable-http\n    url: {URL}\n");
    put(&path, &text);
    assert!(complains(&health(&machine, "continue")));
    let said = machine.hark(&["install", "continue"]).ok().stdout();
    assert!(said.contains("requestOptions") && said.contains("hark install generic"), "{said}");
    assert_eq!(machine.read(&path), text);
}

#[test]
fn a_dry_run_does_not_show_the_token() {
    let machine = Machine::new();
    put(
        &machine.home.user().join(".claude.json"),
        json!({ "mcpServers": { "hark": { "url": URL } } }).to_string(),
    );
    machine.hark(&["install", "generic"]).ok();
    let said = machine.hark(&["install", "claude-code", "--dry-run"]).ok().stdout();
    assert!(said.contains("Bearer TOKEN") && !said.contains(&shown(&machine)), "{said}");
}

#[test]
fn with_http_an_entry_calls_the_server_and_goes_again() {
    let machine = Machine::new();
    let user = machine.home.user();
    let before_cursor = "{\n  // mine\n  \"mcpServers\": {}\n}\n";
    let before_codex = "model = \"x\" # mine\n";
    let (cursor, codex) = (user.join(".cursor/mcp.json"), user.join(".codex/config.toml"));
    let (gemini, continued) = (user.join(".gemini/settings.json"), user.join(".continue/config.yaml"));
    put(&cursor, before_cursor);
    put(&codex, before_codex);
    put(&gemini, "{}\n");
    put(&continued, "name: Local Config\nversion: 1.0.0\nschema: v1\n");
    let before = machine.tree();
    let hosts = ["cursor", "codex", "gemini-cli", "continue"];
    let install = |more: &[&str]| {
        machine.hark(&[&["install", "--hooks", "none"], more, &hosts[..]].concat()).ok();
    };
    install(&["--http"]);
    let header = shown(&machine);
    let entry = parsed(&machine.read(&cursor))["mcpServers"]["hark"].clone();
    assert_eq!(entry, json!({ "url": URL, "headers": { "Authorization": header } }));
    let entry = parsed(&machine.read(&gemini))["mcpServers"]["hark"].clone();
    assert_eq!(entry, json!({ "httpUrl": URL, "headers": { "Authorization": header } }));
    for path in [&codex, &continued] {
        let text = machine.read(path);
        assert!(text.contains(URL) && text.contains(&header) && !text.contains("command"), "{text}");
    }
    assert!(machine.read(&codex).contains("http_headers"));
    for host in hosts {
        let health = health(&machine, host);
        assert_eq!((&health["wired"], &health["problems"]), (&json!("yes"), &json!([])), "{health}");
    }

    let after = machine.tree();
    install(&["--http"]);
    assert_eq!(machine.tree(), after, "a second install changes nothing");
    // Back to a server of its own, and over HTTP once more.
    install(&[]);
    let entry = parsed(&machine.read(&cursor))["mcpServers"]["hark"].clone();
    assert!(entry.get("command").is_some() && entry.get("url").is_none(), "{entry}");
    install(&["--http"]);
    assert_eq!(machine.tree(), after);
    // A new token is put in.
    fs::write(machine.home.store().join("serve.token"), "hark_another-token-0123\n").unwrap();
    install(&["--http"]);
    assert!(machine.read(&cursor).contains("Bearer hark_another-token-0123"));
    machine.hark(&["uninstall"]).ok();
    assert_eq!(machine.tree(), before);
}

#[test]
fn with_http_an_entry_of_the_users_own_gets_the_header() {
    let machine = Machine::new();
    let entries = entries(&machine);
    for (_, path, text, _) in &entries {
        put(path, text);
    }
    let before = machine.tree();
    for (host, path, _, at) in &entries {
        machine.hark(&["install", "--http", "--hooks", "none", host]).ok();
        let text = machine.read(path);
        let entry = at.iter().fold(parsed(&text), |here, name| here[*name].clone());
        assert_eq!(entry["headers"], json!({ "Authorization": shown(&machine) }), "{host}: {text}");
        assert!(text.contains("// mine"), "{host}: {text}");
    }
    machine.hark(&["uninstall"]).ok();
    assert_eq!(machine.tree(), before);
}

#[test]
fn http_is_refused_where_the_token_would_leak_or_nothing_would_call() {
    let machine = Machine::new();
    for (arguments, said) in [
        (&["install", "cursor", "--http", "--scope", "project"][..], "may be shared"),
        (&["install", "claude-code", "--http", "--plugin"], "plugin"),
        (&["install", "cursor", "--http", "--tools", "all"], "hark serve --tools"),
        (&["install", "claude-desktop", "--http"], "cannot send a token"),
    ] {
        let refused = machine.hark(arguments).fails(1);
        assert!(refused.stderr().contains(said), "{arguments:?}: {}", refused.stderr());
    }
}
