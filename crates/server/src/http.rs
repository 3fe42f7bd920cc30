//! MCP and health over HTTP, for clients that share one server and know its token.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Json, Router};
use hark_engine::operation::Family;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::time::{Instant, sleep, timeout};

use crate::connections::Connections;
use crate::error::ServeError;
use crate::guard::Guard;
use crate::limits::Limits;
use crate::mcp::{HttpMcp, Shared, http_mcp, peek, threads};
use crate::pool::Pool;
use crate::signal::told_to_stop;
use crate::token::{Shown, Token};
use crate::{MAX_MESSAGE_BYTES, SERVER_NAME};

/// The header with the folder that a client works in; clients can be configured to send it.
pub const PROJECT_DIR_HEADER: &str = "x-hark-project-dir";

/// How long calls may continue after the signal to stop.
const GRACE: Duration = Duration::from_secs(5);

#[derive(Debug, Clone)]
pub struct HttpOptions {
    pub addr: SocketAddr,
    /// Callers with the token may do everything; others only reach `/health`.
    pub token: Token,
    /// Names under which the server is reached besides `localhost` and its own address: `name` with any port, or
    /// `name:port`.
    pub allowed_hosts: Vec<String>,
    /// Web origins besides the server's own whose pages may call it.
    pub allowed_origins: Vec<String>,
    pub limits: Limits,
}

impl HttpOptions {
    pub fn new(addr: SocketAddr, token: Token) -> Self {
        Self {
            addr,
            token,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            limits: Limits::default(),
        }
    }
}

/// What every request goes through.
struct Door {
    guard: Guard,
    token: Token,
}

/// What the routes work with.
#[derive(Clone)]
struct Desk {
    mcp: HttpMcp,
    limits: Limits,
}

/// Serves until SIGINT or SIGTERM. `on_ready` gets the address, with the port the system chose for port 0.
pub fn serve_http(
    pool: Arc<Pool>,
    families: &[Family],
    options: HttpOptions,
    on_ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let shared = Shared::new(pool, families);
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(threads())
        .enable_all()
        .build()
        .map_err(ServeError::Runtime)?;
    let result = runtime.block_on(serve(shared, options, on_ready));
    runtime.shutdown_background();
    result
}

async fn serve(
    shared: Arc<Shared>,
    options: HttpOptions,
    on_ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let HttpOptions { addr, token, allowed_hosts, allowed_origins, limits } = options;
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AddrInUse => ServeError::PortInUse(addr),
        _ => ServeError::Bind { addr, source },
    };
    let listener = TcpListener::bind(addr).await.map_err(failed)?;
    let addr = listener.local_addr().map_err(failed)?;

    let mcp = http_mcp(&shared, &limits);
    let door = Arc::new(Door { guard: Guard::new(addr, &allowed_hosts, &allowed_origins), token });
    let routes = Router::new()
        .route("/health", get(health))
        .route("/mcp", any(answer))
        .with_state(Desk { mcp: mcp.clone(), limits })
        .layer(middleware::from_fn_with_state(Arc::clone(&door), check));
    let spare = Router::new()
        .route("/health", get(health))
        .fallback(full)
        .layer(middleware::from_fn_with_state(door, check));

    let connections = Arc::new(Connections::new(limits));
    let serving = {
        let connections = Arc::clone(&connections);
        async move { connections.serve(listener, routes, spare).await }
    };
    tokio::spawn(serving);
    on_ready(addr);
    told_to_stop().await;
    connections.stop();
    settle(&shared, &mcp).await;
    // Answers are on their way to clients that read; others have had their time.
    let _ = timeout(Duration::from_secs(1), connections.ended()).await.is_ok();
    Ok(())
}

/// Lets running calls finish, then ends the open streams.
async fn settle(shared: &Shared, mcp: &HttpMcp) {
    let deadline = Instant::now() + GRACE;
    while shared.running() > 0 && Instant::now() < deadline {
        sleep(Duration::from_millis(20)).await;
    }
    sleep(Duration::from_millis(50)).await;
    mcp.close();
}

async fn check(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    if let Some(reason) = door.guard.refusal(request.uri(), request.headers()) {
        return closing((StatusCode::FORBIDDEN, format!("Forbidden: {reason}\n")));
    }
    if request.uri().path() == "/health" {
        return closing(next.run(request).await);
    }
    match door.token.shown_in(request.headers()) {
        Shown::Right => next.run(request).await,
        shown => unauthorized(shown),
    }
}

/// An answer that closes the connection: callers without a token may not keep one open.
fn closing(response: impl IntoResponse) -> Response {
    ([(header::CONNECTION, "close")], response).into_response()
}

fn unauthorized(shown: Shown) -> Response {
    let error = match shown {
        Shown::Nothing => "hark serve requires a token, but this request has none",
        Shown::Wrong | Shown::Right => "the token is wrong",
    };
    let hint = "send the header `Authorization: Bearer TOKEN`; `hark install generic` prints the whole entry \
                for an MCP client, `hark install` adds the header where an assistant's entry lacks it, and \
                `hark doctor` shows which do";
    let challenge = [(header::WWW_AUTHENTICATE, "Bearer realm=\"hark\"")];
    closing((StatusCode::UNAUTHORIZED, challenge, Json(json!({ "error": error, "hint": hint }))))
}

async fn full() -> Response {
    let later = [(header::RETRY_AFTER, "1")];
    closing((StatusCode::SERVICE_UNAVAILABLE, later, "Service Unavailable: too many connections\n"))
}

async fn health() -> impl IntoResponse {
    Json(json!({
        "status": "ok",
        "name": SERVER_NAME,
        "version": env!("CARGO_PKG_VERSION"),
    }))
}

async fn answer(State(desk): State<Desk>, request: Request) -> Response {
    let Desk { mcp, limits } = desk;
    if request.method() != Method::POST {
        return mcp.answer(request, false).await;
    }
    let (parts, body) = request.into_parts();
    let body = match timeout(limits.body, to_bytes(body, MAX_MESSAGE_BYTES)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            let most = MAX_MESSAGE_BYTES / (1024 * 1024);
            let text = format!("Payload Too Large: a message has at most {most} MiB\n");
            return (StatusCode::PAYLOAD_TOO_LARGE, text).into_response();
        }
        Err(_) => {
            let text = "Request Timeout: the body did not arrive in time\n";
            return closing((StatusCode::REQUEST_TIMEOUT, text));
        }
    };
    match peek(&body) {
        Ok(opens) => {
            let request = Request::from_parts(parts, Body::from(body));
            mcp.answer(request, opens).await
        }
        Err(refused) => {
            let json = [(header::CONTENT_TYPE, "application/json")];
            (StatusCode::BAD_REQUEST, json, refused).into_response()
        }
    }
}
