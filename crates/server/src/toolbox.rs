//! The seam between the protocol and the product.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// What the protocol layer needs to know of the tools.
pub trait ToolBox: Send + Sync + 'static {
    /// Text several clients put into the model's prompt, or search when tools are deferred.
    fn instructions(&self) -> String;

    /// Asked once; the list is fixed for a process.
    fn tools(&self) -> Vec<ToolSpec>;

    /// Runs on a blocking thread. `name` is one of [`ToolBox::tools`], and `arguments` have been checked
    /// against its schema: required ones are there, and plain types match.
    fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Result<ToolAnswer, ToolFailure>;

    /// After a call that changed something, when its answer is on the way: what need not be done before.
    /// Runs on a blocking thread.
    fn rest(&self) {}

    /// The same, once no call has come for a moment: whoever calls again and again is not held up by it.
    fn idle(&self) {}

    fn resources(&self) -> Vec<ResourceSpec> {
        Vec::new()
    }

    /// The text of one of [`ToolBox::resources`]. Runs on a blocking thread.
    fn read_resource(&self, uri: &str, caller: &Caller) -> Result<String, ToolFailure> {
        let _ = caller;
        Err(ToolFailure::not_found(format!("no resource `{uri}`")))
    }

    fn prompts(&self) -> Vec<PromptSpec> {
        Vec::new()
    }

    /// One of [`ToolBox::prompts`], filled in: what the user would have typed. Runs on a blocking thread.
    fn render_prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Result<String, ToolFailure> {
        let _ = (arguments, caller);
        Err(ToolFailure::not_found(format!("no prompt `{name}`")))
    }
}

/// One tool as clients see it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: String,
    pub title: String,
    pub description: String,
    /// A JSON Schema whose type is `object`.
    pub input_schema: Value,
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    /// Ask clients that defer tools behind a search to keep this one in view.
    pub always_load: bool,
}

/// What a call returned. Some clients show the model only `text`, others only `structured`: equal in
/// meaning, and small.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolAnswer {
    pub text: String,
    /// A JSON object; older protocol versions allow nothing else.
    pub structured: Option<Value>,
}

/// Why a call did not work, in words for the model that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFailure {
    pub message: String,
    pub hint: Option<String>,
    pub kind: FailureKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    InvalidArguments,
    NotFound,
    Storage,
    Internal,
}

impl ToolFailure {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, kind }
    }

    pub fn invalid_arguments(message: impl Into<String>) -> Self {
        Self::new(FailureKind::InvalidArguments, message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(FailureKind::NotFound, message)
    }

    pub fn storage(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Storage, message)
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Internal, message)
    }

    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl std::fmt::Display for ToolFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

/// Text a client can read by its URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceSpec {
    pub uri: String,
    pub name: String,
    pub title: String,
    pub description: String,
    pub mime_type: String,
}

/// A prepared prompt, usually offered to the user as a slash command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSpec {
    pub name: String,
    pub title: String,
    pub description: String,
    pub arguments: Vec<PromptArgumentSpec>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptArgumentSpec {
    pub name: String,
    pub description: String,
    pub required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Stdio,
    Http,
}

/// Who calls, and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Folders the client has open, if it says so.
    pub roots: Vec<PathBuf>,
    /// stdio: the working directory of the process, which clients set to the project. HTTP: what the client
    /// sent in `X-Hark-Project-Dir`; never the directory the server happens to run in.
    pub cwd: Option<PathBuf>,
    pub client_name: Option<String>,
    pub client_version: Option<String>,
    /// The assistant's own session id, where it tells.
    pub session: Option<String>,
    pub transport: Transport,
}

impl Caller {
    /// The folder this call is about: over HTTP the one the client named, else the root that holds the
    /// working directory, else the first root, else the working directory.
    pub fn project_dir(&self) -> Option<&Path> {
        let cwd = self.cwd.as_deref();
        if self.transport == Transport::Http && cwd.is_some() {
            return cwd;
        }
        let holding = cwd.and_then(|cwd| self.roots.iter().find(|root| cwd.starts_with(root)));
        holding.or_else(|| self.roots.first()).map(PathBuf::as_path).or(cwd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(transport: Transport, roots: &[&str], cwd: Option<&str>) -> Caller {
        Caller {
            roots: roots.iter().map(PathBuf::from).collect(),
            cwd: cwd.map(PathBuf::from),
            client_name: None,
            client_version: None,
            session: None,
            transport,
        }
    }

    #[test]
    fn project_dir_prefers_what_the_client_says() {
        let stdio = Transport::Stdio;
        let dir = |c: &Caller| c.project_dir().map(Path::to_path_buf);
        assert_eq!(dir(&caller(stdio, &[], Some("/w"))), Some("/w".into()));
        assert_eq!(dir(&caller(stdio, &["/a"], Some("/w"))), Some("/a".into()));
        assert_eq!(dir(&caller(stdio, &["/a", "/w"], Some("/w/sub"))), Some("/w".into()));
        assert_eq!(dir(&caller(Transport::Http, &["/a"], Some("/named"))), Some("/named".into()));
        assert_eq!(dir(&caller(Transport::Http, &["/a"], None)), Some("/a".into()));
        assert_eq!(dir(&caller(Transport::Http, &[], None)), None);
    }

    #[test]
    fn failure_shows_its_hint_on_a_line_of_its_own() {
        let failure = ToolFailure::not_found("no memory m-1").with_hint("list them first");
        assert_eq!(failure.to_string(), "no memory m-1\nhint: list them first");
    }
}
