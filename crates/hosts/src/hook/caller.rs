//! Determines which client really called. Several clients run the hooks of Claude Code's configuration as
//! well as their own and set its variables. A client started by another one inherits that one's variables.
//!
//! So the event itself counts most, then a session id in the environment that matches the event. A variable
//! that is merely set counts only for clients known to read the configuration of others.

use super::Environment;
use super::wire::Wire;
use crate::HOSTS;
use crate::host::Host;

/// Variables that clients which also read Claude Code's configuration set for their hooks.
const MARKS: &[(&str, &str)] =
    &[("CURSOR_VERSION", "cursor"), ("COPILOT_CLI", "copilot-cli"), ("FACTORY_PROJECT_DIR", "droid")];

pub(super) fn recognise(named: &'static Host, wire: &Wire, environment: Environment<'_>) -> &'static Host {
    let is_set = |name: &str| environment(name).is_some_and(|value| !value.is_empty());
    let found = if wire.has("cursor_version") {
        Some("cursor")
    } else if wire.has("clineVersion") {
        Some("cline")
    } else if wire.has("hookEventName") && matches!(named.id, "claude-code" | "copilot-cli") {
        // It runs the hooks of both, and spells its fields in its own way.
        Some("vscode")
    } else if let Some(session) = wire.session()
        && let Some(host) =
            HOSTS.iter().find(|host| host.shell.session.and_then(environment).as_ref() == Some(&session))
    {
        Some(host.id)
    } else if named.id == "claude-code" && !is_set("CLAUDECODE") {
        MARKS.iter().find(|(name, _)| is_set(name)).map(|(_, id)| *id)
    } else {
        None
    };
    found.and_then(crate::find).unwrap_or(named)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn caller(named: &str, payload: &serde_json::Value, set: &[(&str, &str)]) -> &'static str {
        let wire = Wire::new(payload.as_object().cloned().unwrap_or_default());
        let environment = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        recognise(crate::find(named).unwrap(), &wire, &environment).id
    }

    #[test]
    fn clients_that_read_each_others_hooks_are_told_apart() {
        let of = |id: &str| json!({ "session_id": id });
        assert_eq!(caller("claude-code", &of("a"), &[]), "claude-code");
        assert_eq!(caller("claude-code", &json!({"cursor_version": "3"}), &[]), "cursor");
        assert_eq!(caller("claude-code", &of("a"), &[("COPILOT_CLI", "1")]), "copilot-cli");
        assert_eq!(caller("copilot-cli", &json!({"hookEventName": "Stop", "sessionId": "v"}), &[]), "vscode");
        assert_eq!(caller("claude-code", &of("a"), &[("FACTORY_PROJECT_DIR", "/x")]), "droid");
        let nested = [("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "outer")];
        assert_eq!(caller("codex", &of("a"), &nested), "codex", "started from within Claude Code");
        let both = [("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "a"), ("COPILOT_CLI", "1")];
        assert_eq!(caller("claude-code", &of("a"), &both), "claude-code", "started from within Copilot");
        assert_eq!(caller("claude-code", &of("g"), &[("GEMINI_SESSION_ID", "g")]), "gemini-cli");
    }
}
