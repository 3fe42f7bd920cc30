//! The service over a real store: REST, health, numbers, events, and what a second user of the machine gets.

use std::fs;
use std::io::{BufRead, BufReader, Write};

use hark_testkit::{Answer, Home, Serve};
use serde_json::{Value, json};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

struct Service {
    home: Home,
    server: Serve,
    token: String,
}

impl Service {
    fn start(flags: &[&str]) -> Self {
        Self::on(home(), flags)
    }

    fn on(home: Home, flags: &[&str]) -> Self {
        let mut command = home.program(home.binary());
        command.args(["serve", "--port", "0"]).args(flags);
        let server = Serve::start(command);
        let token =
            fs::read_to_string(home.store().join("serve.token")).expect("serve.token").trim().to_owned();
        Service { home, server, token }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        self.server.request(method, path, &headers, body)
    }

    fn get(&self, path: &str) -> Value {
        let answer = self.ask("GET", path, "");
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).expect("JSON")
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, &body.to_string())
    }
}

#[test]
fn a_memory_lives_its_life_over_rest() {
    let service = Service::start(&[]);
    let answer =
        service.post("/v1/remember", &json!({"text": "Deploys happen on Tuesdays", "kind": "decision"}));
    assert_eq!(answer.status, 200, "{}", answer.body);
    let said: Value = serde_json::from_str(&answer.body).unwrap();
    let id = said["id"].as_str().unwrap_or_else(|| panic!("{said}")).to_owned();

    let listed = service.get("/v1/list?kinds=decision&limit=5&all_projects=true");
    assert!(listed.to_string().contains(&id), "{listed}");
    let shown = service.get(&format!("/v1/show?ids={id}"));
    // Typed by the user, not by an assistant.
    assert_eq!(shown["memories"][0]["origin"], "user", "{shown}");
    // The same as the command prints, with every key.
    let printed = service.home.hark(["show", &id, "--json"]).ok().json();
    assert_eq!(shown["memories"][0]["id"], printed["memories"][0]["id"]);

    assert_eq!(
        service.post("/v1/edit", &json!({"id": id, "text": "Deploys happen on Thursdays"})).status,
        200
    );
    assert!(service.get(&format!("/v1/history?id={id}")).to_string().contains("Tuesdays"));
    assert_eq!(service.post("/v1/archive", &json!({"ids": [id]})).status, 200);
    let unknown = service.ask("GET", "/v1/show?ids=m-00000000", "");
    assert_eq!(unknown.status, 404, "{}", unknown.body);
    let unknown: Value = serde_json::from_str(&unknown.body).unwrap();
    assert_eq!(unknown["code"], "not_found");
    assert!(unknown["hint"].as_str().unwrap().contains("hark list"), "{unknown}");
    let odd = service.ask("GET", "/v1/list?since=whenever", "");
    assert_eq!(odd.status, 422, "{}", odd.body);
}

#[test]
fn the_user_decides_over_rest_what_an_assistant_only_proposes() {
    let service = Service::start(&[]);
    let propose = json!({
        "name": "memory_remember",
        "arguments": { "text": "Never push to main", "kind": "directive", "origin": "user" },
    });
    let bearer = format!("Bearer {}", service.token);
    assert_eq!(service.server.ask(Some(&bearer), "tools/call", &propose).status, 200);
    let items = service.get("/v1/inbox");
    let id = items["items"][0]["id"].as_str().unwrap_or_else(|| panic!("{items}")).to_owned();
    let accepted = service.post("/v1/inbox/accept", &json!({"ids": [id]}));
    assert_eq!(accepted.status, 200, "{}", accepted.body);
    assert_eq!(service.get("/v1/inbox")["items"], json!([]));
}

#[test]
fn what_changes_this_machine_is_no_route() {
    let service = Service::start(&[]);
    for path in [
        "install",
        "uninstall",
        "reset",
        "init",
        "trust",
        "import",
        "export",
        "migrate",
        "ingest",
        "bootstrap",
    ] {
        let answer = service.post(&format!("/v1/{path}"), &json!({}));
        assert_eq!(answer.status, 404, "{path}: {}", answer.body);
    }
    assert_eq!(service.post("/v1/config/set", &json!({"name": "recall.limit", "value": "3"})).status, 404);
}

