//! Sessions of Continue: one document each, without times.

use hark_core::Raw;
use serde::Deserialize;
use serde_json::Value;

use crate::hook::What;
use crate::hook::names::{without_frames, without_injections};
use crate::hook::tools;
use crate::hook::wire::text_of;
use crate::host::{Root, below};
use crate::transcript::{Identity, Reader, Shape, Skip, Told, Transcripts, is_json};

const CONTINUE: Root = Root::Var("CONTINUE_GLOBAL_DIR", ".continue");

pub(crate) const TRANSCRIPTS: Transcripts = Transcripts {
    host: "continue",
    shape: Shape::Document,
    secondhand: false,
    places: &[below(CONTINUE, &["sessions"])],
    named: |path| is_json(path) && path.file_name().is_some_and(|name| name != "sessions.json"),
    begins: |head| {
        let head: String = head.chars().take(4_000).filter(|c| !c.is_whitespace()).collect();
        head.starts_with("{\"sessionId\":")
            && head.contains("\"workspaceDirectory\":")
            && head.contains("\"history\":")
    },
    reader: |_| Box::new(Session),
};

struct Session;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    session_id: String,
    workspace_directory: Option<String>,
    #[serde(default)]
    history: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Step {
    message: Value,
    #[serde(default)]
    tool_call_states: Vec<Value>,
}

impl Reader for Session {
    fn read(&mut self, record: &[u8], _at: u64, told: &mut Told) {
        let Ok(document) = serde_json::from_slice::<Document>(record) else { return told.skip(Skip::Broken) };
        let session = document.session_id;
        let folder = document.workspace_directory.map(|dir| dir.replacen("file://", "", 1));
        told.session(Identity { session: session.clone(), cwd: folder, ..Identity::default() });
        for (place, step) in document.history.iter().enumerate() {
            let text = without_injections(&text_of(&step.message["content"]));
            // There are no times and no ids, so the position identifies a turn.
            let once = Some(format!("{session} {place}"));
            match (step.message["role"].as_str(), text.trim()) {
                (Some("user"), text) if !text.is_empty() => {
                    told.turn(once, None, What::Prompt(Raw::new(text)));
                }
                (Some("assistant"), text) if !text.is_empty() => {
                    told.turn(once, None, What::Reply(Raw::new(text)));
                }
                _ => told.skip(Skip::Noise),
            }
            for state in &step.tool_call_states {
                call(state, told);
            }
        }
    }
}

fn call(state: &Value, told: &mut Told) {
    let function = &state["toolCall"]["function"];
    let (Some(id), Some(name)) = (state["toolCallId"].as_str(), function["name"].as_str()) else {
        return told.skip(Skip::Broken);
    };
    let ok = match state["status"].as_str() {
        Some("done") => true,
        Some("errored" | "canceled") => false,
        _ => return told.skip(Skip::Noise),
    };
    let input = match &state["parsedArgs"] {
        Value::Null => serde_json::from_str(function["arguments"].as_str().unwrap_or("")).unwrap_or_default(),
        args => args.clone(),
    };
    let results = state["output"].as_array().into_iter().flatten();
    let text: Vec<&str> = results.filter_map(|result| result["content"].as_str()).collect();
    let output = Raw::new(without_frames(&text.join("\n")));
    told.turn(
        Some(id.to_owned()),
        None,
        What::AfterTool { tool: tools::call(name, &input, None), output, ok: Some(ok) },
    );
}
