//! `hark reflect` finds what deserves attention and changes nothing; the command beside a finding acts on it. `hark report` is
//! the page of a week.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hark_testkit::{Home, disk, sqlite};
use serde_json::{Value, json};

const TODAY: &str = "2026-06-15T12:00:00Z";
const FAILING: &str = "____ test_total ____\n\ntests/test_cart.py:5: \nE       AssertionError: total_price is wrong for an empty cart\n\nsrc/cart.py:2: AssertionError\nFAILED tests/test_cart.py::test_total - AssertionError: total_price is wrong for an empty cart\n1 failed in 0.03s";

struct Shop {
    home: Home,
    folder: PathBuf,
    calls: std::cell::Cell<u32>,
}

impl Shop {
    fn new() -> Shop {
        let home = Home::new(env!("CARGO_BIN_EXE_hark")).at(TODAY);
        let folder = home.root().join("shop");
        std::fs::create_dir_all(folder.join("src")).expect("a folder");
        Shop { home, folder, calls: std::cell::Cell::new(0) }
    }

    fn remember(&self, kind: &str, text: &str, flags: &[&str]) -> String {
        let args = [&["remember", "--json", "--kind", kind, text], flags].concat();
        self.home.hark(args).within(&self.folder).ok().json()["id"].as_str().expect("an id").to_owned()
    }

    fn event(&self, session: &str, name: &str, mut more: Value) {
        let fields = more.as_object_mut().expect("an object");
        for (key, value) in
            [("session_id", json!(session)), ("cwd", json!(self.folder)), ("hook_event_name", json!(name))]
        {
            fields.insert(key.to_owned(), value);
        }
        self.home.hook("claude-code", name, &more);
    }

    fn tool(&self, session: &str, name: &str, input: &Value, response: &Value) {
        self.calls.set(self.calls.get() + 1);
        let call = json!({ "tool_name": name, "tool_use_id": format!("call-{}", self.calls.get()),
            "tool_input": input, "tool_response": response });
        self.event(session, "PostToolUse", call);
    }

    fn edit(&self, session: &str, file: &str, old: &str, new: &str) {
        let path = self.folder.join(file);
        std::fs::write(&path, new).expect("a file");
        let input = json!({ "file_path": path, "old_string": old, "new_string": new });
        self.tool(session, "Edit", &input, &json!({ "filePath": path }));
    }

    fn run(&self, session: &str, command: &str, passed: bool) {
        let stdout = if passed { "4 passed in 0.1s" } else { FAILING };
        let response = if passed {
            json!({ "stdout": stdout, "stderr": "", "interrupted": false })
        } else {
            json!({ "stdout": stdout, "stderr": "", "interrupted": false, "exit_code": 1 })
        };
        self.tool(session, "Bash", &json!({ "command": command }), &response);
    }

    /// A request, an edit, a test run, closing words.
    fn turn(&self, session: &str, asked: &str, file: &str, passed: bool) {
        self.event(session, "UserPromptSubmit", json!({ "prompt": asked }));
        self.edit(session, file, "a", &format!("b{}", self.calls.get()));
        self.run(session, "pytest -q", passed);
        self.event(
            session,
            "Stop",
            json!({ "stop_hook_active": false, "last_assistant_message": "Done as asked." }),
        );
    }

    fn ends(&self, session: &str) {
        self.event(session, "SessionEnd", json!({ "reason": "exit" }));
        hark_testkit::eventually("no other worker runs", || {
            self.home.hark(["work", "--until-idle", "--json"]).ok().json()["busy"] == false
        });
    }

    fn reflect(&self, flags: &[&str]) -> Value {
        let args = [&["reflect", "--json"], flags].concat();
        self.home.hark(args).within(&self.folder).ok().json()
    }

    /// Findings of a sort: the ids and the command of each.
    fn found(&self, sort: &str) -> Vec<(Vec<String>, String)> {
        let said = self.reflect(&["--view", "findings"]);
        let findings = said["findings"].as_array().expect("findings").clone();
        let of_sort = findings.into_iter().filter(|one| one["sort"] == sort);
        let texts = |value: &Value| -> Vec<String> {
            let ids = value.as_array().into_iter().flatten();
            ids.map(|id| id.as_str().expect("an id").to_owned()).collect()
        };
        of_sort
            .map(|one| (texts(&one["ids"]), one["command"].as_str().expect("a command").to_owned()))
            .collect()
    }

