//! A stdio server ends with its client, and not before.

use std::time::{Duration, Instant};

use crate::client::{self, PATIENCE, Pipe, call, wait};
use serde_json::json;

/// The server allows itself less than one second. The rest is for a busy machine.
const SOON: Duration = Duration::from_secs(8);

#[test]
fn ends_when_input_ends() {
    for shaken in [true, false] {
        let mut pipe = Pipe::open();
        if shaken {
            pipe.handshake("2025-11-25", json!({}));
        }
        pipe.close_input();
        let status = wait(&mut pipe.child, SOON).expect("still running after its input ended");
        assert!(status.success(), "{status}");
    }
}

#[test]
fn ends_when_input_ends_though_a_call_is_stuck() {
    let mut pipe = Pipe::ready("2025-11-25", json!({}));
    pipe.request("tools/call", call("memory_recall", json!({"query": "sleep 120000"})));
    assert_eq!(pipe.ask("ping", json!({}))["result"], json!({}));
    pipe.close_input();
    let closed = Instant::now();
    // The protocol library would wait for the call for five seconds, a runtime for ever.
    let status = wait(&mut pipe.child, SOON).expect("still running after its input ended");
    assert!(status.success(), "{status}");
    assert!(closed.elapsed() < Duration::from_secs(4), "{:?}", closed.elapsed());
}

#[test]
fn calls_under_way_are_answered_after_input_ended() {
    let mut pipe = Pipe::ready("2025-11-25", json!({}));
    let id = pipe.request("tools/call", call("memory_recall", json!({"query": "sleep 100"})));
    pipe.close_input();
    assert!(pipe.answer(id)["result"].is_object());
    assert!(wait(&mut pipe.child, SOON).is_some());
}

#[test]
fn a_last_line_without_its_end_counts() {
    let mut pipe = Pipe::open();
    pipe.raw(br#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#);
    pipe.close_input();
    assert_eq!(pipe.answer(7)["result"], json!({}));
}

#[cfg(unix)]
#[test]
fn ends_when_its_parent_dies_though_input_stays_open() {
    // The shell is the server's parent; this test holds the other end of the server's input all the while.
    let mut command = std::process::Command::new("sh");
    command.args(["-c", r#"exec 3<&0; "$0" stdio <&3 3<&- & wait"#]).arg(client::server());
    let mut pipe = Pipe::start(&mut command);
    pipe.handshake("2025-11-25", json!({}));
    pipe.child.kill().expect("kill the shell");
    pipe.child.wait().expect("reap the shell");
    let killed = Instant::now();
    // Only the server still holds the write end of its output, so the end of that is the end of the server.
    assert!(pipe.next_line(PATIENCE).is_none());
    assert!(killed.elapsed() < SOON, "{:?}", killed.elapsed());
}

#[cfg(unix)]
#[test]
fn stays_while_its_parent_lives() {
    let mut pipe = Pipe::ready("2025-11-25", json!({}));
    // Several looks at the parent fit into this.
    assert!(wait(&mut pipe.child, Duration::from_millis(1200)).is_none());
    assert_eq!(pipe.ask("ping", json!({}))["result"], json!({}));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_in_good_order() {
    let mut pipe = Pipe::ready("2025-11-25", json!({}));
    let id = pipe.child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-TERM", &id]).status();
    assert!(sent.expect("run kill").success());
    let status = wait(&mut pipe.child, SOON).expect("still running after SIGTERM");
    assert!(status.success(), "{status}");
}

#[cfg(unix)]
#[test]
fn ends_when_nobody_reads_its_answers() {
    // `head` leaves after the first line; this test keeps the server's input open.
    let mut command = std::process::Command::new("sh");
    command.args(["-c", r#"exec 3<&0; "$0" stdio <&3 3<&- | head -n 1"#]).arg(client::server());
    let mut pipe = Pipe::start(&mut command);
    pipe.handshake("2025-11-25", json!({}));
    let deadline = Instant::now() + SOON;
    while wait(&mut pipe.child, Duration::from_millis(50)).is_none() {
        assert!(Instant::now() < deadline, "still running");
        pipe.try_raw(b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\n");
    }
}
