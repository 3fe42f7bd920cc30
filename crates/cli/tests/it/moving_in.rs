//! Migration from other tools: the real run does what the dry run said, nothing is dropped without being counted,
//! failures are found, and JSON exports are read like databases.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use hark_testkit::git::{git, repository};
use hark_testkit::{Home, disk, sqlite};
use serde_json::{Value, json};

use crate::migrate::memories;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark")).at("2026-06-01T00:00:00Z")
}

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/fixtures/foreign");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn lay_out(name: &str, path: &Path, more: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let script = format!("PRAGMA foreign_keys = OFF;\n{}\n{more}", fixture(name));
    sqlite::open(path).execute_batch(&script).unwrap();
}

/// Every tool whose data names a project called `shop`, in one way or another.
fn every_tool(home: &Home) {
    lay_out("opencode-memory.sql", &home.user().join(".local/share/opencode-memory/memory.db"), "");
    lay_out("sessionmem.sql", &home.user().join(".sessionmem/memories.db"), "");
    lay_out("total-agent-memory.sql", &home.user().join(".tam/memory.db"), "");
    lay_out("claude-mem.sql", &home.user().join(".claude-mem/claude-mem.db"), "");
}

fn shop(home: &Home) -> PathBuf {
    let repo = repository(home, "shop");
    git(home, &repo, &["remote", "add", "origin", "https://git.example.org/acme/shop.git"]);
    repo
}

fn unmapped(source: &Value) -> HashMap<String, u64> {
    let all = source["unmapped"].as_array().unwrap().iter();
    all.map(|one| (one["what"].as_str().unwrap().to_owned(), one["count"].as_u64().unwrap())).collect()
}

#[test]
fn the_real_run_maps_projects_as_the_dry_run_did() {
    let home = home();
    let repo = shop(&home);
    every_tool(&home);
    let run = |flags: &[&str]| {
        let told = home.hark([&["migrate", "--all", "--json"], flags].concat()).within(&repo).ok().json();
        let sources = told["sources"].as_array().unwrap();
        sources.iter().map(|s| (s["projects"].clone(), s["new_projects"].clone())).collect::<Vec<_>>()
    };
    let dry = run(&["--dry-run"]);
    let real = run(&[]);
    assert_eq!(dry, real);
    let mapped = real.iter().map(|(projects, _)| projects.to_string()).collect::<String>();
    for name in ["acme/shop", "shop", "shop-17d2dab5"] {
        assert!(mapped.contains(&format!("\"{name}\":\"git.example.org/acme/shop\"")), "{name}: {mapped}");
    }
    let keys: Vec<String> = memories(&home)
        .values()
        .filter_map(|memory| memory["project"].as_str().map(str::to_owned))
        .filter(|key| key.contains("shop"))
        .collect();
    assert!(keys.len() > 10 && keys.iter().all(|key| key == "git.example.org/acme/shop"), "{keys:?}");
    let again = run(&[]);
    assert_eq!(
        again.iter().map(|(projects, _)| projects).collect::<Vec<_>>(),
        real.iter().map(|(p, _)| p).collect::<Vec<_>>()
    );
}

#[test]
fn tools_that_name_a_project_differently_agree_without_a_repository_at_hand() {
    let home = home();
    every_tool(&home);
    let elsewhere = repository(&home, "elsewhere");
    let text = home.hark(["migrate", "--all"]).within(&elsewhere).ok();
    assert!(text.stdout().contains("project acme/shop is new here"), "{text}");
    assert!(text.stderr().contains("hark project merge"), "{text}");
    let keys: Vec<String> = memories(&home)
        .values()
        .filter_map(|memory| memory["project"].as_str().map(str::to_owned))
        .filter(|key| key.contains("shop"))
        .collect();
    assert!(keys.iter().all(|key| key == "acme/shop"), "{keys:?}");
}

