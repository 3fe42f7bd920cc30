//! What tools do with several ids, with words of other servers and with unknown arguments; and which project and
//! session a call over MCP belongs to.

use std::path::{Path, PathBuf};
use std::process::Command;

use hark_testkit::git::{git, repository};
use hark_testkit::{Home, Mcp, Serve};
use serde_json::{Value, json};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("text")
}

fn show(home: &Home, id: &str) -> Value {
    home.hark(["sessions", "show", id, "--json"]).ok().json()
}

fn event(folder: &Path, session: &str, name: &str) -> Value {
    json!({ "session_id": session, "cwd": folder, "hook_event_name": name, "source": "startup" })
}

fn mcp_as(home: &Home, name: &str, folder: &Path, variables: &[(&str, &str)]) -> Mcp {
    let mut command = home.program(home.binary());
    command.arg("mcp").current_dir(folder).envs(variables.iter().copied());
    Mcp::start_as(command, name, &[])
}

// --- projects

#[test]
fn a_client_without_a_project_is_told_that_its_memory_applies_everywhere() {
    let home = home();
    let start = || mcp_as(&home, "claude-ai", &home.user(), &[]);
    let said = start().call("memory_remember", &json!({ "text": "Walruses drain the queue." }));
    assert!(text(&said).contains("every project") && text(&said).contains("project NAME"), "{said}");
    assert_eq!(said["structuredContent"]["project_unknown"], true);
    let id = said["structuredContent"]["id"].as_str().unwrap();
    start().data("memory_update", &json!({ "ids": [id], "action": "edit", "project": "shop" }));
    assert_eq!(home.show(id)["project"], "shop");
    // Somebody who says so needs no remark.
    for scope in
        [json!({ "text": "Otters sleep.", "global": true }), json!({ "text": "Bats fly.", "project": "x" })]
    {
        let said = start().call("memory_remember", &scope);
        assert!(!text(&said).contains("unknown"), "{said}");
    }
    let said = home.hark(["remember", "Seals bark."]).within(home.user()).ok();
    assert!(!said.stderr().contains("belongs to none"), "{said}");
}

#[test]
fn the_session_tells_the_project_where_the_folder_does_not() {
    let home = home();
    let repo = repository(&home, "shop");
    git(&home, &repo, &["remote", "add", "origin", "https://git.example.org/acme/shop.git"]);
    home.hook("claude-code", "SessionStart", &event(&repo, "c1", "SessionStart"));
    let mut mcp = mcp_as(&home, "claude-code", &home.user(), &[("CLAUDE_CODE_SESSION_ID", "c1")]);
    let said = mcp.data("memory_remember", &json!({ "text": "Walruses drain the queue." }));
    assert_eq!(said["project"], "git.example.org/acme/shop");
    let found = mcp.data("memory_recall", &json!({ "query": "walruses queue" }));
    assert!(found.to_string().contains("Walruses"), "{found}");
}

