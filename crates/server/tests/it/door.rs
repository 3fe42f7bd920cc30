//! Who gets in: the token in two headers, the cookie of a one-time link, and nobody else.

use crate::client::{BEARER, Http, Reply};
use serde_json::{Value, json};

const JSON: (&str, &str) = ("Content-Type", "application/json");
const NOBODY: (&str, &str) = ("Authorization", "");

fn code(http: &Http) -> String {
    let reply = http.request("POST", "/v1/login-code", &[], b"");
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.message()["code"].as_str().expect("a code").to_owned()
}

fn login(http: &Http, code: &str) -> Reply {
    http.request("GET", &format!("/login?code={code}"), &[NOBODY], b"")
}

/// A browser that opened a link.
fn cookie(http: &Http) -> String {
    let reply = login(http, &code(http));
    assert_eq!(reply.status, 303, "{}", reply.body);
    let set = reply.header("Set-Cookie").expect("a cookie");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(set.contains(part), "{set}");
    }
    set.split(';').next().expect("a pair").to_owned()
}

fn recall(http: &Http, headers: &[(&str, &str)]) -> u16 {
    http.request("GET", "/v1/recall?query=x", headers, b"").status
}

#[test]
fn the_token_is_taken_in_two_headers() {
    let http = Http::start();
    let token = BEARER.trim_start_matches("Bearer ");
    assert_eq!(recall(&http, &[]), 200);
    assert_eq!(recall(&http, &[NOBODY, ("X-API-Key", token)]), 200);
    for wrong in ["", "wrong", BEARER] {
        let key = [NOBODY, ("X-API-Key", wrong)];
        assert_eq!(recall(&http, &key), 401, "{wrong}");
    }
    assert_eq!(recall(&http, &[("Authorization", "Bearer wrong"), ("X-API-Key", token)]), 401);
    assert_eq!(recall(&http, &[NOBODY, ("X-API-Key", token), ("X-API-Key", token)]), 401);
}

#[test]
fn a_link_works_once() {
    let http = Http::start();
    let code = code(&http);
    // A look ahead does not use it up.
    let early = [NOBODY, ("Sec-Purpose", "prefetch")];
    assert_eq!(http.request("GET", &format!("/login?code={code}"), &early, b"").status, 401);
    assert_eq!(http.request("HEAD", &format!("/login?code={code}"), &[NOBODY], b"").status, 401);
    let first = login(&http, &code);
    assert_eq!((first.status, first.header("Location")), (303, Some("/")));
    let second = login(&http, &code);
    assert_eq!((second.status, second.header("Set-Cookie")), (401, None));
    assert!(second.body.contains("hark ui"), "{}", second.body);
    for made_up in ["", "0", &"0".repeat(64)] {
        assert_eq!(login(&http, made_up).status, 401, "{made_up}");
    }
}

#[test]
fn only_the_token_makes_links() {
    let http = Http::start();
    let cookie = cookie(&http);
    assert_eq!(http.request("POST", "/v1/login-code", &[NOBODY], b"").status, 401);
    let page = [NOBODY, ("Cookie", cookie.as_str()), ("Sec-Fetch-Site", "same-origin")];
    assert_eq!(http.request("POST", "/v1/login-code", &page, b"").status, 403);
}

#[test]
fn a_cookie_reads_and_nobody_elses_page_does() {
    let http = Http::start();
    let cookie = cookie(&http);
    let mine = [NOBODY, ("Cookie", cookie.as_str())];
    assert_eq!(recall(&http, &mine), 200);
    assert_eq!(recall(&http, &[NOBODY, ("Cookie", "hark_session=0000")]), 401);
    assert_eq!(recall(&http, &[NOBODY, ("Cookie", "hark_session=")]), 401);
    // A page on another port of this machine: the browser sends the cookie along.
    for (site, mode) in [("same-site", "no-cors"), ("same-site", "cors"), ("cross-site", "no-cors")] {
        let theirs = [mine[0], mine[1], ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode)];
        assert_eq!(recall(&http, &theirs), 403, "{site} {mode}");
    }
    let theirs = [mine[0], mine[1], ("Origin", "http://127.0.0.1:3000")];
    assert_eq!(recall(&http, &theirs), 403);
    // What a browser that sends none of these headers could read is nothing that it may embed.
    let reply = http.request("GET", "/v1/recall?query=x", &mine, b"");
    assert_eq!(reply.header("Cross-Origin-Resource-Policy"), Some("same-origin"));
    assert_eq!(reply.header("Access-Control-Allow-Origin"), None);
    assert_eq!(http.request("OPTIONS", "/v1/recall", &theirs, b"").status, 403);
}

