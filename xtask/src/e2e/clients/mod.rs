//! The clients, one file each: the release, how to configure the scripted model, how its model calls tools,
//! and which hooks it fires without a terminal.

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

/// In this order: each receives what the previous one left behind.
pub(super) const ALL: &[&Client] = &[
    &claude_code::CLIENT,
    &codex::CLIENT,
    &opencode::CLIENT,
    &gemini_cli::CLIENT,
    &copilot_cli::CLIENT,
    &qwen_code::CLIENT,
    &droid::CLIENT,
    &cline::CLIENT,
];

/// A real client at one release.
pub(super) struct Client {
    /// As in `hark install ID`.
    pub(super) id: &'static str,
    pub(super) packages: &'static [&'static str],
    pub(super) program: &'static str,
    /// What its user has set up before hark comes, by path below the home or `$config`.
    pub(super) settings: fn(&Scene<'_>) -> Vec<(PathBuf, String)>,
    pub(super) environment: fn(&Scene<'_>) -> Vec<(&'static str, String)>,
    /// A command to run once before, such as a login.
    pub(super) before: Option<fn(&Scene<'_>) -> Vec<String>>,
    pub(super) arguments: fn(&str) -> Vec<String>,
    /// How its model calls a tool of hark.
    pub(super) call: fn(&str, Value) -> Step,
    /// How its model changes a file; most want to have read it first.
    pub(super) edit: fn(&Path, &str, &str) -> Vec<Step>,
    /// How its model runs a command, where what is said before a tool was seen to reach the model.
    pub(super) shell: Option<fn(&str) -> Step>,
    /// Has a file for instructions of its user.
    pub(super) instructed: bool,
    pub(super) hooks: Hooks,
}

/// What a client does with hooks in a non-interactive run.
pub(super) struct Hooks {
    /// Tells of the end of a session.
    pub(super) ends: bool,
    /// Shows the model what a prompt brings.
    pub(super) prompt: bool,
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
