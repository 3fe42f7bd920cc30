//! MCP over HTTP, so that a restart of the server does not strand its clients.
//!
//! From 2026-07-28 on every request stands alone. Before, a client opens a session; what it said then is
//! kept in memory, and a session that is not known (the server was restarted) is taken up again instead of
//! being refused, because many clients do not recover from the refusal. All that is lost is the client's
//! name and capabilities. A request without any session is served too, as a stateless one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Body;
use axum::http::{Request, Response, header::HeaderName};
use rmcp::model::{ClientCapabilities, Implementation, InitializeRequestParams};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionState, SessionStore, SessionStoreError};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::bounded::BoundedSessions;
use super::{Handler, Place, Shared};
use crate::{Limits, MAX_MESSAGE_BYTES};

const SESSION_HEADER: HeaderName = HeaderName::from_static("mcp-session-id");

/// Sessions remembered, and endings remembered; the oldest go first.
const REMEMBERED: usize = 1024;

/// What a client says of itself is remembered up to this length, as JSON. Most say less than a tenth of it.
const LONGEST_SAID: usize = 4 * 1024;

/// The `/mcp` endpoint.
#[derive(Clone)]
pub(crate) struct HttpMcp {
    with_sessions: StreamableHttpService<Handler, BoundedSessions>,
    stateless: StreamableHttpService<Handler, NeverSessionManager>,
}

pub(crate) fn new(shared: &Arc<Shared>, limits: &Limits) -> HttpMcp {
    let place = Arc::new(Place::apart());
    let handler = {
        let shared = Arc::clone(shared);
        move || Ok(Handler::new(Arc::clone(&shared), Arc::clone(&place)))
    };
    // Host and Origin are checked for all routes, in front of this one.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES);
    let mut sessions = config.clone();
    sessions.session_store = Some(Arc::new(Sessions::default()));
    let bounded = Arc::new(BoundedSessions::new(limits.sessions, limits.session_idle));
    HttpMcp {
        with_sessions: StreamableHttpService::new(handler.clone(), bounded, sessions),
        stateless: StreamableHttpService::new(
            handler,
            Arc::default(),
            config.with_legacy_session_mode(false),
        ),
    }
}

impl HttpMcp {
    /// `opens` says that the request is an `initialize`.
    pub(crate) async fn answer(&self, request: Request<Body>, opens: bool) -> Response<Body> {
        let in_session = opens || request.headers().contains_key(SESSION_HEADER);
        let is_post = request.method() == axum::http::Method::POST;
        let response = if in_session || !is_post {
            self.with_sessions.handle(request).await
        } else {
            self.stateless.handle(request).await
        };
        response.map(Body::new)
    }

    /// Ends the streams that clients hold open.
    pub(crate) fn close(&self) {
        self.with_sessions.config.cancellation_token.cancel();
    }
}

/// What clients said when they opened their sessions.
#[derive(Default)]
struct Sessions(Mutex<Known>);

#[derive(Default)]
struct Known {
    open: VecDeque<(String, SessionState)>,
    ended: VecDeque<String>,
}

impl Sessions {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A session of an earlier run. Whether the client has roots is not known, so it will be asked.
    fn resumed() -> SessionState {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(Default::default());
        SessionState::new(InitializeRequestParams::new(capabilities, Implementation::new("", "")))
    }
}

#[async_trait::async_trait]
impl SessionStore for Sessions {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let known = self.known();
        if let Some((_, state)) = known.open.iter().find(|(open, _)| open == id) {
            return Ok(Some(state.clone()));
        }
        let ended = known.ended.iter().any(|ended| ended == id);
        Ok((looks_like_ours(id) && !ended).then(Self::resumed))
    }

    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let length = serde_json::to_string(&state.initialize_params).map_or(usize::MAX, |said| said.len());
        if length > LONGEST_SAID {
            return Ok(());
        }
        let mut known = self.known();
        if known.open.len() == REMEMBERED {
            known.open.pop_front();
        }
        known.open.push_back((id.to_owned(), state.clone()));
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<(), SessionStoreError> {
        let mut known = self.known();
        known.open.retain(|(open, _)| open != id);
        if known.ended.len() == REMEMBERED {
            known.ended.pop_front();
        }
        known.ended.push_back(id.to_owned());
        Ok(())
    }
}

/// Session ids are UUIDs.
fn looks_like_ours(id: &str) -> bool {
    id.len() == 36
        && id.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";

    #[tokio::test]
    async fn sessions_of_an_earlier_run_are_taken_up_until_they_are_ended() {
        let sessions = Sessions::default();
        assert!(sessions.load(ID).await.unwrap().is_some());
        assert!(sessions.load("made-up").await.unwrap().is_none());
        sessions.delete(ID).await.unwrap();
        assert!(sessions.load(ID).await.unwrap().is_none());
    }

    #[tokio::test]
    async fn what_the_client_said_is_kept() {
        let sessions = Sessions::default();
        let client = Implementation::new("tester", "1");
        let said = InitializeRequestParams::new(ClientCapabilities::default(), client);
        sessions.store(ID, &SessionState::new(said)).await.unwrap();
        let kept = sessions.load(ID).await.unwrap().unwrap();
        assert_eq!(kept.initialize_params.client_info.name, "tester");
    }

    #[tokio::test]
    async fn a_client_that_says_too_much_is_taken_up_again_without_its_words() {
        let sessions = Sessions::default();
        let client = Implementation::new("x".repeat(LONGEST_SAID), "1");
        let said = InitializeRequestParams::new(ClientCapabilities::default(), client);
        sessions.store(ID, &SessionState::new(said)).await.unwrap();
        let kept = sessions.load(ID).await.unwrap().unwrap();
        assert_eq!(kept.initialize_params.client_info.name, "");
    }
}
