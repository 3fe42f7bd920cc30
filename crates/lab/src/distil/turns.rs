//! The labelled turns, read again from where the labels say they stand.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::failure::{Failure, Outcome};
use crate::workspace;

/// A user's turn, with what the assistant said last before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Turn {
    pub(super) text: String,
    pub(super) before: String,
}

/// Where a turn stands: byte offset of its record in the file, and its number inside the record.
pub(super) type Place = (u64, u64);

/// Every user turn of a file.
pub(super) fn read(path: &Path) -> Outcome<BTreeMap<Place, Turn>> {
    let text = workspace::read(path)?;
    let name = path.to_string_lossy();
    if name.ends_with(".json") {
        let chat: Value = serde_json::from_str(&text).map_err(|e| Failure::new(format!("{name}: {e}")))?;
        return Ok(chat_turns(0, &chat["messages"], "type"));
    }
    let mut found = BTreeMap::new();
    let mut before = String::new();
    let mut offset = 0u64;
    for line in text.split_inclusive('\n') {
        // Torn lines are part of real transcripts.
        if let Ok(record) = serde_json::from_str::<Value>(line) {
            if record["turns"].is_array() {
                found.extend(chat_turns(offset, &record["turns"], "role"));
            } else if let Some((is_user, said)) = spoken(&record) {
                if is_user {
                    found.insert((offset, 0), Turn { text: said, before: before.clone() });
                } else {
                    before = said;
                }
            }
        }
        offset += line.len() as u64;
    }
    Ok(found)
}

/// What a record of Claude Code or Codex says, and whether it is in the user's name.
fn spoken(record: &Value) -> Option<(bool, String)> {
    let (role, content) = match record["type"].as_str()? {
        role @ ("user" | "assistant") => {
            let hidden = ["isMeta", "isCompactSummary", "isSidechain"].iter().any(|key| record[*key] == true);
            if hidden {
                return None;
            }
            (role, &record["message"]["content"])
        }
        "response_item" if record["payload"]["type"] == "message" => {
            (record["payload"]["role"].as_str()?, &record["payload"]["content"])
        }
        _ => return None,
    };
    let is_result =
        content.as_array().is_some_and(|blocks| blocks.iter().any(|b| b["type"] == "tool_result"));
    let said = flat(content);
    let known = matches!(role, "user" | "assistant") && !(role == "user" && is_result);
    (known && !said.trim().is_empty()).then(|| (role == "user", said))
}

fn chat_turns(offset: u64, messages: &Value, role: &str) -> BTreeMap<Place, Turn> {
    let mut before = String::new();
    let mut found = BTreeMap::new();
    for (number, message) in messages.as_array().into_iter().flatten().enumerate() {
        let said = flat(&message["content"]);
        if message[role] == "user" {
            found.insert((offset, number as u64), Turn { text: said, before: before.clone() });
        } else {
            before = said;
        }
    }
    found
}

fn flat(content: &Value) -> String {
    let is_text =
        |block: &&Value| matches!(block["type"].as_str(), Some("text" | "input_text" | "output_text") | None);
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter(is_text).filter_map(|block| block["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_found_where_they_stand() {
        let folder = std::env::temp_dir().join(format!("lab-distil-{}", std::process::id()));
        let path = folder.join("a.jsonl");
        let lines = [
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}"#,
            "{torn",
            r#"{"type":"user","message":{"content":"use tabs"}}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"x"}]}}"#,
            r#"{"turns":[{"role":"user","content":"one"},{"role":"assistant","content":"two"},{"role":"user","content":"three"}]}"#,
        ];
        workspace::write(&path, &lines.join("\n")).unwrap();
        let turns = read(&path).unwrap();
        let _ = std::fs::remove_dir_all(&folder);
        let first = (lines[0].len() + lines[1].len() + 2) as u64;
        assert_eq!(turns[&(first, 0)].text, "use tabs");
        assert_eq!(turns[&(first, 0)].before, "Done.");
        let texts: Vec<&str> = turns.values().map(|turn| turn.text.as_str()).collect();
        assert_eq!(texts, ["use tabs", "one", "three"]);
    }
}