#[test]
fn a_change_by_cookie_needs_the_proof_of_our_page() {
    let http = Http::start();
    let cookie = cookie(&http);
    let own = format!("http://127.0.0.1:{}", http.port);
    let body = json!({"text": "forged"}).to_string();
    let post = |headers: &[(&str, &str)]| {
        let mut all = vec![NOBODY, ("Cookie", cookie.as_str())];
        all.extend_from_slice(headers);
        http.request("POST", "/v1/remember", &all, body.as_bytes()).status
    };
    assert_eq!(post(&[JSON]), 403);
    assert_eq!(post(&[JSON, ("Origin", &own)]), 403);
    assert_eq!(post(&[JSON, ("Origin", &own), ("X-Hark-CSRF", "guess")]), 403);
    assert_eq!(post(&[JSON, ("Origin", "http://evil.example"), ("X-Hark-CSRF", "guess")]), 403);
    assert_eq!(post(&[JSON, ("Origin", "null")]), 403);
    // What a form of any page can send.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        assert_eq!(post(&[("Content-Type", kind)]), 403, "{kind}");
        assert_eq!(post(&[("Content-Type", kind), ("Origin", "http://evil.example")]), 403, "{kind}");
    }
    let kept: Value = http.get("/v1/recall?query=forged").message();
    assert_eq!(kept["hits"], json!([]));
}

#[test]
fn a_browser_that_is_not_signed_in_hears_what_to_do() {
    let http = Http::start();
    let page = http.request("GET", "/", &[NOBODY, ("Accept", "text/html,*/*;q=0.8")], b"");
    assert_eq!(page.status, 401);
    assert!(page.body.contains("hark ui") && !page.body.contains("<script"), "{}", page.body);
    assert!(page.header("Content-Type").is_some_and(|kind| kind.starts_with("text/html")));
    assert_eq!(page.header("Connection"), Some("close"));
    let program = http.request("GET", "/", &[NOBODY, ("Accept", "application/json")], b"");
    assert!(program.header("WWW-Authenticate").is_some());
}

#[test]
fn every_answer_is_protected() {
    let http = Http::start();
    let evil = [("Origin", "http://evil.example")];
    for reply in [
        http.get("/v1/recall?query=x"),
        http.get("/v1/nothing"),
        http.get("/health"),
        http.request("GET", "/", &[NOBODY, ("Accept", "text/html")], b""),
        http.request("GET", "/v1/recall?query=x", &[NOBODY], b""),
        http.request("GET", "/v1/recall?query=x", &evil, b""),
    ] {
        let policy = reply.header("Content-Security-Policy").unwrap_or_default();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{}", reply.head);
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(reply.header("X-Content-Type-Options"), Some("nosniff"), "{}", reply.head);
        assert_eq!(reply.header("Referrer-Policy"), Some("no-referrer"), "{}", reply.head);
        assert_eq!(reply.header("Cache-Control"), Some("no-store"), "{}", reply.head);
    }
}

#[test]
fn a_caller_that_asks_too_often_waits_and_others_do_not() {
    let http = Http::limited(&["rate=60"]);
    let cookie = cookie(&http);
    let statuses: Vec<u16> = (0..30).map(|_| recall(&http, &[])).collect();
    assert!(statuses.starts_with(&[200]) && statuses.contains(&429), "{statuses:?}");
    // Headers of the caller's choice make nobody else of it.
    let posing = [("X-Forwarded-For", "10.0.0.1"), ("Forwarded", "for=10.0.0.1"), ("X-Real-IP", "10.0.0.1")];
    let late = http.request("GET", "/v1/recall?query=x", &posing, b"");
    assert_eq!(late.status, 429, "{}", late.body);
    let wait: u64 = late.header("Retry-After").and_then(|after| after.parse().ok()).expect("seconds");
    assert!((1..=2).contains(&wait), "{wait}");
    assert_eq!(late.message()["code"], "too_many_requests");
    assert_eq!(recall(&http, &[NOBODY, ("Cookie", &cookie)]), 200);
    assert_eq!(http.request("GET", "/health", &[NOBODY], b"").status, 200);
    // Guessing is counted as well.
    let guesses: Vec<u16> = (0..30).map(|_| recall(&http, &[("Authorization", "Bearer guess")])).collect();
    assert!(guesses.contains(&429), "{guesses:?}");
}

#[test]
fn numbers_are_open_only_if_the_user_says_so() {
    let closed = Http::start();
    let open = Http::limited(&["open_metrics=1"]);
    for path in ["/metrics", "/stats"] {
        assert_eq!(closed.request("GET", path, &[NOBODY], b"").status, 401, "{path}");
        assert_ne!(open.request("GET", path, &[NOBODY], b"").status, 401, "{path}");
        assert_eq!(open.request("GET", path, &[NOBODY, ("Host", "evil.example")], b"").status, 403);
    }
    assert_eq!(open.request("GET", "/v1/recall?query=x", &[NOBODY], b"").status, 401);
    let text = open.request("GET", "/metrics", &[NOBODY], b"").body;
    assert!(text.contains("hark_http_requests_total{route=\"/metrics\""), "{text}");
}

#[test]
fn a_server_proves_its_token_without_showing_it() {
    let http = Http::start();
    let health = |challenge: &str| {
        http.request("GET", &format!("/health?challenge={challenge}"), &[NOBODY], b"").message()["proof"]
            .clone()
    };
    let token = hark_server::Token::new("echo-server-token").expect("a token");
    assert_eq!(health("abc"), token.proof("abc", http.port).as_str());
    assert_ne!(health("abc"), health("abd"));
    assert_ne!(health("abc"), token.proof("abc", http.port.wrapping_add(1)).as_str());
    assert_eq!(health(&"x".repeat(65)), Value::Null);
}
