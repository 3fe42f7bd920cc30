//! What the model should do: one tool call after another, then a closing message.
//!
//! The next step follows from the request alone. A client sends the whole conversation each time, so the
//! calls in it show how far it has come, and the same request always gets the same answer. Only where a summary
//! replaced a part of the conversation do earlier replies count.

use serde_json::Value;

/// What a model reports for the tokens of a request, unless a step reports more.
const FEW_TOKENS: u64 = 100;

#[derive(Debug, Clone, Default)]
pub struct Script {
    /// Words in the user's prompt that identify the conversation.
    pub prompt: String,
    pub steps: Vec<Step>,
    pub closing: String,
    /// After its first answer, it waits for [`release`](super::Model::release). Some clients take a session
    /// without an answer for abandoned.
    pub held: bool,
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
    tokens: u64,
}

impl Step {
    pub fn new(names: &[&str], input: Value) -> Self {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Step { names, input, search: None, through: None, tokens: FEW_TOKENS }
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

    /// Reports this many tokens for the conversation so far, which makes a client compact it.
    #[must_use]
    pub fn reporting(mut self, tokens: u64) -> Self {
        self.tokens = tokens;
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
    /// Names of the tools that the model has called since the prompt.
    pub(super) called: Vec<String>,
}

/// An answer, and the tokens that it reports for the request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    pub(super) reply: Reply,
    pub(super) tokens: u64,
}

impl Said {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Said { reply: Reply::Text(text.into()), tokens: FEW_TOKENS }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    Text(String),
    Call(Tool, Value),
}

impl Script {
    /// The summary of a conversation in which so many steps are done. `weighed` reports as many tokens for the
    /// request as made the client ask.
    pub(super) fn summary(&self, done: usize, weighed: bool) -> Said {
        // Droid wants the tags.
        let text = format!("<summary>{SUMMARY}{}: {done} steps are done.</summary>", self.prompt);
        let most = self.steps.iter().map(|step| step.tokens).max().filter(|_| weighed);
        Said { reply: Reply::Text(text), tokens: most.unwrap_or(FEW_TOKENS) }
    }

    /// The steps still to take. `before` were taken with earlier replies, which counts where a summary replaced
    /// a part of the conversation.
    fn left(&self, heard: &Heard, texts: &[&str], before: usize) -> &[Step] {
        let mark = format!("{SUMMARY}{}: ", self.prompt);
        if texts.iter().any(|text| text.contains(&mark)) {
            return &self.steps[before.min(self.steps.len())..];
        }
        let mut left = self.steps.as_slice();
        for name in &heard.called {
            if left.first().is_some_and(|step| step.fits(name)) {
                left = &left[1..];
            }
        }
        left
    }

    /// The reply, and how many steps are done with it.
    pub(super) fn next(&self, heard: &Heard, texts: &[&str], before: usize) -> (Said, usize) {
        let left = self.left(heard, texts, before);
        let done = self.steps.len() - left.len();
        let Some(step) = left.first() else { return (Said::text(&self.closing), done) };
        let call = |tool: &Tool, input: &Value| Said {
            reply: Reply::Call(tool.clone(), input.clone()),
            tokens: step.tokens,
        };
        if let Some(tool) = heard.tools.iter().find(|tool| step.fits(&tool.name)) {
            return (call(tool, &step.input), done + 1);
        }
        let offered = |name: &str| heard.tools.iter().find(|tool| tool.name == name);
        let searched = |name: &str| heard.called.last().is_some_and(|last| last == name);
        if let Some((name, input)) = &step.search
            && !searched(name)
            && let Some(tool) = offered(name)
        {
            return (call(tool, input), done);
        }
        if let Some((name, input)) = &step.through
            && let Some(tool) = offered(name)
        {
            return (call(tool, input), done + 1);
        }
        let there: Vec<&str> = heard.tools.iter().map(|tool| tool.name.as_str()).collect();
        (Said::text(format!("no tool {:?} among {there:?}", step.names)), done)
    }
}

const SUMMARY: &str = "Summary of ";
