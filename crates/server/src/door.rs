//! What every request goes through: Host and Origin, a credential, a proof against forged changes, and the rate.
//!
//! Programs show the token. Browsers show the cookie that a one-time link gave them; a browser sends it with requests
//! that other pages make, too, so a change by cookie also needs a header that only our own pages can know and set.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Request, State};
use axum::http::header::HeaderName;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hark_engine::Engine;
use serde_json::json;

use crate::connections::Peer;
use crate::guard::Guard;
use crate::query;
use crate::rate::{Key, Rate};
use crate::token::{Shown, Token};
use crate::visits::Visits;

/// The cookie of a browser that a one-time link let in.
const COOKIE: &str = "hark_session";

/// The header that pages send with every change.
pub(crate) const CSRF_HEADER: &str = "x-hark-csrf";

/// Who was let in; in the extensions of every request that reaches a route which needs a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Visitor {
    /// What pages put into the header `X-Hark-CSRF`; empty for callers with the token, who need none.
    pub(crate) csrf: String,
    pub(crate) by: By,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Cookie,
    Token,
}

pub(crate) struct Door {
    pub(crate) guard: Guard,
    pub(crate) token: Token,
    pub(crate) visits: Visits,
    pub(crate) rate: Rate,
    /// `/stats` and `/metrics` answer callers on this machine without a credential.
    pub(crate) open_metrics: bool,
}

/// The credential of a request.
enum Credential {
    Visitor(Visitor, [u8; 32]),
    None(Shown),
}

impl Door {
    fn credential(&self, headers: &HeaderMap, now: Instant) -> Credential {
        match self.token.shown_in(headers) {
            Shown::Right => {
                let visitor = Visitor { csrf: String::new(), by: By::Token };
                Credential::Visitor(visitor, self.token.hash())
            }
            Shown::Wrong => Credential::None(Shown::Wrong),
            Shown::Nothing => {
                let known = |cookie: &str| {
                    let csrf = self.visits.csrf_of(cookie, now)?;
                    Some((Visitor { csrf, by: By::Cookie }, *blake3::hash(cookie.as_bytes()).as_bytes()))
                };
                match cookies(headers).find_map(known) {
                    Some((visitor, hash)) => Credential::Visitor(visitor, hash),
                    None => Credential::None(Shown::Nothing),
                }
            }
        }
    }

    fn is_open(&self, path: &str, peer: Option<IpAddr>) -> bool {
        match path {
            "/health" | "/login" => true,
            "/stats" | "/metrics" => self.open_metrics && peer.is_some_and(|peer| peer.is_loopback()),
            _ => false,
        }
    }
}

pub(crate) async fn check(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    let mut response = enter(&door, request, next).await;
    protect(response.headers_mut());
    response
}

async fn enter(door: &Door, mut request: Request, next: Next) -> Response {
    let headers = request.headers();
    if let Some(reason) = door.guard.refusal(request.uri(), headers) {
        return closing((StatusCode::FORBIDDEN, format!("Forbidden: {reason}\n")));
    }
    let now = Instant::now();
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0);
    let (visitor, shown, hash) = match door.credential(headers, now) {
        Credential::Visitor(visitor, hash) => (Some(visitor), Shown::Right, Some(hash)),
        Credential::None(shown) => (None, shown, None),
    };
    if let Err(wait) = door.rate.take(Key { credential: hash, peer }, now) {
        return too_many(wait);
    }
    let Some(visitor) = visitor else {
        if door.is_open(request.uri().path(), peer) {
            return closing(next.run(request).await);
        }
        return unauthorized(request.method(), headers, shown);
    };
    if visitor.by == By::Cookie
        && let Some(reason) = forged(request.method(), headers, &visitor.csrf)
    {
        let hint =
            "send changes from a page of this server, with the header X-Hark-CSRF; programs send the token";
        let body = Json(json!({ "error": reason, "hint": hint, "code": "forbidden" }));
        return closing((StatusCode::FORBIDDEN, body));
    }
    request.extensions_mut().insert(visitor);
    next.run(request).await
}

