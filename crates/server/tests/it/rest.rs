//! Operations as routes: reads by GET and POST, changes by POST, and clean answers to whatever is sent.

use crate::client::{Http, Reply};
use serde_json::{Value, json};

const JSON: (&str, &str) = ("Content-Type", "application/json");

fn post(http: &Http, path: &str, body: impl AsRef<[u8]>) -> Reply {
    http.request("POST", path, &[JSON], body.as_ref())
}

/// What every problem looks like.
fn problem(reply: &Reply, status: u16, code: &str) -> Value {
    assert_eq!(reply.status, status, "{}", reply.body);
    let said = reply.message();
    assert_eq!(said["code"], code, "{said}");
    assert!(said["error"].as_str().is_some_and(|error| !error.is_empty()), "{said}");
    assert!(said.get("hint").is_some(), "{said}");
    said
}

#[test]
fn reads_by_both_methods_and_changes_by_post() {
    let http = Http::start();
    let kept = post(&http, "/v1/remember", json!({"text": "we use pnpm"}).to_string());
    assert_eq!((kept.status, kept.message()), (200, json!({"id": "m-1"})));
    let hits = json!({"query": "pnpm", "hits": ["we use pnpm"]});
    assert_eq!(http.get("/v1/recall?query=pnpm&limit=5").message(), hits);
    assert_eq!(post(&http, "/v1/recall", json!({"query": "pnpm"}).to_string()).message(), hits);
    let refused = http.get("/v1/remember?text=x");
    problem(&refused, 405, "method_not_allowed");
    assert_eq!(refused.header("Allow"), Some("POST"));
    problem(&http.request("DELETE", "/v1/recall", &[], b""), 405, "method_not_allowed");
    problem(&http.get("/v1/nothing"), 404, "not_found");
    problem(&post(&http, "/v1/recall/x", "{}"), 404, "not_found");
    assert_eq!(http.request("HEAD", "/v1/recall?query=x", &[], b"").status, 200);
}

#[test]
fn the_caller_is_the_user_in_the_folder_that_is_named() {
    let http = Http::start();
    let caller = |headers: &[(&str, &str)], query: &str| {
        http.request("GET", &format!("/v1/recall?query=caller{query}"), headers, b"").message()["project"]
            .clone()
    };
    assert_eq!(caller(&[], ""), Value::Null);
    assert_eq!(caller(&[("X-Hark-Project-Dir", "/work/shop")], ""), "/work/shop");
    assert_eq!(caller(&[], "&project=%2Fwork%2Fshop"), "/work/shop");
    assert_eq!(caller(&[("X-Hark-Project-Dir", "/a")], "&project=/b"), "/a");
    problem(&http.get("/v1/recall?query=x&project=shop"), 400, "bad_request");
    let both = http.request("GET", "/v1/recall?query=x&project=shop", &[("X-Hark-Project-Dir", "/a")], b"");
    problem(&both, 400, "bad_request");
}

#[test]
fn wrong_arguments_are_named() {
    let http = Http::start();
    for (body, said) in [
        (json!({}), "`query` is missing"),
        (json!({"query": 5}), "`query` must be of type string"),
        (json!({"query": "x", "limit": "5"}), "`limit` must be of type integer"),
        (json!({"query": "x", "limit": -1}), "`limit` must be at least 0"),
        (json!({"query": "x", "limit": 1e30}), "expected u32"),
        (json!({"query": "x", "qurey": 1}), "no argument `qurey`"),
    ] {
        let error = problem(&post(&http, "/v1/recall", body.to_string()), 400, "bad_request");
        assert!(error["error"].as_str().is_some_and(|error| error.contains(said)), "{error}");
        assert!(
            error["hint"].as_str().is_some_and(|hint| hint.contains("query (string, required)")),
            "{error}"
        );
    }
    for query in ["", "?limit=5", "?query=x&limit=many", "?query=x&query=y", "?query=%ff", "?query=%"] {
        problem(&http.get(&format!("/v1/recall{query}")), 400, "bad_request");
    }
    problem(&http.get("/v1/recall?query=fail"), 422, "unprocessable");
}

#[test]
fn hostile_bodies_get_clean_errors() {
    let http = Http::start();
    let deep = format!("{{\"query\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let bad: [&[u8]; 8] = [
        b"{",
        b"[]",
        b"\"x\"",
        b"null",
        b"\xff\xfe{}",
        b"{\"query\":\"\xc3\x28\"}",
        b"{\"query\":NaN}",
        deep.as_bytes(),
    ];
    for body in bad {
        problem(&post(&http, "/v1/recall", body), 400, "bad_request");
    }
    let large = format!("{{\"query\":\"{}\"}}", "x".repeat(17 * 1024 * 1024));
    problem(&post(&http, "/v1/recall", large), 413, "too_large");
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""] {
        let reply = http.request("POST", "/v1/recall", &[("Content-Type", kind)], b"{\"query\":\"x\"}");
        problem(&reply, 415, "unsupported_media_type");
    }
    assert_eq!(http.get("/v1/recall?query=x").status, 200);
}

#[test]
fn a_panic_is_one_answer_and_not_the_end() {
    let http = Http::start();
    problem(&http.get("/v1/recall?query=panic"), 500, "internal");
    assert_eq!(http.get("/v1/recall?query=x").status, 200);
}

#[test]
fn the_description_has_every_route() {
    let http = Http::start();
    let document = http.get("/v1/openapi.json").message();
    assert_eq!(document["openapi"], "3.1.0");
    let recall = &document["paths"]["/v1/recall"];
    let names: Vec<&str> = recall["get"]["parameters"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|parameter| parameter["name"].as_str())
        .collect();
    assert_eq!(names, ["query", "limit", "project", "x-hark-project-dir"]);
    assert_eq!(recall["post"]["requestBody"]["required"], true);
    assert!(document["paths"]["/v1/remember"].get("get").is_none());
    assert_eq!(http.request("GET", "/v1/openapi.json", &[("Authorization", "")], b"").status, 401);
}
