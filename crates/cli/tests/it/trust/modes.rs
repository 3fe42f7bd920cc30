//! Nobody else on the machine reads a store, whatever the umask was.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use hark_testkit::Home;
use serde_json::json;

use super::home;

/// Runs the binary under a umask.
fn under(home: &Home, umask: &str, args: &[&str], stdin: &str) {
    use std::io::Write;
    let words: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
    let line = format!("umask {umask}; exec {} {}", home.binary().display(), words.join(" "));
    let mut child =
        home.program("sh").arg("-c").arg(line).stdin(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{args:?}");
}

fn loose(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        let meta = fs::symlink_metadata(&path).unwrap();
        let wanted = if meta.is_dir() { 0o700 } else { 0o600 };
        if meta.mode() & 0o7777 != wanted {
            found.push(format!("{} {:o}", path.display(), meta.mode() & 0o7777));
        }
        if meta.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    found
}

fn use_it(home: &Home, umask: &str) {
    let event = |name: &str| {
        json!({"session_id": "s", "hook_event_name": name, "source": "startup", "prompt": "how do herons wade?", "cwd": home.work()}).to_string()
    };
    under(home, umask, &["hook", "claude-code", "SessionStart"], &event("SessionStart"));
    under(home, umask, &["remember", "Herons wade in the shallow end."], "");
    under(home, umask, &["hook", "claude-code", "UserPromptSubmit"], &event("UserPromptSubmit"));
    under(home, umask, &["checkpoint", "--goal", "look at herons"], "");
    under(home, umask, &["work", "--until-idle"], "");
    under(home, umask, &["backup"], "");
    under(home, umask, &["install", "claude-code"], "");
    under(home, umask, &["export", home.work().join("all.jsonl").to_str().unwrap()], "");
    under(home, umask, &["reindex"], "");
    under(home, umask, &["doctor"], "");
}

#[test]
fn a_used_store_is_private_under_every_umask() {
    for umask in ["000", "022", "077", "0777"] {
        let home = home();
        fs::create_dir_all(home.user().join(".claude")).unwrap();
        use_it(&home, umask);
        assert_eq!(loose(&home.store()), Vec::<String>::new(), "umask {umask}");
        assert_eq!(fs::metadata(home.work().join("all.jsonl")).unwrap().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_store_that_was_left_open_is_shut_at_the_next_opening() {
    let home = home();
    use_it(&home, "022");
    let mut open = vec![home.store()];
    while let Some(path) = open.pop() {
        let is_folder = path.is_dir();
        if is_folder {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(if is_folder { 0o755 } else { 0o644 }))
            .unwrap();
    }
    home.hark(["list"]).ok();
    assert_eq!(loose(&home.store()), Vec::<String>::new());
}

#[test]
fn a_damaged_copy_and_a_projects_store_are_private_too() {
    let home = home();
    home.remember("Herons wade.");
    fs::write(home.database(), "this is not a database").unwrap();
    for side in ["hark.db-wal", "hark.db-shm"] {
        let _ = fs::remove_file(home.store().join(side));
    }
    under(&home, "000", &["list"], "");
    assert_eq!(loose(&home.store()), Vec::<String>::new());
    let repo = hark_testkit::git::repository(&home, "shop");
    let line = format!("umask 000; cd '{}' && {} init", repo.display(), home.binary().display());
    assert!(home.program("sh").arg("-c").arg(line).status().unwrap().success());
    let line =
        format!("umask 000; cd '{}' && {} remember 'Herons.'", repo.display(), home.binary().display());
    assert!(home.program("sh").arg("-c").arg(line).status().unwrap().success());
    assert_eq!(loose(&repo.join(".hark")), Vec::<String>::new());
}
