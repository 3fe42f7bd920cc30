//! The folders a client has open.
//!
//! Asked from within the first call (the answer has to travel on that call's stream over HTTP, and newer
//! versions forbid unrelated requests), remembered, and asked again after the client says they changed. A
//! client gets [`PATIENCE`] to answer; a later answer still counts for later calls, but no call waits twice.
#![expect(deprecated, reason = "roots are served for the versions that have them")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientResult, ListRootsRequest, ProtocolVersion, ServerRequest};
use rmcp::service::{PeerRequestOptions, RequestContext};
use tokio::sync::watch;
use tokio::time::Instant;

const PATIENCE: Duration = Duration::from_millis(300);
/// After this an unanswered question is dropped.
const GIVE_UP: Duration = Duration::from_secs(30);

#[derive(Debug, Default)]
struct State {
    known: Vec<PathBuf>,
    /// When the question now open was asked.
    asked: Option<Instant>,
    answered: bool,
    /// Distinguishes the answer to the current question from one that came too late.
    round: u64,
}

#[derive(Debug, Clone)]
pub(super) struct Roots(Arc<watch::Sender<State>>);

impl Default for Roots {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(State::default())))
    }
}

impl Roots {
    /// The next call asks again; until the answer is here the old roots stand.
    pub(super) fn forget(&self) {
        self.0.send_modify(|state| {
            state.asked = None;
            state.answered = false;
            state.round += 1;
        });
    }

    pub(super) async fn of(&self, context: &RequestContext<RoleServer>) -> Vec<PathBuf> {
        if !can_be_asked(context) {
            return Vec::new();
        }
        let mut changes = self.0.subscribe();
        if let Some(round) = self.begin() {
            self.ask(context, round).await;
        }
        let deadline = changes.borrow_and_update().asked.map(|at| at + PATIENCE);
        if let Some(deadline) = deadline {
            let settled = changes.wait_for(|state| state.answered || state.asked.is_none());
            // Either way what is known by now is used.
            let _ = tokio::time::timeout_at(deadline, settled).await.is_ok();
        }
        self.0.borrow().known.clone()
    }

    /// The round to ask in, if nobody has asked yet.
    fn begin(&self) -> Option<u64> {
        let mut round = None;
        self.0.send_if_modified(|state| {
            if state.asked.is_none() {
                state.asked = Some(Instant::now());
                round = Some(state.round);
            }
            round.is_some()
        });
        round
    }

    async fn ask(&self, context: &RequestContext<RoleServer>, round: u64) {
        let question = ServerRequest::ListRootsRequest(ListRootsRequest {
            method: Default::default(),
            extensions: Default::default(),
        });
        let options = PeerRequestOptions::with_timeout(GIVE_UP);
        let sent = context.peer.send_request_with_option(question, options);
        // Sending goes through the connection's queue, which a stalled client can fill.
        let Ok(Ok(pending)) = tokio::time::timeout(PATIENCE, sent).await else {
            return self.settle(round, None);
        };
        let roots = self.clone();
        tokio::spawn(async move {
            let known = match pending.await_response().await {
                Ok(ClientResult::ListRootsResult(list)) => {
                    Some(list.roots.iter().filter_map(|root| path_of(&root.uri)).collect())
                }
                _ => None,
            };
            roots.settle(round, known);
        });
    }

    fn settle(&self, round: u64, known: Option<Vec<PathBuf>>) {
        self.0.send_modify(|state| {
            if state.round == round {
                state.answered = true;
                if let Some(known) = known {
                    state.known = known;
                }
            }
        });
    }
}

fn can_be_asked(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    if version.is_none_or(|version| version >= ProtocolVersion::V_2026_07_28) {
        return false;
    }
    context.client_capabilities().is_some_and(|capabilities| capabilities.roots.is_some())
}

/// The path in a `file:` URI, or a plain absolute path as some clients send.
pub(super) fn path_of(uri: &str) -> Option<PathBuf> {
    let path = match uri.strip_prefix("file://") {
        Some(rest) => {
            let rest = rest.strip_prefix("localhost").unwrap_or(rest);
            percent_decoded(rest)?
        }
        None => uri.to_owned(),
    };
    // `/C:/folder` is how a drive looks in a URI.
    let drive = path.as_bytes();
    let path = if cfg!(windows) && drive.len() > 2 && drive[0] == b'/' && drive[2] == b':' {
        PathBuf::from(&path[1..])
    } else {
        PathBuf::from(path)
    };
    path.is_absolute().then_some(path)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn roots_are_paths() {
        let path = |uri| path_of(uri).map(|p| p.to_string_lossy().into_owned());
        assert_eq!(path("file:///home/a/b").as_deref(), Some("/home/a/b"));
        assert_eq!(path("file://localhost/a").as_deref(), Some("/a"));
        assert_eq!(path("file:///a%20b/%C3%A9").as_deref(), Some("/a b/é"));
        assert_eq!(path("/plain").as_deref(), Some("/plain"));
        for other in ["https://example.com/x", "relative", "file:///a%2", "file://host/share", ""] {
            assert_eq!(path(other), None, "{other}");
        }
    }
}
