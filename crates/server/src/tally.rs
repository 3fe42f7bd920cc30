//! Counts requests by route and status, for `/metrics`.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use hark_engine::ops::metrics::{family, sample};

/// Routes that are no operations.
const FIXED: [&str; 8] =
    ["/health", "/stats", "/metrics", "/mcp", "/login", "/v1/openapi.json", "/v1/events", "/v1/login-code"];

pub(crate) struct Tally {
    /// Paths that are counted by name. All others are one, so that callers cannot make it grow.
    known: HashSet<String>,
    counts: Mutex<BTreeMap<Key, Count>>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    route: String,
    method: &'static str,
    status: u16,
}

#[derive(Debug, Default)]
struct Count {
    requests: u64,
    took: Duration,
}

impl Tally {
    pub(crate) fn new(operations: impl Iterator<Item = String>) -> Self {
        let known = operations.chain(FIXED.map(str::to_owned)).collect();
        Self { known, counts: Mutex::default() }
    }

    fn add(&self, path: &str, method: &Method, status: u16, took: Duration) {
        let route = if self.known.contains(path) { path } else { "other" };
        let method = match *method {
            Method::GET | Method::HEAD => "GET",
            Method::POST => "POST",
            _ => "other",
        };
        let key = Key { route: route.to_owned(), method, status };
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key).or_default();
        count.requests += 1;
        count.took += took;
    }

    pub(crate) fn write(&self, out: &mut String) {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        family(out, "hark_http_requests_total", "counter", "Requests by route, method and status.");
        for (Key { route, method, status }, count) in counts.iter() {
            let labels = [("route", route.as_str()), ("method", method), ("status", &status.to_string())];
            sample(out, "hark_http_requests_total", &labels, &count.requests);
        }
        family(out, "hark_http_request_seconds_total", "counter", "Time until the answer began.");
        for (Key { route, method, status }, count) in counts.iter() {
            let labels = [("route", route.as_str()), ("method", method), ("status", &status.to_string())];
            sample(out, "hark_http_request_seconds_total", &labels, &count.took.as_secs_f64());
        }
    }
}

pub(crate) async fn count(State(tally): State<Arc<Tally>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let (path, method) = (request.uri().path().to_owned(), request.method().clone());
    let response = next.run(request).await;
    tally.add(&path, &method, response.status().as_u16(), begun.elapsed());
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_paths_are_one() {
        let tally = Tally::new(["/v1/recall".to_owned()].into_iter());
        for path in ["/v1/recall", "/a", "/b\"\n", "/v1/recall/x"] {
            tally.add(path, &Method::GET, 200, Duration::ZERO);
        }
        let mut text = String::new();
        tally.write(&mut text);
        assert!(text.contains("{route=\"/v1/recall\",method=\"GET\",status=\"200\"} 1\n"), "{text}");
        assert!(text.contains("{route=\"other\",method=\"GET\",status=\"200\"} 3\n"), "{text}");
    }
}
