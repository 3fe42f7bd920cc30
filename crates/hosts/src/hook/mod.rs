//! Hooks of assistants: translates their events into hark's terms, and replies into theirs.
//!
//! Each assistant's folder has a `hook.rs` that reads its JSON into a [`HookEvent`] and writes a [`Say`] as
//! the reply that this client understands. Unknown fields and events are not errors: an unknown event is
//! [`What::Other`], and its reply is empty.

mod caller;
pub(crate) mod claude_shape;
pub(crate) mod names;
mod own_command;
mod salvage;
pub mod tools;
pub(crate) mod typed;
pub(crate) mod wire;

use std::path::PathBuf;

use hark_core::{ClientProcess, Raw};
use serde_json::Value;

use crate::host::Host;
use tools::ToolUse;
use wire::Wire;

/// An event of an assistant.
#[derive(Debug)]
pub struct HookEvent {
    /// The id of the assistant that really called, whichever configuration it read.
    pub client: &'static str,
    /// The host id and event name it was called with.
    pub via: String,
    /// The event's name as the client spells it; some want it back.
    pub name: String,
    pub session: Option<String>,
    /// The session that started this one, for subagents.
    pub parent: Option<String>,
    /// The client's own id of the tool call or prompt.
    pub once: Option<String>,
    pub cwd: Option<PathBuf>,
    pub transcript: Option<String>,
    /// The client's process; not part of what it sent.
    pub process: Option<ClientProcess>,
    pub what: What,
}

#[derive(Debug)]
pub enum What {
    /// `source` is `startup`, `resume`, `clear`, `compact`, …
    Start {
        source: String,
    },
    Prompt(Raw),
    /// A request from another agent, not a person: the prompt of a subagent.
    Task(Raw),
    BeforeTool(ToolUse),
    AfterTool {
        tool: ToolUse,
        output: Raw,
        ok: Option<bool>,
    },
    /// The assistant said something, and the turn continues.
    Reply(Raw),
    /// A turn ended.
    Stop {
        reply: Option<Raw>,
    },
    /// The last turn ended, and the client reports no separate end of the session.
    Finish {
        reply: Option<Raw>,
        reason: String,
    },
    /// Another agent starts on behalf of this session.
    Subagent,
    /// The client is about to drop the beginning of the conversation.
    Compacting,
    /// The client dropped it, and this is the summary the assistant keeps.
    Compacted(Raw),
    End {
        reason: String,
    },
    /// Nothing of interest.
    Other,
}

/// A reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Say {
    Nothing,
    /// For the model to read.
    Context(String),
    /// Blocks this tool; the model reads the reason.
    Deny(String),
    /// Lets the user decide about this tool; the user reads the reason.
    Ask(String),
}

/// A moment at which a hook may have something to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    Start,
    Prompt,
    BeforeTool,
    AfterTool,
    Subagent,
    Compacting,
}

impl Moment {
    pub const ALL: &'static [Moment] = &[
        Moment::Start,
        Moment::Prompt,
        Moment::BeforeTool,
        Moment::AfterTool,
        Moment::Subagent,
        Moment::Compacting,
    ];
}

/// How one assistant's hooks work.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// Adds the details of this client to a first guess.
    pub(crate) read: fn(&Wire, &mut HookEvent),
    /// The reply; `None` prints nothing.
    pub(crate) reply: fn(&HookEvent, &Say) -> Option<Value>,
    /// The moments at which the client passes context in the reply on to its model. What it does not pass on
    /// must not be computed or recorded as said.
    pub(crate) passes_on: &'static [Moment],
    /// Whether it can block a tool.
    pub(crate) can_deny: bool,
    /// Whether it can ask the user about a tool.
    pub(crate) can_ask: bool,
    /// Where the client keeps the transcript of a session, if its events do not name it.
    pub(crate) transcript: Option<fn(&HookEvent, Environment<'_>) -> Option<String>>,
}

