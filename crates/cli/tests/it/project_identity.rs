//! The identity of projects over time: deleted worktrees, moved folders, changed remotes; listing, naming and merging
//! projects.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hark_testkit::git::{git, repository};
use hark_testkit::hooks::context;
use hark_testkit::{Home, disk, sqlite, transcripts};
use serde_json::{Value, json};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

fn remember(home: &Home, folder: &Path, text: &str) -> Value {
    home.hark(["remember", text, "--json"]).within(folder).ok().json()
}

fn key(home: &Home, folder: &Path) -> String {
    let said = remember(home, folder, "A probe of the project.");
    let id = said["id"].as_str().unwrap();
    home.hark(["forget", id, "--yes"]).within(folder).ok();
    said["project"].as_str().unwrap().to_owned()
}

fn sees(home: &Home, folder: &Path, words: &str) -> bool {
    let answer = home.hark(["recall", words, "--json"]).within(folder).ok().json();
    !answer["hits"].as_array().unwrap().is_empty()
}

/// A Claude Code transcript of a session in this folder, where hark looks for it.
fn transcript(home: &Home, session: &str, folder: &Path) {
    let cwd = folder.to_str().unwrap();
    let mut told = transcripts::Claude::new(session, cwd);
    told.prompt(&format!("Make the walrus in {session} swim faster"))
        .says("Done.")
        .edits("t1", "src/walrus.rs");
    let place = home.user().join(".claude/projects").join(cwd.replace(['/', '.'], "-"));
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join(format!("{session}.jsonl")), told.text()).unwrap();
}

/// The project of each session.
fn projects_of_sessions(home: &Home) -> Vec<String> {
    let listed = home.hark(["sessions", "--all-projects", "--json"]).ok().json();
    let mut found: Vec<String> = listed["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| session["project"].as_str().unwrap_or("-").to_owned())
        .collect();
    found.sort();
    found
}

fn listed(home: &Home, folder: &Path) -> Vec<Value> {
    let told = home.hark(["project", "list", "--json"]).within(folder).ok().json();
    told["projects"].as_array().unwrap().clone()
}

fn project<'v>(all: &'v [Value], key: &str) -> &'v Value {
    all.iter().find(|project| project["key"] == key).unwrap_or_else(|| panic!("{key}: {all:?}"))
}

fn findings(home: &Home, folder: &Path) -> String {
    home.hark(["doctor", "--json"]).within(folder).run().json()["findings"].to_string()
}

fn start(home: &Home, session: &str, folder: &Path) -> String {
    let payload = json!({ "session_id": session, "cwd": folder, "hook_event_name": "SessionStart", "source": "startup" });
    context(&home.hook("claude-code", "SessionStart", &payload))
}

#[test]
fn deleted_worktrees_belong_to_their_repository() {
    let home = home();
    let repo = repository(&home, "cli");
    let expected = key(&home, &repo);
    for (n, place) in
        [".worktrees/3", ".claude/worktrees/calm-fox", ".worktrees/4/src/deep"].iter().enumerate()
    {
        transcript(&home, &format!("gone-{n}"), &repo.join(place));
    }
    home.hark(["ingest"]).ok();
    assert_eq!(projects_of_sessions(&home), vec![expected; 3]);
}

#[test]
fn deleted_worktrees_of_a_repository_that_moved_are_the_project_it_was() {
    let home = home();
    let repo = repository(&home, "cli");
    git(&home, &repo, &["remote", "add", "origin", "https://git.example.org/acme/cli.git"]);
    let expected = key(&home, &repo);
    let beside = home.root().join("cli-feature");
    git(&home, &repo, &["worktree", "add", "-q", beside.to_str().unwrap(), "-b", "feature"]);
    assert_eq!(key(&home, &beside), expected);
    fs::remove_dir_all(&beside).unwrap();
    fs::rename(&repo, home.root().join("moved")).unwrap();
    transcript(&home, "inside", &repo.join(".worktrees/3"));
    transcript(&home, "beside", &beside);
    transcript(&home, "deep", &beside.join("src"));
    transcript(&home, "main", &repo.join("src/deep"));
    home.hark(["ingest"]).ok();
    assert_eq!(projects_of_sessions(&home), vec![expected; 4]);
}

