//! The MCP reference server for memory: a graph of entities with observations, one JSON a line. It keeps
//! no dates; the file's own stands for them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use hark_core::{Kind, Relation, Timestamp};
use hark_files::regular;
use serde_json::Value;

use super::harvest::{Harvest, Note, Tie};
use super::words::plain;
use super::{Surroundings, Tool};
use crate::error::EngineError;

const NAME: &str = "server-memory";

pub(super) const TOOL: Tool = Tool {
    name: NAME,
    aliases: &["mcp-memory", "mcp-server-memory", "@modelcontextprotocol/server-memory"],
    about: "a graph of entities and observations (JSONL)",
    places,
    read,
};

/// It writes into its own package unless it was told a path: where npx keeps that.
fn places(around: &Surroundings) -> Vec<PathBuf> {
    let packages = around.in_home(&[".npm", "_npx"]).pop().and_then(|folder| fs::read_dir(folder).ok());
    let inside = "node_modules/@modelcontextprotocol/server-memory/dist";
    let mut found: Vec<PathBuf> = packages
        .into_iter()
        .flatten()
        .flatten()
        .flat_map(|entry| ["memory.jsonl", "memory.json"].map(|name| entry.path().join(inside).join(name)))
        .collect();
    found.sort();
    found
}

fn read(path: &Path, harvest: &mut Harvest) -> Result<(), EngineError> {
    let path = if path.is_dir() { path.join("memory.jsonl") } else { path.to_owned() };
    let wrong = |line: usize, what: &str| {
        EngineError::invalid(
            format!("{}: line {line}: {what}", path.display()),
            "pass the file that the server writes, `memory.jsonl`; nothing was imported",
        )
    };
    let text = regular::read_to_string(&path, 256 * 1024 * 1024)
        .map_err(|e| super::super::export::io_error(&path, e))?;
    let written = fs::metadata(&path).and_then(|meta| meta.modified()).ok();
    let written = written.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let written = written.map(|since| Timestamp::from_millis(since.as_millis() as i64));
    let mut names: HashMap<String, usize> = HashMap::new();
    let mut relations = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let item: Value = serde_json::from_str(line).map_err(|_| wrong(number + 1, "is not JSON"))?;
        let word = |key: &str| item[key].as_str().map(str::to_owned);
        match item["type"].as_str() {
            Some("entity") => {
                let name = word("name").ok_or_else(|| wrong(number + 1, "an entity has no name"))?;
                let seen: Vec<&str> =
                    item["observations"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                if seen.is_empty() {
                    harvest.unmapped("an entity without observations");
                    continue;
                }
                let body = seen.iter().map(|text| format!("- {text}")).collect::<Vec<_>>().join("\n");
                let mut note = Note::new(("entities", name.clone()), Kind::Fact, body);
                note.title = Some(name.clone());
                note.tags.extend(word("entityType"));
                note.entities.push(name.clone());
                note.updated = written;
                names.insert(name, harvest.notes.len());
                harvest.notes.push(note);
            }
            Some("relation") => {
                if let (Some(from), Some(to), Some(sort)) = (word("from"), word("to"), word("relationType")) {
                    relations.push((from, to, sort));
                }
            }
            _ => return Err(wrong(number + 1, "is neither an entity nor a relation")),
        }
    }
    for (from, to, sort) in relations {
        // Its relations are free words: what they say is kept as a sentence, the link as a link.
        if let Some(at) = names.get(&from) {
            harvest.notes[*at].body.push_str(&format!("\n- {sort}: {to}"));
        }
        let relation = sort.parse().unwrap_or_else(|_| {
            harvest.unmapped(format!("relation `{}` became `related`", plain(&sort)));
            Relation::Related
        });
        harvest.ties.push(Tie { from: ("entities", from), to: ("entities", to), relation, weight: 1.0 });
    }
    Ok(())
}