    /// Runs a command as it is printed.
    fn obey(&self, command: &str) {
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(words.first(), Some(&"hark"), "{command}");
        self.home.hark(&words[1..]).within(&self.folder).ok();
    }
}

#[test]
fn each_command_acts_on_its_finding() {
    let mut shop = Shop::new();
    let npm = shop.remember("decision", "The frontend is built with Webpack 4 in the ci job", &[]);
    // Which of two is newer must not hang on their ids.
    shop.home.set_now("2026-06-15T12:30:00Z");
    let vite = shop.remember("decision", "The frontend is built with Webpack 5 in the ci job", &[]);
    shop.remember("convention", "Always run the linter before a commit to the main branch", &[]);
    shop.remember("constraint", "Never run the linter before a commit to the main branch", &[]);
    let stale = shop.remember("fact", "The staging server has four cores", &[]);
    let wrong = shop.remember("fact", "Invoices are numbered per customer", &[]);
    shop.home.hark(["feedback", &stale, "stale"]).ok();
    shop.home.hark(["feedback", &wrong, "wrong"]).ok();
    let steps = shop.remember("procedure", "Release: tag, push, watch the rollout", &["--remind", "10d"]);
    let task = shop.remember("task", "Renew the certificate", &["--remind", "10d"]);
    assert_eq!(shop.found("review_due"), [], "not yet");
    shop.home.set_now("2026-07-01T12:00:00Z");

    let contradictions = shop.found("contradiction");
    assert_eq!(contradictions.len(), 2, "{contradictions:?}");
    let (ids, command) = contradictions.iter().find(|(ids, _)| ids.contains(&npm)).expect("the two versions");
    assert_eq!((ids.len(), command), (2, &format!("hark relate {vite} {npm} --as supersedes")));
    for (_, command) in &contradictions {
        shop.obey(command);
    }
    assert_eq!(shop.found("contradiction"), []);
    assert_eq!(shop.home.show(&npm)["superseded_by"], json!(vite));

    let rated = shop.found("rated_down");
    assert_eq!(rated.len(), 2, "{rated:?}");
    assert!(rated.contains(&(vec![stale.clone()], format!("hark edit {stale} --text '…'"))), "{rated:?}");
    shop.obey(&format!("hark archive {wrong}"));
    assert!(!shop.found("rated_down").iter().any(|(ids, _)| ids.contains(&wrong)));

    assert_eq!(shop.found("review_due"), [(vec![steps.clone()], format!("hark edit {steps} --remind 90d"))]);
    assert_eq!(shop.found("reminder_due"), [(vec![task.clone()], format!("hark resolve {task}"))]);
    for sort in ["review_due", "reminder_due"] {
        let found = shop.found(sort);
        shop.obey(&found[0].1);
        assert_eq!(shop.found(sort), []);
    }
}

#[test]
fn duplicates_are_merged_by_the_command_beside_them() {
    let shop = Shop::new();
    let text = "Deploys of the shop go out on Tuesdays after the standup";
    let one = shop.remember("fact", text, &[]);
    // A person copies the file: only so are there two of them.
    let file = shop.home.file_of(&one);
    let copied = std::fs::read_to_string(&file).expect("a file");
    let id = copied.lines().find_map(|line| line.strip_prefix("id: ")).expect("an id").to_owned();
    let last = if id.ends_with('0') { '1' } else { '0' };
    let other = format!("{}{last}", &id[..id.len() - 1]);
    std::fs::write(file.with_file_name("copy.md"), copied.replace(&id, &other)).expect("a file");
    shop.home.hark(["list"]).within(&shop.folder).ok();
    let found = shop.found("duplicate");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].1, "hark consolidate --apply");
    shop.obey(&found[0].1);
    assert_eq!(shop.found("duplicate"), []);
}

