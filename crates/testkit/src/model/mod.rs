//! A scripted model for tests: a server on 127.0.0.1 that real clients use as their provider. It follows a
//! script of tool calls and keeps every request so that the test can inspect it.
//!
//! One file per protocol: Anthropic Messages, OpenAI Chat Completions, OpenAI Responses, Gemini.

mod anthropic;
mod chat;
mod gemini;
mod http;
mod responses;
mod script;

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::{Value, json};

use http::Message;
use script::{Heard, Reply};
pub use script::{Script, Step};

/// A client's request and the answer it received.
#[derive(Debug, Clone)]
pub struct Asked {
    pub path: String,
    pub body: Value,
    /// Whether it is part of the scripted conversation, not a title or a token count.
    pub scripted: bool,
    pub reply: String,
}

impl Asked {
    /// Every text in the request, at any depth.
    pub fn texts(&self) -> Vec<&str> {
        fn gather<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
            match value {
                Value::String(text) => found.push(text),
                Value::Array(items) => items.iter().for_each(|item| gather(item, found)),
                Value::Object(fields) => fields.values().for_each(|field| gather(field, found)),
                _ => {}
            }
        }
        let mut found = Vec::new();
        gather(&self.body, &mut found);
        found
    }

    /// Whether any text contains these words.
    pub fn says(&self, words: &str) -> bool {
        self.texts().iter().any(|text| text.contains(words))
    }
}

/// The server; it stops when this is dropped.
pub struct Model {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    stopped: AtomicBool,
}

#[derive(Default)]
struct State {
    script: Script,
    asked: Vec<Asked>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Model {
    /// Listens on a port that the system picks.
    pub fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { state: Mutex::default(), stopped: AtomicBool::new(false) });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if serving.stopped.load(Ordering::SeqCst) {
                    break;
                }
                let shared = Arc::clone(&serving);
                thread::spawn(move || serve(&shared, stream));
            }
        });
        Ok(Model { address, shared })
    }

    /// The base URL, without a trailing slash.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Switches to this script and forgets earlier requests.
    pub fn play(&self, script: Script) {
        *self.shared.state() = State { script, asked: Vec::new() };
    }

    /// The requests since [`Model::play`].
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.state().asked.clone()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the listener so that it sees the stop flag.
        let _ = TcpStream::connect(self.address);
    }
}

/// Serves one request per connection; clients open another.
fn serve(shared: &Shared, stream: TcpStream) {
    let Ok(writer) = stream.try_clone() else { return };
    if let Ok(Some(message)) = http::read(stream) {
        let answer = answer(shared, &message);
        let _ = http::write(writer, &answer);
    }
}

/// A protocol for talking to a model.
struct Dialect {
    hear: fn(&Value) -> Heard,
    /// The reply as the client reads it, whole or as a stream of events.
    speak: fn(&Value, &Reply, bool) -> http::Answer,
}

fn dialect(path: &str) -> Option<(Dialect, Option<bool>)> {
    let said_in_body = None;
    if path.ends_with("/messages") {
        return Some((Dialect { hear: anthropic::hear, speak: anthropic::speak }, said_in_body));
    }
    if path.ends_with("/chat/completions") {
        return Some((Dialect { hear: chat::hear, speak: chat::speak }, said_in_body));
    }
    if path.ends_with("/responses") {
        return Some((Dialect { hear: responses::hear, speak: responses::speak }, said_in_body));
    }
    let stream = path.ends_with(":streamGenerateContent");
    (stream || path.ends_with(":generateContent"))
        .then_some((Dialect { hear: gemini::hear, speak: gemini::speak }, Some(stream)))
}

fn answer(shared: &Shared, message: &Message) -> http::Answer {
    let path = message.path.split('?').next().unwrap_or_default();
    if message.method == "HEAD" {
        return http::Answer::json(&json!({}));
    }
    if message.method == "GET" {
        return if path.ends_with("/models") { models() } else { http::Answer::missing() };
    }
    let body: Value = serde_json::from_slice(&message.body).unwrap_or_default();
    let mut state = shared.state();
    let (scripted, reply, answer) = match dialect(path) {
        Some((dialect, stream)) => {
            let heard = (dialect.hear)(&body);
            let prompted = !heard.tools.is_empty()
                && String::from_utf8_lossy(&message.body).contains(&state.script.prompt);
            let reply = if prompted { state.script.next(&heard) } else { Reply::Text("A title".to_owned()) };
            let stream = stream.unwrap_or(body["stream"] == json!(true));
            (prompted, format!("{reply:?}"), (dialect.speak)(&body, &reply, stream))
        }
        None if path.ends_with("/count_tokens") || path.ends_with(":countTokens") => {
            let tokens = message.body.len() / 4 + 1;
            let counts = json!({ "input_tokens": tokens, "totalTokens": tokens });
            (false, tokens.to_string(), http::Answer::json(&counts))
        }
        None => (false, "not found".to_owned(), http::Answer::missing()),
    };
    state.asked.push(Asked { path: message.path.clone(), body, scripted, reply });
    answer
}

fn models() -> http::Answer {
    let one = json!({ "id": "fake-model", "object": "model", "type": "model", "display_name": "Fake",
        "created": 1, "created_at": "2026-01-01T00:00:00Z", "owned_by": "testkit" });
    http::Answer::json(&json!({ "object": "list", "data": [one], "models": [], "has_more": false }))
}

/// An id that has not been used before.
fn fresh(prefix: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    format!("{prefix}{:020}", COUNT.fetch_add(1, Ordering::Relaxed))
}

#[cfg(test)]
mod tests;
