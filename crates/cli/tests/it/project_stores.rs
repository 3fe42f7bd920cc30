//! Stores of projects seen from elsewhere, an emptied store, a memory that moves to another project, and the path of
//! a session on the clipboard.

use std::fs;
use std::path::{Path, PathBuf};

use hark_testkit::git::repository;
use hark_testkit::{Home, disk};
use serde_json::json;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

/// A project with a store of its own, and a memory in it.
fn project_with_store(home: &Home, name: &str, text: &str) -> PathBuf {
    let folder = home.root().join(name);
    fs::create_dir_all(&folder).unwrap();
    home.hark(["init"]).within(&folder).ok();
    home.hark(["remember", text]).within(&folder).ok();
    folder
}

#[test]
fn all_projects_includes_the_stores_of_projects() {
    let home = home();
    let folder = project_with_store(&home, "shop", "Walruses drain the queue.");
    let note = disk::notes(&folder.join(".hark/memories")).into_keys().next().unwrap();
    let elsewhere = repository(&home, "elsewhere");
    let found = |words: &str| {
        let told = home.hark(["recall", words, "--all-projects", "--json"]).within(&elsewhere).ok().json();
        told["hits"].as_array().unwrap().len()
    };
    assert_eq!(found("walruses"), 1);
    home.remove_index();
    assert_eq!(found("walruses"), 1, "also when the index was lost");
    // Somebody else's change, as a pull brings it.
    let path = folder.join(".hark/memories").join(&note);
    let text = fs::read_to_string(&path).unwrap().replace("Walruses", "Narwhals");
    fs::write(&path, text).unwrap();
    assert_eq!(found("narwhals"), 1, "and what changed since somebody worked there");
    let here = home.hark(["recall", "narwhals", "--json"]).within(&elsewhere).ok().json();
    assert!(here["hits"].as_array().unwrap().is_empty(), "only if all projects are asked for");
}

#[test]
fn a_store_that_is_gone_is_skipped_with_a_word() {
    let home = home();
    let folder = project_with_store(&home, "shop", "Walruses drain the queue.");
    project_with_store(&home, "till", "Seals fill the queue.");
    fs::remove_dir_all(&folder).unwrap();
    let outcome = home.hark(["list", "--all-projects"]).ok();
    assert!(outcome.stdout().contains("Seals") && !outcome.stdout().contains("Walruses"), "{outcome}");
    let store = fs::canonicalize(home.root()).unwrap().join("shop/.hark");
    assert!(outcome.stderr().contains(&format!("skipped the store {}", store.display())), "{outcome}");
    // The command it names works.
    home.hark(["trust", "--revoke", store.to_str().unwrap()]).ok();
    let outcome = home.hark(["list", "--all-projects"]).ok();
    assert!(!outcome.stderr().contains("skipped"), "{outcome}");
}

fn is_empty(home: &Home) -> bool {
    disk::notes(&home.memories()).is_empty() && disk::notes(&home.store().join("sessions")).is_empty()
}

#[test]
fn a_reset_empties_the_store_and_can_be_taken_back() {
    let home = home();
    let repo = repository(&home, "shop");
    home.hark(["remember", "Walruses drain the queue."]).within(&repo).ok();
    home.hark(["checkpoint", "--session", "s1", "--goal", "Feed the walrus", "--done", "Bought fish"])
        .within(&repo)
        .ok();
    let forgotten = home.remember("Otters count the till.");
    home.hark(["forget", &forgotten, "--yes"]).ok();
    fs::create_dir_all(home.user().join(".claude")).unwrap();
    home.hark(["install", "claude-code"]).ok();
    let installed = disk::files(&home.user().join(".claude"));
    let before = disk::notes(&home.store());

    let outcome = home.hark(["reset"]).ok();
    assert!(outcome.stdout().contains("would remove 1 memory and 1 session"), "{outcome}");
    assert!(outcome.stderr().contains("hark reset --yes"), "{outcome}");
    assert_eq!(disk::notes(&home.store()), before, "without --yes nothing happens");

    let till = project_with_store(&home, "till", "Narwhals guard the till.");
    let told = home.hark(["reset", "--yes", "--json"]).ok().json();
    let kept = home.hark(["recall", "narwhals", "--json"]).within(&till).ok().json();
    assert_eq!(kept["hits"].as_array().unwrap().len(), 1, "the store of a project is not the user's own");
    fs::remove_dir_all(&till).unwrap();
    let found = home.findings();
    assert!(found.contains("hark trust --revoke") && found.contains("till/.hark"), "{found}");
    home.hark(["trust", "--revoke", fs::canonicalize(home.root()).unwrap().join("till").to_str().unwrap()])
        .ok();
    assert_eq!(
        (&told["applied"], &told["memories"], &told["sessions"]),
        (&json!(true), &json!(1), &json!(1)),
        "{told}"
    );
    assert!(is_empty(&home));
    assert_eq!(disk::files(&home.user().join(".claude")), installed, "assistants stay connected");
    assert!(home.recall_ids("walruses", &["--all-projects"]).is_empty());
    assert_eq!(
        disk::holding(&home.store(), "Walruses"),
        Vec::<PathBuf>::new(),
        "no byte of it outside the backup"
    );
    let doctor = home.doctor();
    assert_eq!((&doctor["healthy"], &doctor["memories"]), (&json!(true), &json!(0)), "{doctor}");

    // The store works on, and forgotten things stay forgotten.
    home.remember("Seals fill the queue.");
    home.hark(["backup", "restore", told["backup"].as_str().unwrap(), "--yes"]).ok();
    assert_eq!(home.recall_ids("walruses", &["--all-projects"]).len(), 1);
    assert_eq!(home.recall_ids("seals", &["--all-projects"]).len(), 1);
    assert!(home.recall_ids("otters", &["--all-projects"]).is_empty());
    let sessions = home.hark(["sessions", "--all-projects", "--json"]).ok().json().to_string();
    assert!(sessions.contains("Feed the walrus"), "{sessions}");
    assert_eq!(home.findings(), "[]");
}

