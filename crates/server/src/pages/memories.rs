//! The list of memories.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use serde_json::json;

use super::data::{Memories, Memory};
use super::frame::{Frame, Paging, ROWS};
use super::{Desk, draw, html};

/// Kinds that the filter offers.
pub(crate) const KINDS: [&str; 14] = [
    "decision",
    "constraint",
    "convention",
    "directive",
    "fact",
    "procedure",
    "lesson",
    "solution",
    "failure",
    "fix",
    "blocker",
    "task",
    "plan",
    "idea",
];
const STATUSES: [&str; 5] = ["active", "resolved", "superseded", "archived", "proposed"];

#[derive(Template)]
#[template(path = "memories.html")]
struct Page {
    frame: Frame,
    memories: Vec<Memory>,
    total: String,
    paging: Paging,
    kinds: &'static [&'static str],
    statuses: &'static [&'static str],
}

pub(crate) async fn page(State(desk): State<Desk>, request: Request) -> Response {
    draw(desk, request, "Memories", |reader, frame| {
        let list =
            |name: &str| -> Vec<String> { frame.query.get(name).map(str::to_owned).into_iter().collect() };
        let asked = frame.asking(json!({
            "kinds": list("kind"),
            "statuses": list("status"),
            "tags": list("tag"),
            "since": frame.value("since"),
            "limit": ROWS,
            "offset": Paging::offset(&frame),
        }));
        let found: Memories = reader.ask("list", asked)?;
        let shown = found.memories.len();
        let more = (Paging::offset(&frame) + shown) < found.total.max(0) as usize;
        let paging = Paging::new(&frame, shown, Some(found.total), more);
        html(&Page {
            total: super::text::count(found.total.max(0) as usize, "memory", "memories"),
            memories: found.memories,
            paging,
            kinds: &KINDS,
            statuses: &STATUSES,
            frame,
        })
    })
    .await
}
