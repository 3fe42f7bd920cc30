//! The clients, one file each: the release, how to configure the scripted model, how its model calls tools,
//! how it resumes and compacts a session, and what it cannot do without a terminal.

mod claude_code;
mod cline;
mod codex;
mod copilot_cli;
mod droid;
mod gemini_cli;
mod opencode;
mod qwen_code;

use std::path::{Path, PathBuf};

use hark_testkit::Home;
use hark_testkit::model::Step;
use serde_json::Value;

use super::proven::Promise;

/// Two rows that run side by side, each with a home of its own. In a row, each client receives what the one
/// before left behind.
pub(super) const ROWS: [&[&Client]; 2] = [
    &[&claude_code::CLIENT, &opencode::CLIENT, &copilot_cli::CLIENT, &droid::CLIENT],
    &[&codex::CLIENT, &gemini_cli::CLIENT, &qwen_code::CLIENT, &cline::CLIENT],
];

pub(super) fn all() -> impl Iterator<Item = &'static Client> {
    ROWS.into_iter().flatten().copied()
}

/// A real client at one release.
pub(super) struct Client {
    /// As in `hark install ID`.
    pub(super) id: &'static str,
    pub(super) packages: &'static [&'static str],
    pub(super) program: &'static str,
    /// What its user has set up before hark comes, by path below the home or `$config`.
    pub(super) settings: fn(&Scene<'_>) -> Vec<(PathBuf, String)>,
    pub(super) environment: fn(&Scene<'_>) -> Vec<(&'static str, String)>,
    /// The file below the home in which it keeps which hooks its user has reviewed; it runs no others.
    pub(super) reviewed: Option<&'static str>,
    /// A command to run once before, such as a login.
    pub(super) before: Option<fn(&Scene<'_>) -> Vec<String>>,
    /// Its words for a prompt: in a new session, or in the one that it calls so.
    pub(super) arguments: fn(&str, Option<&str>) -> Vec<String>,
    /// How its model calls a tool of hark.
    pub(super) call: fn(&str, Value) -> Step,
    /// How its model changes a file; most want to have read it first.
    pub(super) edit: fn(&Path, &str, &str) -> Vec<Step>,
    /// How its model runs a command.
    pub(super) shell: fn(&str) -> Step,
    /// How its model starts a subagent with this prompt, if hark can tell it something.
    pub(super) delegate: Option<fn(&str) -> Step>,
    /// Whether its hooks can refuse a call.
    pub(super) refuses: bool,
    /// Whether it can go on with a session that ended.
    pub(super) resumes: bool,
    pub(super) compacts: Option<Compaction>,
    /// Whether a hook tells of the end of a session.
    pub(super) ends_by_hook: bool,
    /// Has a file for instructions of its user.
    pub(super) instructed: bool,
    /// Promises that hark cannot keep with this client when it runs without a terminal, and why.
    pub(super) absent: &'static [(Promise, &'static str)],
}

/// Where no hook tells of the end, hark sees that the process is gone, if the system tells.
const UNTOLD_END: &[(Promise, &str)] = if cfg!(target_os = "linux") {
    &[]
} else {
    &[(Promise::End, "fires no hook at the end without a terminal")]
};

impl Client {
    /// Whether there is a package of it for this machine.
    pub(super) fn runs_here(&self) -> bool {
        let is_bound = self.packages.iter().any(|package| package.contains("-linux-x64@"));
        !is_bound || cfg!(all(target_os = "linux", target_arch = "x86_64"))
    }
}

/// What makes a client compact a session.
#[derive(Clone, Copy)]
pub(super) enum Compaction {
    /// This prompt, when it goes on with the session.
    Prompt(&'static str),
    /// This many tokens, if its model reports them.
    Tokens(u64),
}

/// Which release of the clients to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Release {
    /// The ones named here.
    Pinned,
    /// Whatever is the newest today.
    Newest,
}

impl Release {
    pub(super) fn packages(self, client: &Client) -> Vec<String> {
        let newest = |package: &&str| match package.rsplit_once('@') {
            Some((name, _)) if !name.is_empty() => format!("{name}@latest"),
            _ => format!("{package}@latest"),
        };
        match self {
            Release::Pinned => client.packages.iter().map(|package| (*package).to_owned()).collect(),
            Release::Newest => client.packages.iter().map(newest).collect(),
        }
    }

    /// Where they are installed.
    pub(super) fn folder(self, client: &Client) -> String {
        match self {
            Release::Pinned => client.id.to_owned(),
            Release::Newest => format!("{}-newest", client.id),
        }
    }
}

/// Where a client plays.
pub(super) struct Scene<'a> {
    pub(super) home: &'a Home,
    /// Of the scripted model.
    pub(super) url: &'a str,
}

impl Scene<'_> {
    pub(super) fn in_home(&self, path: &str) -> PathBuf {
        self.home.user().join(path)
    }

    /// Below `XDG_CONFIG_HOME`.
    pub(super) fn in_config(&self, path: &str) -> PathBuf {
        self.home.root().join("xdg/config").join(path)
    }
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_release_has_no_number() {
        let codex = Release::Newest.packages(&codex::CLIENT);
        assert_eq!(codex, ["@openai/codex@latest"]);
        assert_eq!(Release::Newest.packages(&opencode::CLIENT), ["opencode-ai@latest"]);
        assert_ne!(Release::Newest.folder(&codex::CLIENT), Release::Pinned.folder(&codex::CLIENT));
    }
}
