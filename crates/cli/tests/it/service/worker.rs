//! The background work inside `hark serve` and in `hark work --watch`.

use std::process::Stdio;
use std::time::{Duration, Instant};

use hark_testkit::{Home, eventually};
use serde_json::json;

use super::{home, put, serve, signal};

/// A hook whose event waits because the index cannot be written.
fn leave_in_spool(home: &Home) {
    let event = json!({ "session_id": "s1", "cwd": home.work(), "hook_event_name": "UserPromptSubmit",
        "prompt": "make the walrus faster" });
    // A folder in the place of the index: nothing can be stored there.
    let aside = home.root().join("aside.db");
    std::fs::rename(home.database(), &aside).unwrap();
    for name in ["hark.db-wal", "hark.db-shm"] {
        let _ = std::fs::remove_file(home.store().join(name));
    }
    std::fs::create_dir(home.database()).unwrap();
    home.hark(["hook", "claude-code"]).stdin(event.to_string()).ok();
    std::fs::remove_dir(home.database()).unwrap();
    std::fs::rename(&aside, home.database()).unwrap();
}

fn waiting(home: &Home) -> usize {
    std::fs::read_dir(home.store().join("spool")).map_or(0, Iterator::count)
}

#[test]
fn a_server_works_in_the_background_unless_it_is_told_not_to() {
    let home = home();
    home.remember("The walrus is fast.");
    let idle = serve(&home, &["--no-worker"]);
    assert!(home.doctor()["service"].is_null());
    assert_eq!(home.hark(["work", "--json"]).ok().json()["busy"], false);
    drop(idle);

    let server = serve(&home, &[]);
    eventually("it has worked", || home.doctor()["service"]["last_work"].is_string());
    let service = home.doctor()["service"].clone();
    assert_eq!((&service["host"], &service["restarts"]), (&json!("serve"), &json!(0)), "{service}");
    assert_eq!(home.hark(["work", "--json"]).ok().json()["busy"], true, "one worker at a time");
    assert_eq!(server.request("GET", "/health", &[], "").status, 200);
    drop(server);
    assert_eq!(home.hark(["work", "--json"]).ok().json()["busy"], false);
}

#[test]
fn waiting_events_are_stored_soon() {
    let home = home();
    home.remember("The walrus is fast.");
    leave_in_spool(&home);
    assert_eq!(waiting(&home), 1);
    let server = serve(&home, &[]);
    eventually("the spool is empty", || waiting(&home) == 0);
    drop(server);
}

#[test]
fn watching_alone_ends_cleanly_and_the_next_takes_over() {
    let home = home();
    let watch = || {
        let mut command = home.program(home.binary());
        command.args(["work", "--watch"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let first = watch();
    eventually("the first has worked", || home.doctor()["service"]["last_work"].is_string());
    assert_eq!(home.doctor()["service"]["host"], "work");
    let since = home.doctor()["service"]["since"].clone();
    let second = watch();
    // The second says so and waits; the first goes on.
    signal(first.id(), "TERM");
    let asked = Instant::now();
    let first = first.wait_with_output().unwrap();
    assert!(first.status.success(), "{first:?}");
    assert!(asked.elapsed() < Duration::from_secs(20));
    eventually("the second has taken over", || {
        let service = home.doctor()["service"].clone();
        service["last_work"].is_string() && service["since"] != since
    });
    signal(second.id(), "TERM");
    let second = second.wait_with_output().unwrap();
    assert!(second.status.success());
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(said.contains("standing by"), "{said}");
    assert!(home.doctor()["service"].is_null());
    assert!(!home.store().join("service.json").exists(), "it leaves nothing behind");
}

#[test]
fn a_worker_that_fails_is_told_about_and_answers_go_on() {
    let home = home();
    home.remember("The walrus is fast.");
    let server = serve(&home, &[]);
    eventually("it has worked", || home.doctor()["service"]["last_work"].is_string());
    let token = std::fs::read_to_string(home.store().join("serve.token")).unwrap();
    let bearer = format!("Bearer {}", token.trim());
    // The index is damaged while it runs: the worker fails or rebuilds it, and the answers are the same.
    let garbage = vec![0x5a; 64 * 1024];
    put_over(&home.database(), &garbage);
    let ask = || {
        let call =
            json!({ "name": "memory_recall", "arguments": { "query": "walrus", "all_projects": true } });
        server.ask(Some(&bearer), "tools/call", &call)
    };
    eventually("the memory is found again", || ask().body.contains("walrus is fast"));
    assert_eq!(server.request("GET", "/health", &[], "").status, 200);
    eventually("the worker works again", || home.doctor()["service"]["last_work"].is_string());
    drop(server);
}

fn put_over(path: &std::path::Path, bytes: &[u8]) {
    for name in ["hark.db-wal", "hark.db-shm"] {
        let _ = std::fs::remove_file(path.with_file_name(name));
    }
    put(path, "");
    std::fs::write(path, bytes).unwrap();
}
