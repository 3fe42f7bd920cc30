//! `POST /v1/<operation>` with JSON, and `GET` with a query for operations that only read.
//!
//! Everything comes from the table of operations: names, schemas, effects. A request with the token or a cookie is the
//! user's own act, so decisions that are for the user are allowed here.

mod arguments;
mod openapi;
mod problem;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, routing::any, routing::get};
use hark_core::Origin;
use hark_engine::operation::Effect;
use hark_engine::{Caller, Connection, Operation};
use serde_json::{Map, Value};
use tokio::time::timeout;

use crate::calls::Calls;
use crate::http::PROJECT_DIR_HEADER;
use crate::limits::Limits;
use crate::{MAX_MESSAGE_BYTES, query};

pub(crate) use problem::Problem;

type Object = Map<String, Value>;

/// The query parameter for the folder that a call is about.
const PROJECT: &str = "project";

/// An operation as a route.
struct Route {
    operation: &'static Operation,
    /// What it takes.
    schema: Value,
}

impl Route {
    /// Whether the query parameter `project` is an argument of the operation itself.
    fn has_project(&self) -> bool {
        self.schema["properties"].get(PROJECT).is_some()
    }
}

struct Rest {
    calls: Arc<Calls>,
    limits: Limits,
    routes: HashMap<String, Route>,
    openapi: Bytes,
}

/// The path of an operation, such as `/v1/inbox/accept`.
pub(crate) fn path_of(operation: &Operation) -> String {
    format!("/v1/{}", operation.name.replace(' ', "/"))
}

pub(crate) fn routes(calls: &Arc<Calls>, limits: Limits) -> Router {
    let table = if hark_engine::is_enabled() { calls.table() } else { &[] };
    let on = table.iter().copied().filter(|operation| operation.surfaces.route.is_on());
    let route = |operation: &'static Operation| {
        (path_of(operation), Route { operation, schema: operation.code.accepted_schema() })
    };
    let routes: HashMap<String, Route> = on.clone().map(route).collect();
    let openapi = openapi::document(on);
    let rest = Rest { calls: Arc::clone(calls), limits, routes, openapi: openapi.to_string().into() };
    Router::new()
        .route("/v1/openapi.json", get(describe))
        .route("/v1/{*operation}", any(answer))
        .with_state(Arc::new(rest))
}

async fn describe(State(rest): State<Arc<Rest>>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], rest.openapi.clone()).into_response()
}

async fn answer(State(rest): State<Arc<Rest>>, request: Request) -> Response {
    match rest.answer(request).await {
        Ok(data) => Json(data).into_response(),
        Err(response) => response,
    }
}

impl Rest {
    async fn answer(&self, request: Request) -> Result<Value, Response> {
        let (parts, body) = request.into_parts();
        let Some(route) = self.routes.get(parts.uri.path()) else {
            let hint = "GET /v1/openapi.json lists them";
            return Err(
                Problem::new(StatusCode::NOT_FOUND, "there is no such operation", hint).into_response()
            );
        };
        let reads = route.operation.effect == Effect::Read;
        let (arguments, project) = match parts.method {
            Method::POST => {
                let arguments =
                    self.read_body(&parts.headers, body).await.map_err(IntoResponse::into_response)?;
                let project = parts.uri.query().and_then(|query| query::value(query, PROJECT));
                (arguments, project)
            }
            Method::GET | Method::HEAD if reads => {
                route.read_query(&parts.uri).map_err(IntoResponse::into_response)?
            }
            _ => return Err(not_allowed(reads)),
        };
        let call = route.checked(arguments).and_then(|arguments| {
            let cwd = folder(&parts.headers, project)?;
            Ok((arguments, cwd))
        });
        let (arguments, cwd) = call.map_err(IntoResponse::into_response)?;
        let done = self.calls.data(route.operation, arguments, caller(cwd)).await;
        done.map_err(|trouble| Problem::from(trouble).into_response())
    }