const WORK: &str = r#"
CREATE TABLE skills (id TEXT PRIMARY KEY, name TEXT, trigger_pattern TEXT, steps JSON, anti_patterns JSON,
    times_used INTEGER, success_rate REAL, projects JSON, stack JSON, status TEXT, last_refined_at TEXT);
INSERT INTO skills VALUES ('k1', 'Deploy the shop', 'before a release', '["tag", "wait for the pipeline"]',
    '["deploy on Fridays"]', 4, 0.75, '["shop"]', '["make"]', 'active', '2025-12-09T08:00:00Z');
INSERT INTO skills VALUES ('k2', 'Old ritual', '', '["light a candle"]', '[]', 0, 0, '["a","b"]', '[]',
    'deprecated', '2025-12-09T08:00:00Z');
CREATE TABLE workflows (id TEXT PRIMARY KEY, name TEXT, description TEXT, trigger_pattern TEXT, steps JSON,
    project TEXT, times_run INTEGER, success_rate REAL, status TEXT, created_at TEXT, updated_at TEXT);
INSERT INTO workflows VALUES ('w1', 'Fix a flaky test', 'What helped so far', 'a test that fails now and then',
    '[{"description":"run it alone"}, {"description":"fix the clock"}]', 'shop', 0, 0.0, 'active',
    '2025-12-10T08:00:00Z', '2025-12-11T08:00:00Z');
CREATE TABLE workflow_runs (id TEXT, workflow_id TEXT, outcome TEXT);
INSERT INTO workflow_runs VALUES ('r1', 'w1', 'success'), ('r2', 'w1', 'failure');
CREATE TABLE sessions (id TEXT PRIMARY KEY, started_at TEXT, ended_at TEXT, project TEXT, status TEXT, summary TEXT, branch TEXT);
INSERT INTO sessions VALUES ('sess-1', '2025-12-01T08:00:00Z', NULL, 'general', 'open', NULL, 'main'),
    ('sess-2', '2025-12-02T08:00:00Z', '2025-12-02T09:00:00Z', 'shop', 'open', 'Widened the money columns', ''),
    ('sess-3', '2025-12-03T08:00:00Z', NULL, 'shop', 'open', '', '');
CREATE TABLE session_summaries (id TEXT PRIMARY KEY, session_id TEXT, project TEXT, branch TEXT, summary TEXT, highlights JSON,
    pitfalls JSON, next_steps JSON, open_questions JSON, context_blob TEXT, started_at TEXT, ended_at TEXT, created_at TEXT);
INSERT INTO session_summaries VALUES ('m1', 'sess-1', 'shop', 'main', 'Moved sessions to Redis', '["TTL is one hour"]',
    '["the cache hides errors"]', '["drop the old table"]', '["who owns Redis?"]', NULL, NULL, '2025-12-01T10:00:00Z', '2025-12-01T10:00:00Z');
CREATE TABLE observations (id INTEGER PRIMARY KEY, session_id TEXT, tool_name TEXT, observation_type TEXT, summary TEXT,
    files_affected JSON, project TEXT, branch TEXT, created_at TEXT);
INSERT INTO observations VALUES (1, 'sess-1', 'Edit', 'change', 'Cart totals are rounded twice', '["src/cart.ts"]', 'shop', '', '2025-12-01T08:30:00Z');
CREATE TABLE intents (id INTEGER PRIMARY KEY, prompt TEXT);
INSERT INTO intents VALUES (1, 'a'), (2, 'b'), (3, 'c');
CREATE TABLE brand_new_thing (id INTEGER PRIMARY KEY);
INSERT INTO brand_new_thing VALUES (1);
CREATE VIRTUAL TABLE knowledge_fts USING fts5 (content, content = '');
"#;

