//! Who calls: what can be learned from the connection, the request's `_meta`, and the environment.

use std::env;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::http::request::Parts;
use hark_core::{ClientProcess, Origin};
use hark_engine::{Caller, Connection};
use rmcp::RoleServer;
use rmcp::model::JsonObject;
use rmcp::service::RequestContext;
use serde_json::Value;

use crate::http::PROJECT_DIR_HEADER;

/// Sent by assistants with each request: Codex (by age of the client), Droid.
const SESSION_META: [&str; 3] = ["sessionId", "threadId", "assemblySessionId"];

/// A session of the protocol, not of the assistant.
const SESSION_HEADER: &str = "mcp-session-id";

/// Sent by Codex, which has no roots: session, model, and the workspaces by path.
const CODEX_TURN: &str = "x-codex-turn-metadata";

/// Where this server stands in relation to its clients.
#[derive(Debug)]
pub(crate) struct Place {
    transport: Transport,
    cwd: Option<PathBuf>,
    /// The process that started this one.
    process: Option<ClientProcess>,
    /// Names the only connection of this process.
    key: Option<String>,
}

impl Place {
    /// Started by its only client, in that client's project.
    pub(crate) fn beside_client() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            transport: Transport::Stdio,
            cwd: env::current_dir().ok(),
            process: hark_engine::process::client(),
            key: Some(format!("mcp-{}-{}", std::process::id(), since.as_nanos())),
        }
    }

    /// Shared by clients anywhere: own directory, environment and parent mean nothing.
    pub(crate) fn apart() -> Self {
        Self { transport: Transport::Http, cwd: None, process: None, key: None }
    }

    pub(super) fn client(&self, context: &RequestContext<RoleServer>, mut roots: Vec<PathBuf>) -> Client {
        let client = context.client_info();
        let turn = codex_turn(&context.meta);
        if roots.is_empty() {
            roots = turn.as_ref().map(workspaces).unwrap_or_default();
        }
        let name = client.map(|client| client.name).filter(|name| !name.is_empty());
        let said = session_in(&context.meta).or_else(|| text(turn.as_ref()?.get("session_id")?));
        // An id in the environment is that of the time when this process started.
        let process = if said.is_none() { self.process } else { None };
        let inherited = || match self.transport {
            Transport::Stdio => hark_engine::session_in(&|name: &str| env::var(name).ok(), name.as_deref()),
            Transport::Http => None,
        };
        Client {
            session: said.or_else(inherited),
            roots,
            cwd: self.cwd.clone().or_else(|| named_dir(context)),
            name,
            process,
            key: self.key.clone().or_else(|| header(context, SESSION_HEADER).map(|id| format!("http-{id}"))),
            transport: self.transport,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transport {
    Stdio,
    Http,
}

/// Who calls, and from where.
#[derive(Debug, Clone)]
pub(super) struct Client {
    /// Folders the client has open, if it says so.
    roots: Vec<PathBuf>,
    /// stdio: the working directory of the process, which clients set to the project. HTTP: what the client
    /// sent in `X-Hark-Project-Dir`; never the directory the server happens to run in.
    cwd: Option<PathBuf>,
    name: Option<String>,
    /// The assistant's own session id, where it sends one.
    session: Option<String>,
    process: Option<ClientProcess>,
    key: Option<String>,
    transport: Transport,
}

/// Clients that give a model both the text and the structured content of an answer, or the whole of it as JSON.
/// They get the text alone: the model would read everything twice.
const SHOWS_BOTH: [&str; 3] = ["qwen", "copilot", "cline"];

impl Client {
    /// The folder this call is about: over HTTP the one the client named, else the root that contains the
    /// working directory, else the first root, else the working directory.
    fn project_dir(&self) -> Option<&Path> {
        let cwd = self.cwd.as_deref();
        if self.transport == Transport::Http && cwd.is_some() {
            return cwd;
        }
        let holding = cwd.and_then(|cwd| self.roots.iter().find(|root| cwd.starts_with(root)));
        holding.or_else(|| self.roots.first()).map(PathBuf::as_path).or(cwd)
    }

    pub(super) fn shows_both(&self) -> bool {
        let name = self.name.as_deref().unwrap_or_default().to_ascii_lowercase();
        SHOWS_BOTH.iter().any(|client| name.contains(client))
    }

    pub(super) fn caller(&self) -> Caller {
        Caller {
            cwd: self.project_dir().map(Path::to_owned),
            origin: Some(Origin::Assistant),
            author: self.name.clone(),
            session: self.session.clone(),
            process: self.process,
            connection: Some(Connection {
                key: self.key.clone(),
                is_remote: self.transport == Transport::Http,
            }),
            for_page: false,
        }
    }
}

fn named_dir(context: &RequestContext<RoleServer>) -> Option<PathBuf> {
    let path = PathBuf::from(header(context, PROJECT_DIR_HEADER)?);
    path.is_absolute().then_some(path)
}

fn header<'a>(context: &'a RequestContext<RoleServer>, name: &str) -> Option<&'a str> {
    let header = context.extensions.get::<Parts>()?.headers.get(name)?;
    std::str::from_utf8(header.as_bytes()).ok()
}

