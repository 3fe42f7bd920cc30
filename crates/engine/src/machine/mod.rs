//! The process and the machine around it: folder, variables, settings, clock. Read once, at the edge.

mod serving;
mod surroundings;

use std::path::{Path, PathBuf};

use hark_files::Door;
use hark_hosts::Surroundings;
use hark_store::Layout;

use crate::clock::Clock;
use crate::config::Config;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::home::Home;
use crate::project_store;
use crate::transfer::Passphrase;

pub use serving::{DEFAULT_PORT, SecretSource, ServeSecret, address};

#[derive(Debug, Clone)]
pub struct Machine {
    pub cwd: Option<PathBuf>,
    /// `HARK_HOME`.
    pub home_setting: Option<PathBuf>,
    /// `HARK_CONFIG`, or the usual place.
    pub user_config: Option<PathBuf>,
    /// `HARK_PROJECT`.
    pub project: Option<String>,
    pub clock: Clock,
}

impl Machine {
    /// Reads the environment of this process.
    pub fn read() -> Result<Machine, EngineError> {
        let path = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let now = std::env::var("HARK_NOW").ok();
        let clock = Clock::from_setting(now.as_deref()).map_err(|e| {
            EngineError::invalid(format!("HARK_NOW: {e}"), "unset HARK_NOW, or set it to a time")
        })?;
        Ok(Machine {
            cwd: std::env::current_dir().ok(),
            home_setting: path("HARK_HOME"),
            user_config: Home::user_config(path("HARK_CONFIG")),
            project: std::env::var("HARK_PROJECT").ok(),
            clock,
        })
    }

    pub fn home(&self) -> Result<Home, EngineError> {
        Home::of_user(self.home_setting.clone()).ok_or_else(homeless)
    }

    /// The settings that hold in this folder.
    pub fn config(&self) -> Result<Config, EngineError> {
        let project = self.project_settings(self.cwd.as_deref())?;
        Config::load(self.user_config.as_deref(), project.as_ref())
    }

    /// The store of the project around `folder`, if the user trusts it: it has settings of its own.
    pub fn project_settings(&self, folder: Option<&Path>) -> Result<Option<Door>, EngineError> {
        Ok(project_store::settings(folder, &Layout::new(self.home()?.path)))
    }

    pub fn engine(&self) -> Result<Engine, EngineError> {
        let mut engine = Engine::open(self.home()?, self.config()?, self.clock)?;
        engine.assume_project(self.project.as_deref());
        Ok(engine)
    }

    /// The folders, variables and programs that installing needs.
    pub fn surroundings(&self) -> Result<Surroundings, EngineError> {
        surroundings::read(self)
    }

    /// The user's settings file, whether it exists or not.
    pub fn user_file(&self) -> Result<PathBuf, EngineError> {
        self.user_config
            .clone()
            .ok_or_else(|| EngineError::invalid("no folder for a settings file", "set HARK_CONFIG to a file"))
    }

    /// The passphrase for exports: from a file, else from `HARK_PASSPHRASE`.
    pub fn passphrase(&self, file: Option<&Path>) -> Result<Option<Passphrase>, EngineError> {
        let text = match file {
            Some(path) => hark_files::regular::read_to_string(path, 64 * 1024).map_err(|e| {
                EngineError::invalid(
                    format!("{}: {e}", path.display()),
                    "name a file that contains the passphrase",
                )
            })?,
            None => std::env::var("HARK_PASSPHRASE").unwrap_or_default(),
        };
        Ok(Passphrase::new(&text))
    }
}

fn homeless() -> EngineError {
    EngineError::invalid("no home directory", "set HARK_HOME to a folder")
}