#[test]
fn worktrees_of_a_repository_that_hark_never_saw_are_one_project() {
    let home = home();
    let repo = home.root().join("never/seen/cli");
    transcript(&home, "one", &repo.join(".worktrees/1"));
    transcript(&home, "two", &repo.join(".worktrees/2/src"));
    transcript(&home, "main", &repo);
    home.hark(["ingest"]).ok();
    let found = projects_of_sessions(&home);
    assert!(found[0].starts_with("cli-") && found.iter().all(|key| *key == found[0]), "{found:?}");
}

/// Earlier versions took each deleted worktree for a project of its own.
#[test]
fn worktrees_that_were_scattered_before_are_gathered_with_a_command() {
    let home = home();
    let repo = repository(&home, "cli");
    let expected = key(&home, &repo);
    let gone = fs::canonicalize(&repo).unwrap().join(".worktrees/3");
    let old = "3-02429983";
    home.hark(["checkpoint", "--session", "s1", "--goal", "Feed the walrus"]).within(&repo).ok();
    let database = sqlite::open(&home.database());
    let rows = format!(
        "INSERT INTO project (key, created) VALUES ('{old}', 0);
         INSERT INTO project_place (path, key, git, mark, seen) VALUES ('{}', '{old}', 0, '', 0);
         UPDATE session SET project = (SELECT num FROM project WHERE key = '{old}'),
             doc = json_set(doc, '$.project', '{old}');",
        gone.display()
    );
    database.execute_batch(&rows).unwrap();
    drop(database);
    let found = findings(&home, &repo);
    assert!(found.contains(&format!("hark project merge {old} {expected}")), "{found}");
    home.hark(["project", "merge", old, &expected]).ok();
    assert_eq!(projects_of_sessions(&home), [expected]);
    assert!(!findings(&home, &repo).contains("merge"));
}

#[test]
fn a_plain_folder_that_is_gone_claims_nothing_below_it() {
    let home = home();
    let (outer, inner) = (home.root().join("notes"), home.root().join("notes/other"));
    fs::create_dir_all(&inner).unwrap();
    let outer_key = key(&home, &outer);
    fs::remove_dir_all(&outer).unwrap();
    transcript(&home, "outer", &outer);
    transcript(&home, "inner", &inner);
    home.hark(["ingest"]).ok();
    let found = projects_of_sessions(&home);
    assert!(found.contains(&outer_key) && found.iter().any(|key| key.starts_with("other-")), "{found:?}");
}

#[test]
fn a_worktree_whose_repository_is_gone_keeps_its_project() {
    let home = home();
    let repo = repository(&home, "cli");
    let expected = key(&home, &repo);
    let tree = home.root().join("tree");
    git(&home, &repo, &["worktree", "add", "-q", tree.to_str().unwrap(), "-b", "feature"]);
    fs::remove_dir_all(&repo).unwrap();
    assert_eq!(key(&home, &tree), expected);
}

#[test]
fn people_see_the_name_of_the_folder_and_programs_the_key() {
    let home = home();
    let repo = repository(&home, "shop");
    let said = remember(&home, &repo, "Walruses drain the queue.");
    let key = said["project"].as_str().unwrap();
    assert!(key.starts_with("shop-") && key.len() == "shop-".len() + 8, "{key}");
    for args in [&["list"][..], &["recall", "walruses"], &["show", said["id"].as_str().unwrap()], &["stats"]]
    {
        let text = home.hark(args).within(&repo).ok().stdout();
        assert!(text.contains("shop") && !text.contains(key), "{args:?}: {text}");
    }
    let json = home.hark(["list", "--json"]).within(&repo).ok().json();
    assert_eq!(json["memories"][0]["project"], key);
    // A second project of that name: now the key says which is which.
    let other = home.root().join("elsewhere/shop");
    fs::create_dir_all(&other).unwrap();
    let other_key = remember(&home, &other, "Seals fill the queue.")["project"].as_str().unwrap().to_owned();
    let text = home.hark(["list", "--all-projects"]).within(&repo).ok().stdout();
    assert!(text.contains(key) && text.contains(&other_key), "{text}");
    let text = home.hark(["project", "rename", &other_key, "beach"]).within(&repo).ok().stdout();
    assert!(text.contains("beach"), "{text}");
    let text = home.hark(["list", "--all-projects"]).within(&repo).ok().stdout();
    assert!(text.contains("· beach") && text.contains("· shop") && !text.contains(key), "{text}");
    assert_eq!(home.recall_ids("seals", &["--project", "beach"]).len(), 1, "a name works where a key does");
    home.remove_index();
    let text = home.hark(["list", "--all-projects"]).within(&repo).ok().stdout();
    assert!(text.contains("· beach"), "a name outlives the index: {text}");
}

