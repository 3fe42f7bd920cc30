//! `/health` for everybody, `/stats` and `/metrics` for who may see numbers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use hark_engine::ops::metrics::{family, sample};
use hark_engine::{EngineError, Operation, StoreError};
use serde_json::{Map, json};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::calls::{Calls, Trouble};
use crate::rest::{Problem, caller};
use crate::tally::Tally;
use crate::token::Token;
use crate::{SERVER_NAME, query};

/// Everybody may ask; the store is looked at once in this time at most.
const FRESH: Duration = Duration::from_secs(1);

/// A store that takes longer is not healthy.
const PATIENCE: Duration = Duration::from_secs(5);

const LONGEST_CHALLENGE: usize = 64;

pub(crate) struct Status {
    calls: Arc<Calls>,
    tally: Arc<Tally>,
    token: Token,
    port: u16,
    /// When the store was last looked at, and what was wrong.
    last: Mutex<Option<(Instant, Option<&'static str>)>>,
}

impl Status {
    pub(crate) fn new(calls: Arc<Calls>, tally: Arc<Tally>, token: Token, port: u16) -> Arc<Self> {
        Arc::new(Self { calls, tally, token, port, last: Mutex::new(None) })
    }

    fn operation(&self, name: &str) -> Option<&'static Operation> {
        self.calls.table().iter().copied().find(|operation| operation.name == name)
    }

    /// What is wrong with the store, in words that say nothing of its content or place.
    async fn trouble(&self) -> Option<&'static str> {
        let operation = self.operation("ping")?;
        let mut last = self.last.lock().await;
        if let Some((at, trouble)) = *last
            && at.elapsed() < FRESH
        {
            return trouble;
        }
        let looked = timeout(PATIENCE, self.calls.data(operation, Map::new(), caller(None))).await;
        let trouble = match looked {
            Ok(Ok(_)) => None,
            Ok(Err(trouble)) => Some(words(&trouble)),
            Err(_) => Some("the store does not answer in time"),
        };
        *last = Some((Instant::now(), trouble));
        trouble
    }
}

fn words(trouble: &Trouble) -> &'static str {
    match trouble {
        Trouble::Failed(EngineError::Store(error)) => match error {
            StoreError::DiskFull { .. } => "the disk is full",
            StoreError::ReadOnly { .. } => "the store cannot be written",
            StoreError::Denied { .. } => "the store cannot be read",
            StoreError::Corrupt { .. } => "the index is damaged",
            StoreError::TooNew { .. } => "the store is of a newer version",
            StoreError::Outdated { .. } | StoreError::Behind { .. } => "the store is of an older version",
            StoreError::Busy { .. } => "the store is busy",
            _ => "the store cannot be opened",
        },
        Trouble::Failed(EngineError::Config { .. }) => "the settings cannot be read",
        Trouble::Failed(_) => "the store cannot be opened",
        Trouble::Panicked => "the store could not be checked",
    }
}

/// Also on connections beyond the limit.
pub(crate) fn health_route(status: Arc<Status>) -> Router {
    Router::new().route("/health", get(health)).with_state(status)
}

pub(crate) fn routes(status: Arc<Status>) -> Router {
    let numbers = Router::new()
        .route("/stats", get(stats))
        .route("/metrics", get(metrics))
        .with_state(Arc::clone(&status));
    health_route(status).merge(numbers)
}

async fn health(State(status): State<Arc<Status>>, uri: Uri) -> Response {
    let mut body = json!({ "status": "ok", "name": SERVER_NAME, "version": env!("CARGO_PKG_VERSION") });
    // `hark ui` wants to know whether this is its own server before it shows the token.
    let challenge = uri.query().and_then(|query| query::value(query, "challenge"));
    if let Some(challenge) = challenge.filter(|challenge| challenge.len() <= LONGEST_CHALLENGE) {
        body["proof"] = status.token.proof(&challenge, status.port).into();
    }
    let Some(reason) = status.trouble().await else { return Json(body).into_response() };
    body["status"] = "unavailable".into();
    body["reason"] = reason.into();
    body["hint"] = "run `hark doctor`".into();
    let later = [(header::RETRY_AFTER, "1")];
    (StatusCode::SERVICE_UNAVAILABLE, later, Json(body)).into_response()
}

async fn stats(State(status): State<Arc<Status>>) -> Response {
    let Some(operation) = status.operation("stats") else { return StatusCode::NOT_FOUND.into_response() };
    match status.calls.data(operation, Map::new(), caller(None)).await {
        Ok(data) => Json(data).into_response(),
        Err(trouble) => Problem::from(trouble).into_response(),
    }
}

async fn metrics(State(status): State<Arc<Status>>) -> Response {
    let mut text = String::new();
    let out = &mut text;
    // A store that cannot be opened is a measurement too.
    let mut up = 1;
    if let Some(operation) = status.operation("metrics") {
        let measured =
            status.calls.run(operation.effect, |pool| pool.call(operation, Map::new(), &caller(None))).await;
        match measured {
            Ok(answer) => out.push_str(&answer.text),
            Err(_) => up = 0,
        }
    }
    family(out, "hark_store_up", "gauge", "Whether the store could be read.");
    sample(out, "hark_store_up", &[], &up);
    family(out, "hark_calls_running", "gauge", "Operations that run or wait for their turn.");
    sample(out, "hark_calls_running", &[], &status.calls.running());
    status.calls.write_counts(out);
    status.tally.write(out);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}