#[test]
fn skills_workflows_sessions_and_observations_of_total_agent_memory_come_along() {
    let home = home();
    lay_out("total-agent-memory.sql", &home.user().join(".tam/memory.db"), WORK);
    let told = home.hark(["migrate", "tam", "--json"]).ok().json()["sources"][0].clone();
    assert_eq!((&told["added"], &told["sessions_added"]), (&json!(12), &json!(2)), "{told}");
    let all = memories(&home);
    let deploy = &all["Deploy the shop"];
    assert_eq!((&deploy["kind"], &deploy["project"]), (&json!("procedure"), &json!("shop")));
    let body = deploy["body"].as_str().unwrap();
    for part in ["When: before a release", "1. tag\n2. wait for the pipeline", "- deploy on Fridays"] {
        assert!(body.contains(part), "{part}: {body}");
    }
    assert_eq!(
        (&all["Old ritual"]["status"], &all["Old ritual"]["project"]),
        (&json!("archived"), &Value::Null)
    );
    let flaky = &all["Fix a flaky test"];
    assert!(flaky["body"].as_str().unwrap().contains("1. run it alone\n2. fix the clock"), "{flaky}");
    assert_eq!(flaky["updated"], "2025-12-11T08:00:00.000Z");
    let seen = &all["Cart totals are rounded twice"];
    assert_eq!((&seen["kind"], &seen["files"]), (&json!("observation"), &json!(["src/cart.ts"])));
    let session = home.hark(["sessions", "show", "sess-1", "--json"]).ok().json().to_string();
    for part in [
        "Moved sessions to Redis",
        "TTL is one hour",
        "drop the old table",
        "who owns Redis?",
        "hides errors",
        "\"shop\"",
    ] {
        assert!(session.contains(part), "{part}: {session}");
    }
    let left = unmapped(&told);
    let count = |start: &str| left.iter().find(|(what, _)| what.starts_with(start)).map(|(_, n)| *n);
    assert_eq!(count("a run of a workflow"), Some(2), "{left:?}");
    assert_eq!(count("a prompt"), Some(3), "{left:?}");
    assert_eq!(count("a session without a summary"), Some(1), "{left:?}");
    assert_eq!(count("a row of its table `brand_new_thing`"), Some(1), "{left:?}");
    assert!(!left.keys().any(|what| what.contains("fts")), "{left:?}");
    let before = disk::notes(&home.store());
    let again = home.hark(["migrate", "tam", "--json"]).ok().json()["sources"][0].clone();
    assert_eq!((&again["added"], &again["sessions_added"]), (&json!(0), &json!(0)), "{again}");
    assert_eq!(disk::notes(&home.store()), before);
}

#[test]
fn imported_failures_are_found() {
    let home = home();
    let repo = shop(&home);
    let more = "INSERT INTO errors (id, session_id, category, description, fix, project, status, created_at) VALUES \
        (2, 'sess-1', 'timeout', 'The registry answers after a minute', '', 'general', 'open', '2025-12-05T08:00:00Z'), \
        (3, 'sess-1', 'logic_error', 'The cart forgets its owner', '', 'shop', 'insight_extracted', '2025-12-05T08:00:00Z');";
    lay_out("total-agent-memory.sql", &home.user().join(".tam/memory.db"), more);
    home.hark(["migrate", "--all"]).within(&repo).ok();
    let failures = |args: &[&str]| {
        let told = home.hark([&["failures", "--json"], args].concat()).within(&repo).ok().json();
        let mut found: Vec<(String, String)> = told["failures"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| (f["message"].as_str().unwrap().to_owned(), f["status"].as_str().unwrap().to_owned()))
            .collect();
        found.sort();
        found
    };
    let [overflow, cart, registry] = [
        ("Decimal overflow in checkout", "fixed"),
        ("The cart forgets its owner", "open"),
        ("The registry answers after a minute", "open"),
    ]
    .map(|(message, status)| (message.to_owned(), status.to_owned()));
    assert_eq!(failures(&[]), [overflow.clone(), cart.clone(), registry.clone()]);
    assert_eq!(failures(&["--all-projects"]).len(), 3);
    assert_eq!(failures(&["--open"]), [cart, registry]);
    assert_eq!(failures(&["overflow"]), [overflow], "by words of the message");
    assert!(failures(&["walrus"]).is_empty());
}