#[test]
fn remotes_of_one_name_are_told_apart() {
    let home = home();
    home.remember_with("Walruses drain the queue.", &["--project", "git.example.org/acme/shop"]);
    let text = home.hark(["list", "--all-projects"]).ok().stdout();
    assert!(text.contains("· shop"), "{text}");
    home.remember_with("Seals fill the queue.", &["--project", "git.example.org/rival/shop"]);
    let text = home.hark(["list", "--all-projects"]).ok().stdout();
    assert!(text.contains("acme/shop") && text.contains("rival/shop"), "{text}");
}

#[test]
fn the_list_says_where_projects_are() {
    let home = home();
    let (here, gone) = (repository(&home, "here"), home.root().join("gone"));
    fs::create_dir_all(&gone).unwrap();
    let here_key =
        remember(&home, &here, "Walruses drain the queue.")["project"].as_str().unwrap().to_owned();
    let gone_key = remember(&home, &gone, "Seals fill the queue.")["project"].as_str().unwrap().to_owned();
    fs::remove_dir_all(&gone).unwrap();
    start(&home, "s1", &here);
    let all = listed(&home, &here);
    let one = project(&all, &here_key);
    assert_eq!((&one["name"], &one["current"], &one["memories"]), (&json!("here"), &json!(true), &json!(1)));
    assert_eq!(one["sessions"], 1, "{one}");
    assert_eq!(one["folders"], json!([{ "path": fs::canonicalize(&here).unwrap(), "exists": true }]));
    assert_eq!(project(&all, &gone_key)["folders"][0]["exists"], false);
    let text = home.hark(["project"]).within(&here).ok().stdout();
    assert!(text.contains("here (current)") && text.contains("gone"), "{text}");
}

/// Everything about a project, for comparing before and after.
fn shop_with_everything(home: &Home) -> (PathBuf, String) {
    let old = home.root().join("shop");
    fs::create_dir_all(&old).unwrap();
    let key = remember(home, &old, "Walruses drain the queue.")["project"].as_str().unwrap().to_owned();
    home.hark(["remember", "The till jams on Mondays.", "--kind", "failure", "--file", "src/till.rs"])
        .within(&old)
        .ok();
    start(home, "s1", &old);
    home.hark(["checkpoint", "--session", "s1", "--goal", "Fix the till", "--done", "Found the jam"])
        .within(&old)
        .ok();
    (old, key)
}