#[test]
fn a_failure_that_comes_back_and_a_correction_that_repeats_are_patterns() {
    let shop = Shop::new();
    for session in ["one", "two", "three"] {
        shop.event(session, "SessionStart", json!({ "source": "startup" }));
        shop.edit(session, "src/cart.py", "total_price = sum(p)", "total_price = p[0]");
        shop.run(session, "pytest -q", false);
        shop.edit(session, "src/cart.py", "total_price = p[0]", "total_price = sum(p)");
        shop.run(session, "pytest -q", true);
        shop.ends(session);
    }
    let said = shop.reflect(&["--view", "findings"]);
    let failures: Vec<&Value> = said["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["sort"] == "recurring_failure")
        .collect();
    assert_eq!(failures.len(), 1, "{said}");
    assert!(failures[0]["text"].as_str().unwrap().contains("came back 2 times after a fix"), "{said}");
    assert_eq!(failures[0]["command"], "hark remember '…' --kind lesson --file src/cart.py");

    let db = sqlite::open(&shop.home.database());
    for (session, text) in
        [(1, "no, use pnpm instead of npm"), (2, "I said use pnpm, not npm"), (3, "make it blue")]
    {
        db.execute(
            "INSERT INTO evidence (session, project, at, sort, mark, text, doc) SELECT ?1, project, ?2, 'correction', ?3, ?3, '{}' \
             FROM session WHERE num = 1",
            (session, 1_781_500_000_000_i64 + session, text),
        )
        .expect("a row");
    }
    drop(db);
    let said = shop.reflect(&["--view", "findings"]).to_string();
    assert!(said.contains("I said use pnpm, not npm (2 times in 2 sessions)"), "{said}");
    assert!(said.contains("hark remember 'I said use pnpm, not npm' --kind rule"), "{said}");
    assert!(!said.contains("make it blue"), "once is no pattern");
}

#[test]
fn reading_changes_nothing() {
    let mut shop = Shop::new();
    shop.remember("decision", "The frontend is built with Webpack 4 in the ci job", &["--remind", "1d"]);
    shop.remember("decision", "The frontend is built with Webpack 5 in the ci job", &[]);
    let rule = shop.remember("rule", "Never push to main on a Friday afternoon", &[]);
    shop.turn("one", "add discount coupons to the shopping cart of regular customers", "src/cart.py", true);
    shop.ends("one");
    shop.home.set_now("2026-07-01T12:00:00Z");
    shop.home.hark(["feedback", &rule, "stale"]).ok();
    let truth = |home: &Home| -> BTreeMap<PathBuf, Vec<u8>> { disk::notes(&home.store()) };
    let before = truth(&shop.home);
    assert!(before.len() >= 4, "{:?}", before.keys());
    // The first reading may embed what is new; that is a cache.
    assert!(!shop.reflect(&[])["findings"].as_array().unwrap().is_empty());
    let tables = || -> BTreeMap<String, Vec<String>> {
        let path = shop.home.database();
        let all =
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
        let names = sqlite::open(&path)
            .prepare(all)
            .and_then(|mut s| s.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>())
            .expect("tables");
        names
            .into_iter()
            .map(|name| (name.clone(), sqlite::rows(&path, &format!("SELECT * FROM \"{name}\""))))
            .collect()
    };
    let rows = tables();
    for flags in [&[][..], &["--view", "findings"], &["--view", "work"], &["--all-projects"]] {
        shop.reflect(flags);
        shop.home.hark([&["reflect"], flags].concat()).within(&shop.folder).ok();
    }
    shop.home.hark(["report"]).within(&shop.folder).ok();
    let after = tables();
    for (name, before) in &rows {
        assert_eq!(Some(before), after.get(name), "{name}");
    }
    assert_eq!(before, truth(&shop.home));
}

#[test]
fn work_is_counted_and_too_little_of_it_gives_no_rate() {
    let shop = Shop::new();
    for n in 0..9 {
        shop.turn(
            &format!("s{n}"),
            &format!("add the part number {n} to the catalogue"),
            &format!("src/p{n}.py"),
            n % 3 != 0,
        );
    }
    let work = shop.reflect(&["--view", "work"])["work"].clone();
    assert_eq!(
        (&work["all"]["pieces"], &work["all"]["success"]["all"]["share"]),
        (&json!(9), &Value::Null),
        "{work}"
    );
    let text = shop.home.hark(["reflect", "--view", "work"]).within(&shop.folder).ok().stdout();
    assert!(text.contains("not enough yet"), "{text}");

    shop.turn("fix", "fix the total of part p1, it is wrong", "src/p1.py", true);
    let said = shop.reflect(&["--view", "work"]);
    assert_eq!(said["findings"], json!([]));
    let all = &said["work"]["all"];
    assert_eq!(
        (&all["success"]["all"]["hits"], &all["success"]["all"]["of"]),
        (&json!(7), &json!(10)),
        "{all}"
    );
    assert_eq!(all["success"]["all"]["share"], json!(0.7));
    assert_eq!(all["rework"]["all"]["hits"], json!(1), "the fix changed a file of an earlier piece: {all}");
    let groups = said["work"]["groups"].as_array().unwrap();
    let of = |by: &str, name: &str| -> u64 {
        let found = groups.iter().find(|group| group["by"] == by && group["name"] == name);
        found.map_or(0, |group| group["pieces"].as_u64().unwrap())
    };
    assert_eq!(
        (of("language", "Python"), of("tool", "pytest"), of("task", "fix")),
        (10, 10, 1),
        "{groups:?}"
    );
    let text = shop.home.hark(["reflect", "--view", "work"]).within(&shop.folder).ok().stdout();
    assert!(text.contains("in the end 70 % (40–89 %, 7 of 10)"), "{text}");
    assert_eq!(all["first_try"]["all"]["hits"], json!(7), "{all}");
}

#[test]
fn the_weekly_page_says_what_was_done_decided_learned_and_broken() {
    let mut shop = Shop::new();
    shop.remember("decision", "Old: the queue is Redis", &[]);
    shop.home.set_now("2026-07-01T12:00:00Z");
    shop.remember(
        "decision",
        "Orders are stored in <b>Postgres</b>",
        &["--rejected", "MySQL: no [jsonb](x)"],
    );
    shop.remember("lesson", "Migrations must run before the rollout", &[]);
    shop.turn("one", "add discount coupons to the shopping cart of regular customers", "src/cart.py", true);
    // Turns are told apart by their time.
    shop.home.set_now("2026-07-01T12:10:00Z");
    shop.turn("one", "show discount coupons below the total price of every order", "src/cart.py", false);
    shop.ends("one");
    let report = |flags: &[&str]| shop.home.hark([&["report"], flags].concat()).within(&shop.folder).ok();
    let said = report(&["--json"]).json();
    let done = &said["done"];
    assert_eq!(
        (&done["sessions"], &done["pieces"], &done["passed"]),
        (&json!(1), &json!(2), &json!(1)),
        "{said}"
    );
    assert_eq!(
        (said["decided"].as_array().unwrap().len(), said["learned"].as_array().unwrap().len()),
        (1, 1),
        "{said}"
    );
    assert_eq!(said["broken"]["failures"], 1, "{said}");
    for key in ["since", "sessions", "texts", "tokens", "judged", "of_use", "share", "surfaces"] {
        assert!(said.get(key).is_some(), "{key} was there before: {said}");
    }
    let text = report(&[]).stdout();
    for part in [
        "Done\n1 session, 2 finished pieces of work, 1 of 2 checks passed",
        "Decided\n- m-",
        "rejected: MySQL",
        "Learned\n- m-",
        "Broken and fixed\n1 failure",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let markdown = report(&["--format", "markdown"]).stdout();
    assert!(markdown.starts_with("# 2026-06-24 to 2026-07-01\n\n## Done\n\n"), "{markdown}");
    assert!(
        markdown.contains(r"Orders are stored in \<b\>Postgres") && markdown.contains(r"no \[jsonb\](x)"),
        "{markdown}"
    );
    let elsewhere = report(&["--project", "another", "--json"]).json();
    assert_eq!(
        (&elsewhere["done"]["sessions"], &elsewhere["decided"]),
        (&json!(0), &json!([])),
        "{elsewhere}"
    );
}

#[test]
fn a_model_may_ask_for_it_in_the_family_learning() {
    let shop = Shop::new();
    shop.remember("fact", "The frontend is built with Webpack 4 in the ci job", &[]);
    shop.remember("fact", "The frontend is built with Webpack 5 in the ci job", &[]);
    let mut mcp = shop.home.mcp_within(&shop.folder, &[]);
    let said = mcp.data("memory_reflect", &json!({ "view": "findings" }));
    assert_eq!(said["findings"][0]["sort"], "contradiction", "{said}");
    let listed =
        mcp.ask("tools/list", &json!({})).unwrap_or_else(|_| panic!("the server went away")).to_string();
    assert!(!listed.contains("memory_reflect"), "not among the default tools");
    assert_eq!(mcp.close().0, Some(0));
}
