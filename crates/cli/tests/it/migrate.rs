//! Memories of other tools, from databases that the tools themselves wrote (or their documented schema):
//! counts, dates, kinds, links and states, and a second run that adds nothing.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use hark_testkit::{Home, disk, sqlite};
use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/fixtures/foreign").join(name)
}

/// The database that a fixture describes, at its place.
fn lay_out(name: &str, path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let script = fs::read_to_string(fixture(name)).unwrap();
    // Those tools do not enforce their foreign keys, and their data shows it.
    sqlite::open(path).execute_batch(&format!("PRAGMA foreign_keys = OFF;\n{script}")).unwrap();
}

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark")).at("2026-06-01T00:00:00Z")
}

/// Brings over one tool and gives what was said about it.
fn migrate(home: &Home, args: &[&str]) -> Value {
    let told = home.hark([&["migrate", "--json"], args].concat()).ok().json();
    assert_eq!(told["sources"].as_array().unwrap().len(), 1, "{told}");
    told["sources"][0].clone()
}

/// Every memory by its title.
pub(crate) fn memories(home: &Home) -> HashMap<String, Value> {
    let states = ["active", "resolved", "superseded", "archived"].map(|state| ["--status", state]).concat();
    let flags = ["list", "--all-projects", "--limit", "1000", "--json"];
    let listed = home.hark([&flags[..], &states].concat()).ok().json();
    let all = listed["memories"].as_array().unwrap().iter();
    all.map(|m| (m["title"].as_str().unwrap().to_owned(), m.clone())).collect()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("{key}: {value}"))
}

/// The relations that lead out of a memory, as its file tells them, with the titles they lead to.
fn links(home: &Home, memory: &Value) -> Vec<(String, String)> {
    let all = memories(home);
    let file = fs::read_to_string(home.file_of(text(memory, "id"))).unwrap();
    let lines = file.lines().filter_map(|line| line.trim().strip_prefix("- {to: "));
    lines
        .map(|line| {
            let (to, rest) = line.split_once(", relation: ").unwrap();
            let title = all.values().find(|m| m["uuid"] == to).map_or("?", |m| text(m, "title"));
            (rest.split(',').next().unwrap().to_owned(), title.to_owned())
        })
        .collect()
}

/// A second run adds nothing and changes nothing, and the tool's own files are as they were.
fn is_settled(home: &Home, args: &[&str], source: &Path) {
    let before = disk::files(source);
    let notes = disk::notes(&home.store());
    let again = migrate(home, args);
    let changed = ["added", "updated", "sessions_added", "sessions_updated", "revisions"]
        .map(|key| again[key].as_u64());
    assert_eq!(changed, [Some(0); 5], "{again}");
    assert_eq!(disk::notes(&home.store()), notes);
    assert_eq!(disk::files(source), before, "the tool's files were touched");
    assert_eq!(home.findings(), "[]");
}

