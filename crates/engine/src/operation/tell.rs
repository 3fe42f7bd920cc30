//! Answers as a model reads them: as short as the data allows, and framed as quotes.

use hark_core::quote::quoted;
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::EngineError;
use crate::ops::MemoryView;

/// What a tool says: for models that read text, and the same as data.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub text: String,
    pub data: Value,
}

pub fn json<T: Serialize + ?Sized>(response: &T) -> Result<Answer, EngineError> {
    let data = quoted_value(value(response)?);
    Ok(Answer { text: data.to_string(), data })
}

/// An answer in which no text of a memory can end the frame that the client puts around it.
pub fn answer(text: &str, data: Value) -> Result<Answer, EngineError> {
    Ok(Answer { text: quoted(text).into_owned(), data: quoted_value(data) })
}

fn quoted_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(quoted(&text).into_owned()),
        Value::Array(items) => items.into_iter().map(quoted_value).collect(),
        Value::Object(entries) => {
            entries.into_iter().map(|(key, inner)| (key, quoted_value(inner))).collect()
        }
        other => other,
    }
}

pub fn value<T: Serialize + ?Sized>(response: &T) -> Result<Value, EngineError> {
    serde_json::to_value(response).map_err(|e| EngineError::invalid(e.to_string(), ""))
}

pub fn line(memory: &MemoryView) -> String {
    format!("[{}] {} ({})", memory.id, memory.title, facts(memory))
}

fn facts(memory: &MemoryView) -> String {
    let from = if memory.origin == "user" { String::new() } else { format!(", from {}", memory.origin) };
    let review =
        memory.unreviewed.as_ref().map(|at| format!(", not reviewed since {at}")).unwrap_or_default();
    let MemoryView { kind, status, age, .. } = memory;
    format!("{kind}, {status}, {}{from}{review}", old(age))
}

/// Whether a body begins with its title, as it does when the title was taken from it.
pub fn says_twice(title: &str, body: &str) -> bool {
    let title = title.trim_end_matches(['…', '.', ' ']);
    !title.is_empty() && body.trim_start().starts_with(title)
}

pub fn old(age: &str) -> String {
    if age == "now" { "just now".to_owned() } else { format!("{age} old") }
}

pub fn whole(memory: &MemoryView) -> String {
    let mut text = if says_twice(&memory.title, &memory.body) {
        format!("[{}] ({})\n{}\n", memory.id, facts(memory), memory.body)
    } else {
        format!("{}\n{}\n", line(memory), memory.body)
    };
    for (label, extra) in [("Why", &memory.why), ("Learned", &memory.learned)] {
        if let Some(extra) = extra {
            text.push_str(&format!("{label}: {extra}\n"));
        }
    }
    text.push_str(&memory.guidance.sentences());
    if let Some(when) = memory.guidance.reminder(&memory.kind) {
        text.push_str(&format!("Reminder: {when}\n"));
    }
    text
}

pub fn brief(memory: &MemoryView) -> Value {
    let mut data = json!({
        "id": memory.id, "kind": memory.kind, "title": memory.title, "text": memory.body,
        "status": memory.status, "age": memory.age, "origin": memory.origin,
    });
    if let Some(object) = data.as_object_mut() {
        for (key, extra) in
            [("why", &memory.why), ("learned", &memory.learned), ("superseded_by", &memory.superseded_by)]
        {
            if let Some(extra) = extra {
                object.insert(key.to_owned(), json!(extra));
            }
        }
        let guidance = &memory.guidance;
        if let Some(at) = &guidance.remind {
            object.insert("remind".to_owned(), json!(at));
        }
        for (key, list) in [
            ("tags", &memory.tags),
            ("files", &memory.files),
            ("rejected", &guidance.rejected),
            ("criteria", &guidance.criteria),
        ] {
            if !list.is_empty() {
                object.insert(key.to_owned(), json!(list));
            }
        }
    }
    data
}

#[cfg(test)]
mod tests {
    use super::says_twice;

    #[test]
    fn a_title_taken_from_the_text_is_not_repeated() {
        assert!(says_twice("We use pnpm, never npm", "We use pnpm, never npm. It is faster."));
        assert!(says_twice("A long title that was cut…", "A long title that was cut at some point"));
        assert!(!says_twice("Package manager", "We use pnpm, never npm"));
        assert!(!says_twice("", "We use pnpm"));
    }
}
