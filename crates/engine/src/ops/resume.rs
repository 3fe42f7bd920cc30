//! Continues where a session left off, in the same assistant or another.

use clap::Args;
use hark_core::budget::{estimate_tokens, truncate_to_tokens};
use hark_core::quote::quoted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sessions::{self, SessionView};
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::hooks::boot::{self, Place};
use crate::hooks::inject::frame;
use crate::hooks::left_off::last_session;
use crate::operation::text::safe;
use crate::operation::{
    Answer, Code, EVERYWHERE, Effect, Family, Group, Operation, Page, Reply, Tool, Who, operate,
};
use serde_json::json;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Session to resume; default: the last one of this project
    #[arg(value_name = "ID")]
    #[schemars(skip)]
    pub session: Option<String>,
    /// Hand over to this assistant, from another one if possible
    #[arg(long = "for", value_name = "HOST")]
    #[serde(rename = "for")]
    #[schemars(skip)]
    pub target: Option<String>,
    /// Maximum tokens
    #[arg(long, value_name = "TOKENS")]
    #[schemars(skip)]
    pub budget: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// Absent if there is nothing to resume.
    pub session: Option<SessionView>,
    /// Text for an assistant: that session, and what always applies here.
    pub text: String,
    pub tokens: usize,
}

const BUDGET: usize = 2_000;

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let own = crate::sessions::of_caller(engine, caller)?.map(|stored| stored.num);
    let place = Place::of(engine, caller.cwd.as_deref(), own, false)?;
    let target = request.target.as_deref().map(|host| crate::sessions::host_id(Some(host)));
    let stored = match &request.session {
        Some(id) => Some(sessions::one(engine, id)?),
        None => match last_session(engine, &place, target.as_deref(), now)? {
            Some(stored) => Some(stored),
            None => last_session(engine, &place, None, now)?,
        },
    };
    let budget = request.budget.unwrap_or(BUDGET);
    let view = match &stored {
        Some(stored) => {
            let learned = sessions::learned(engine, &stored.session)?;
            Some(SessionView { learned, ..sessions::view(engine, stored, now) })
        }
        None => None,
    };
    let mut parts = Vec::new();
    if let Some(view) = &view {
        parts.push(account(view, target.as_deref()));
    }
    if let Some(words) = boot::standing(engine, &place, stored.as_ref().map(|s| s.num), budget / 2)? {
        parts.push(words);
    }
    let text = if parts.is_empty() {
        String::new()
    } else {
        let room = budget.saturating_sub(estimate_tokens(&frame("")));
        frame(&truncate_to_tokens(&quoted(&parts.join("\n")), room))
    };
    Ok(Response { session: view, tokens: estimate_tokens(&text), text })
}

/// The session in words, most useful first.
fn account(view: &SessionView, target: Option<&str>) -> String {
    let brief = &view.brief;
    let hand_over = target.map(|host| format!("Hand-over to {host}. ")).unwrap_or_default();
    let branch = brief.branch.as_ref().map(|b| format!(", branch {b}")).unwrap_or_default();
    let age = if brief.age == "now" { "just now".to_owned() } else { format!("{} ago", brief.age) };
    let mut lines =
        vec![format!("{hand_over}Session {} of {}, {age}{branch}, {}.", brief.id, brief.host, brief.status)];
    if let Some(goal) = view.goal.as_ref().or(brief.about.as_ref()) {
        lines.push(format!("Goal: {goal}"));
    }
    for (title, list) in [
        ("Pending", &view.pending),
        ("Decided", &view.decisions),
        ("Done", &view.done),
        ("Work", &view.work),
        ("Plans", &view.plans),
        ("References", &view.references),
    ] {
        if !list.is_empty() {
            lines.push(format!("{title}:"));
            lines.extend(
                list.iter().rev().take(20).rev().map(|item| format!("- {}", item.replace('\n', " "))),
            );
        }
    }
    if !view.learned.is_empty() {
        lines.push("Learned:".to_owned());
        lines.extend(view.learned.iter().rev().take(10).rev().map(|l| format!("- [{}] {}", l.id, l.title)));
    }
    if let Some(summary) = &view.summary {
        lines.push(format!("Summary: {}", summary.replace('\n', " ")));
    }
    if !view.touched.is_empty() {
        let files: Vec<String> =
            view.touched.iter().take(30).map(|t| format!("{} ({})", t.path, t.op)).collect();
        lines.push(format!("Files touched: {}", files.join(", ")));
    }
    if let Some(last) = view.checkpoints.last() {
        lines.push(format!("Last checkpoint: {} by {}: {}", last.at, last.by, last.note));
    }
    lines.join("\n")
}

pub const OPERATION: Operation = Operation {
    name: "resume",
    also: &[],
    summary: "Continue where a session left off, in any assistant",
    help: "",
    examples: &[
        ("hark resume", "Print what the last session here was doing"),
        ("hark resume --for codex", "Hand the last session over to another assistant"),
    ],
    group: Group::Sessions,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_resume",
        family: Family::Core,
        description: "Where the last session here left off.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        if self.text.is_empty() {
            page.note("no session to resume here; see `hark sessions --all-projects`\n");
        } else {
            page.print(&format!("{}\n", safe(&self.text)));
        }
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        let session = self.session.as_ref().map(|view| view.brief.id.clone());
        let text = if self.text.is_empty() {
            "There is no session to resume here.".to_owned()
        } else {
            self.text.clone()
        };
        // The text is already framed, and the frame is hark's own.
        let data = json!({ "session": session, "text": text });
        Ok(Answer { text, data })
    }
}
