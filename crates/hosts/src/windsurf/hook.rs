//! Hooks of Windsurf. They only observe: the model never sees their output, so they print nothing.

use hark_core::Raw;
use serde_json::Value;

use crate::hook::names::folded;
use crate::hook::tools;
use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, Say, What};

pub(crate) const DIALECT: Dialect =
    Dialect { read, reply: silent, passes_on: &[], can_deny: false, can_ask: false, transcript: None };

fn read(wire: &Wire, event: &mut HookEvent) {
    let Some(info) = wire.inside("tool_info") else { return };
    event.cwd = event.cwd.take().or_else(|| info.text(&["cwd"]).map(Into::into));
    event.what = match folded(&event.name).as_str() {
        "preuserprompt" => info.text(&["user_prompt"]).map_or(What::Other, |t| What::Prompt(Raw::new(t))),
        "postwritecode" => after(&info, "edit_file"),
        "postruncommand" => after(&info, "run_command"),
        "postmcptooluse" => after(&info, "mcp"),
        "postcascaderesponse" => What::Stop { reply: info.text(&["response"]).map(Raw::new) },
        _ => What::Other,
    };
}

fn after(info: &Wire, name: &str) -> What {
    let output = info.text(&["output", "result", "mcp_result"]).unwrap_or_default();
    What::AfterTool { tool: tools::named(name, info), output: Raw::new(output), ok: None }
}

fn silent(_event: &HookEvent, _say: &Say) -> Option<Value> {
    None
}