/// Why a request with a good cookie may come from a page of somebody else.
fn forged(method: &Method, headers: &HeaderMap, csrf: &str) -> Option<&'static str> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let fetch = |name: &'static str| text(HeaderName::from_static(name));
    let site = fetch("sec-fetch-site");
    if matches!(*method, Method::GET | Method::HEAD) {
        // Another port of this machine is another origin, but the same site to the browser, which sends the cookie.
        let navigates =
            fetch("sec-fetch-mode") == Some("navigate") && fetch("sec-fetch-dest") == Some("document");
        let ours = matches!(site, None | Some("same-origin" | "none"));
        return (!ours && !navigates).then_some("this request comes from a page of another origin");
    }
    let is_own_origin = |origin: &str| {
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        authority.is_some_and(|own| text(header::HOST).is_some_and(|host| own.eq_ignore_ascii_case(host)))
    };
    let same_origin = match (headers.contains_key(header::ORIGIN), site) {
        (true, _) => text(header::ORIGIN).is_some_and(is_own_origin),
        (false, site) => site == Some("same-origin"),
    };
    if !same_origin {
        return Some("this change does not come from a page of this server");
    }
    let proof = headers.get(CSRF_HEADER).map(|value| blake3::hash(value.as_bytes()));
    (proof != Some(blake3::hash(csrf.as_bytes()))).then_some("this change lacks the proof of its page")
}

fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(name, _)| *name == COOKIE).map(|(_, value)| value).take(4)
}

/// `GET /login?code=…`: a code becomes a cookie, once.
pub(crate) async fn login(State(door): State<Arc<Door>>, request: Request) -> Response {
    // A browser that loads links in advance would use the code up.
    let early = ["sec-purpose", "purpose", "x-moz"].iter().any(|name| request.headers().contains_key(*name));
    let code = request.uri().query().and_then(|query| query::value(query, "code"));
    let (Some(code), Method::GET, false) = (code, request.method().clone(), early) else {
        return unauthorized(request.method(), request.headers(), Shown::Nothing);
    };
    let random = Engine::random::<32>().and_then(|cookie| Ok([cookie, Engine::random::<32>()?]));
    let Ok(random) = random else { return StatusCode::SERVICE_UNAVAILABLE.into_response() };
    let Some(cookie) = door.visits.admit(&code, &random, Instant::now()) else {
        return page("This link was used already, or it is too old");
    };
    let cookie = format!("{COOKIE}={cookie}; HttpOnly; SameSite=Strict; Path=/");
    let site = request.headers().get("sec-fetch-site").map(HeaderValue::as_bytes);
    if matches!(site, Some(b"cross-site" | b"same-site")) {
        // A link in a page of somebody else, such as a terminal in the browser: a redirect would go without the cookie.
        let kind = (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned());
        let html = "<!doctype html><html lang=\"en\"><title>Hark</title>\
                    <meta http-equiv=\"refresh\" content=\"0;url=/\"><a href=\"/\">Open the dashboard</a></html>\n";
        return ([kind, (header::SET_COOKIE, cookie)], html).into_response();
    }
    (StatusCode::SEE_OTHER, [(header::LOCATION, "/".to_owned()), (header::SET_COOKIE, cookie)])
        .into_response()
}