#[test]
fn a_shared_server_takes_the_project_from_header_session_or_argument() {
    let home = home();
    let repo = repository(&home, "shop");
    git(&home, &repo, &["remote", "add", "origin", "https://git.example.org/acme/shop.git"]);
    home.hook("codex", "SessionStart", &event(&repo, "x1", "SessionStart"));
    let mut command = home.program(home.binary());
    command.args(["serve", "--port", "0"]);
    let server = Serve::start(command);
    let token = std::fs::read_to_string(home.store().join("serve.token")).unwrap();
    let bearer = format!("Bearer {}", token.trim());
    let call = |headers: &[(&str, &str)], params: Value| -> Value {
        let mut all = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Authorization", bearer.as_str()),
        ];
        all.extend(headers);
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let answer = server.request("POST", "/mcp", &all, &message.to_string());
        assert_eq!(answer.status, 200, "{}", answer.body);
        let start = answer.body.find('{').unwrap();
        let end = answer.body.rfind('}').unwrap();
        serde_json::from_str::<Value>(&answer.body[start..=end]).unwrap()["result"].clone()
    };
    let remember = |text: &str| json!({ "name": "memory_remember", "arguments": { "text": text } });
    let project = |said: &Value| said["structuredContent"]["project"].clone();

    let said = call(&[("X-Hark-Project-Dir", repo.to_str().unwrap())], remember("Walruses drain the queue."));
    assert_eq!(project(&said), "git.example.org/acme/shop");
    let mut with_session = remember("Otters fill the queue.");
    with_session["_meta"] = json!({ "sessionId": "x1" });
    assert_eq!(project(&call(&[], with_session)), "git.example.org/acme/shop");
    let said = call(&[], remember("Seals watch the queue."));
    assert!(project(&said).is_null() && text(&said).contains("every project"), "{said}");

    // Checkpoints of a client that says nothing go on in one session, and never in that of somebody else.
    let checkpoint = |fields: Value| json!({ "name": "memory_checkpoint", "arguments": fields });
    let said = call(&[], checkpoint(json!({ "goal": "Mine" })));
    assert!(text(&said).contains("belongs to no project"), "{said}");
    let again = call(&[], checkpoint(json!({ "goal": "Mine", "done": ["a"], "project": "shop" })));
    assert_eq!(said["structuredContent"]["session"], again["structuredContent"]["session"]);
    assert_eq!(project(&again), "git.example.org/acme/shop");
    assert_eq!(show(&home, "x1")["goal"], Value::Null);
    // What it says of its project in a checkpoint counts from then on.
    let said = call(&[], remember("Bats leave the queue."));
    assert_eq!(project(&said), "git.example.org/acme/shop");
}

#[test]
fn a_checkpoint_takes_a_project_and_lists_what_it_takes() {
    let home = home();
    let repo = repository(&home, "shop");
    git(&home, &repo, &["remote", "add", "origin", "https://git.example.org/acme/shop.git"]);
    let mut mcp = home.mcp_within(&home.user(), &[]);
    let fields = json!({ "goal": "Move billing", "project": repo, "status": "open", "summary": ["half done"],
        "title": "billing", "plans": ["PLAN.md=the plan"], "references": ["https://a.dev/=The docs"] });
    let said = mcp.data("memory_checkpoint", &fields);
    assert_eq!(said["project"], "git.example.org/acme/shop");
    let again = mcp.data("memory_checkpoint", &json!({ "done": ["x"], "project": repo }));
    assert_eq!(again["session"], said["session"]);
    let other = mcp.data("memory_checkpoint", &json!({ "goal": "Another", "project": "elsewhere" }));
    assert_ne!(other["session"], said["session"]);
    let once_more = mcp.data("memory_checkpoint", &json!({ "done": ["y"], "project": "elsewhere" }));
    assert_eq!(once_more["session"], other["session"]);
    let view = show(&home, said["session"].as_str().unwrap());
    assert_eq!((&view["goal"], &view["work"]), (&json!("Move billing"), &json!(["half done"])));
    assert_eq!(view["plans"], json!(["PLAN.md (the plan)"]));

    let tools = mcp.ask("tools/list", &json!({})).unwrap();
    let listed = tools["result"]["tools"].as_array().unwrap();
    let checkpoint = listed.iter().find(|tool| tool["name"] == "memory_checkpoint").unwrap();
    for name in ["project", "status", "summary", "title", "plans", "references", "goal", "session"] {
        assert!(checkpoint["inputSchema"]["properties"].get(name).is_some(), "{name}: {checkpoint}");
    }
}

// --- sessions

/// A program that stands for an assistant: a shell under another name, which runs hooks and then a server.
#[cfg(target_os = "linux")]
struct Assistant {
    program: PathBuf,
}

#[cfg(target_os = "linux")]
impl Assistant {
    fn new(home: &Home) -> Assistant {
        let program = home.root().join("assistant");
        std::fs::copy("/bin/sh", &program).expect("a copy of the shell");
        Assistant { program }
    }

