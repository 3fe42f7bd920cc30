//! A client's JSON, with lookup by any of the names that clients give to the same field.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::Environment;

/// A longer id is a mistake.
const MOST_ID_CHARS: usize = 200;

#[derive(Debug)]
pub(crate) struct Wire(Map<String, Value>);

impl Wire {
    pub(crate) fn new(object: Map<String, Value>) -> Self {
        Wire(object)
    }

    /// The first of `names` that exists and is not null.
    pub(crate) fn get(&self, names: &[&str]) -> Option<&Value> {
        names.iter().find_map(|name| self.0.get(*name)).filter(|value| !value.is_null())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn inside(&self, name: &str) -> Option<Wire> {
        self.0.get(name)?.as_object().map(|object| Wire(object.clone()))
    }

    pub(crate) fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }

    pub(crate) fn text(&self, names: &[&str]) -> Option<String> {
        let text = names.iter().find_map(|name| self.0.get(*name)?.as_str().filter(|t| !t.is_empty()));
        text.map(str::to_owned)
    }

    /// An id: text or number, neither empty nor too long.
    pub(crate) fn id(&self, names: &[&str]) -> Option<String> {
        let id = names.iter().find_map(|name| match self.0.get(*name)? {
            Value::String(text) => Some(text.trim().to_owned()).filter(|t| !t.is_empty()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })?;
        Some(id.chars().take(MOST_ID_CHARS).collect())
    }

    pub(crate) fn session(&self) -> Option<String> {
        self.id(&[
            "session_id",
            "sessionId",
            "sessionID",
            "conversation_id",
            "taskId",
            "thread-id",
            "thread_id",
            "trajectory_id",
        ])
    }

    /// The client's working folder: as it reports it, or from the environment of its hooks.
    pub(crate) fn folder(&self, environment: Environment<'_>) -> Option<PathBuf> {
        let first = |name: &str| self.0.get(name)?.as_array()?.first()?.as_str().map(str::to_owned);
        let said = self
            .text(&["cwd", "directory", "worktree"])
            .or_else(|| first("workspace_roots"))
            .or_else(|| first("workspaceRoots"));
        let set = || {
            ["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"]
                .iter()
                .find_map(|name| environment(name).filter(|v| !v.is_empty()))
        };
        said.or_else(set).map(PathBuf::from).filter(|path| path.is_absolute())
    }
}

/// Any JSON as text for people: strings unchanged, text parts of results joined, anything else as JSON.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(parts) if parts.iter().all(|part| part.get("text").is_some_and(Value::is_string)) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
            texts.join("\n")
        }
        Value::Object(object) => {
            for name in ["textResultForLlm", "text_result_for_llm", "llmContent", "content", "output"] {
                if let Some(inner) = object.get(name) {
                    return text_of(inner);
                }
            }
            match (object.get("stdout").and_then(Value::as_str), object.get("stderr").and_then(Value::as_str))
            {
                (Some(out), Some("")) => out.to_owned(),
                (Some(out), Some(err)) => format!("{out}\n{err}"),
                _ => value.to_string(),
            }
        }
        other => other.to_string(),
    }
}
