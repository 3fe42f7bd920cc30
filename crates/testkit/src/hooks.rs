//! Recorded events of real clients for tests of hooks, and how to send one.

use std::fs;

use serde_json::Value;

use crate::home::Home;
use crate::run::Outcome;

/// One recorded event.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The assistant's id in `hark hook`.
    pub host: &'static str,
    /// The arguments that the client appended to the command.
    pub arguments: Vec<String>,
    pub stdin: String,
    /// The variables by which clients identify themselves to hooks.
    pub environment: Vec<(String, String)>,
    /// When it was sent, in milliseconds.
    pub at: String,
}

/// The folder of a client's recordings, and its id.
const CLIENTS: &[(&str, &str)] = &[
    ("claude", "claude-code"),
    ("codex", "codex"),
    ("gemini", "gemini-cli"),
    ("qwen", "qwen-code"),
    ("copilot", "copilot-cli"),
    ("cline", "cline"),
    ("droid", "droid"),
];

const TELLING: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_PROJECT_DIR",
    "GEMINI_SESSION_ID",
    "GEMINI_PROJECT_DIR",
    "QWEN_CODE_SESSION_ID",
    "COPILOT_CLI",
    "FACTORY_PROJECT_DIR",
    "CODEX_HOME",
];

/// Every recorded event of every client, in order; `None` if the data is not unpacked.
pub fn recorded() -> Option<Vec<Recorded>> {
    let folder = crate::shared("transcripts/recorded")?;
    let mut all = Vec::new();
    for (name, host) in CLIENTS {
        let path = folder.join(name).join("hooks_stdin.jsonl");
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let record: Value = serde_json::from_str(line).expect("a record is JSON");
            let words = |value: &Value| {
                value.as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
            };
            let stdin = match &record["stdin"] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let told = |name: &&str| Some(((*name).to_owned(), record["env"][*name].as_str()?.to_owned()));
            all.push(Recorded {
                host,
                arguments: words(&record["argv"]),
                stdin,
                at: format!("{:.0}", record["t"].as_f64().unwrap_or_default() * 1_000.0),
                environment: TELLING.iter().filter_map(told).collect(),
            });
        }
    }
    Some(all)
}

impl Home {
    /// Runs `hark hook HOST EVENT` with this payload on stdin. It must succeed on any input.
    pub fn hook(&self, host: &str, event: &str, payload: &Value) -> Value {
        let outcome = self.hark(["hook", host, event]).stdin(payload.to_string()).ok();
        reply(&outcome)
    }
}

/// The reply of a hook: one JSON object or nothing at all.
pub fn reply(outcome: &Outcome) -> Value {
    assert_eq!(outcome.code, Some(0), "{outcome}");
    assert_eq!(outcome.stderr(), "", "{outcome}");
    let text = outcome.stdout();
    assert!(text.chars().count() < 9_000 + 200, "{} characters", text.chars().count());
    if text.is_empty() {
        return Value::Null;
    }
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {outcome}"));
    assert!(value.is_object(), "{outcome}");
    value
}

/// The context in a reply, in any of the shapes.
pub fn context(reply: &Value) -> String {
    let places = [
        &reply["hookSpecificOutput"]["additionalContext"],
        &reply["additionalContext"],
        &reply["additional_context"],
        &reply["context"],
    ];
    places.iter().find_map(|value| value.as_str()).unwrap_or_default().to_owned()
}
