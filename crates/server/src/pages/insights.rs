//! Insights: what evidence suggests, with the evidence. They are believed only once the user has accepted them.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use serde_json::json;

use super::data::{Memories, Memory};
use super::frame::Frame;
use super::{Desk, draw, html};

#[derive(Template)]
#[template(path = "insights.html")]
struct Page {
    frame: Frame,
    waiting: Vec<Memory>,
    accepted: Vec<Memory>,
}

const MOST: usize = 200;

pub(crate) async fn page(State(desk): State<Desk>, request: Request) -> Response {
    draw(desk, request, "Insights", |reader, frame| {
        let asked = json!({ "kinds": ["insight"], "statuses": ["proposed", "active"], "limit": MOST });
        let found: Memories = reader.ask("list", frame.asking(asked))?;
        let (waiting, accepted) =
            found.memories.into_iter().partition(|insight| insight.status == "proposed");
        html(&Page { waiting, accepted, frame })
    })
    .await
}
