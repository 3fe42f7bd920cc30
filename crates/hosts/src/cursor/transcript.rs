//! Transcripts of Cursor's agent: one message per line, with blocks as in Claude Code, but without ids, times
//! or results. The position in the file identifies a turn.

use std::path::{Path, PathBuf};

use hark_core::Raw;
use serde::Deserialize;
use serde_json::Value;

use crate::hook::What;
use crate::hook::names::without_injections;
use crate::hook::tools;
use crate::host::home;
use crate::transcript::{Identity, Reader, Shape, Skip, Told, Transcripts, is_jsonl, stem};

pub(crate) const TRANSCRIPTS: Transcripts = Transcripts {
    host: "cursor",
    shape: Shape::Lines,
    secondhand: false,
    places: &[home(&[".cursor/projects"])],
    named: |path| is_jsonl(path) && path.components().any(|part| part.as_os_str() == "agent-transcripts"),
    begins: |head| {
        let first: String = head.lines().next().unwrap_or_default().chars().take(60).collect();
        first.starts_with("{\"role\":\"user\",\"message\":")
            || first.starts_with("{\"role\": \"user\", \"message\":")
    },
    reader: |path| Box::new(Session { identity: identity(path) }),
};

/// `…/projects/<folder>/agent-transcripts/<id>[/subagents]/<id>.jsonl`
fn identity(path: &Path) -> Identity {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let above = path.ancestors().skip(1);
    let mut project = None;
    let mut parent = None;
    for folder in above {
        match name(folder).as_deref() {
            Some("subagents") => parent = folder.parent().and_then(name),
            Some("agent-transcripts") => {
                project = folder.parent().and_then(name).and_then(|slug| folder_of(&slug));
                break;
            }
            _ => {}
        }
    }
    Identity {
        session: stem(path),
        parent,
        cwd: project.map(|path| path.to_string_lossy().into_owned()),
        ..Identity::default()
    }
}

/// `home-ann-my-app` may be `/home/ann/my-app` or `/home/ann/my/app`; the one that exists is right.
fn folder_of(slug: &str) -> Option<PathBuf> {
    let mut found = PathBuf::from("/");
    let mut pending = String::new();
    for word in slug.split('-').take(64) {
        if !pending.is_empty() {
            pending.push('-');
        }
        pending.push_str(word);
        if found.join(&pending).is_dir() {
            found.push(std::mem::take(&mut pending));
        }
    }
    (pending.is_empty() && found.components().count() > 1).then_some(found)
}

#[derive(Debug)]
struct Session {
    identity: Identity,
}

#[derive(Deserialize)]
struct Line {
    role: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: Value,
}

impl Reader for Session {
    fn read(&mut self, record: &[u8], at: u64, told: &mut Told) {
        let Ok(line) = serde_json::from_slice::<Line>(record) else { return told.skip(Skip::Broken) };
        let by_user = match (line.role.as_deref(), line.kind.as_deref()) {
            (Some("user"), _) => true,
            (Some("assistant"), _) => false,
            (_, Some("turn_ended")) => return told.skip(Skip::Noise),
            _ => return told.skip(Skip::Unknown),
        };
        told.session(self.identity.clone());
        let blocks = line.message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        for (place, block) in blocks.iter().enumerate() {
            let once = Some(format!("{} {at}.{place}", self.identity.session));
            match block["type"].as_str() {
                Some("text") => {
                    let text = without_injections(block["text"].as_str().unwrap_or_default());
                    match (by_user, self.identity.parent.is_some(), asked(&text).trim()) {
                        (_, _, "") => told.skip(Skip::Noise),
                        (true, false, text) => told.turn(once, None, What::Prompt(Raw::new(text))),
                        (true, true, text) => told.turn(once, None, What::Task(Raw::new(text))),
                        (false, _, text) => told.turn(once, None, What::Reply(Raw::new(text))),
                    }
                }
                Some("tool_use") => {
                    let tool = tools::call(block["name"].as_str().unwrap_or("tool"), &block["input"], None);
                    told.turn(once, None, What::AfterTool { tool, output: Raw::new(""), ok: None });
                }
                _ => told.skip(Skip::Noise),
            }
        }
    }
}

/// What the user typed, without the surrounding tag and the editor's additions before it.
fn asked(text: &str) -> &str {
    let Some((_, rest)) = text.split_once("<user_query>") else { return text };
    rest.split("</user_query>").next().unwrap_or(rest)
}