#[test]
fn a_second_user_of_the_machine_gets_nothing_but_health() {
    let service = Service::start(&[]);
    let secret = "The launch code is heron";
    assert_eq!(service.post("/v1/remember", &json!({"text": secret})).status, 200);
    let document = service.get("/v1/openapi.json");
    let mut paths: Vec<String> = document["paths"].as_object().unwrap().keys().cloned().collect();
    assert!(paths.len() > 50, "{paths:?}");
    paths.retain(|path| path != "/health");
    paths.extend(
        ["/", "/mcp", "/login", "/login?code=0", "/v1/openapi.json", "/health/", "//health"]
            .map(str::to_owned),
    );
    for path in &paths {
        for method in ["GET", "POST"] {
            for headers in [
                &[][..],
                &[("X-API-Key", "hark_0000000000000000")],
                &[("Cookie", "hark_session=0000")],
                &[("Accept", "text/html")],
            ] {
                let answer = service.server.request(method, path, headers, "");
                let known = [401, 405].contains(&answer.status);
                assert!(known, "{method} {path} {headers:?}: {} {}", answer.status, answer.body);
                assert!(!answer.body.contains("heron") && !answer.body.contains(&service.token));
            }
        }
    }
    let health = service.server.request("GET", "/health", &[], "");
    assert_eq!(health.status, 200);
    let health: Value = serde_json::from_str(&health.body).unwrap();
    let keys: Vec<&String> = health.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["status", "name", "version"]);
}

#[cfg(unix)]
#[test]
fn health_says_why_a_store_cannot_be_used_and_recovers() {
    use std::os::unix::fs::PermissionsExt;
    let home = home();
    home.hark(["remember", "something"]).ok();
    let service = Service::on(home, &[]);
    assert_eq!(service.server.request("GET", "/health", &[], "").status, 200);
    let database = service.home.store().join("hark.db");
    let aside = service.home.store().join("aside.db");
    fs::rename(&database, &aside).unwrap();
    fs::create_dir(&database).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let broken = service.server.request("GET", "/health", &[], "");
    assert_eq!(broken.status, 503, "{}", broken.body);
    let said: Value = serde_json::from_str(&broken.body).unwrap();
    assert_eq!(said["status"], "unavailable");
    assert!(
        said["reason"].as_str().is_some_and(|reason| reason.contains("store") || reason.contains("index")),
        "{said}"
    );
    let place = service.home.store().display().to_string();
    assert!(!broken.body.contains(&place), "{}", broken.body);
    fs::remove_dir(&database).unwrap();
    fs::rename(&aside, &database).unwrap();
    assert_eq!(fs::metadata(&database).unwrap().permissions().mode() & 0o777, 0o600);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let again = service.server.request("GET", "/health", &[], "");
    assert_eq!(again.status, 200, "{}", again.body);
}

#[test]
fn numbers_for_prometheus() {
    let service = Service::start(&[]);
    for text in ["Deploys happen on Tuesdays", "The cache is Redis"] {
        assert_eq!(service.post("/v1/remember", &json!({"text": text})).status, 200);
    }
    let event =
        json!({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "hi", "cwd": "/tmp"});
    service.home.hark(["hook", "claude-code", "UserPromptSubmit"]).stdin(event.to_string()).ok();
    service.get("/v1/recall?query=cache&all_projects=true");
    let answer = service.ask("GET", "/metrics", "");
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(
        answer.head.to_lowercase().contains("content-type: text/plain; version=0.0.4"),
        "{}",
        answer.head
    );
    for line in [
        "hark_memories{kind=\"fact\",status=\"active\"} 2",
        "hark_hook_duration_seconds_count{event=\"prompt\"} 1",
        "hark_hook_duration_seconds_bucket{event=\"prompt\",le=\"+Inf\"} 1",
        "hark_gate_decisions_total{event=\"prompt\",decision=\"silent\"} 1",
        "hark_operations_total{operation=\"recall\",outcome=\"done\"} 1",
        "hark_http_requests_total{route=\"/v1/remember\",method=\"POST\",status=\"200\"} 2",
        "hark_queue_depth{queue=\"spool\"} 0",
        "hark_store_up 1",
    ] {
        assert!(answer.body.lines().any(|there| there == line), "{line}\n{}", answer.body);
    }
    // Every sample has a type, and is a number.
    for line in answer.body.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').expect(line);
        assert!(value.parse::<f64>().is_ok(), "{line}");
        let family = name.split('{').next().unwrap_or_default();
        let family =
            ["_bucket", "_sum", "_count"].iter().find_map(|end| family.strip_suffix(end)).unwrap_or(family);
        assert!(answer.body.contains(&format!("# TYPE {family} ")), "{family}");
    }
    assert_eq!(service.get("/stats")["memories"], 2);
    let printed = service.home.hark(["metrics", "--json"]).ok().json();
    assert_eq!(printed["hooks"][0]["event"], "prompt", "{printed}");
}