fn session_in(meta: &JsonObject) -> Option<String> {
    SESSION_META.iter().find_map(|key| text(meta.get(*key)?))
}

fn text(value: &Value) -> Option<String> {
    let text = value.as_str().filter(|text| !text.is_empty())?;
    Some(text.to_owned())
}

/// Comes as an object, or as the text of one.
fn codex_turn(meta: &JsonObject) -> Option<Value> {
    match meta.get(CODEX_TURN)? {
        Value::String(text) => serde_json::from_str(text).ok(),
        other => Some(other.clone()),
    }
}

fn workspaces(turn: &Value) -> Vec<PathBuf> {
    let Some(Value::Object(workspaces)) = turn.get("workspaces") else {
        return Vec::new();
    };
    let paths = workspaces.keys().map(PathBuf::from);
    paths.filter(|path| path.is_absolute()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> JsonObject {
        match value {
            Value::Object(object) => object,
            other => panic!("not an object: {other}"),
        }
    }

    fn client(transport: Transport, roots: &[&str], cwd: Option<&str>) -> Client {
        let roots = roots.iter().map(PathBuf::from).collect();
        let cwd = cwd.map(PathBuf::from);
        Client { roots, cwd, name: None, session: None, process: None, key: None, transport }
    }

    #[test]
    fn project_dir_prefers_what_the_client_says() {
        let stdio = Transport::Stdio;
        let dir = |c: &Client| c.project_dir().map(Path::to_path_buf);
        assert_eq!(dir(&client(stdio, &[], Some("/w"))), Some("/w".into()));
        assert_eq!(dir(&client(stdio, &["/a"], Some("/w"))), Some("/a".into()));
        assert_eq!(dir(&client(stdio, &["/a", "/w"], Some("/w/sub"))), Some("/w".into()));
        assert_eq!(dir(&client(Transport::Http, &["/a"], Some("/named"))), Some("/named".into()));
        assert_eq!(dir(&client(Transport::Http, &["/a"], None)), Some("/a".into()));
        assert_eq!(dir(&client(Transport::Http, &[], None)), None);
    }

    #[test]
    fn clients_that_show_both_are_known_by_name() {
        let named =
            |name: &str| Client { name: Some(name.to_owned()), ..client(Transport::Stdio, &[], None) };
        assert!(named("qwen-cli-mcp-client-hark").shows_both());
        assert!(named("Cline").shows_both());
        assert!(!named("claude-code").shows_both());
        assert!(!client(Transport::Stdio, &[], None).shows_both());
    }

    #[test]
    fn session_from_meta() {
        let session = |value| session_in(&object(value));
        assert_eq!(session(json!({"threadId": "t", "sessionId": "s"})), Some("s".into()));
        assert_eq!(session(json!({"assemblySessionId": "d"})), Some("d".into()));
        assert_eq!(session(json!({"sessionId": ""})), None);
        assert_eq!(session(json!({"sessionId": 5})), None);
    }

    #[cfg(unix)]
    #[test]
    fn codex_workspaces_as_object_or_text() {
        let turn = json!({"session_id": "s", "workspaces": {"/p": {"has_changes": true}, "rel": {}}});
        for value in [turn.clone(), Value::String(turn.to_string())] {
            let meta = object(json!({ CODEX_TURN: value }));
            let turn = codex_turn(&meta).unwrap();
            assert_eq!(workspaces(&turn), [PathBuf::from("/p")]);
        }
    }
}
