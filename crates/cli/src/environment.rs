//! Reads the environment once: variables, folder, output mode.

use hark_engine::{Caller, Machine, trace};
use hark_hosts::Assistant;

use crate::failure::Failure;

/// Every environment variable that hark reads, with what it means. The reference page is made
/// from this table.
pub(crate) const VARIABLES: &[(&str, &str)] = &[
    ("HARK_HOME", "your store, instead of the one in the data directory"),
    ("HARK_CONFIG", "settings file to use instead of `~/.config/hark/config.toml`"),
    ("HARK_ENABLED", "0 turns hooks and tools off, for one session or for good"),
    ("HARK_PROJECT", "project to use instead of that of the current folder: name, key or folder"),
    ("HARK_NOW", "time to use instead of the clock, for tests: RFC 3339 or milliseconds"),
    ("HARK_LOG", "log to stderr: error, warn, info, debug or trace"),
    ("HARK_LOG_FILE", "if set, log to `logs/hark.log` in the store instead of stderr"),
    ("HARK_PASSPHRASE", "passphrase of encrypted exports, if no file is given"),
    ("HARK_SERVE_HOST", "address of `hark serve`, instead of 127.0.0.1"),
    ("HARK_SERVE_PORT", "port of `hark serve` instead of 9824"),
    ("HARK_SERVE_RATE", "requests a minute that `hark serve` takes from one caller; 0 means no limit"),
    ("HARK_SERVE_TOKEN", "token of `hark serve` instead of the one in the user's store"),
    ("NO_COLOR", "print without colours"),
    ("CLAUDE_CONFIG_DIR", "where Claude Code keeps its settings; `hark install` writes there"),
    ("CODEX_HOME", "where Codex CLI keeps its settings; `hark install` writes there"),
    ("COPILOT_HOME", "where Copilot CLI keeps its settings; `hark install` writes there"),
    ("CONTINUE_GLOBAL_DIR", "where Continue keeps its settings; `hark install` writes there"),
];

/// The table as part of help.
pub(crate) fn help() -> String {
    let lines = VARIABLES.iter().map(|(name, meaning)| format!("  {name:<19} {meaning}"));
    format!("Environment:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

pub(crate) struct Environment {
    pub(crate) machine: Machine,
    pub(crate) json: bool,
    /// The assistant in whose shell this runs.
    assistant: Option<Assistant>,
}

impl Environment {
    pub(crate) fn read(json: bool) -> Result<Self, Failure> {
        let machine = Machine::read()?;
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let home = machine.home().ok().map(|home| home.path);
        trace::start(set("HARK_LOG").as_deref(), set("HARK_LOG_FILE").is_some(), home.as_deref())?;
        Ok(Environment {
            machine,
            json,
            assistant: hark_hosts::assistant(&|name: &str| std::env::var(name).ok()),
        })
    }

    /// Who runs a command: the user at the keyboard, or an assistant in its own shell.
    pub(crate) fn caller(&self) -> Caller {
        match &self.assistant {
            Some(assistant) => Caller::assistant(self.machine.cwd.clone(), assistant),
            None => Caller::user(self.machine.cwd.clone()),
        }
    }
}
