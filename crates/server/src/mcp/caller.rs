//! Who calls: what can be learned from the connection, the request's `_meta`, and the environment.

use std::env;
use std::path::PathBuf;

use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::JsonObject;
use rmcp::service::RequestContext;
use serde_json::Value;

use crate::http::PROJECT_DIR_HEADER;
use crate::toolbox::{Caller, Transport};

/// Sent by assistants with each request: Codex (by age of the client), Droid.
const SESSION_META: [&str; 3] = ["sessionId", "threadId", "assemblySessionId"];

/// Sent by Codex, which has no roots: session, model, and the workspaces by path.
const CODEX_TURN: &str = "x-codex-turn-metadata";

/// Where this server stands in relation to its clients.
#[derive(Debug)]
pub(crate) struct Place {
    transport: Transport,
    cwd: Option<PathBuf>,
    session: Option<String>,
}

impl Place {
    /// Started by its only client, in that client's project.
    pub(crate) fn beside_client() -> Self {
        let variable = |name: &str| env::var(name).ok();
        Self {
            transport: Transport::Stdio,
            cwd: env::current_dir().ok(),
            session: hark_engine::session_in(&variable),
        }
    }

    /// Shared by clients anywhere: own directory and environment mean nothing.
    pub(crate) fn apart() -> Self {
        Self { transport: Transport::Http, cwd: None, session: None }
    }

    pub(super) fn caller(&self, context: &RequestContext<RoleServer>, mut roots: Vec<PathBuf>) -> Caller {
        let client = context.client_info();
        let turn = codex_turn(&context.meta);
        if roots.is_empty() {
            roots = turn.as_ref().map(workspaces).unwrap_or_default();
        }
        let session = session_in(&context.meta)
            .or_else(|| text(turn.as_ref()?.get("session_id")?))
            .or_else(|| self.session.clone());
        let known = |text: String| Some(text).filter(|text| !text.is_empty());
        let (client_name, client_version) =
            client.map_or((None, None), |client| (known(client.name), known(client.version)));
        Caller {
            roots,
            cwd: self.cwd.clone().or_else(|| named_dir(context)),
            client_name,
            client_version,
            session,
            transport: self.transport,
        }
    }
}

fn named_dir(context: &RequestContext<RoleServer>) -> Option<PathBuf> {
    let header = context.extensions.get::<Parts>()?.headers.get(PROJECT_DIR_HEADER)?;
    let path = PathBuf::from(std::str::from_utf8(header.as_bytes()).ok()?);
    path.is_absolute().then_some(path)
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
