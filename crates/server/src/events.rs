//! `/v1/events`: what changes in the store, from any process, as server-sent events.
//!
//! One thread watches for all clients, only while there is one: it asks SQLite once a second whether another connection
//! has committed, and counts only then. A client that does not read is dropped.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_core::Stream;
use hark_engine::{Engine, EngineError, Pulse};
use serde_json::json;
use tokio::sync::mpsc;

use crate::calls::Calls;
use crate::rest::Problem;

/// How often the store is asked.
const EVERY: Duration = Duration::from_secs(1);

/// A client hears something at least this often, and knows by that that the server is there.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Each holds a connection.
const MOST_CLIENTS: usize = 64;

/// Messages that wait for a client; one that falls behind so far is dropped.
const MOST_WAITING: usize = 16;

pub(crate) struct Events {
    calls: Arc<Calls>,
    clients: Mutex<Clients>,
}

#[derive(Default)]
struct Clients {
    senders: Vec<mpsc::Sender<Bytes>>,
    /// Whether the thread runs.
    watched: bool,
    closed: bool,
}

impl Events {
    pub(crate) fn new(calls: Arc<Calls>) -> Arc<Self> {
        Arc::new(Self { calls, clients: Mutex::default() })
    }

    fn clients(&self) -> MutexGuard<'_, Clients> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends every stream.
    pub(crate) fn close(&self) {
        let mut clients = self.clients();
        clients.closed = true;
        clients.senders.clear();
    }

    fn join(self: &Arc<Self>) -> Option<Feed> {
        let (sender, receiver) = mpsc::channel(MOST_WAITING);
        let mut clients = self.clients();
        clients.senders.retain(|client| !client.is_closed());
        if clients.closed || clients.senders.len() >= MOST_CLIENTS {
            return None;
        }
        // A browser that lost us comes back after two seconds.
        let _ = sender.try_send(Bytes::from_static(b"retry: 2000\nevent: ready\ndata: {}\n\n"));
        clients.senders.push(sender);
        if !clients.watched {
            let events = Arc::clone(self);
            clients.watched =
                thread::Builder::new().name("events".into()).spawn(move || events.watch()).is_ok();
        }
        Some(Feed(receiver))
    }

    /// Whether anybody is left.
    fn send(&self, message: &Bytes) -> bool {
        let mut clients = self.clients();
        clients.senders.retain(|client| client.try_send(message.clone()).is_ok());
        clients.watched = !clients.senders.is_empty();
        clients.watched
    }

    fn has_clients(&self) -> bool {
        let mut clients = self.clients();
        clients.senders.retain(|client| !client.is_closed());
        clients.watched = !clients.senders.is_empty();
        clients.watched
    }

    fn watch(&self) {
        let mut watcher = None;
        let mut heard = Instant::now();
        while self.has_clients() {
            // A store that cannot be opened now is tried again; clients see the heartbeat meanwhile.
            if watcher.is_none() {
                watcher = Watcher::open(&self.calls).ok();
            }
            let message = match watcher.as_mut().map(Watcher::look) {
                Some(Ok(Some(changed))) => Some(changed),
                Some(Err(_)) => {
                    watcher = None;
                    None
                }
                _ if heard.elapsed() >= HEARTBEAT => Some(Bytes::from_static(b": here\n\n")),
                _ => None,
            };
            if let Some(message) = message {
                heard = Instant::now();
                if !self.send(&message) {
                    return;
                }
            }
            thread::sleep(EVERY);
        }
    }
}

/// A connection of its own: SQLite tells only of what others committed.
struct Watcher {
    engine: Engine,
    version: i64,
    pulse: Pulse,
}

impl Watcher {
    fn open(calls: &Calls) -> Result<Self, EngineError> {
        let engine = calls.engine()?;
        let (version, pulse) = (engine.data_version()?, engine.pulse()?);
        Ok(Self { engine, version, pulse })
    }

    /// The message about what changed since the last look.
    fn look(&mut self) -> Result<Option<Bytes>, EngineError> {
        let version = self.engine.data_version()?;
        if version == self.version {
            return Ok(None);
        }
        let now = self.engine.pulse()?;
        let then = std::mem::replace(&mut self.pulse, now);
        self.version = version;
        Ok(message(&then, &self.pulse))
    }
}

fn message(then: &Pulse, now: &Pulse) -> Option<Bytes> {
    let changed: Vec<&str> = [
        ("memories", then.memories != now.memories),
        ("sessions", then.sessions != now.sessions),
        ("ledger", then.ledger != now.ledger),
        ("inbox", then.inbox != now.inbox),
    ]
    .into_iter()
    .filter_map(|(name, changed)| changed.then_some(name))
    .collect();
    let data = json!({
        "changed": changed, "memories": now.memories.0, "sessions": now.sessions.0, "inbox": now.inbox,
    });
    // Work on the index alone is of no interest.
    (!changed.is_empty()).then(|| format!("event: changed\ndata: {data}\n\n").into())
}

/// What one client has yet to read.
struct Feed(mpsc::Receiver<Bytes>);

impl Stream for Feed {
    type Item = Result<Bytes, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|message| message.map(Ok))
    }
}

pub(crate) fn routes(events: Arc<Events>) -> Router {
    Router::new().route("/v1/events", get(listen)).with_state(events)
}

async fn listen(State(events): State<Arc<Events>>) -> Response {
    let Some(feed) = events.join() else {
        let hint = "close another page of the dashboard";
        return Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too many clients listen", hint)
            .into_response();
    };
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(feed)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_names_what_changed() {
        let then = Pulse { memories: (1, 5), ..Pulse::default() };
        assert_eq!(message(&then, &then), None);
        let now = Pulse { memories: (2, 9), inbox: 1, ..Pulse::default() };
        let text = String::from_utf8(message(&then, &now).unwrap().to_vec()).unwrap();
        assert_eq!(
            text,
            "event: changed\ndata: {\"changed\":[\"memories\",\"inbox\"],\"memories\":2,\"sessions\":0,\"inbox\":1}\n\n"
        );
    }
}