fn sessionmem_export() -> Value {
    json!([
        { "id": "m-1", "projectId": "shop-17d2dab5", "sessionId": "s1", "sourceAdapter": "claude-code", "kind": "warning",
          "content": "Never force-push to main", "normalizedContent": "never force-push to main", "importance": 10,
          "embedding": null, "author": "ann", "tags": null, "expiresAt": null,
          "createdAt": "2025-01-15T10:00:00.000Z", "updatedAt": "2025-01-15T10:00:00.000Z" },
        { "id": "m-2", "projectId": "shop-17d2dab5", "sessionId": "s1", "sourceAdapter": "claude-code", "kind": "fact",
          "content": "The flag BETA is on", "importance": 4, "tags": ["flags", "beta"],
          "expiresAt": "2026-12-30T00:00:00Z", "createdAt": "2025-01-16T10:00:00.000Z" }
    ])
}

#[test]
fn an_export_of_sessionmem_is_read() {
    let home = home();
    let file = home.work().join("export.json");
    fs::write(&file, sessionmem_export().to_string()).unwrap();
    let path = file.to_str().unwrap();
    let told = home.hark(["migrate", "sessionmem", path, "--json"]).ok().json()["sources"][0].clone();
    assert_eq!(told["added"], 2, "{told}");
    let all = memories(&home);
    let warning = &all["Never force-push to main"];
    assert_eq!(
        (&warning["kind"], &warning["importance"], &warning["author"]),
        (&json!("constraint"), &json!(5), &json!("ann"))
    );
    assert_eq!(warning["created"], "2025-01-15T10:00:00.000Z");
    assert_eq!(all["The flag BETA is on"]["tags"], json!(["flags", "beta"]));
    let again = home.hark(["migrate", "sessionmem", path, "--json"]).ok().json()["sources"][0].clone();
    assert_eq!((&again["added"], &again["updated"]), (&json!(0), &json!(0)));
}

#[test]
fn without_a_database_the_newest_export_of_sessionmem_is_found() {
    let home = home();
    let folder = home.user().join(".sessionmem");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("export-2025-01-01.json"), "[]").unwrap();
    fs::write(folder.join("export-2025-02-01.json"), sessionmem_export().to_string()).unwrap();
    let told = home.hark(["migrate", "--all", "--json"]).ok().json();
    assert_eq!(told["sources"][0]["added"], 2, "{told}");
}

#[test]
fn an_export_of_opencode_memory_is_read() {
    let home = home();
    let file = home.work().join("memories.json");
    let export = json!({
        "version": "1.0", "exported_at": "2025-12-31T00:00:00", "filters": {},
        "memories": [
            { "id": 1, "category": "decision", "content": "Sessions are kept in Redis", "what": "Session store",
              "why": "they must survive a deploy", "learned": null, "project": "acme/shop", "source_file": null,
              "created_at": "2025-11-05T09:30:00", "resolved_at": null, "entities": ["!41"] },
            { "id": 2, "category": "blocker", "content": "Staging has no disk left", "what": null, "why": null,
              "learned": null, "project": null, "source_file": "opencode:ses_1", "created_at": "2025-11-06T09:30:00",
              "resolved_at": "2025-11-09T09:30:00", "entities": [{ "type": "person", "ref": "@ann" }] }
        ],
        "entities": [],
        "links": [{ "source_memory_id": 2, "target_memory_id": 1, "link_type": "related", "strength": 0.8, "reason": null }]
    });
    fs::write(&file, export.to_string()).unwrap();
    let told =
        home.hark(["migrate", "opencode-memory", file.to_str().unwrap(), "--json"]).ok().json()["sources"][0]
            .clone();
    assert_eq!(told["added"], 2, "{told}");
    let all = memories(&home);
    let store = &all["Session store"];
    assert_eq!((&store["kind"], &store["project"]), (&json!("decision"), &json!("acme/shop")));
    assert!(store["entities"].to_string().contains("!41"), "{store}");
    let blocker = &all["Staging has no disk left"];
    assert_eq!(
        (&blocker["status"], &blocker["closed"]),
        (&json!("resolved"), &json!("2025-11-09T09:30:00.000Z"))
    );
    let links = home.hark(["links", blocker["id"].as_str().unwrap(), "--json"]).ok().json().to_string();
    assert!(links.contains("Session store"), "{links}");
}