#[test]
fn a_moved_folder_is_noticed_and_merged() {
    let home = home();
    let (old, from) = shop_with_everything(&home);
    let new = home.root().join("elsewhere/shop");
    fs::create_dir_all(new.parent().unwrap()).unwrap();
    fs::rename(&old, &new).unwrap();
    let into = listed(&home, &new).iter().find(|p| p["current"] == true).unwrap()["key"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_ne!(from, into);
    let command = format!("hark project merge {from} {into}");
    assert!(findings(&home, &new).contains(&command), "{}", findings(&home, &new));
    let told = start(&home, "s2", &new);
    assert_eq!(told.matches("hark project list").count(), 1, "{told}");
    assert!(!told.contains(&from), "a repository chooses its name, and this is no quote: {told}");
    assert!(!start(&home, "s3", &new).contains("project list"), "once is enough");
    let shown = home.hark(["project", "list"]).within(&new).ok().stderr();
    assert!(shown.contains(&command), "{shown}");

    let before = disk::notes(&home.store());
    let arguments: Vec<&str> = command.split(' ').skip(1).collect();
    let dry = home.hark([&arguments[..], &["--dry-run", "--json"]].concat()).within(&new).ok().json();
    assert_eq!((&dry["memories"], &dry["sessions"]), (&json!(2), &json!(1)), "{dry}");
    assert_eq!(disk::notes(&home.store()), before, "a dry run changes nothing");

    let told = home.hark([&arguments[..], &["--json"]].concat()).within(&new).ok().json();
    assert_eq!((&told["memories"], &told["sessions"]), (&json!(2), &json!(1)), "{told}");
    let is_moved = |when: &str| {
        assert!(sees(&home, &new, "walruses drain the queue"), "{when}");
        let failures = home.hark(["failures", "src/till.rs", "--json"]).within(&new).ok().json();
        assert_eq!(failures["failures"].as_array().unwrap().len(), 1, "{when}: {failures}");
        let sessions = home.hark(["sessions", "--json"]).within(&new).ok().json().to_string();
        assert!(sessions.contains("Fix the till"), "{when}: {sessions}");
        let all = listed(&home, &new);
        assert!(all.iter().all(|project| project["key"] != from.as_str()), "{when}: {all:?}");
    };
    is_moved("at once");
    assert!(!findings(&home, &new).contains("merge"), "{}", findings(&home, &new));
    for (path, bytes) in disk::notes(&home.store()) {
        assert!(!String::from_utf8_lossy(&bytes).contains(&format!("project: {from}")), "{}", path.display());
    }
    home.hark(["reindex"]).ok();
    is_moved("after a rebuild");
    home.remove_index();
    is_moved("after the loss of the index");
    // The old folder, if it comes back, is the new project.
    fs::create_dir_all(&old).unwrap();
    assert!(sees(&home, &old, "walruses drain the queue"));
    assert_eq!(remember(&home, &old, "Otters count the till.")["project"], into);
    // A memory can be taken back by itself.
    let id = home.recall_ids("walruses", &["--project", &into]).remove(0);
    assert_eq!(home.show(&id)["project"], into);
    home.hark(["undo", &id]).ok();
    assert_eq!(home.show(&id)["project"], from);
}

#[test]
fn a_changed_remote_is_noticed() {
    let home = home();
    let repo = repository(&home, "shop");
    git(&home, &repo, &["remote", "add", "origin", "https://git.example.org/acme/shop.git"]);
    remember(&home, &repo, "Walruses drain the queue.");
    git(&home, &repo, &["remote", "set-url", "origin", "https://git.example.org/acme/store.git"]);
    let command = "hark project merge git.example.org/acme/shop git.example.org/acme/store";
    assert!(findings(&home, &repo).contains(command), "{}", findings(&home, &repo));
    // A clone of it under the new remote shares the first commit.
    let clone = home.root().join("clone");
    git(&home, home.root(), &["clone", "-q", repo.to_str().unwrap(), clone.to_str().unwrap()]);
    git(&home, &clone, &["remote", "set-url", "origin", "https://git.example.org/acme/kiosk.git"]);
    let found = findings(&home, &clone);
    assert!(
        found.contains("hark project merge git.example.org/acme/shop git.example.org/acme/kiosk"),
        "{found}"
    );
}

#[test]
fn a_project_with_memories_or_with_nothing_like_it_gets_no_hint() {
    let home = home();
    let (one, two) = (repository(&home, "one"), repository(&home, "two"));
    remember(&home, &one, "Walruses drain the queue.");
    assert!(!findings(&home, &two).contains("merge"), "another project is no predecessor");
    let other = home.root().join("elsewhere/one");
    fs::create_dir_all(&other).unwrap();
    assert!(
        !findings(&home, &other).contains("merge"),
        "one of the same name that is still there is another"
    );
    remember(&home, &two, "Seals fill the queue.");
    fs::remove_dir_all(&one).unwrap();
    assert!(!findings(&home, &two).contains("merge"), "it has memories of its own");
}

#[test]
fn a_merge_that_was_killed_is_finished_by_the_same_command() {
    let home = home();
    let (from, into) = ("git.example.org/acme/old", "git.example.org/acme/new");
    for n in 0..60 {
        home.remember_with(&format!("Walrus number {n} drains queue {}.", n * 7), &["--project", from]);
    }
    home.remember_with("Seals fill the queue.", &["--project", into]);
    for round in 0..6 {
        let mut child = home.hark(["project", "merge", from, into]).spawn();
        std::thread::sleep(Duration::from_millis(20 + 25 * round));
        let _ = child.kill();
        let _ = child.wait();
        let all = home.hark(["list", "--all-projects", "--limit", "100", "--json"]).ok().json();
        assert_eq!(all["memories"].as_array().unwrap().len(), 61, "nothing is lost or doubled");
    }
    home.hark(["project", "merge", from, into]).ok();
    let all = home.hark(["list", "--project", into, "--limit", "100", "--json"]).ok().json();
    assert_eq!(all["memories"].as_array().unwrap().len(), 61);
    assert_eq!(home.findings(), "[]");
    assert_eq!(sqlite::integrity(&home.database()), "ok");
}

#[test]
fn what_a_merge_left_behind_is_reported() {
    let home = home();
    home.remember_with("Walruses drain the queue.", &["--project", "git.example.org/acme/old"]);
    home.remember_with("Seals fill the queue.", &["--project", "git.example.org/acme/new"]);
    let id = home.recall_ids("walruses", &["--all-projects"]).remove(0);
    let before = fs::read(home.file_of(&id)).unwrap();
    let file = home.file_of(&id);
    home.hark(["project", "merge", "git.example.org/acme/old", "git.example.org/acme/new"]).ok();
    // A file as another machine may bring it back.
    fs::write(&file, before).unwrap();
    let found = home.findings();
    assert!(
        found.contains("hark project merge git.example.org/acme/old git.example.org/acme/new"),
        "{found}"
    );
    home.hark(["project", "merge", "git.example.org/acme/old", "git.example.org/acme/new"]).ok();
    assert_eq!(home.findings(), "[]");
}

#[test]
fn a_merge_can_be_turned_round_and_goes_through_chains() {
    let home = home();
    let [a, b, c] = ["git.example.org/x/a", "git.example.org/x/b", "git.example.org/x/c"];
    for (key, text) in
        [(a, "Walruses drain the queue."), (b, "Seals fill the queue."), (c, "Otters count the queue.")]
    {
        home.remember_with(text, &["--project", key]);
    }
    home.hark(["project", "merge", a, b]).ok();
    home.hark(["project", "merge", b, c]).ok();
    assert_eq!(home.recall_ids("walruses", &["--project", a]).len(), 1, "the old key means the new project");
    let told = home.hark(["project", "merge", c, a, "--json"]).ok().json();
    assert_eq!((&told["into"], &told["memories"]), (&json!(a), &json!(3)), "{told}");
    let all = home.hark(["list", "--project", a, "--json"]).ok().json();
    assert_eq!(all["memories"].as_array().unwrap().len(), 3);
    for (args, says) in [
        (&["project", "merge", a, a][..], "same project"),
        (&["project", "merge", "nowhere", a], "no project `nowhere`"),
        (&["project", "merge", a, "nowhere"], "no project `nowhere`"),
        (&["project", "merge", a, "/no/such/folder"], "no project `/no/such/folder`"),
        (&["project", "rename", "nowhere", "x"], "no project `nowhere`"),
    ] {
        let outcome = home.hark(args).run();
        assert!(outcome.code != Some(0) && outcome.stderr().contains(says), "{says}: {outcome}");
        assert!(outcome.stderr().contains("hark project list"), "{outcome}");
    }
}

#[test]
fn the_store_of_a_project_follows_a_merge() {
    let home = home();
    let folder = home.root().join("shop");
    fs::create_dir_all(&folder).unwrap();
    home.hark(["init"]).within(&folder).ok();
    let said = remember(&home, &folder, "Walruses drain the queue.");
    let from = said["project"].as_str().unwrap();
    let told = home.hark(["project", "merge", from, "git.example.org/acme/shop", "--json"]).ok().json();
    assert_eq!(told["stores"].as_array().unwrap().len(), 1, "{told}");
    assert_eq!(home.recall_ids("walruses", &["--project", "git.example.org/acme/shop"]).len(), 1);
    assert!(sees(&home, &folder, "walruses"), "the folder is the new project");
    let later = remember(&home, &folder, "Seals fill the queue.");
    assert_eq!(later["project"], "git.example.org/acme/shop");
    assert_eq!(disk::notes(&folder.join(".hark/memories")).len(), 2, "new memories still go there");
}

#[test]
fn an_assistant_cannot_merge_projects() {
    let home = home();
    home.remember_with("Walruses drain the queue.", &["--project", "a/b"]);
    let outcome = home.hark(["project", "merge", "a/b", "c/d"]).env("CLAUDECODE", "1").run();
    assert!(outcome.code != Some(0) && outcome.stderr().contains("for the user"), "{outcome}");
}
