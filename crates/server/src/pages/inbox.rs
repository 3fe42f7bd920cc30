//! Proposals that wait for the user.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use serde_json::json;

use super::data::{Proposal, Proposals};
use super::frame::Frame;
use super::{Desk, draw, html};

#[derive(Template)]
#[template(path = "inbox.html")]
struct Page {
    frame: Frame,
    items: Vec<Proposal>,
}

pub(crate) async fn page(State(desk): State<Desk>, request: Request) -> Response {
    draw(desk, request, "Inbox", |reader, frame| {
        let mut asked = json!({ "limit": 200 });
        if let Some(project) = frame.query.get("project") {
            asked["project"] = json!(project);
        }
        let found: Proposals = reader.ask("inbox", asked)?;
        html(&Page { items: found.items, frame })
    })
    .await
}
