//! Detects whether a command runs in a shell that an assistant opened. What is typed there comes from the
//! assistant, not from the user.
//!
//! The signs are variables that an assistant sets for its own commands and that no person's terminal has. A
//! missing terminal, `CI` or an editor's terminal (`TERM_PROGRAM=vscode`, `CURSOR_TRACE_ID`) proves nothing:
//! people, scripts and tests have them too.

use crate::HOSTS;
use crate::hook::Environment;
use crate::host::Host;

/// How to recognise the shells of one assistant.
#[derive(Debug)]
pub struct AgentShell {
    /// Variables that are set there and nowhere else: `NAME`, or `NAME=VALUE` if the name alone is not
    /// specific enough.
    pub marks: &'static [&'static str],
    /// The variable with the session id, which hooks report as well.
    pub session: Option<&'static str>,
}

impl AgentShell {
    /// Its shell cannot be told apart from a person's.
    pub(crate) const UNKNOWN: AgentShell = AgentShell { marks: &[], session: None };

    fn is_marked(&self, environment: Environment<'_>) -> bool {
        self.marks.iter().any(|mark| match mark.split_once('=') {
            Some((name, value)) => environment(name).as_deref() == Some(value),
            None => environment(mark).is_some_and(|value| !value.is_empty()),
        })
    }
}

/// The assistant in whose shell a command runs.
#[derive(Debug, Clone)]
pub struct Assistant {
    pub host: &'static Host,
    /// Its own session id, if it provides one.
    pub session: Option<String>,
}

/// The assistant that runs this command, if any.
pub fn assistant(environment: Environment<'_>) -> Option<Assistant> {
    let host = HOSTS.iter().copied().find(|host| host.shell.is_marked(environment))?;
    let session = host.shell.session.and_then(environment).filter(|id| !id.is_empty());
    Some(Assistant { host, session })
}

/// The session id that an assistant set for the programs it starts. An assistant that runs within another one inherits
/// that one's variables, so a `client` that is known by its id counts only with its own.
pub fn session_in(environment: Environment<'_>, client: Option<&str>) -> Option<String> {
    let known = client.and_then(crate::find);
    let hosts = HOSTS.iter().filter(|host| known.is_none_or(|known| known.id == host.id));
    hosts.filter_map(|host| host.shell.session).filter_map(environment).find(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(set: &[(&str, &str)]) -> Option<(&'static str, Option<String>)> {
        let environment = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        assistant(&environment).map(|found| (found.host.id, found.session))
    }

    #[test]
    fn each_assistant_is_recognised_by_its_own_variables() {
        for host in HOSTS {
            for mark in host.shell.marks {
                let (name, value) = mark.split_once('=').unwrap_or((mark, "1"));
                assert_eq!(found(&[(name, value)]).map(|(id, _)| id), Some(host.id), "{mark}");
                assert_eq!(found(&[(name, "")]), None, "{mark} set to nothing");
            }
        }
        let claude = [("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "abc")];
        assert_eq!(found(&claude), Some(("claude-code", Some("abc".to_owned()))));
    }

    #[test]
    fn a_persons_terminal_is_not_an_assistants() {
        for set in [
            &[("TERM_PROGRAM", "vscode"), ("VSCODE_INJECTION", "1"), ("TERM", "xterm-256color")][..],
            &[("CURSOR_TRACE_ID", "1f"), ("TERM_PROGRAM", "vscode")],
            &[("TERM_PROGRAM", "zed"), ("ZED_TERM", "true")],
            &[("CODEX_HOME", "/home/ann/.codex"), ("CLAUDE_CONFIG_DIR", "/home/ann/.claude")],
            &[("COPILOT_HOME", "/x"), ("COPILOT_MODEL", "m"), ("COPILOT_GITHUB_TOKEN", "t")],
            &[("GEMINI_API_KEY", "k"), ("FACTORY_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k")],
            &[("CLAUDE_CODE_SSE_PORT", "4711"), ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")],
            &[("CI", "true"), ("GITHUB_ACTIONS", "true")],
            &[("AGENT", "ssh"), ("SSH_AGENT_PID", "12")],
            &[],
        ] {
            assert_eq!(found(set), None, "{set:?}");
        }
    }
}
