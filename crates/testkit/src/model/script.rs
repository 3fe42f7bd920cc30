//! What the model should do: one tool call after another, then a closing message.
//!
//! The next step follows from the request alone. A client sends the whole conversation each time, so the
//! calls in it show how far it has come, and the same request always gets the same answer.

use serde_json::Value;

#[derive(Debug, Clone, Default)]
pub struct Script {
    /// Words that identify the conversation; without quotes, because JSON would escape them.
    pub prompt: String,
    pub steps: Vec<Step>,
    pub closing: String,
}

/// One call of a tool.
#[derive(Debug, Clone)]
pub struct Step {
    /// Possible names of the tool; the client offers one of them, alone or with a prefix (`mcp__hark__…`).
    names: Vec<String>,
    input: Value,
    /// A search tool, for clients that reveal a tool only after a search.
    search: Option<(String, Value)>,
    /// A tool that calls others, for clients that never reveal them.
    through: Option<(String, Value)>,
}

impl Step {
    pub fn new(names: &[&str], input: Value) -> Self {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Step { names, input, search: None, through: None }
    }

    #[must_use]
    pub fn found_by(mut self, tool: &str, input: Value) -> Self {
        self.search = Some((tool.to_owned(), input));
        self
    }

    #[must_use]
    pub fn called_through(mut self, tool: &str, input: Value) -> Self {
        self.through = Some((tool.to_owned(), input));
        self
    }

    fn fits(&self, offered: &str) -> bool {
        self.names.iter().any(|name| {
            offered.strip_suffix(name.as_str()).is_some_and(|before| !before.ends_with(char::is_alphanumeric))
        })
    }
}

/// A tool as the client offers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tool {
    pub(super) namespace: Option<String>,
    pub(super) name: String,
    /// It takes plain text, not an object.
    pub(super) freeform: bool,
}

impl Tool {
    pub(super) fn plain(name: &str) -> Self {
        Tool { namespace: None, name: name.to_owned(), freeform: false }
    }
}

/// What a request reveals about the conversation.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) tools: Vec<Tool>,
    /// Names of the tools that the model has called so far.
    pub(super) called: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    Text(String),
    Call(Tool, Value),
}

impl Script {
    pub(super) fn next(&self, heard: &Heard) -> Reply {
        let mut left = self.steps.as_slice();
        for name in &heard.called {
            if left.first().is_some_and(|step| step.fits(name)) {
                left = &left[1..];
            }
        }
        let Some(step) = left.first() else { return Reply::Text(self.closing.clone()) };
        if let Some(tool) = heard.tools.iter().find(|tool| step.fits(&tool.name)) {
            return Reply::Call(tool.clone(), step.input.clone());
        }
        let offered = |name: &str| heard.tools.iter().find(|tool| tool.name == name);
        let searched = |name: &str| heard.called.last().is_some_and(|last| last == name);
        if let Some((name, input)) = &step.search
            && !searched(name)
            && let Some(tool) = offered(name)
        {
            return Reply::Call(tool.clone(), input.clone());
        }
        if let Some((name, input)) = &step.through
            && let Some(tool) = offered(name)
        {
            return Reply::Call(tool.clone(), input.clone());
        }
        let there: Vec<&str> = heard.tools.iter().map(|tool| tool.name.as_str()).collect();
        Reply::Text(format!("no tool {:?} among {there:?}", step.names))
    }
}
