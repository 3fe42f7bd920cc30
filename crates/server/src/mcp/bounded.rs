//! Limits the number of sessions: the least recently used one makes room for the next.
//!
//! A client whose session was evicted does not notice. Its next request resumes the session, as after a restart of the
//! server.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_core::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionError};
use rmcp::transport::streamable_http_server::session::{
    RestoreOutcome, ServerSseMessage, SessionId, SessionManager,
};

pub(super) struct BoundedSessions {
    inner: LocalSessionManager,
    most: usize,
    live: Mutex<Live>,
}

#[derive(Default)]
struct Live {
    /// Least recently used first.
    order: VecDeque<SessionId>,
    /// Sessions that had to go and whose tasks have yet to say that they ended. Taken up again meanwhile, such a
    /// session must not be closed by what its former task says.
    leaving: Vec<SessionId>,
}

type Failure = <LocalSessionManager as SessionManager>::Error;
type Transport = <LocalSessionManager as SessionManager>::Transport;

impl BoundedSessions {
    pub(super) fn new(most: usize, idle: Duration) -> Self {
        let mut inner = LocalSessionManager::default();
        inner.session_config.keep_alive = Some(idle);
        Self { inner, most: most.max(1), live: Mutex::default() }
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Now the one used last, if it lives.
    fn touch(&self, id: &SessionId) {
        let order = &mut self.live().order;
        if let Some(at) = order.iter().position(|known| known == id) {
            order.remove(at);
            order.push_back(id.clone());
        }
    }

    /// Whether a session idled out this moment: its worker has ended, and it is still listed. Takes it off the list.
    async fn has_ended(&self, id: &SessionId) -> bool {
        let Some(handle) = self.inner.sessions.read().await.get(id).cloned() else { return false };
        // No request has this number; only a worker that has ended fails to answer.
        let ended = matches!(
            handle.close_request_wise_channel(u64::MAX).await,
            Err(SessionError::SessionServiceTerminated)
        );
        ended && self.inner.sessions.write().await.remove(id).is_some()
    }

    /// Counts a new one, and ends the one used longest ago if that is one too many.
    async fn enter(&self, id: SessionId) {
        let leaving = {
            let mut live = self.live();
            live.order.push_back(id);
            let leaving = if live.order.len() > self.most { live.order.pop_front() } else { None };
            live.leaving.extend(leaving.clone());
            leaving
        };
        if let Some(leaving) = leaving {
            let _ = self.inner.close_session(&leaving).await.is_ok();
        }
    }
}

impl SessionManager for BoundedSessions {
    type Error = Failure;
    type Transport = Transport;

    async fn create_session(&self) -> Result<(SessionId, Transport), Failure> {
        let (id, transport) = self.inner.create_session().await?;
        self.enter(id.clone()).await;
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Failure> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Failure> {
        self.touch(id);
        if self.has_ended(id).await {
            // The task of the former session says later that it ended; that must not close the resumed one.
            let mut live = self.live();
            live.order.retain(|known| known != id);
            live.leaving.push(id.clone());
            return Ok(false);
        }
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Failure> {
        {
            let mut live = self.live();
            if let Some(at) = live.leaving.iter().position(|leaving| leaving == id) {
                live.leaving.swap_remove(at);
                return Ok(());
            }
            live.order.retain(|known| known != id);
        }
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        self.inner.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Failure> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        self.inner.resume(id, last_event_id).await
    }

    async fn restore_session(&self, id: SessionId) -> Result<RestoreOutcome<Transport>, Failure> {
        let outcome = self.inner.restore_session(id.clone()).await?;
        if matches!(outcome, RestoreOutcome::Restored(_)) {
            self.enter(id).await;
        }
        Ok(outcome)
    }
}