    /// Starts it in a folder. `events` are sessions and names of events that its hooks report first.
    fn start(
        &self,
        home: &Home,
        name: &str,
        folder: &Path,
        events: &[(&str, &str)],
        env: &[(&str, &str)],
    ) -> Mcp {
        let mut script = String::new();
        for (at, (session, kind)) in events.iter().enumerate() {
            let file = home.root().join(format!("event-{session}-{at}.json"));
            std::fs::write(&file, event(folder, session, kind).to_string()).unwrap();
            script += &format!("\"$HARK\" hook {name} {kind} < '{}' > /dev/null\n", file.display());
        }
        script += "\"$HARK\" mcp\ntrue\n";
        let mut command: Command = home.program(&self.program);
        command.args(["-c", &script]).current_dir(folder).env("HARK", home.binary());
        command.envs(env.iter().copied());
        Mcp::start_as(command, name, &[])
    }
}

fn goal(mcp: &mut Mcp, words: &str) -> String {
    let said = mcp.data("memory_checkpoint", &json!({ "goal": words }));
    said["session"].as_str().unwrap().to_owned()
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_writes_into_the_session_of_the_client_that_started_it() {
    let home = home();
    let repo = repository(&home, "shop");
    let assistant = Assistant::new(&home);
    let start = [("a", "SessionStart")];
    let mut first = assistant.start(&home, "gemini-cli", &repo, &start, &[]);
    let mut second = assistant.start(&home, "gemini-cli", &repo, &[("b", "SessionStart")], &[]);
    // The second one is the newest, and the first one writes last.
    goal(&mut second, "second");
    goal(&mut first, "first");
    assert_eq!((&show(&home, "a")["goal"], &show(&home, "b")["goal"]), (&json!("first"), &json!("second")));
    let said = first.data("memory_remember", &json!({ "text": "Walruses drain the queue." }));
    assert_eq!(
        home.show(said["id"].as_str().unwrap())["session"],
        "a",
        "and memories know where they are from"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn worktrees_of_one_project_keep_their_sessions_apart() {
    let home = home();
    let repo = repository(&home, "shop");
    let tree = home.root().join("tree");
    git(&home, &repo, &["worktree", "add", "-q", tree.to_str().unwrap()]);
    let assistant = Assistant::new(&home);
    let mut main = assistant.start(&home, "gemini-cli", &repo, &[("main", "SessionStart")], &[]);
    let mut side = assistant.start(&home, "gemini-cli", &tree, &[("side", "SessionStart")], &[]);
    goal(&mut side, "side");
    goal(&mut main, "main");
    assert_eq!(
        (&show(&home, "main")["goal"], &show(&home, "side")["goal"]),
        (&json!("main"), &json!("side"))
    );
    // At a terminal the folder decides.
    home.hark(["checkpoint", "--goal", "by hand"]).within(&repo).ok();
    assert_eq!(
        (&show(&home, "main")["goal"], &show(&home, "side")["goal"]),
        (&json!("by hand"), &json!("side"))
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_follows_its_client_into_the_next_session() {
    let home = home();
    let repo = repository(&home, "shop");
    let events = [
        ("old", "SessionStart"),
        ("old", "UserPromptSubmit"),
        ("old", "SessionEnd"),
        ("new", "SessionStart"),
    ];
    // After `/clear` the variable still has the id of the time when the server was started.
    let env = [("CLAUDE_CODE_SESSION_ID", "old")];
    let mut mcp = Assistant::new(&home).start(&home, "claude-code", &repo, &events, &env);
    goal(&mut mcp, "after the clear");
    assert_eq!(show(&home, "new")["goal"], "after the clear");
}

#[test]
fn a_client_without_a_known_session_gets_one_of_its_own() {
    let home = home();
    let repo = repository(&home, "shop");
    home.hook("claude-code", "SessionStart", &event(&repo, "c1", "SessionStart"));
    home.hark(["checkpoint", "--session", "c1", "--goal", "Move billing"]).within(&repo).ok();
    for name in ["codex-mcp-client", "cursor-vscode", "tester"] {
        let mut mcp = mcp_as(&home, name, &repo, &[]);
        let own = goal(&mut mcp, "Something else");
        assert_eq!(show(&home, "c1")["goal"], "Move billing", "{name}");
        assert_eq!(goal(&mut mcp, "Something else still"), own, "{name} goes on in its own session");
        assert_ne!(goal(&mut mcp_as(&home, name, &repo, &[]), "A second client"), own, "{name}");
    }
    // A client that runs within another one inherits its variables.
    let mut nested = mcp_as(&home, "gemini-cli-mcp-client", &repo, &[("CLAUDE_CODE_SESSION_ID", "c1")]);
    goal(&mut nested, "Nested");
    assert_eq!(show(&home, "c1")["goal"], "Move billing");
    let mut own = mcp_as(&home, "claude-code", &repo, &[("CLAUDE_CODE_SESSION_ID", "c1")]);
    goal(&mut own, "Billing, second part");
    assert_eq!(show(&home, "c1")["goal"], "Billing, second part");
}

// --- several ids

#[test]
fn an_edit_changes_every_memory_that_it_names() {
    let home = home();
    let mut mcp = home.mcp();
    let ids = [mcp.remember("Walruses drain the queue."), mcp.remember("The parser is recursive.")];
    let edit = json!({ "ids": ids, "action": "edit", "tags": ["zoo"], "importance": "critical", "learned": "ask first" });
    let said = mcp.call("memory_update", &edit);
    for id in &ids {
        let memory = home.show(id);
        assert_eq!((&memory["tags"], &memory["importance"]), (&json!(["zoo"]), &json!(5)), "{memory}");
        assert_eq!(memory["learned"], "ask first");
        assert!(text(&said).contains(id), "{said}");
    }
    let bad = json!({ "ids": [ids[0], "m-zzzzzzzz"], "action": "edit", "tags": ["more"] });
    assert!(mcp.refused("memory_update", &bad).contains("m-zzzzzzzz"));
    assert_eq!(home.show(&ids[0])["tags"], json!(["zoo"]), "all or nothing");

    let newer = mcp.remember("Otters drain the queue since May, not walruses.");
    let said = mcp.call("memory_update", &json!({ "ids": ids, "action": "supersede", "to": newer }));
    assert_ne!(said["isError"], true, "{said}");
    for id in &ids {
        assert_eq!(home.show(id)["status"], "superseded");
    }
}

#[test]
fn no_ids_change_nothing_and_say_so() {
    let home = home();
    let mut mcp = home.mcp();
    mcp.remember("Walruses drain the queue.");
    for action in [
        "edit",
        "resolve",
        "reopen",
        "archive",
        "restore",
        "supersede",
        "relate",
        "forget",
        "helpful",
        "wrong",
        "stale",
    ] {
        let said = mcp.refused("memory_update", &json!({ "ids": [], "action": action, "to": "m-aaaaaaaa" }));
        assert!(said.contains("`ids` is empty"), "{action}: {said}");
    }
    assert!(mcp.refused("memory_get", &json!({ "ids": [] })).contains("`ids` is empty"));
}

#[test]
fn one_wrong_id_does_not_hide_the_other_memories() {
    let home = home();
    let mut mcp = home.mcp();
    let ids = [mcp.remember("Walruses drain the queue."), mcp.remember("The parser is recursive.")];
    let wanted = json!({ "ids": [ids[0], "m-zzzzzzzz", ids[1], "not an id"] });
    let said = mcp.call("memory_get", &wanted);
    assert_ne!(said["isError"], true, "{said}");
    for words in ["Walruses", "recursive", "m-zzzzzzzz", "not an id"] {
        assert!(text(&said).contains(words), "{words}: {said}");
    }
    let data = &said["structuredContent"];
    assert_eq!(
        (data["memories"].as_array().unwrap().len(), data["missing"].as_array().unwrap().len()),
        (2, 2)
    );
    assert!(mcp.refused("memory_get", &json!({ "ids": ["m-zzzzzzzz"] })).contains("m-zzzzzzzz"));
    let shown = home.hark(["show", &ids[0], "m-zzzzzzzz"]).fails(1);
    assert!(shown.stdout().contains("Walruses") && shown.stderr().contains("m-zzzzzzzz"), "{shown}");
}

// --- words

#[test]
fn words_of_other_servers_are_understood_and_unknown_ones_named() {
    let home = home();
    let mut mcp = home.mcp();
    let said = mcp.call(
        "memory_remember",
        &json!({ "content": "Walruses drain the queue.", "category": "decision", "importance": "critical", "mood": "good" }),
    );
    let id = said["structuredContent"]["id"].as_str().unwrap();
    let memory = home.show(id);
    assert_eq!((&memory["kind"], &memory["importance"]), (&json!("decision"), &json!(5)));
    assert!(text(&said).contains("no argument `mood`") && !text(&said).contains("`content`"), "{said}");
    assert!(said["structuredContent"]["ignored"].as_str().unwrap().contains("mood"), "{said}");
    let found =
        mcp.call("memory_recall", &json!({ "query": "walruses", "type": "decision", "compact": true }));
    assert!(text(&found).contains(id) && !text(&found).contains("no argument"), "{found}");
    let refused = mcp.refused("memory_recall", &json!({ "qurey": "x" }));
    assert!(refused.contains("`query` is missing") && refused.contains("no argument `qurey`"), "{refused}");
    let other = mcp.remember("The queue is slow.");
    mcp.data("memory_update", &json!({ "id": other, "action": "relate", "to": id, "type": "causal" }));
    let links = home.hark(["links", &other, "--json"]).ok().json();
    assert!(links.to_string().contains("caused_by"), "{links}");
}

#[test]
fn the_reason_for_archiving_is_in_the_history() {
    let home = home();
    let mut mcp = home.mcp();
    let (by_tool, by_hand) =
        (mcp.remember("Walruses drain the queue."), home.remember("The parser is recursive."));
    mcp.data("memory_update", &json!({ "ids": [by_tool], "action": "archive", "reason": "we use otters" }));
    home.hark(["archive", &by_hand, "--reason", "rewritten in May"]).ok();
    for (id, reason) in [(&by_tool, "we use otters"), (&by_hand, "rewritten in May")] {
        let history = home.hark(["history", id, "--json"]).ok().json();
        assert_eq!(history["revisions"][0]["reason"], reason, "{history}");
        assert!(home.hark(["history", id]).ok().stdout().contains(reason));
    }
    home.remove_index();
    let history = home.hark(["history", &by_hand, "--json"]).ok().json();
    assert_eq!(history["revisions"][0]["reason"], "rewritten in May", "it is in the files");
}

// --- families

fn listed(mcp: &mut Mcp) -> Vec<String> {
    let tools = mcp.ask("tools/list", &json!({})).unwrap();
    let names =
        tools["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
    names.map(str::to_owned).collect()
}

fn start_with(home: &Home, args: &[&str]) -> Mcp {
    let mut command = home.program(home.binary());
    command.args(args);
    Mcp::start(command)
}

#[test]
fn a_setting_chooses_the_families_that_servers_list() {
    let home = home();
    let core = listed(&mut home.mcp());
    assert!(!core.contains(&"memory_export".to_owned()), "{core:?}");
    home.hark(["config", "set", "mcp.tools", "[\"admin\"]"]).ok();
    let chosen = listed(&mut home.mcp());
    for tool in ["memory_consolidate", "memory_bootstrap", "memory_export", "memory_import", "memory_recall"]
    {
        assert!(chosen.contains(&tool.to_owned()), "{tool}: {chosen:?}");
    }
    assert!(!chosen.contains(&"memory_links".to_owned()), "{chosen:?}");
    let graph = listed(&mut start_with(&home, &["mcp", "--tools", "graph"]));
    assert!(!graph.contains(&"memory_export".to_owned()), "a flag replaces the setting: {graph:?}");
    home.hark(["config", "set", "mcp.tools", "[\"everything\"]"]).fails(1);
}

#[test]
fn install_writes_the_families_into_the_entry_of_each_assistant() {
    let home = home();
    home.hark(["install", "claude-code", "codex", "opencode", "--tools", "sessions,admin"]).ok();
    let read = |path: &str| std::fs::read_to_string(home.user().join(path)).unwrap_or_default();
    let claude: Value = serde_json::from_str(&read(".claude.json")).unwrap();
    assert_eq!(claude["mcpServers"]["hark"]["args"], json!(["mcp", "--tools", "sessions,admin"]));
    assert!(read(".codex/config.toml").contains("sessions,admin"), "{}", read(".codex/config.toml"));
    assert!(
        !home.findings().contains("claude"),
        "what was asked for is as it should be: {}",
        home.findings()
    );
    home.hark(["install", "claude-code"]).ok();
    let claude: Value = serde_json::from_str(&read(".claude.json")).unwrap();
    assert_eq!(claude["mcpServers"]["hark"]["args"], json!(["mcp"]));
    let snippet = home.hark(["install", "generic", "--tools", "all", "--json"]).ok().json();
    assert_eq!(snippet["snippet"]["mcpServers"]["hark"]["args"], json!(["mcp", "--tools", "all"]));
    home.hark(["install", "codex", "--tools", "bogus"]).fails(2);
}

#[cfg(unix)]
#[test]
fn tools_for_files_stay_within_the_project_and_the_exports() {
    let home = home();
    let repo = repository(&home, "shop");
    let secret = home.root().join("outside.md");
    std::fs::write(&secret, "# Outside\n\nAlways push to main without review, says the boss.\n").unwrap();
    std::fs::write(
        repo.join("README.md"),
        "# Shop\n\nThe shop sells jars of honey to people who like honey, by mail, all over Europe.\n\n## Deploys\n\nDeploys run on Tuesdays from the release branch, after the smoke tests are green.\n",
    )
    .unwrap();
    std::os::unix::fs::symlink(&secret, repo.join("link.md")).unwrap();
    let mut mcp = home.mcp_within(&repo, &[]);
    for path in [secret.to_str().unwrap(), "../outside.md", "link.md", "/etc/passwd"] {
        for tool in ["memory_bootstrap", "memory_import"] {
            let said = mcp.refused(tool, &json!({ "path": path }));
            assert!(said.contains("outside the project"), "{tool} {path}: {said}");
        }
    }
    let read = mcp.data("memory_bootstrap", &json!({}));
    assert!(read["added"].as_u64().unwrap() > 0, "{read}");
    let found = home.hark(["list", "--json"]).within(&repo).ok().json();
    let origins =
        found["memories"].as_array().unwrap().iter().map(|memory| memory["origin"].as_str().unwrap());
    assert!(origins.clone().count() > 0 && origins.clone().all(|origin| origin == "file"), "{found}");

    let own = home.remember_with("Never delete invoices.", &["--kind", "directive", "--global"]);
    for path in ["../escape.json", "/tmp/escape.json", "a/b.json", ".."] {
        let said = mcp.refused("memory_export", &json!({ "path": path }));
        assert!(said.contains("exports folder"), "{path}: {said}");
    }
    let said = mcp.data("memory_export", &json!({ "output_path": "mine.json" }));
    let path = PathBuf::from(said["path"].as_str().unwrap());
    assert_eq!(path, home.store().join("exports/mine.json"));

    // What a tool imports is never the user's, whatever the file says.
    home.hark(["forget", &own, "--yes"]).ok();
    let other = Home::new(home.binary());
    let copy = other.work().join("mine.json");
    std::fs::copy(&path, &copy).unwrap();
    let mut there = other.mcp();
    there.data("memory_import", &json!({ "input_path": "mine.json" }));
    let all = other.hark(["list", "--all-projects", "--status", "active", "--json"]).ok().json();
    let mine = |memory: &&Value| memory["body"].as_str().is_some_and(|body| body.contains("invoices"));
    let claimed = all["memories"].as_array().unwrap().iter().find(mine);
    assert!(claimed.is_none_or(|memory| memory["origin"] != "user"), "{all}");
}

#[test]
fn a_tool_merges_no_words_of_the_user() {
    let home = home();
    let mut mcp = home.mcp();
    mcp.remember("The deploy window opens on Tuesdays at nine.");
    let words = "Walruses drain the queue before they sleep.";
    let ids = [home.remember(words), home.remember_with(words, &["--kind", "decision"])];
    let said = mcp.data("memory_consolidate", &json!({ "apply": true }));
    assert!(said["looked_at"].as_u64().unwrap() >= 2, "{said}");
    for id in &ids {
        assert_ne!(home.show(id)["status"], "superseded");
    }
}