    async fn read_body(&self, headers: &HeaderMap, body: Body) -> Result<Object, Problem> {
        let body = match timeout(self.limits.body, to_bytes(body, MAX_MESSAGE_BYTES)).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => {
                let most = MAX_MESSAGE_BYTES / (1024 * 1024);
                let error = format!("a request has at most {most} MiB");
                return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, error, ""));
            }
            Err(_) => {
                let error = "the body did not arrive in time";
                return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, error, ""));
            }
        };
        if body.trim_ascii().is_empty() {
            return Ok(Object::new());
        }
        if !is_json(headers) {
            // A form of another site can send other types without being asked.
            let (error, hint) = ("the body is not JSON", "send the header `Content-Type: application/json`");
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, error, hint));
        }
        match serde_json::from_slice(&body) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            Ok(_) => Err(Problem::new(StatusCode::BAD_REQUEST, "the body is not a JSON object", "")),
            Err(error) => {
                let error = format!("the body is not valid JSON: {error}");
                Err(Problem::new(StatusCode::BAD_REQUEST, error, "send one JSON object in UTF-8"))
            }
        }
    }
}

impl Route {
    /// The arguments in a query, and the folder if it names one.
    fn read_query(&self, uri: &Uri) -> Result<(Object, Option<String>), Problem> {
        let bad = |error: String| Problem::new(StatusCode::BAD_REQUEST, error, "");
        let pairs = query::pairs(uri.query().unwrap_or_default());
        let mut pairs = pairs.ok_or_else(|| bad("the query cannot be decoded".to_owned()))?;
        let mut project = None;
        if !self.has_project() {
            pairs.retain(|(name, value)| {
                let is_other = name != PROJECT;
                if !is_other {
                    project = Some(value.clone());
                }
                is_other
            });
        }
        let arguments = arguments::typed(pairs, &self.schema).map_err(bad)?;
        Ok((arguments, project))
    }

    fn checked(&self, mut arguments: Object) -> Result<Object, Problem> {
        let problems = arguments::problems(&arguments, &self.schema);
        if !problems.is_empty() {
            let usage = arguments::usage(self.operation.name, &self.schema);
            return Err(Problem::new(StatusCode::BAD_REQUEST, problems.join("; "), usage));
        }
        arguments::make_whole(&mut arguments, &self.schema);
        // Not given.
        arguments.retain(|_, value| !value.is_null());
        // What the schema cannot say is found here, before a thread is taken.
        if let Err(error) = self.operation.code.parsed(Value::Object(arguments.clone())) {
            return Err(Problem::new(
                StatusCode::BAD_REQUEST,
                error.to_string(),
                arguments::usage(self.operation.name, &self.schema),
            ));
        }
        Ok(arguments)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let Some(Ok(kind)) = headers.get(header::CONTENT_TYPE).map(HeaderValue::to_str) else { return false };
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

/// The folder that a call is about: from the header, or from the query.
fn folder(headers: &HeaderMap, query: Option<String>) -> Result<Option<PathBuf>, Problem> {
    let bad = || Problem::new(StatusCode::BAD_REQUEST, "the project's folder must be an absolute path", "");
    let header = headers.get(PROJECT_DIR_HEADER).map(|value| std::str::from_utf8(value.as_bytes()));
    let header = header.transpose().map_err(|_| bad())?.map(str::to_owned);
    let named: Vec<PathBuf> = [header, query]
        .into_iter()
        .flatten()
        .filter(|folder| !folder.is_empty())
        .map(PathBuf::from)
        .collect();
    // One that does not count must not be wrong either.
    if named.iter().any(|folder| !folder.is_absolute() || folder.as_os_str().as_encoded_bytes().contains(&0))
    {
        return Err(bad());
    }
    Ok(named.into_iter().next())
}

/// The user, who may be anywhere.
pub(crate) fn caller(cwd: Option<PathBuf>) -> Caller {
    Caller {
        cwd,
        origin: Some(Origin::User),
        connection: Some(Connection { key: None, is_remote: true }),
        ..Caller::default()
    }
}

fn not_allowed(reads: bool) -> Response {
    let (allow, hint) = match reads {
        true => ("GET, HEAD, POST", "use GET with a query, or POST with JSON"),
        false => ("POST", "use POST with JSON: this operation changes something"),
    };
    let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, "this method is not allowed here", hint);
    ([(header::ALLOW, allow)], problem).into_response()
}