#[test]
fn open_code_memory() {
    let home = home();
    let shop = home.work().join("shop");
    lay_out("opencodememory.sql", &shop.join(".openCodeMemory/memory.db"));
    let told = migrate(&home, &["openCodeMemory", shop.to_str().unwrap()]);
    assert_eq!((told["added"].as_u64(), told["sessions_added"].as_u64()), (Some(2), Some(2)), "{told}");
    assert_eq!(told["redacted"], 1);
    let memories = memories(&home);
    let cookie = &memories["Session cookies are host-only: subdomains must not read them"];
    assert_eq!((text(cookie, "kind"), text(cookie, "origin")), ("decision", "import"));
    assert_eq!(text(cookie, "created"), "2026-03-03T10:00:00.000Z");
    assert!(text(cookie, "project").starts_with("shop-"), "{cookie}");
    let session =
        home.hark(["sessions", "show", "4f6c1f0a-1111-4c4c-8888-000000000001", "--json"]).ok().json();
    let told = session.to_string();
    for part in [
        "Fix the login redirect loop",
        "Regression test is green",
        "src/auth/redirect.ts",
        "RFC 6265",
        "closed",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(
        disk::holding(&home.store(), "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
        Vec::<PathBuf>::new()
    );
    is_settled(&home, &["ocm", shop.to_str().unwrap()], &shop);
}

#[test]
fn opencode_memory() {
    let home = home();
    let folder = home.user().join(".local/share/opencode-memory");
    lay_out("opencode-memory.sql", &folder.join("memory.db"));
    let told = migrate(&home, &["opencode-memory"]);
    assert_eq!((told["added"].as_u64(), told["redacted"].as_u64()), (Some(10), Some(1)), "{told}");
    let memories = memories(&home);
    let redis = &memories["Sessions are kept in Redis with a TTL of one hour"];
    assert_eq!((text(redis, "created"), text(redis, "project")), ("2025-11-05T09:30:00.000Z", "acme/shop"));
    assert_eq!(text(redis, "why"), "they must survive a deploy");
    assert!(redis["entities"].to_string().contains("!41") && redis["entities"].to_string().contains("@ann"));
    let store = &memories["Session store"];
    assert_eq!(links(&home, store), [("related".to_owned(), text(redis, "title").to_owned())]);
    assert_eq!(text(redis, "status"), "active", "a guess there retires nothing here");
    let directive = &memories["Never run the linter before committing code"];
    assert_eq!((text(directive, "kind"), text(directive, "origin")), ("convention", "import"));
    let moved = &memories["The office moved"];
    assert_eq!((text(moved, "status"), text(moved, "closed")), ("archived", "2025-12-05T09:30:00.000Z"));
    assert_eq!(text(&memories["Try a read replica"], "expires"), "2026-12-10T09:30:00.000Z");
    let unmapped = told["unmapped"].to_string();
    assert!(unmapped.contains("became a convention") && unmapped.contains("missing"), "{unmapped}");
    is_settled(&home, &["opencode-memory", folder.to_str().unwrap()], &folder);
}

/// Its own import brought resolved blockers back to life.
#[test]
fn a_resolved_blocker_stays_resolved_after_import() {
    let home = home();
    lay_out("opencode-memory.sql", &home.user().join(".local/share/opencode-memory/memory.db"));
    migrate(&home, &["opencode-memory"]);
    let memories = memories(&home);
    let fixed = &memories["Staging has no disk left, builds fail"];
    assert_eq!((text(fixed, "status"), text(fixed, "closed")), ("resolved", "2025-11-09T09:30:00.000Z"));
    assert_eq!(text(&memories["Waiting for 1250 licences of the IDE"], "status"), "active");
    let open = home.hark(["list", "--kind", "blocker", "--all-projects", "--json"]).ok().json();
    let titles: Vec<&str> = open["memories"].as_array().unwrap().iter().map(|m| text(m, "title")).collect();
    assert_eq!(titles, ["Waiting for 1250 licences of the IDE"]);
}

#[test]
fn sessionmem() {
    let home = home();
    let folder = home.user().join(".sessionmem");
    lay_out("sessionmem.sql", &folder.join("memories.db"));
    let told = migrate(&home, &["sessionmem"]);
    assert_eq!((told["added"].as_u64(), told["redacted"].as_u64()), (Some(6), Some(1)), "{told}");
    let memories = memories(&home);
    let warning = &memories["Never force-push to main"];
    assert_eq!((text(warning, "kind"), warning["importance"].as_u64()), ("constraint", Some(5)));
    assert_eq!((text(warning, "created"), text(warning, "author")), ("2025-01-15T10:00:00.000Z", "ann"));
    let wal = &memories["SQLite runs in WAL mode"];
    assert_eq!(text(wal, "updated"), "2025-09-20T10:00:00.000Z");
    assert_eq!(wal["tags"], serde_json::json!(["sqlite", "wal"]));
    assert_eq!(text(&memories["The user likes tabs"], "kind"), "convention");
    assert_eq!(text(&memories["The flag BETA is on until June"], "expires"), "2026-06-30T00:00:00.000Z");
    is_settled(&home, &["sessionmem"], &folder);
}

#[test]
fn total_agent_memory() {
    let home = home();
    let folder = home.user().join(".tam");
    lay_out("total-agent-memory.sql", &folder.join("memory.db"));
    let told = migrate(&home, &["tam"]);
    assert_eq!(told["added"], 8, "{told}");
    let memories = memories(&home);
    let cents = &memories["Money is stored as integer cents in every table"];
    let numeric = &memories["Money is stored as NUMERIC(12,2)"];
    assert_eq!((text(cents, "status"), text(cents, "superseded_by")), ("superseded", text(numeric, "id")));
    assert_eq!(text(cents, "created"), "2025-10-01T08:00:00.000Z");
    assert_eq!(links(&home, numeric), [("supersedes".to_owned(), text(cents, "title").to_owned())]);
    let bouncer = &memories["pgbouncer drops prepared statements: set prepare_threshold=0"];
    assert_eq!((text(bouncer, "kind"), bouncer["importance"].as_u64()), ("solution", Some(5)));
    assert_eq!(links(&home, bouncer), [("related".to_owned(), text(cents, "title").to_owned())]);
    assert_eq!(text(&memories["Run `cargo nextest` and not `cargo test`"], "status"), "archived");
    let error = &memories["Decimal overflow in checkout"];
    assert_eq!((text(error, "kind"), text(error, "status")), ("failure", "resolved"));
    assert_eq!(text(error, "learned"), "use NUMERIC(14,2)");
    let rule = &memories["Always widen money columns first"];
    assert_eq!((text(rule, "kind"), rule["pinned"].as_bool()), ("convention", Some(false)));
    is_settled(&home, &["total-agent-memory"], &folder);
}

#[test]
fn codememory() {
    let home = home();
    let path = home.user().join(".claude/codememory.db");
    lay_out("codememory.sql", &path);
    let told = migrate(&home, &["codememory", "--project", "acme/shop"]);
    assert_eq!(told["added"], 8, "{told}");
    let memories = memories(&home);
    let webpack = &memories["Use webpack for bundling"];
    let vite = &memories["Use vite for bundling"];
    assert_eq!((text(webpack, "status"), text(webpack, "superseded_by")), ("superseded", text(vite, "id")));
    let failure = memories.values().find(|m| m["kind"] == "failure").unwrap();
    assert_eq!(text(failure, "status"), "resolved");
    assert_eq!(failure["files"], serde_json::json!(["src/cart.ts"]));
    assert_eq!(
        links(&home, failure),
        [("caused_by".to_owned(), "Do not touch the legacy folder".to_owned())]
    );
    let fix = memories.values().find(|m| m["kind"] == "fix").unwrap();
    assert_eq!(links(&home, fix)[0].0, "fixes");
    assert_eq!(text(&memories["Upgrade eslint"], "status"), "archived");
    assert_eq!(text(vite, "project"), "acme/shop");
    is_settled(&home, &["codememory", "--project", "acme/shop"], path.parent().unwrap());
}

#[test]
fn claude_mem() {
    let home = home();
    let folder = home.user().join(".claude-mem");
    lay_out("claude-mem.sql", &folder.join("claude-mem.db"));
    let told = migrate(&home, &["claude-mem"]);
    assert_eq!((told["added"].as_u64(), told["redacted"].as_u64()), (Some(4), Some(1)), "{told}");
    let memories = memories(&home);
    let cents = &memories["Cart totals in cents"];
    assert_eq!((text(cents, "kind"), text(cents, "created")), ("decision", "2025-11-20T08:00:00.000Z"));
    assert!(text(cents, "body").contains("- Totals are integers"), "{cents}");
    assert_eq!(cents["files"], serde_json::json!(["src/cart.ts"]));
    assert_eq!(text(&memories["Fix the cart"], "learned"), "discounts ran twice");
    is_settled(&home, &["claude-mem"], &folder);
}

#[test]
fn mcp_server_memory() {
    // Dates are those of the file.
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let folder = home.work().join("graph");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(fixture("server-memory.jsonl"), folder.join("memory.jsonl")).unwrap();
    let told = migrate(&home, &["server-memory", folder.to_str().unwrap()]);
    assert_eq!((told["added"].as_u64(), told["redacted"].as_u64()), (Some(3), Some(1)), "{told}");
    let memories = memories(&home);
    let ann = &memories["Ann"];
    assert_eq!(text(ann, "body"), "- Owns the checkout\n- maintains: Checkout\n- knows: Nobody");
    assert_eq!(links(&home, ann), [("related".to_owned(), "Checkout".to_owned())]);
    is_settled(&home, &["mcp-memory", folder.to_str().unwrap()], &folder);
}

#[test]
fn instruction_files() {
    // Dates are those of the file.
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let text_of_file = "# Shop\n\n<!-- BEGIN hark -->\nours\n<!-- END hark -->\n\n## Commands\nRun `make check` before each commit.\n\n## Style\n- Tabs, never spaces.\n- password = hunter2hunter2\n";
    fs::write(home.work().join("CLAUDE.md"), text_of_file).unwrap();
    let told = migrate(&home, &["instructions", home.work().to_str().unwrap()]);
    assert_eq!((told["added"].as_u64(), told["redacted"].as_u64()), (Some(2), Some(1)), "{told}");
    let memories = memories(&home);
    assert_eq!(text(&memories["Shop › Commands"], "kind"), "procedure");
    let style = &memories["Shop › Style"];
    assert_eq!((text(style, "kind"), text(style, "origin")), ("convention", "import"));
    assert!(text(style, "project").starts_with("work-"), "{style}");
    is_settled(&home, &["CLAUDE.md", home.work().to_str().unwrap()], &home.work());
}

#[test]
fn obsidian_vault() {
    let home = home();
    let vault = home.work().join("vault");
    fs::create_dir_all(vault.join("sub")).unwrap();
    fs::create_dir_all(vault.join(".obsidian")).unwrap();
    fs::write(vault.join(".obsidian/x.md"), "no").unwrap();
    let queue = "---\ntags: [infra, queue]\ncreated: 2025-02-03\nupdated: 2025-02-04\n---\nThe queue is drained by [[Workers|them]], see [[Gone]]. #ops\n";
    fs::write(vault.join("Queue.md"), queue).unwrap();
    fs::write(
        vault.join("sub/Workers.md"),
        "---\ncreated: 2025-01-01\nupdated: 2025-01-01\nkind: decision\n---\nTwelve workers.\n",
    )
    .unwrap();
    let told = migrate(&home, &["obsidian", vault.to_str().unwrap(), "--global"]);
    assert_eq!(told["added"], 2, "{told}");
    let memories = memories(&home);
    let queue = &memories["Queue"];
    assert_eq!(
        (text(queue, "created"), text(queue, "updated")),
        ("2025-02-03T00:00:00.000Z", "2025-02-04T00:00:00.000Z")
    );
    assert_eq!(queue["tags"], serde_json::json!(["infra", "queue", "ops"]));
    assert_eq!(links(&home, queue), [("related".to_owned(), "Workers".to_owned())]);
    assert_eq!(text(&memories["Workers"], "kind"), "decision");
    is_settled(&home, &["obsidian", vault.to_str().unwrap(), "--global"], &vault);
}

#[test]
fn all_finds_what_is_on_the_machine_and_one_broken_file_does_not_keep_the_others_out() {
    let home = home();
    lay_out("sessionmem.sql", &home.user().join(".sessionmem/memories.db"));
    lay_out("claude-mem.sql", &home.user().join(".claude-mem/claude-mem.db"));
    fs::create_dir_all(home.user().join(".tam")).unwrap();
    fs::write(home.user().join(".tam/memory.db"), "this is not a database, but it is long enough to look at")
        .unwrap();
    let dry = home.hark(["migrate", "--all", "--dry-run", "--json"]).ok().json();
    assert_eq!(dry["sources"].as_array().unwrap().len(), 3, "{dry}");
    assert!(disk::notes(&home.store()).is_empty());
    let told = home.hark(["migrate", "--all", "--json"]).ok().json();
    let added: u64 = told["sources"].as_array().unwrap().iter().map(|s| s["added"].as_u64().unwrap()).sum();
    assert_eq!(added, 10, "{told}");
    let broken =
        told["sources"].as_array().unwrap().iter().find(|s| s["tool"] == "total-agent-memory").unwrap();
    assert!(text(broken, "error").contains("not a SQLite database"), "{broken}");
}

#[test]
fn what_is_not_there_or_not_that_tools_is_said() {
    let home = home();
    let path = home.work().join("some.db");
    sqlite::open(&path).execute_batch("CREATE TABLE cats (name TEXT)").unwrap();
    let file = path.to_str().unwrap();
    for (args, says) in [
        (&["walrus"][..], "unknown tool"),
        (&["sessionmem"], "no data of sessionmem was found"),
        (&["sessionmem", file], "no table `memories`"),
        (&["sessionmem", "/no/such.db"], "no such file"),
        (&["server-memory", file], "some.db"),
        (&["obsidian"], "pass its path"),
    ] {
        let outcome = home.hark([&["migrate"], args].concat()).run();
        assert!(outcome.code != Some(0) && outcome.stderr().contains(says), "{says}: {outcome}");
    }
    assert!(disk::notes(&home.store()).is_empty());
}