/// An export and the database it was made from give the same memories, whichever comes first.
#[test]
fn an_export_adds_nothing_to_its_own_database() {
    let home = home();
    let database = home.user().join(".sessionmem/memories.db");
    lay_out("sessionmem.sql", &database, "");
    home.hark(["migrate", "sessionmem"]).ok();
    let all = "SELECT json_group_array(json_object('id', id, 'projectId', project_id, 'sessionId', session_id, 'kind', kind, \
        'content', content, 'importance', importance, 'author', author, 'tags', json(tags), 'createdAt', created_at, \
        'updatedAt', updated_at, 'expiresAt', expires_at)) FROM memories";
    let export: String = sqlite::open(&database).query_row(all, [], |row| row.get(0)).unwrap();
    let file = home.work().join("export.json");
    fs::write(&file, export).unwrap();
    let told = home.hark(["migrate", "sessionmem", file.to_str().unwrap(), "--json"]).ok().json()["sources"]
        [0]
    .clone();
    assert_eq!((&told["added"], &told["updated"]), (&json!(0), &json!(0)), "{told}");
    assert!(told["unchanged"].as_u64().unwrap() > 3, "{told}");
}

#[test]
fn json_that_is_no_export_is_refused_with_a_word() {
    let home = home();
    let file = home.work().join("other.json");
    for (tool, text, says) in [
        ("sessionmem", "{\"cats\": []}", "no list of memories"),
        ("sessionmem", "[{\"id\": 1}]", "no `content`"),
        ("opencode-memory", "{\"memories\": [1]}", "no `content`"),
        ("opencode-memory", "{\"memories\": [", "not JSON: line 1"),
    ] {
        fs::write(&file, text).unwrap();
        let outcome = home.hark(["migrate", tool, file.to_str().unwrap()]).run();
        assert!(outcome.code != Some(0) && outcome.stderr().contains(says), "{says}: {outcome}");
        assert!(outcome.stderr().contains("nothing was imported"), "{outcome}");
    }
    assert!(disk::notes(&home.store()).is_empty());
}

#[test]
fn piped_output_and_imported_text_contain_no_colour_codes() {
    let home = home();
    let more = "INSERT INTO errors (id, session_id, category, description, project, status, created_at) VALUES \
        (9, 'sess-1', 'code_error', char(27) || '[1;31mFAIL' || char(27) || '[0m src/cart.ts', 'general', 'open', '2025-12-05T08:00:00Z');";
    lay_out("total-agent-memory.sql", &home.user().join(".tam/memory.db"), more);
    for args in [
        &["migrate", "--all", "--dry-run"][..],
        &["migrate", "--all"],
        &["failures"],
        &["list", "--all-projects"],
    ] {
        let outcome = home.hark(args).ok();
        let text = format!("{}{}", outcome.stdout(), outcome.stderr());
        assert!(
            !text.contains('\u{1b}') && !text.contains("[1;31m") && !text.contains('\u{fffd}'),
            "{args:?}: {text}"
        );
    }
    assert!(home.hark(["failures"]).ok().stdout().contains("FAIL src/cart.ts"));
}