#[test]
fn resetting_an_empty_store_makes_no_backup_and_the_backups_survive() {
    let home = home();
    home.hark(["reset", "--yes"]).ok();
    assert!(home.hark(["backup", "list", "--json"]).ok().json()["snapshots"].as_array().unwrap().is_empty());
    for round in 0..12 {
        home.remember(&format!("Walrus number {round} drains queue {}.", round * 3));
        home.hark(["backup"]).ok();
    }
    let before = home.hark(["backup", "list", "--json"]).ok().json()["snapshots"].as_array().unwrap().len();
    home.hark(["reset", "--yes"]).ok();
    let after = home.hark(["backup", "list", "--json"]).ok().json()["snapshots"].as_array().unwrap().len();
    assert_eq!(after, before + 1);
}

#[test]
fn an_assistant_cannot_reset() {
    let home = home();
    home.remember("Walruses drain the queue.");
    let outcome = home.hark(["reset", "--yes"]).env("CLAUDECODE", "1").run();
    assert!(outcome.code != Some(0) && outcome.stderr().contains("for the user"), "{outcome}");
    assert!(!is_empty(&home));
}

#[test]
fn a_memory_moves_to_another_project() {
    let home = home();
    let (shop, till) = (repository(&home, "shop"), repository(&home, "till"));
    let said = home.hark(["remember", "Walruses drain the queue.", "--json"]).within(&shop).ok().json();
    let (id, from) = (said["id"].as_str().unwrap(), said["project"].as_str().unwrap());
    let into =
        home.hark(["remember", "Seals fill the queue.", "--json"]).within(&till).ok().json()["project"]
            .as_str()
            .unwrap()
            .to_owned();
    let sees = |folder: &Path| {
        let told = home.hark(["recall", "walruses", "--json"]).within(folder).ok().json();
        told["hits"].as_array().unwrap().iter().any(|hit| hit["id"] == id)
    };
    let told = home.hark(["edit", id, "--project", "till", "--json"]).within(&shop).ok().json();
    assert_eq!((&told["changed"], &told["memory"]["project"]), (&json!(true), &json!(into)), "{told}");
    assert!(sees(&till) && !sees(&shop));
    home.hark(["reindex"]).ok();
    assert!(sees(&till) && !sees(&shop), "the file says so too");
    home.hark(["edit", id, "--global"]).ok();
    assert!(sees(&till) && sees(&shop));
    home.hark(["edit", id, "--project", shop.to_str().unwrap()]).ok();
    assert_eq!(home.show(id)["project"], from);
    assert!(home.hark(["edit", id, "--project", "x", "--global"]).run().code != Some(0));
}

