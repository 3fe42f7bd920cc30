//! The list of sessions.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use serde_json::json;

use super::data::{Session, Sessions};
use super::frame::{Frame, Paging, ROWS};
use super::{Desk, draw, html};

#[derive(Template)]
#[template(path = "sessions.html")]
struct Page {
    frame: Frame,
    sessions: Vec<Session>,
    paging: Paging,
}

pub(crate) async fn page(State(desk): State<Desk>, request: Request) -> Response {
    draw(desk, request, "Sessions", |reader, frame| {
        let asked = frame.asking(json!({
            "query": frame.value("q"),
            "host": frame.value("host"),
            "status": frame.value("status"),
            "since": frame.value("since"),
            "limit": ROWS + 1,
            "offset": Paging::offset(&frame),
        }));
        let mut found: Sessions = reader.ask("sessions", asked)?;
        let more = found.sessions.len() > ROWS;
        found.sessions.truncate(ROWS);
        let paging = Paging::new(&frame, found.sessions.len(), None, more);
        html(&Page { sessions: found.sessions, paging, frame })
    })
    .await
}