impl Dialect {
    /// For assistants without hooks: whatever arrives in their name is stored, and nothing is said.
    pub(crate) const DEAF: Dialect = Dialect {
        read: |_, _| {},
        reply: crate::generic::hook::reply,
        passes_on: &[],
        can_deny: false,
        can_ask: false,
        transcript: None,
    };
}

/// Clients cut, spill into a file or refuse anything longer.
pub const MOST_CHARS: usize = 8_800;

/// The process environment; a parameter, so that tests can supply their own.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reads what a client sent to `hark hook HOST [EVENT]`. Never fails: an unreadable event is [`What::Other`].
pub fn read(
    host: &'static Host,
    event: Option<&str>,
    input: &[u8],
    environment: Environment<'_>,
) -> HookEvent {
    let wire = Wire::new(salvage::object(input));
    let client = caller::recognise(host, &wire, environment);
    let name = names::of(&wire, event);
    let mut found = HookEvent {
        client: client.id,
        via: format!("{} {name}", host.id),
        session: wire.session(),
        parent: None,
        once: wire.text(&["tool_use_id", "toolUseId", "tool_call_id", "callID"]),
        cwd: wire.folder(environment),
        transcript: wire.text(&["transcript_path", "transcriptPath"]),
        process: None,
        what: names::what(&name, &wire),
        name,
    };
    (client.hooks.read)(&wire, &mut found);
    if found.transcript.is_none() {
        found.transcript = client.hooks.transcript.and_then(|place| place(&found, environment));
    }
    found
}

/// Whether a session of this client that is resumed no longer contains what hooks added to it. Gemini CLI restores the
/// conversation as it was displayed; the others restore it as the model saw it.
pub fn forgets_on_resume(client: &str) -> bool {
    client == "gemini-cli"
}

impl HookEvent {
    fn dialect(&self) -> &'static Dialect {
        crate::find(self.client).map_or(&crate::generic::hook::DIALECT, |host| host.hooks)
    }

    fn moment(&self) -> Option<Moment> {
        match self.what {
            What::Start { .. } => Some(Moment::Start),
            What::Prompt(_) | What::Task(_) => Some(Moment::Prompt),
            What::BeforeTool(_) => Some(Moment::BeforeTool),
            What::AfterTool { .. } => Some(Moment::AfterTool),
            What::Subagent => Some(Moment::Subagent),
            What::Compacting => Some(Moment::Compacting),
            _ => None,
        }
    }

    /// Whether the model reads the reply to this event.
    pub fn hears(&self) -> bool {
        self.moment().is_some_and(|moment| self.hears_at(moment))
    }

    /// Whether this client's model reads what hooks add at such a moment.
    pub fn hears_at(&self, moment: Moment) -> bool {
        self.dialect().passes_on.contains(&moment)
    }

    pub fn can_deny(&self) -> bool {
        matches!(self.what, What::BeforeTool(_)) && self.dialect().can_deny
    }

    /// Whether it can refuse a tool so that the model reads why and goes on. Cline ends the whole task, and its model never
    /// learns the reason.
    pub fn can_refuse(&self) -> bool {
        self.can_deny() && self.client != "cline"
    }

    /// Whether this client asks its user when the reply says so.
    pub fn can_ask(&self) -> bool {
        matches!(self.what, What::BeforeTool(_)) && self.dialect().can_ask
    }

    /// The text for stdout, in this client's format and within its limits. Empty means print nothing.
    pub fn answer(&self, say: &Say) -> String {
        let say = match say {
            Say::Context(text) if !self.hears() || text.trim().is_empty() => Say::Nothing,
            Say::Deny(_) if !self.can_deny() => Say::Nothing,
            Say::Ask(_) if !self.can_ask() => Say::Nothing,
            Say::Context(text) => Say::Context(cut(text)),
            Say::Deny(text) => Say::Deny(cut(text)),
            Say::Ask(text) => Say::Ask(cut(text)),
            Say::Nothing => Say::Nothing,
        };
        (self.dialect().reply)(self, &say).map(|value| value.to_string()).unwrap_or_default()
    }
}

/// The first [`MOST_CHARS`] characters.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
