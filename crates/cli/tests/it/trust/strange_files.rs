//! FIFOs, devices and huge files in places where a file is expected: refused by name, at once.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::home;

pub(crate) fn fifo(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo");
    assert!(made.success(), "{}", path.display());
}

#[test]
fn a_fifo_as_settings_costs_a_hook_nothing_and_a_command_says_so() {
    let home = home();
    fs::create_dir_all(home.user_config().parent().unwrap()).unwrap();
    fifo(&home.user_config());
    let event = json!({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "hello there", "cwd": home.work()});
    home.hook("claude-code", "UserPromptSubmit", &event);
    let errors = fs::read_to_string(home.store().join("hook-errors.jsonl")).unwrap_or_default();
    assert!(errors.contains("is a FIFO") && !errors.contains("timed out"), "{errors}");
    let said = home.hark(["list"]).run();
    assert_eq!(said.code, Some(1), "{said}");
    assert!(said.stderr().contains("config.toml: is a FIFO, not a regular file"), "{said}");
}

#[test]
fn a_fifo_as_transcript_does_not_hang_the_worker() {
    let home = home();
    let path = home.work().join("transcript.jsonl");
    fifo(&path);
    let event = json!({"session_id": "s", "hook_event_name": "SessionStart", "source": "startup", "cwd": home.work(), "transcript_path": path});
    home.hook("claude-code", "SessionStart", &event);
    // A worker that waited for the other end would wait for ever; so would this test.
    home.hark(["work", "--until-idle"]).ok();
    home.hark(["ingest", path.to_str().unwrap()]).run();
    home.hark(["ingest"]).run();
}

#[test]
fn strange_files_in_the_users_own_store_are_named() {
    let home = home();
    home.remember("Herons wade.");
    fifo(&home.memories().join("fact/pipe.md"));
    std::os::unix::fs::symlink("/etc/hostname", home.memories().join("fact/link.md")).unwrap();
    let findings = home.findings();
    assert!(findings.contains("pipe.md: is a FIFO, not a regular file"), "{findings}");
    assert!(findings.contains("link.md: is a link, which hark does not follow here"), "{findings}");
    fs::remove_file(home.database()).unwrap();
    for side in ["hark.db-wal", "hark.db-shm"] {
        let _ = fs::remove_file(home.store().join(side));
    }
    std::os::unix::fs::symlink(home.root().join("elsewhere.db"), home.database()).unwrap();
    let said = home.hark(["list"]).run();
    assert_eq!(said.code, Some(3), "{said}");
    assert!(said.stderr().contains("hark.db: is a link"), "{said}");
    assert!(!home.root().join("elsewhere.db").exists());
}

#[test]
fn only_files_of_our_own_names_are_ever_deleted() {
    let home = home();
    home.remember("Herons wade.");
    let folders = ["spool", "tmp", "backups", "install/originals"];
    for folder in folders {
        fs::create_dir_all(home.store().join(folder)).unwrap();
        for name in ["package.json", "notes.md", "1.json", "keep.hark", "abc"] {
            let path = home.store().join(folder).join(name);
            fs::write(&path, "mine").unwrap();
            let old = std::time::SystemTime::now() - std::time::Duration::from_secs(10 * 86_400);
            fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
        }
    }
    home.hark(["backup"]).ok();
    home.hark(["config", "set", "backup.keep", "1"]).ok();
    home.remember("Another one.");
    home.hark(["backup"]).ok();
    home.hark(["work", "--until-idle"]).ok();
    home.hark(["doctor"]).run();
    home.hark(["reindex"]).ok();
    for folder in folders {
        for name in ["package.json", "notes.md", "1.json", "keep.hark", "abc"] {
            assert!(home.store().join(folder).join(name).exists(), "{folder}/{name}");
        }
    }
}
