//! A scripted model for tests: a server on 127.0.0.1 that real clients use as their provider. It follows a
//! script of tool calls for each conversation and keeps every request so that the test can inspect it.
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
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use http::Message;
use script::{Heard, Said};
pub use script::{Script, Step};

/// How long a held conversation waits to be released.
const MOST_HELD: Duration = Duration::from_secs(60);
/// The request from which on it waits.
const HELD_REQUEST: usize = 2;

/// A client's request and the answer it received.
#[derive(Debug, Clone)]
pub struct Asked {
    pub path: String,
    pub body: Value,
    /// The prompt of the script that it belongs to; `None` for a title or a token count.
    pub script: Option<String>,
    /// Whether it asks for a summary of the conversation.
    pub summarises: bool,
    pub reply: String,
    /// How many steps of the script are taken with this reply.
    done: usize,
}

impl Asked {
    /// A request outside of any script.
    pub fn new(path: &str, body: Value) -> Self {
        let (path, script, reply) = (path.to_owned(), None, String::new());
        Asked { path, body, script, summarises: false, reply, done: 0 }
    }

    /// Every text in the request, at any depth.
    pub fn texts(&self) -> Vec<&str> {
        texts(&self.body)
    }

    /// Whether any text contains these words.
    pub fn says(&self, words: &str) -> bool {
        self.texts().iter().any(|text| text.contains(words))
    }
}

/// Every text in a value, at any depth.
fn texts(value: &Value) -> Vec<&str> {
    fn gather<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::String(text) => found.push(text),
            Value::Array(items) => items.iter().for_each(|item| gather(item, found)),
            Value::Object(fields) => fields.values().for_each(|field| gather(field, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    gather(value, &mut found);
    found
}

/// The server; it stops when this is dropped.
pub struct Model {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Something was asked, or a held conversation may go on.
    changed: Condvar,
    stopped: AtomicBool,
}

#[derive(Default)]
struct State {
    scripts: Vec<Script>,
    asked: Vec<Asked>,
}

impl State {
    /// How many requests of this script there were.
    fn asked_of(&self, prompt: &str) -> usize {
        self.asked.iter().filter(|asked| asked.script.as_deref() == Some(prompt)).count()
    }
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
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            stopped: AtomicBool::new(false),
        });
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

    /// Switches to these scripts, one for each conversation, and forgets earlier requests.
    pub fn play(&self, scripts: Vec<Script>) {
        *self.shared.state() = State { scripts, asked: Vec::new() };
    }

    /// Waits until this script is held; whether that was in time.
    pub fn wait_for(&self, prompt: &str, patience: Duration) -> bool {
        let waits = |state: &mut State| state.asked_of(prompt) < HELD_REQUEST;
        let waited = self.shared.changed.wait_timeout_while(self.shared.state(), patience, waits);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Lets the held conversations go on.
    pub fn release(&self) {
        self.shared.state().scripts.iter_mut().for_each(|script| script.held = false);
        self.shared.changed.notify_all();
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
    /// What has happened since this prompt.
    hear: fn(&Value, &str) -> Heard,
    /// The reply as the client reads it, whole or as a stream of events.
    speak: fn(&Value, &Said, bool) -> http::Answer,
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
    let mut asked = Asked::new(&message.path, body);
    let mut state = shared.state();
    let answer = match dialect(path) {
        Some((dialect, stream)) => {
            let said = reply(&state, &dialect, &mut asked);
            asked.reply = format!("{:?}", said.reply);
            let stream = stream.unwrap_or(asked.body["stream"] == json!(true));
            (dialect.speak)(&asked.body, &said, stream)
        }
        None if path.ends_with("/count_tokens") || path.ends_with(":countTokens") => {
            let tokens = message.body.len() / 4 + 1;
            asked.reply = tokens.to_string();
            http::Answer::json(&json!({ "input_tokens": tokens, "totalTokens": tokens }))
        }
        None => {
            "not found".clone_into(&mut asked.reply);
            http::Answer::missing()
        }
    };
    let prompt = asked.script.clone().unwrap_or_default();
    state.asked.push(asked);
    shared.changed.notify_all();
    let began = Instant::now();
    let is_held = |state: &State| {
        let held = state.scripts.iter().any(|script| script.held && script.prompt == prompt);
        held && state.asked_of(&prompt) >= HELD_REQUEST
    };
    while is_held(&state) && began.elapsed() < MOST_HELD {
        let waited = shared.changed.wait_timeout(state, MOST_HELD);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    answer
}

/// What the script of this conversation says next, or some text for requests outside of it.
fn reply(state: &State, dialect: &Dialect, asked: &mut Asked) -> Said {
    let texts: Vec<String> = asked.texts().into_iter().map(spoken).collect();
    // The parent of a subagent says the subagent's prompt too, but later than its own.
    let first = |script: &Script| texts.iter().position(|text| text.contains(&script.prompt));
    let found = state.scripts.iter().filter_map(|script| Some((first(script)?, script)));
    let found = found.min_by_key(|(at, _)| *at).map(|(_, script)| script);
    let last = last_words(&asked.body);
    let wish = COMPACTION.iter().find(|words| last.contains(**words));
    // Some clients summarise only the part before the prompt.
    let Some(script) = found.or(state.scripts.first().filter(|_| wish.is_some())) else {
        return Said::text("A title");
    };
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let heard = (dialect.hear)(&asked.body, &script.prompt);
    if heard.tools.is_empty() && wish.is_none() {
        return Said::text("A title");
    }
    asked.script = Some(script.prompt.clone());
    let of_script = state.asked.iter().filter(|before| before.script == asked.script);
    let before = of_script.map(|before| before.done).max().unwrap_or(0);
    if let Some(words) = wish {
        (asked.done, asked.summarises) = (before, true);
        return script.summary(before, *words == SNAPSHOT);
    }
    let (said, done) = script.next(&heard, &texts, before);
    asked.done = done;
    said
}

/// What clients write when they want a summary to go on with.
const COMPACTION: &[&str] = &[
    "create a detailed summary",
    "CHECKPOINT COMPACTION",
    "handoff summary",
    "summarize the conversation",
    SNAPSHOT,
    "Here is the conversation so far",
    "wrap your final summary",
];

/// Of Gemini CLI and Qwen Code, which compare the tokens that they had with those of the summary.
const SNAPSHOT: &str = "<state_snapshot>";

/// The last message of the user.
fn last_words(body: &Value) -> String {
    let messages = ["messages", "input", "contents"].into_iter().find_map(|key| body[key].as_array());
    let last = messages.into_iter().flatten().rev().find(|message| message["role"] == "user");
    last.map(|message| texts(message).join("\n")).unwrap_or_default()
}

/// The items of a conversation from the prompt on.
fn since<'a>(conversation: &'a Value, prompt: &'a str) -> impl Iterator<Item = &'a Value> {
    let says = move |item: &&Value| texts(item).into_iter().any(|text| spoken(text).contains(prompt));
    conversation.as_array().into_iter().flatten().skip_while(move |item| !says(item))
}

/// A text without what hark added to it, which may quote the prompts of other sessions. Gemini CLI writes
/// `&lt;` for `<`.
fn spoken(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    let mut kept = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("<hark-memory") {
        kept.push_str(before);
        rest = after.split_once("</hark-memory>").map_or("", |(_, after)| after);
    }
    kept + rest
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
