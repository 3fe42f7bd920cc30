//! MCP and health over HTTP, for clients that share one server and know its token.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use hark_engine::operation::Family;
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::time::{Instant, sleep, timeout};

use crate::calls::{Calls, threads};
use crate::connections::Connections;
use crate::door::{Door, check, closing, login, login_code};
use crate::error::ServeError;
use crate::events::Events;
use crate::guard::Guard;
use crate::limits::Limits;
use crate::mcp::{HttpMcp, Shared, http_mcp, peek};
use crate::pool::Pool;
use crate::rate::Rate;
use crate::signal::told_to_stop;
use crate::status::Status;
use crate::tally::{Tally, count};
use crate::token::Token;
use crate::visits::Visits;
use crate::{MAX_MESSAGE_BYTES, events, pages, rest, status};

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
    /// Requests a minute per caller; 0 is no limit.
    pub rate: u32,
    /// Whether `/stats` and `/metrics` answer callers on this machine without a token.
    pub open_metrics: bool,
}

/// Far more than people and assistants need; it stops a program that runs in circles.
pub const DEFAULT_RATE: u32 = 60_000;

impl HttpOptions {
    pub fn new(addr: SocketAddr, token: Token) -> Self {
        Self {
            addr,
            token,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            limits: Limits::default(),
            rate: DEFAULT_RATE,
            open_metrics: false,
        }
    }
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
    let calls = Calls::new(pool);
    let shared = Shared::new(Arc::clone(&calls), families);
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(threads())
        .enable_all()
        .build()
        .map_err(ServeError::Runtime)?;
    let result = runtime.block_on(serve(calls, shared, options, on_ready));
    runtime.shutdown_background();
    result
}

async fn serve(
    calls: Arc<Calls>,
    shared: Arc<Shared>,
    options: HttpOptions,
    on_ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let HttpOptions { addr, token, allowed_hosts, allowed_origins, limits, rate, open_metrics } = options;
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AddrInUse => ServeError::PortInUse(addr),
        _ => ServeError::Bind { addr, source },
    };
    let listener = TcpListener::bind(addr).await.map_err(failed)?;
    let addr = listener.local_addr().map_err(failed)?;

    let mcp = http_mcp(&shared, &limits);
    let door = Arc::new(Door {
        guard: Guard::new(addr, &allowed_hosts, &allowed_origins),
        token: token.clone(),
        visits: Visits::default(),
        rate: Rate::new(rate),
        open_metrics,
    });
    let desk = Desk { mcp: mcp.clone(), limits };
    let at_the_door = Router::new()
        .route("/login", get(login))
        .route("/v1/login-code", post(login_code))
        .with_state(Arc::clone(&door));
    let operations = calls.table().iter().map(|operation| rest::path_of(operation));
    let tally = Arc::new(Tally::new(operations));
    let status = Status::new(Arc::clone(&calls), Arc::clone(&tally), token.clone(), addr.port());
    let events = Events::new(Arc::clone(&calls));
    let guarded = |routes: Router| {
        routes
            .layer(middleware::from_fn_with_state(Arc::clone(&door), check))
            .layer(middleware::from_fn_with_state(Arc::clone(&tally), count))
    };
    let routes = Router::new()
        .route("/mcp", any(answer))
        .with_state(desk)
        .merge(at_the_door)
        .merge(status::routes(Arc::clone(&status)))
        .merge(events::routes(Arc::clone(&events)))
        .merge(rest::routes(&calls, limits))
        .merge(pages::routes(&calls));
    let routes = guarded(routes);
    let spare = guarded(status::health_route(status).fallback(full));

    let connections = Arc::new(Connections::new(limits));
    let serving = {
        let connections = Arc::clone(&connections);
        async move { connections.serve(listener, routes, spare).await }
    };
    tokio::spawn(serving);
    on_ready(addr);
    told_to_stop().await;
    connections.stop();
    events.close();
    settle(&calls, &mcp).await;
    // Answers are on their way to clients that read; others have had their time.
    let _ = timeout(Duration::from_secs(1), connections.ended()).await.is_ok();
    Ok(())
}

/// Lets running calls finish, then ends the open streams.
async fn settle(calls: &Calls, mcp: &HttpMcp) {
    let deadline = Instant::now() + GRACE;
    while calls.running() > 0 && Instant::now() < deadline {
        sleep(Duration::from_millis(20)).await;
    }
    sleep(Duration::from_millis(50)).await;
    mcp.close();
}

async fn full() -> Response {
    let later = [(header::RETRY_AFTER, "1")];
    closing((StatusCode::SERVICE_UNAVAILABLE, later, "Service Unavailable: too many connections\n"))
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
