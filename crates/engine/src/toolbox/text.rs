//! Answers as a model reads them: as short as the data allows, and framed as quotes.

use hark_core::quote::quoted;
use serde::Serialize;
use serde_json::{Value, json};

use super::Answer;
use crate::error::EngineError;
use crate::ops::{self, MemoryView};

pub(super) fn json(response: &impl Serialize) -> Result<Answer, EngineError> {
    let data = quoted_value(value(response)?);
    Ok(Answer { text: data.to_string(), data })
}

/// An answer in which no text of a memory can end the frame that the client puts around it.
fn answer(text: &str, data: Value) -> Result<Answer, EngineError> {
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

fn value(response: &impl Serialize) -> Result<Value, EngineError> {
    serde_json::to_value(response).map_err(|e| EngineError::invalid(e.to_string(), ""))
}

pub(super) fn recall(response: &ops::recall::Response) -> Result<Answer, EngineError> {
    if response.hits.is_empty() {
        return answer("Nothing relevant is remembered.", json!({ "hits": [] }));
    }
    let mut text = String::new();
    let mut hits = Vec::new();
    for hit in &response.hits {
        let status = if hit.status == "active" { String::new() } else { format!(", {}", hit.status) };
        let stale =
            if hit.freshness == ops::recall::Freshness::Stale { ", names files that are gone" } else { "" };
        text.push_str(&format!(
            "[{}] {} ({}, {}, from {}{status}{stale})\n",
            hit.id,
            hit.title,
            hit.kind,
            old(&hit.age),
            hit.origin
        ));
        if !hit.text.is_empty() && hit.text != hit.title {
            text.push_str(&format!("  {}\n", hit.text.replace('\n', "\n  ")));
        }
        hits.push(json!({
            "id": hit.id, "kind": hit.kind, "title": hit.title, "text": hit.text, "age": hit.age,
            "status": hit.status, "freshness": hit.freshness, "origin": hit.origin,
        }));
    }
    answer(&text, json!({ "hits": hits, "tokens": response.tokens }))
}

pub(super) fn remembered(response: &ops::remember::Response) -> Result<Answer, EngineError> {
    let redacted = if response.redacted > 0 {
        format!(" ({} secrets redacted)", response.redacted)
    } else {
        String::new()
    };
    let mut text = match response.confirmed {
        _ if response.proposed => format!(
            "Kept as a proposal, {}{redacted}. It is not in force: only what the user says counts as theirs, and these \
             words are in none of their prompts. The user decides about proposals; tell them that this one waits.",
            response.id
        ),
        Some(_) => format!("Known already as {}; confirmed{redacted}.", response.id),
        None => format!("Remembered as {}{redacted}.", response.id),
    };
    for old in &response.possibly_supersedes {
        text.push_str(&format!(
            "\nPossibly supersedes {} ({}): if so, memory_update {} supersede to {}.",
            old.id, old.title, old.id, response.id
        ));
    }
    answer(&text, value(response)?)
}

pub(super) fn checkpoint(response: &ops::checkpoint::Response) -> Result<Answer, EngineError> {
    let text = if response.counted {
        format!("Checkpoint of session {} saved.", response.session)
    } else {
        format!(
            "Session {} saved, but nothing was said: give goal, done, pending or decisions.",
            response.session
        )
    };
    let data = json!({ "session": response.session, "status": response.status, "counted": response.counted });
    answer(&text, data)
}

pub(super) fn resume(response: &ops::resume::Response) -> Result<Answer, EngineError> {
    let session = response.session.as_ref().map(|view| view.brief.id.clone());
    let text = if response.text.is_empty() {
        "There is nothing to resume here.".to_owned()
    } else {
        response.text.clone()
    };
    // It was framed when it was made, and the frame is our own.
    let data = json!({ "session": session, "text": text });
    Ok(Answer { text, data })
}

pub(super) fn changed(response: &ops::status::Response) -> Result<Answer, EngineError> {
    let lines = response.changed.iter().map(|c| format!("{} {} → {}", c.id, c.from, c.to));
    answer(&lines.collect::<Vec<_>>().join("\n"), value(response)?)
}

pub(super) fn edited(response: &ops::edit::Response) -> Result<Answer, EngineError> {
    let word = if response.changed { "Changed" } else { "Nothing to change in" };
    let data = json!({ "id": response.memory.id, "changed": response.changed, "revision": response.memory.revision });
    answer(&format!("{word} {}.", response.memory.id), data)
}

pub(super) fn views(response: &ops::show::Response) -> Result<Answer, EngineError> {
    let text = response.memories.iter().map(whole).collect::<Vec<_>>().join("\n");
    answer(&text, json!({ "memories": response.memories.iter().map(brief_data).collect::<Vec<_>>() }))
}

pub(super) fn context(response: &ops::context::Response) -> Result<Answer, EngineError> {
    let lines: Vec<String> = response.memories.iter().map(line).collect();
    let text = if lines.is_empty() {
        format!("Nothing is remembered about {}.", response.entity)
    } else {
        lines.join("\n")
    };
    let memories: Vec<Value> = response.memories.iter().map(brief_data).collect();
    answer(&text, json!({ "entity": response.entity, "memories": memories }))
}

pub(super) fn list(response: &ops::list::Response) -> Result<Answer, EngineError> {
    let lines: Vec<String> = response.memories.iter().map(line).collect();
    let text = if lines.is_empty() { "Nothing fits.".to_owned() } else { lines.join("\n") };
    let memories: Vec<Value> = response
        .memories
        .iter()
        .map(|m| {
            json!({ "id": m.id, "kind": m.kind, "title": m.title, "age": m.age, "status": m.status, "origin": m.origin })
        })
        .collect();
    answer(&text, json!({ "memories": memories, "total": response.total }))
}

fn line(memory: &MemoryView) -> String {
    let from = if memory.origin == "user" { String::new() } else { format!(", from {}", memory.origin) };
    let MemoryView { id, title, kind, status, age, .. } = memory;
    format!("[{id}] {title} ({kind}, {status}, {}{from})", old(age))
}

fn old(age: &str) -> String {
    if age == "now" { "just now".to_owned() } else { format!("{age} old") }
}

fn whole(memory: &MemoryView) -> String {
    let mut text = format!("{}\n{}\n", line(memory), memory.body);
    for (label, extra) in [("Why", &memory.why), ("Learned", &memory.learned)] {
        if let Some(extra) = extra {
            text.push_str(&format!("{label}: {extra}\n"));
        }
    }
    text
}

fn brief_data(memory: &MemoryView) -> Value {
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
        for (key, list) in [("tags", &memory.tags), ("files", &memory.files)] {
            if !list.is_empty() {
                object.insert(key.to_owned(), json!(list));
            }
        }
    }
    data
}
