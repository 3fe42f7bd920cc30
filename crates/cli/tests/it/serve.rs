//! `hark serve` from outside: the token, where it comes from, and what a server on a shared machine has to bear.

use std::fs;
use std::net::TcpStream;
use std::thread;

use hark_testkit::{Home, Serve};
use serde_json::{Value, json};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

fn serve(home: &Home, flags: &[&str], variables: &[(&str, &str)]) -> Serve {
    let mut command = home.program(home.binary());
    command.args(["serve", "--port", "0"]).args(flags).envs(variables.iter().copied());
    Serve::start(command)
}

fn token(home: &Home) -> String {
    fs::read_to_string(home.store().join("serve.token")).expect("serve.token").trim().to_owned()
}

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

fn tools(server: &Serve, token: &str) -> u16 {
    server.ask(Some(&bearer(token)), "tools/list", &json!({})).status
}

#[test]
fn a_token_is_made_at_the_first_start_and_stays() {
    let home = home();
    let server = serve(&home, &[], &[]);
    let made = token(&home);
    assert!(made.len() > 32, "{made}");
    assert!(server.said.contains("serve.token") && !server.said.contains(&made), "{}", server.said);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(home.store().join("serve.token")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert_eq!(tools(&server, &made), 200);
    assert_eq!(server.request("GET", "/health", &[], "").status, 200);

    let refused = server.ask(None, "tools/list", &json!({}));
    assert_eq!(refused.status, 401);
    assert!(refused.head.to_lowercase().contains("www-authenticate: bearer"), "{}", refused.head);
    assert!(refused.body.contains("hark install generic"), "{}", refused.body);
    assert!(!refused.body.contains(&made));
    assert_eq!(tools(&server, "hark_0000000000000000000000"), 401);

    drop(server);
    assert_eq!(tools(&serve(&home, &[], &[]), &made), 200);
}

#[test]
fn many_first_starters_agree() {
    let home = home();
    let servers: Vec<Serve> = thread::scope(|scope| {
        let starts: Vec<_> = (0..6).map(|_| scope.spawn(|| serve(&home, &[], &[]))).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    let made = token(&home);
    assert!(servers.iter().all(|server| tools(server, &made) == 200));
}

#[test]
fn a_token_of_ones_own_goes_before_the_one_in_the_store() {
    let home = home();
    let (variable, file) = ("token-from-the-variable", "token-from-the-file-0");
    let path = home.work().join("token");
    fs::write(&path, format!("{file}\n")).unwrap();
    let variables = [("HARK_SERVE_TOKEN", variable)];
    let server = serve(&home, &[], &variables);
    assert_eq!((tools(&server, variable), tools(&server, file)), (200, 401));
    assert!(!home.store().join("serve.token").exists(), "none is made where none is needed");
    let server = serve(&home, &["--token-file", path.to_str().unwrap()], &variables);
    assert_eq!((tools(&server, variable), tools(&server, file)), (401, 200));

    let short = home.hark(["serve", "--port", "0"]).env("HARK_SERVE_TOKEN", "short").fails(1);
    assert!(
        short.stderr().contains("HARK_SERVE_TOKEN") && short.stderr().contains("openssl"),
        "{}",
        short.stderr()
    );
    let gone = home.hark(["serve", "--port", "0", "--token-file", "gone"]).fails(1);
    assert!(gone.stderr().contains("gone"), "{}", gone.stderr());
}

#[test]
fn an_address_that_others_reach_needs_a_token_of_ones_own() {
    let home = home();
    for start in [
        home.hark(["serve", "--port", "0", "--host", "0.0.0.0"]),
        home.hark(["serve", "--port", "0"]).env("HARK_SERVE_HOST", "::"),
    ] {
        let said = start.fails(1).stderr();
        assert!(said.contains("other machines") && said.contains("HARK_SERVE_TOKEN"), "{said}");
    }
    let server = serve(&home, &["--host", "0.0.0.0"], &[("HARK_SERVE_TOKEN", "a-token-of-my-own")]);
    assert_eq!(tools(&server, "a-token-of-my-own"), 200);
    assert_eq!(server.ask(None, "tools/list", &json!({})).status, 401);
    let wrong = home.hark(["serve", "--host", "example.com"]).fails(2);
    assert!(wrong.stderr().contains("invalid IP address"), "{}", wrong.stderr());
    let wrong = home.hark(["serve"]).env("HARK_SERVE_PORT", "many").fails(1);
    assert!(wrong.stderr().contains("HARK_SERVE_PORT"), "{}", wrong.stderr());
}

#[test]
fn the_printed_entry_is_let_in() {
    let home = home();
    let report = home.hark(["install", "generic", "--json"]).ok().json();
    let entry = &report["snippet_http"]["mcpServers"]["hark"];
    assert_eq!(entry["url"], "http://127.0.0.1:9824/mcp");
    let shown = entry["headers"]["Authorization"].as_str().unwrap();
    let server = serve(&home, &[], &[]);
    assert_eq!(server.ask(Some(shown), "tools/list", &json!({})).status, 200);
    let said = home.hark(["install", "generic"]).ok().stdout();
    assert!(said.contains(shown) && said.contains("hark serve"), "{said}");
    let said = home.hark(["install", "generic", "--dry-run"]).ok().stdout();
    assert!(!said.contains(shown), "{said}");
}

#[test]
fn ten_thousand_handshakes_cost_no_memory() {
    let home = home();
    let server = serve(&home, &[], &[]);
    let shown = bearer(&token(&home));
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": { "name": "tester", "version": "1" },
    });
    let open = |count: usize| {
        for _ in 0..count {
            assert_eq!(server.ask(Some(&shown), "initialize", &hello).status, 200);
        }
    };
    open(2_000);
    let Some(before) = server.resident() else {
        return hark_testkit::skip("this system does not tell how much memory a process has");
    };
    open(8_000);
    let after = server.resident().expect("VmRSS");
    assert!(after < before + 16 * 1024, "{before} kB before, {after} kB after");
}

#[test]
fn idle_connections_leave_room_for_health() {
    let home = home();
    let server = serve(&home, &[], &[]);
    let made = token(&home);
    let taken: Vec<TcpStream> = (0..256).map(|_| server.connect()).collect();
    for _ in 0..50 {
        assert_eq!(server.request("GET", "/health", &[], "").status, 200);
    }
    assert_eq!(tools(&server, &made), 503);
    drop(taken);
    hark_testkit::eventually("seats are free again", || tools(&server, &made) == 200);
}

#[test]
fn what_one_client_remembers_another_recalls() {
    let home = home();
    let server = serve(&home, &[], &[]);
    let shown = bearer(&token(&home));
    let call = |tool: &str, arguments: Value| {
        let answer = server.ask(Some(&shown), "tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    };
    call("memory_remember", json!({ "text": "The deploy window opens on Tuesdays at nine." }));
    assert!(call("memory_recall", json!({ "query": "deploy window" })).contains("Tuesdays"));
    assert!(!home.hark(["redact-scan"]).ok().stdout().contains("serve.token"));
}
