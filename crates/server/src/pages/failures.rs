//! Failures: those that are open or came back first, with what they cost and what fixed them.

use std::collections::BTreeMap;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use serde_json::json;

use super::data::{Failure, Failures};
use super::frame::Frame;
use super::{Desk, draw, html};

#[derive(Template)]
#[template(path = "failures.html")]
struct Page {
    frame: Frame,
    failures: Vec<Failure>,
    sentence: String,
    /// Files by the number of failures that name them.
    files: Vec<(String, usize)>,
}

const MOST_FILES: usize = 12;

pub(crate) async fn page(State(desk): State<Desk>, request: Request) -> Response {
    draw(desk, request, "Failures", |reader, frame| {
        let asked = frame.asking(json!({
            "target": frame.value("of"),
            "open": frame.query.get("status") == Some("open"),
            "limit": 100,
        }));
        let found: Failures = reader.ask("failures", asked)?;
        let mut files: BTreeMap<String, usize> = BTreeMap::new();
        for file in found.failures.iter().flat_map(|failure| &failure.files) {
            *files.entry(file.clone()).or_default() += 1;
        }
        let mut files: Vec<(String, usize)> = files.into_iter().collect();
        files.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        files.truncate(MOST_FILES);
        html(&Page { sentence: sentence(&found.failures), failures: found.failures, files, frame })
    })
    .await
}

fn sentence(failures: &[Failure]) -> String {
    let open = failures.iter().filter(|failure| failure.is_open()).count();
    let back = failures.iter().filter(|failure| failure.is_back()).count();
    let minutes: i64 = failures.iter().map(|failure| failure.minutes).sum();
    let came = match back {
        0 => String::new(),
        1 => ", 1 of them came back after a fix".to_owned(),
        n => format!(", {n} of them came back after a fix"),
    };
    let cost = if minutes > 0 {
        format!(" They took {} minutes so far.", super::text::number(minutes))
    } else {
        String::new()
    };
    format!("{} of {} open{came}.{cost}", open, super::text::count(failures.len(), "failure", "failures"))
}
