//! `hark uninstall --purge`.

use std::fs;

use serde_json::json;

use crate::install::machine::{Machine, put};

/// A store with something of everything in it.
fn used() -> Machine {
    let machine = Machine::new();
    let home = &machine.home;
    machine.install(&["claude-code"], "user");
    let id = home.remember("We deploy with kubectl rollout.");
    home.hark(["edit", &id, "--text", "We deploy with helm."]).ok();
    let gone = home.remember("A passing thought.");
    home.hark(["forget", &gone, "--yes"]).ok();
    machine.hark(&["init", "codex"]).ok();
    home.hook(
        "claude-code",
        "SessionStart",
        &json!({ "session_id": "p", "cwd": home.work(), "hook_event_name": "SessionStart" }),
    );
    home.hark(["checkpoint", "--session", "p", "--goal", "ship it"]).ok();
    home.hark(["backup"]).ok();
    home.hark(["ingest"]).ok();
    home.hark(["work", "--until-idle"]).ok();
    machine
}

#[test]
fn nothing_is_deleted_without_a_yes() {
    let machine = used();
    let before = machine.tree();
    let refused = machine.hark(&["uninstall", "--purge"]).fails(1).stderr();
    assert!(refused.contains("nothing was changed") && refused.contains("--purge --yes"), "{refused}");
    assert_eq!(machine.tree(), before, "not even disconnected");
    assert!(machine.home.memories().is_dir());
    let dry = machine.hark(&["uninstall", "--purge", "--dry-run"]).ok().stdout();
    assert!(dry.contains("would delete") && dry.contains("1 memory, 1 session"), "{dry}");
    assert!(machine.home.memories().is_dir());
    machine.hark(&["uninstall", "--yes"]).fails(2);
    machine.hark(&["uninstall", "codex", "--purge", "--yes"]).fails(2);
}

#[test]
fn an_assistant_may_not_do_it() {
    let machine = used();
    let refused = machine.hark(&["uninstall", "--purge", "--yes"]).env("CLAUDECODE", "1").fails(1).stderr();
    assert!(refused.contains("only the user"), "{refused}");
    assert!(machine.home.memories().is_dir());
}

#[test]
fn the_store_goes_and_projects_stay() {
    let machine = used();
    put(&machine.home.user_config(), "[checkpoint]\npolicy = \"off\"\n");
    let project = machine.home.work().join(".hark");
    assert!(project.is_dir());
    // Connected in another project: its files must be restored while the store can still do it.
    let other = machine.home.root().join("other");
    fs::create_dir_all(other.join(".git")).unwrap();
    machine.hark(&["install", "claude-code", "--scope", "project"]).within(&other).ok();
    let said = machine.hark(&["uninstall", "--purge", "--yes"]).ok().stdout();
    assert!(said.contains("deleted") && said.contains("1 memory, 1 session"), "{said}");
    assert!(!machine.home.store().exists(), "{:?}", fs::read_dir(machine.home.store()).map(|d| d.count()));
    assert!(project.is_dir() && said.contains(".hark stays"), "{said}");
    assert!(machine.home.user_config().is_file() && said.contains("config.toml stays"), "{said}");
    assert!(!machine.home.user().join(".claude/CLAUDE.md").exists());
    assert!(!other.join(".mcp.json").exists() && !other.join("CLAUDE.md").exists());
}

#[test]
fn files_that_hark_did_not_make_stay() {
    let machine = used();
    put(&machine.home.store().join("diary.txt"), "mine");
    let said = machine.hark(&["uninstall", "--purge", "--yes"]).ok().stdout();
    assert!(said.contains("diary.txt"), "{said}");
    let left: Vec<_> = fs::read_dir(machine.home.store()).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["diary.txt"]);
}

#[test]
fn a_store_in_a_repository_is_never_deleted() {
    let machine = used();
    let project = machine.home.work().join(".hark");
    let refused =
        machine.hark(&["uninstall", "--purge", "--yes"]).env("HARK_HOME", &project).fails(1).stderr();
    assert!(refused.contains("not deleted"), "{refused}");
    assert!(project.is_dir());
}

#[test]
fn the_store_stays_while_a_file_cannot_be_restored() {
    let machine = used();
    put(&machine.home.user().join(".claude/settings.json"), "{ broken");
    let said = machine.hark(&["uninstall", "--purge", "--yes"]).fails(1).stdout();
    assert!(said.contains("your store stays"), "{said}");
    assert!(machine.home.memories().is_dir());
}