#[test]
fn numbers_are_open_on_this_machine_if_the_setting_says_so() {
    let home = home();
    home.hark(["config", "set", "serve.open_metrics", "true"]).ok();
    let service = Service::on(home, &[]);
    for path in ["/metrics", "/stats"] {
        assert_eq!(service.server.request("GET", path, &[], "").status, 200, "{path}");
    }
    assert_eq!(service.server.request("GET", "/v1/stats", &[], "").status, 401);
}

#[test]
fn events_tell_of_what_other_processes_do() {
    let service = Service::start(&[]);
    let mut stream = service.server.connect();
    let head = format!(
        "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\r\n",
        service.server.port(),
        service.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "event: ready"));
    // The thread that watches needs a moment for its first look.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    service.home.hark(["remember", "told by another process"]).ok();
    assert!(lines.any(|line| line == "event: changed"));
    let data = lines.next().unwrap();
    let data: Value =
        serde_json::from_str(data.trim_start_matches("data: ")).unwrap_or_else(|_| panic!("{data}"));
    assert_eq!(data["changed"], json!(["memories"]));
    assert_eq!(data["memories"], 1);
}

#[test]
fn a_rate_of_ones_own() {
    let home = home();
    let mut command = home.program(home.binary());
    command.args(["serve", "--port", "0"]).env("HARK_SERVE_RATE", "60");
    let server = Serve::start(command);
    let statuses: Vec<u16> = (0..40).map(|_| server.request("GET", "/health", &[], "").status).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    let wrong = home.hark(["serve"]).env("HARK_SERVE_RATE", "fast").fails(1);
    assert!(wrong.stderr().contains("HARK_SERVE_RATE"), "{}", wrong.stderr());
}

#[test]
fn pages_of_rules_and_insights_are_hidden_while_there_are_none() {
    let service = Service::start(&[]);
    let page = |path: &str| {
        let answer = service.ask("GET", path, "");
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.body
    };
    let leads_to = |path: &str| page("/").contains(&format!("<li><a href=\"{path}\">"));
    assert!(leads_to("/failures") && !leads_to("/rules") && !leads_to("/insights"));
    assert!(page("/rules").contains("hark rules add") && page("/insights").contains("hark learn"));

    let text = "Use <b>pnpm</b>, not npm";
    let flags = ["rules", "add", text, "--when", "command:npm *", "--action", "warn", "--global", "--json"];
    let id = service.home.hark(flags).ok().json()["id"].as_str().unwrap().to_owned();
    assert!(leads_to("/rules") && !leads_to("/insights"));
    for path in ["/rules".to_owned(), format!("/rules/{id}")] {
        let shown = page(&path);
        assert!(shown.contains("Use &#60;b&#62;pnpm") && shown.contains("command:npm *"), "{shown}");
    }
    // The buttons are operations, and stand behind the same door.
    let paused = service.post("/v1/rules/pause", &json!({ "ids": [id] }));
    assert_eq!(paused.status, 200, "{}", paused.body);
    assert!(page("/rules").contains("paused"));
    let stranger = service.server.request("POST", "/v1/rules/resume", &[], "{}");
    assert_eq!(stranger.status, 401);
}
