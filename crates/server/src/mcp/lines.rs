//! JSON-RPC, one message per line: the stdio transport.
//!
//! `rmcp` has one too, but it leaves a client without an answer where a message is too long or malformed,
//! and ends at a notification that comes before the handshake.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError, mpsc as std_mpsc};

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, GetMeta, JsonRpcMessage, ProtocolVersion, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServiceExt};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{Notify, mpsc};

use super::{Handler, message};
use crate::MAX_MESSAGE_BYTES;

/// What came from the client.
pub(crate) enum Input {
    Line(Vec<u8>),
    /// More than [`MAX_MESSAGE_BYTES`] without an end of line; the rest of the line was skipped.
    TooLong,
}

/// Serves until `input` closes or `stop` is notified and what was begun is answered. `over` is notified as
/// soon as no more input is taken.
pub(crate) async fn serve_lines(
    handler: Handler,
    input: mpsc::Receiver<Input>,
    output: std_mpsc::Sender<Vec<u8>>,
    stop: Arc<Notify>,
    over: Arc<Notify>,
) {
    let lines = Lines {
        input,
        output: Output { lines: output, batches: Arc::default() },
        waiting: VecDeque::new(),
        begun: false,
        stop,
        over,
    };
    // An error means that the client left before the handshake, which is its right.
    if let Ok(service) = handler.serve(lines).await {
        let _ = service.waiting().await;
    }
}

struct Lines {
    input: mpsc::Receiver<Input>,
    output: Output,
    /// The rest of a batch.
    waiting: VecDeque<ClientJsonRpcMessage>,
    /// The client has chosen a lifecycle, by `initialize` or by a self-describing request.
    begun: bool,
    stop: Arc<Notify>,
    over: Arc<Notify>,
}

impl Lines {
    fn take(&mut self, input: Input) {
        let line = match input {
            Input::Line(line) => line,
            Input::TooLong => {
                let most = MAX_MESSAGE_BYTES / (1024 * 1024);
                let text = format!("Invalid request: message longer than {most} MiB");
                let refused = message::refusal(None, ErrorCode::INVALID_REQUEST, text);
                return self.output.write(&refused);
            }
        };
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        if line.starts_with(b"[")
            && let Ok(batch) = serde_json::from_slice::<Vec<Value>>(line)
        {
            return self.take_batch(batch);
        }
        match message::read(line) {
            Ok(message) => self.waiting.push_back(message),
            Err(refused) => self.output.write(&refused),
        }
    }

    /// Version 2025-03-26 has batches: the answers to one come back together.
    fn take_batch(&mut self, messages: Vec<Value>) {
        if messages.is_empty() {
            let text = "Invalid request: empty batch".to_owned();
            let refused = message::refusal(None, ErrorCode::INVALID_REQUEST, text);
            return self.output.write(&refused);
        }
        let mut batch = Batch::default();
        for message in messages {
            match message::read_value(&message) {
                Ok(message) => {
                    if let JsonRpcMessage::Request(request) = &message {
                        batch.due.push(request.id.clone());
                    }
                    self.waiting.push_back(message);
                }
                Err(refused) => batch.done.extend(serde_json::to_value(refused)),
            }
        }
        self.output.open(batch);
    }

    /// Whether the service may see this message yet.
    fn admits(&mut self, message: &ClientJsonRpcMessage) -> bool {
        if let JsonRpcMessage::Request(request) = message {
            let meta = request.request.get_meta();
            let described = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version));
            self.begun |= match &request.request {
                ClientRequest::InitializeRequest(_) => true,
                ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
                _ => described,
            };
            return true;
        }
        self.begun
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.output.send(&message);
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            while let Some(message) = self.waiting.pop_front() {
                if self.admits(&message) {
                    return Some(message);
                }
            }
            let input = tokio::select! {
                input = self.input.recv() => input,
                () = self.stop.notified() => None,
            };
            match input {
                Some(input) => self.take(input),
                None => {
                    self.over.notify_one();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        Ok(())
    }
}

/// Answers still due to a batch, and those that are here.
#[derive(Default)]
struct Batch {
    due: Vec<RequestId>,
    done: Vec<Value>,
}

struct Output {
    lines: std_mpsc::Sender<Vec<u8>>,
    batches: Arc<Mutex<Vec<Batch>>>,
}

impl Output {
    fn write(&self, message: &impl Serialize) {
        if let Ok(mut line) = serde_json::to_vec(message) {
            line.push(b'\n');
            // The writer is gone only when the client no longer reads.
            let _ = self.lines.send(line).is_ok();
        }
    }

    fn send(&self, message: &ServerJsonRpcMessage) {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let mut batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
        let found = id.and_then(|id| {
            let mut batches = batches.iter().enumerate();
            batches.find_map(|(at, batch)| {
                let due = batch.due.iter().position(|due| due == id)?;
                Some((at, due))
            })
        });
        let Some((at, due)) = found else {
            return self.write(message);
        };
        let batch = &mut batches[at];
        batch.due.swap_remove(due);
        batch.done.extend(serde_json::to_value(message));
        if batch.due.is_empty() {
            let batch = batches.swap_remove(at);
            self.write(&batch.done);
        }
    }

    fn open(&self, batch: Batch) {
        if !batch.due.is_empty() {
            let mut batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
            batches.push(batch);
        } else if !batch.done.is_empty() {
            self.write(&batch.done);
        }
    }
}