#[test]
fn a_memory_leaves_the_store_of_its_project_and_comes_back() {
    let home = home();
    let folder = project_with_store(&home, "shop", "Walruses drain the queue.");
    let id = home.hark(["list", "--json"]).within(&folder).ok().json()["memories"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let inside = || disk::notes(&folder.join(".hark/memories")).len();
    let outside = || disk::notes(&home.memories()).len();
    assert_eq!((inside(), outside()), (1, 0));
    home.hark(["edit", &id, "--global"]).within(&folder).ok();
    assert_eq!((inside(), outside()), (0, 1));
    assert_eq!(home.recall_ids("walruses", &[]), [id.as_str()]);
    home.hark(["edit", &id, "--project", folder.to_str().unwrap()]).within(&folder).ok();
    assert_eq!((inside(), outside()), (1, 0));
    assert_eq!(home.show(&id)["origin"], "user", "it is still the user's word");
    assert_eq!(home.findings(), "[]");
}

#[test]
fn an_assistant_may_not_widen_what_the_user_said() {
    let home = home();
    let id =
        home.remember_with("Never deploy on Fridays.", &["--kind", "directive", "--project", "acme/shop"]);
    let outcome = home.hark(["edit", &id, "--global"]).env("CLAUDECODE", "1").run();
    assert!(outcome.code != Some(0), "{outcome}");
    assert_eq!(home.show(&id)["project"], "acme/shop");
}

/// Puts a stand-in for a clipboard program in front of the real ones.
#[cfg(unix)]
#[test]
fn the_path_of_a_session_goes_to_the_clipboard() {
    use std::os::unix::fs::PermissionsExt;
    let home = home();
    let repo = repository(&home, "shop");
    home.hark(["checkpoint", "--session", "s1", "--goal", "Feed the walrus", "--done", "Bought fish"])
        .within(&repo)
        .ok();
    let programs = home.root().join("programs");
    fs::create_dir_all(&programs).unwrap();
    let run = || {
        home.hark(["sessions", "path", "s1", "--copy"])
            .within(&repo)
            .env("PATH", &programs)
            .without("SSH_TTY")
            .without("SSH_CONNECTION")
            .ok()
    };
    let outcome = run();
    assert!(outcome.stderr().contains("not copied"), "no program, no terminal: {outcome}");
    let path = outcome.stdout().trim().to_owned();
    assert!(path.ends_with(".md"), "{outcome}");
    let copied = home.root().join("copied");
    let script = format!("#!/bin/sh\n/bin/cat > '{}'\n", copied.display());
    fs::write(programs.join("wl-copy"), script).unwrap();
    fs::set_permissions(programs.join("wl-copy"), fs::Permissions::from_mode(0o755)).unwrap();
    let outcome = run();
    assert!(outcome.stderr().contains("copied the path with wl-copy"), "{outcome}");
    assert_eq!(fs::read_to_string(&copied).unwrap(), path);
    assert_eq!(outcome.stdout().trim(), path, "data stays data");
}

#[test]
fn a_slug_names_the_file_of_a_session() {
    let home = home();
    let repo = repository(&home, "shop");
    let name = |args: &[&str]| {
        home.hark([&["checkpoint", "--session", "s1"], args].concat()).within(&repo).ok();
        let path = home.hark(["sessions", "path", "s1"]).within(&repo).ok().stdout();
        Path::new(path.trim()).file_name().unwrap().to_str().unwrap().to_owned()
    };
    assert!(name(&["--goal", "Feed the walrus"]).contains("_feed-the-walrus_"));
    let slugged = name(&["--slug", "fish-supply", "--done", "Bought fish"]);
    assert!(slugged.contains("_fish-supply_"), "{slugged}");
    assert_eq!(name(&["--slug", "other", "--done", "Sold fish"]), slugged, "set once");
    assert_eq!(disk::notes(&home.store().join("sessions")).len(), 1, "renamed, not copied");
    assert!(name(&["--slug", "../../../evil", "--done", "Ate fish"]).contains("fish-supply"));
}

#[test]
fn an_export_into_a_folder_is_named_after_its_project() {
    let home = home().at("2026-03-03T10:00:00Z");
    let repo = repository(&home, "shop");
    home.hark(["remember", "Walruses drain the queue."]).within(&repo).ok();
    let folder = home.root().join("exports");
    fs::create_dir_all(&folder).unwrap();
    let target = folder.to_str().unwrap();
    home.hark(["export", target, "--project", "shop"]).within(&repo).ok();
    home.hark(["export", target]).within(&repo).ok();
    home.hark(["export", target]).within(&repo).ok();
    let names: Vec<String> = disk::files(&folder)
        .into_keys()
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["hark-memories-2026-03-03.json", "hark-shop-2026-03-03.json"]);
    let elsewhere = Home::new(env!("CARGO_BIN_EXE_hark"));
    let told = elsewhere.hark(["import", folder.join(&names[1]).to_str().unwrap(), "--json"]).ok().json();
    assert_eq!(told["added"], 1, "{told}");
}
