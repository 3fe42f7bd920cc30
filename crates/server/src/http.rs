//! MCP and health over HTTP, for clients that share one server.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use crate::error::ServeError;
use crate::guard::Guard;
use crate::mcp::{HttpMcp, Shared, http_mcp, peek};
use crate::signal::told_to_stop;
use crate::toolbox::ToolBox;
use crate::{MAX_MESSAGE_BYTES, SERVER_NAME, kept_memory};

pub const DEFAULT_PORT: u16 = 9824;

/// By this header a client names the folder it works in; clients can be configured to send it.
pub const PROJECT_DIR_HEADER: &str = "x-hark-project-dir";

/// Calls worked on at the same time; more wait.
const WORKERS: usize = 16;

/// How long calls may go on after the signal to stop.
const GRACE: Duration = Duration::from_secs(5);

#[derive(Debug, Clone)]
pub struct HttpOptions {
    pub addr: SocketAddr,
    /// Names under which the server is reached besides `localhost`, `127.0.0.1` and `[::1]`: `name` with
    /// any port, or `name:port`.
    pub allowed_hosts: Vec<String>,
    /// Web origins besides the server's own whose pages may call it.
    pub allowed_origins: Vec<String>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            addr: SocketAddr::from((Ipv4Addr::LOCALHOST, DEFAULT_PORT)),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
        }
    }
}

/// Serves until SIGINT or SIGTERM. `on_ready` gets the address, with the port the system chose for port 0.
pub fn serve_http(
    tools: Arc<dyn ToolBox>,
    options: HttpOptions,
    on_ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    kept_memory::keep();
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(WORKERS)
        .on_thread_start(kept_memory::reserve)
        .enable_all()
        .build()
        .map_err(ServeError::Runtime)?;
    let result = runtime.block_on(serve(tools, options, on_ready));
    runtime.shutdown_background();
    result
}

async fn serve(
    tools: Arc<dyn ToolBox>,
    options: HttpOptions,
    on_ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let HttpOptions { addr, allowed_hosts, allowed_origins } = options;
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AddrInUse => ServeError::PortInUse(addr),
        _ => ServeError::Bind { addr, source },
    };
    let listener = TcpListener::bind(addr).await.map_err(failed)?;
    let addr = listener.local_addr().map_err(failed)?;

    let shared = Shared::new(tools);
    let mcp = http_mcp(&shared);
    let guard = Guard::new(addr.port(), &allowed_hosts, &allowed_origins);
    let routes = Router::new()
        .route("/health", get(health))
        .route("/mcp", any(answer))
        .with_state(mcp.clone())
        .layer(middleware::from_fn_with_state(Arc::new(guard), check));

    let stop = Arc::new(Notify::new());
    let stopping = {
        let stop = Arc::clone(&stop);
        async move { stop.notified().await }
    };
    // Answers are small and come in two writes; waiting to fill packets would cost 40 ms each.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true).is_ok();
    });
    let server = axum::serve(listener, routes).with_graceful_shutdown(stopping);
    let mut server = tokio::spawn(server.into_future());
    on_ready(addr);
    tokio::select! {
        ended = &mut server => return ended.unwrap_or(Ok(())).map_err(ServeError::Connection),
        () = told_to_stop() => {}
    }
    stop.notify_one();
    settle(&shared, &mcp).await;
    // Answers are on their way to clients that read; others have had their time.
    let _ = timeout(Duration::from_secs(1), server).await.is_ok();
    Ok(())
}

/// Lets running calls finish, then ends the streams that would go on for ever.
async fn settle(shared: &Shared, mcp: &HttpMcp) {
    let deadline = Instant::now() + GRACE;
    while shared.running() > 0 && Instant::now() < deadline {
        sleep(Duration::from_millis(20)).await;
    }
    sleep(Duration::from_millis(50)).await;
    mcp.close();
}

async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    match guard.refusal(request.uri(), request.headers()) {
        Some(reason) => (StatusCode::FORBIDDEN, format!("Forbidden: {reason}\n")).into_response(),
        None => next.run(request).await,
    }
}

async fn health() -> impl IntoResponse {
    Json(json!({
        "status": "ok",
        "name": SERVER_NAME,
        "version": env!("CARGO_PKG_VERSION"),
    }))
}

async fn answer(State(mcp): State<HttpMcp>, request: Request) -> Response {
    if request.method() != Method::POST {
        return mcp.answer(request, false).await;
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_MESSAGE_BYTES).await else {
        let most = MAX_MESSAGE_BYTES / (1024 * 1024);
        let text = format!("Payload Too Large: a message has at most {most} MiB\n");
        return (StatusCode::PAYLOAD_TOO_LARGE, text).into_response();
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
