//! The system's own manager of services: systemd for a user on Linux, launchd on macOS.
//!
//! What a manager is told goes through [`Programs`], the only place that starts `systemctl`, `journalctl` and `launchctl`,
//! found on the `PATH`.

pub(crate) mod launchd;
pub(crate) mod systemd;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use hark_hosts::Surroundings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::EngineError;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Manager {
    Systemd,
    Launchd,
}

impl Manager {
    pub(crate) fn usual() -> Manager {
        if cfg!(target_os = "macos") { Manager::Launchd } else { Manager::Systemd }
    }

    /// Where the unit or agent is written.
    pub(crate) fn file(self, around: &Surroundings) -> PathBuf {
        match self {
            Manager::Systemd => around.config.join("systemd/user").join(systemd::UNIT),
            Manager::Launchd => {
                around.home.join("Library/LaunchAgents").join(format!("{}.plist", launchd::LABEL))
            }
        }
    }
}

/// What the unit runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Job {
    /// The program itself, not a link or a shim: an upgrade of a shim must not change what runs.
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) variables: Vec<(String, String)>,
}

impl Job {
    pub(crate) fn text(&self, manager: Manager) -> String {
        match manager {
            Manager::Systemd => systemd::unit(self),
            Manager::Launchd => launchd::agent(self),
        }
    }

    /// The command line for people.
    pub(crate) fn words(&self) -> String {
        format!("{} {}", self.program.display(), self.arguments.join(" "))
    }
}

/// Programs on the `PATH`.
pub(crate) struct Programs<'a> {
    pub(crate) path: &'a [PathBuf],
}

/// What a program printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) is_ok: bool,
    pub(crate) out: String,
    pub(crate) error: String,
}

impl Programs<'_> {
    /// `None` if there is no such program, or it cannot be started.
    pub(crate) fn run(&self, name: &str, arguments: &[&str]) -> Option<Said> {
        let program = self.path.iter().map(|folder| folder.join(name)).find(|path| path.is_file())?;
        let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        Some(Said { is_ok: output.status.success(), out: text(&output.stdout), error: text(&output.stderr) })
    }
}

/// How the unit is, according to its manager.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Condition {
    pub active: bool,
    /// In the manager's own words, such as `active (running)`.
    pub state: String,
    /// Whether it starts with the next session.
    pub enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// How often the manager started it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restarts: Option<u32>,
}

/// What a manager can be asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    Start,
    Stop,
    Restart,
    /// The file is new or has changed.
    Enable,
    Disable,
}

/// A manager and how to reach it.
pub(crate) struct Desk<'a> {
    pub(crate) manager: Manager,
    pub(crate) programs: Programs<'a>,
    pub(crate) file: PathBuf,
}

impl<'a> Desk<'a> {
    pub(crate) fn new(manager: Manager, around: &'a Surroundings) -> Desk<'a> {
        Desk { manager, programs: Programs { path: &around.path }, file: manager.file(around) }
    }

    /// Whether the manager is there, or why not.
    pub(crate) fn check(&self, job: &Job) -> Result<(), EngineError> {
        let missing = match self.manager {
            Manager::Systemd => systemd::missing(&self.programs),
            Manager::Launchd => launchd::missing(&self.programs),
        };
        missing.map_or(Ok(()), |why| {
            Err(EngineError::invalid(
                why,
                format!(
                    "run `hark serve` by hand, or add this line with `crontab -e`: @reboot {}",
                    job.words()
                ),
            ))
        })
    }

    pub(crate) fn ask(&self, wish: Wish) -> Result<(), EngineError> {
        let failed = match self.manager {
            Manager::Systemd => systemd::ask(&self.programs, wish),
            Manager::Launchd => launchd::ask(&self.programs, wish, &self.file),
        };
        failed.map_or(Ok(()), |why| Err(EngineError::invalid(why, "see `hark service logs`")))
    }

    pub(crate) fn condition(&self) -> Condition {
        match self.manager {
            Manager::Systemd => systemd::condition(&self.programs),
            Manager::Launchd => launchd::condition(&self.programs, &self.file),
        }
    }
}

/// The failure of a program in one line; `None` if it went well.
fn failure(name: &str, said: Option<Said>) -> Option<String> {
    let Some(said) = said else { return Some(format!("{name} was not found on the PATH")) };
    let why = if said.error.is_empty() { &said.out } else { &said.error };
    (!said.is_ok).then(|| format!("{name}: {}", why.lines().next().unwrap_or("failed")))
}
