//! The dashboard: pages over the operations.
//!
//! A page runs operations, as a terminal would, and draws their responses. It has no logic and no data of its own. Changes
//! are made by scripts over REST, and every one of them is an operation. All pages can be read without scripts.

mod ask;
mod assets;
mod data;
mod diff;
mod failures;
mod frame;
mod graph;
mod health;
mod inbox;
mod insights;
mod ledger;
mod memories;
mod memory;
mod query;
mod rules;
mod search;
mod sessions;
mod settings;
mod story;
mod svg;
mod text;
mod today;

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use hark_engine::operation::Effect;
use hark_engine::{EngineError, ErrorKind};

use crate::calls::Calls;
use crate::door::Visitor;
use ask::Reader;
use frame::{Frame, Projects};
use query::Query;

/// What every page works with.
#[derive(Clone)]
pub(crate) struct Desk {
    calls: Arc<Calls>,
    projects: Arc<Projects>,
}

/// The pages, to be put behind the door that checks who asks.
pub(crate) fn routes(calls: &Arc<Calls>) -> Router {
    let desk = Desk { calls: Arc::clone(calls), projects: Arc::default() };
    Router::new()
        .route("/", get(today::page))
        .route("/search", get(search::page))
        .route("/memories", get(memories::page))
        .route("/memories/{id}", get(memory::page))
        .route("/inbox", get(inbox::page))
        .route("/sessions", get(sessions::page))
        .route("/sessions/{id}", get(story::page))
        .route("/failures", get(failures::page))
        .route("/rules", get(rules::page))
        .route("/rules/{id}", get(rules::one))
        .route("/insights", get(insights::page))
        .route("/ledger", get(ledger::page))
        .route("/graph", get(graph::page))
        .route("/doctor", get(health::page))
        .route("/settings", get(settings::page).post(settings::save))
        .route("/assets/{version}/{name}", get(assets::file))
        .with_state(desk)
}

/// The door adds the policy that lets nothing in from elsewhere.
const HEADERS: [(HeaderName, &str); 1] = [(header::CACHE_CONTROL, "no-store")];

/// A page, drawn on a thread that may wait for the store.
async fn draw(
    desk: Desk,
    request: Request,
    name: &'static str,
    page: impl FnOnce(&Reader<'_>, Frame) -> Result<String, EngineError> + Send + 'static,
) -> Response {
    let query = Query::parse(request.uri().query().unwrap_or_default());
    let path = request.uri().path().to_owned();
    let csrf = request.extensions().get::<Visitor>().map(|visitor| visitor.csrf.clone()).unwrap_or_default();
    let Desk { calls, projects } = desk;
    let drawn = calls.run(Effect::Read, move |pool| {
        let reader = Reader::new(pool);
        let frame = Frame::new(&reader, &projects, name, &path, query, csrf);
        let plain = frame.clone();
        Ok(page(&reader, frame).map_err(|error| (error, plain)))
    });
    match drawn.await {
        Ok(Ok(html)) => (HEADERS, Html(html)).into_response(),
        Ok(Err((error, frame))) => failed(&error, frame),
        Err(_) => {
            (StatusCode::INTERNAL_SERVER_ERROR, HEADERS, "The page could not be drawn.\n").into_response()
        }
    }
}

#[derive(Template)]
#[template(path = "failed.html")]
struct Failed {
    frame: Frame,
    error: String,
    hint: String,
}

fn failed(error: &EngineError, frame: Frame) -> Response {
    let status = status(error);
    let page =
        Failed { frame, error: text::shown(&error.to_string()), hint: error.hint().unwrap_or_default() };
    (status, HEADERS, Html(page.render().unwrap_or_default())).into_response()
}

fn status(error: &EngineError) -> StatusCode {
    match error.kind() {
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::User => StatusCode::BAD_REQUEST,
        ErrorKind::Storage | ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// A template as the text of a page.
fn html(page: &impl Template) -> Result<String, EngineError> {
    page.render().map_err(|e| EngineError::invalid(e.to_string(), "report this as a bug"))
}