/// `POST /v1/login-code`: a new code for whoever has the token.
pub(crate) async fn login_code(State(door): State<Arc<Door>>, request: Request) -> Response {
    if request.extensions().get::<Visitor>().is_none_or(|visitor| visitor.by != By::Token) {
        let body =
            json!({ "error": "only the token makes links", "hint": "run `hark ui`", "code": "forbidden" });
        return (StatusCode::FORBIDDEN, Json(body)).into_response();
    }
    match Engine::random::<32>() {
        Ok(random) => Json(json!({ "code": door.visits.invite(&random, Instant::now()) })).into_response(),
        Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

/// An answer that closes the connection: callers without a credential may not keep one open.
pub(crate) fn closing(response: impl IntoResponse) -> Response {
    ([(header::CONNECTION, "close")], response).into_response()
}

fn too_many(wait: Duration) -> Response {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    let body = json!({
        "error": "too many requests",
        "hint": format!("try again in {seconds} s, or start `hark serve` with a higher --rate"),
        "code": "too_many_requests",
    });
    let after = [(header::RETRY_AFTER, seconds.to_string())];
    closing((StatusCode::TOO_MANY_REQUESTS, after, Json(body)))
}

fn unauthorized(method: &Method, headers: &HeaderMap, shown: Shown) -> Response {
    let wants_page = headers.get(header::ACCEPT).is_some_and(|accept| {
        accept.to_str().is_ok_and(|accept| accept.to_ascii_lowercase().contains("text/html"))
    });
    if wants_page && *method == Method::GET {
        return page("This browser is not signed in");
    }
    let error = match shown {
        Shown::Nothing => "hark serve requires a token, but this request has none",
        Shown::Wrong | Shown::Right => "the token is wrong",
    };
    let hint = "send the header `Authorization: Bearer TOKEN`; `hark install generic` prints the whole entry \
                for an MCP client, `hark install` adds the header where an assistant's entry lacks it, and \
                `hark doctor` shows which do";
    let challenge = [(header::WWW_AUTHENTICATE, "Bearer realm=\"hark\"")];
    let body = Json(json!({ "error": error, "hint": hint, "code": "unauthorized" }));
    closing((StatusCode::UNAUTHORIZED, challenge, body))
}

/// What a person sees instead of the dashboard.
fn page(reason: &str) -> Response {
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Hark</title>\
         <main><h1>Hark</h1><p>{reason}. In a terminal, run <code>hark ui</code>: it opens the dashboard \
         with a link that signs this browser in.</p></main></html>\n"
    );
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    closing((StatusCode::UNAUTHORIZED, kind, html))
}

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The headers of every answer. A route may choose how long its answer is kept: files of the dashboard are no secret.
fn protect(headers: &mut HeaderMap) {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    fn refused(method: &Method, pairs: &[(&'static str, &str)]) -> bool {
        forged(method, &headers(pairs), "proof").is_some()
    }

    #[test]
    fn a_change_needs_our_origin_and_the_proof() {
        let host = ("host", "127.0.0.1:9824");
        let (own, proof) = (("origin", "http://127.0.0.1:9824"), ("x-hark-csrf", "proof"));
        assert!(!refused(&Method::POST, &[host, own, proof]));
        assert!(!refused(&Method::POST, &[host, ("sec-fetch-site", "same-origin"), proof]));
        for wrong in [
            &[host, own][..],
            &[host, proof],
            &[host, own, ("x-hark-csrf", "guess")],
            &[host, own, ("x-hark-csrf", "")],
            &[host, ("origin", "http://127.0.0.1:3000"), proof],
            &[host, ("origin", "null"), proof],
            &[host, ("origin", "http://127.0.0.1:3000"), ("sec-fetch-site", "same-origin"), proof],
            &[host, ("sec-fetch-site", "same-site"), proof],
            &[host, ("sec-fetch-site", "cross-site"), proof],
        ] {
            assert!(refused(&Method::POST, wrong), "{wrong:?}");
            assert!(refused(&Method::DELETE, wrong), "{wrong:?}");
        }
    }

    #[test]
    fn another_port_may_link_to_us_and_not_read_us() {
        let link =
            [("sec-fetch-site", "same-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
        assert!(!refused(&Method::GET, &link));
        assert!(!refused(&Method::GET, &[("sec-fetch-site", "none")]));
        assert!(!refused(&Method::GET, &[]));
        for mode in ["cors", "no-cors", "navigate"] {
            let read =
                [("sec-fetch-site", "same-site"), ("sec-fetch-mode", mode), ("sec-fetch-dest", "iframe")];
            assert!(refused(&Method::GET, &read), "{mode}");
        }
    }

    #[test]
    fn the_cookie_is_found_among_others() {
        let headers = headers(&[("cookie", "a=1; hark_session=x; b=2"), ("cookie", "hark_session=y")]);
        assert_eq!(cookies(&headers).collect::<Vec<_>>(), ["x", "y"]);
    }
}
