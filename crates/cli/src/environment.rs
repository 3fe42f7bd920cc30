//! What the process brings along: environment variables, folder, output mode. Read once, here.

use std::path::{Path, PathBuf};

use hark_engine::transfer::Passphrase;
use hark_engine::{Caller, Clock, Config, Engine, Home, Layout, Told, project_store};
use hark_hosts::Assistant;

use crate::args::Output;
use crate::failure::Failure;
use crate::ui;

/// Every environment variable that hark reads, with what it means. The reference page is made
/// from this table.
pub(crate) const VARIABLES: &[(&str, &str)] = &[
    ("HARK_HOME", "your store, instead of the user's data directory"),
    ("HARK_CONFIG", "settings file to use instead of `~/.config/hark/config.toml`"),
    ("HARK_NOW", "time to use instead of the clock, for tests: RFC 3339 or milliseconds"),
    ("HARK_PASSPHRASE", "passphrase of encrypted exports, where no file is named"),
    ("HARK_SERVE_HOST", "address of `hark serve` instead of 127.0.0.1"),
    ("HARK_SERVE_PORT", "port of `hark serve` instead of 9824"),
    ("HARK_SERVE_TOKEN", "token of `hark serve` instead of the one in the user's store"),
    ("NO_COLOR", "print without colours"),
    ("CLAUDE_CONFIG_DIR", "where Claude Code keeps its settings; `hark install` writes there"),
    ("CODEX_HOME", "where Codex CLI keeps its settings; `hark install` writes there"),
    ("COPILOT_HOME", "where Copilot CLI keeps its settings; `hark install` writes there"),
    ("CONTINUE_GLOBAL_DIR", "where Continue keeps its settings; `hark install` writes there"),
];

/// The table as part of `hark --help`.
pub(crate) fn help() -> String {
    let lines = VARIABLES.iter().map(|(name, meaning)| format!("  {name:<19} {meaning}"));
    format!(
        "Environment:\n{}\n\nStart with `hark install` or `hark tour`, or `hark remember \"…\"` and `hark recall \"…\"`.",
        lines.collect::<Vec<_>>().join("\n")
    )
}

pub(crate) struct Environment {
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) home_setting: Option<PathBuf>,
    pub(crate) user_config: Option<PathBuf>,
    pub(crate) clock: Clock,
    pub(crate) output: Output,
    /// The assistant in whose shell this runs.
    assistant: Option<Assistant>,
}

impl Environment {
    pub(crate) fn read(output: Output) -> Result<Self, Failure> {
        let path = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let now = std::env::var("HARK_NOW").ok();
        let clock = Clock::from_setting(now.as_deref())
            .map_err(|e| Failure::user(format!("HARK_NOW: {e}"), "unset HARK_NOW, or set it to a time"))?;
        Ok(Environment {
            cwd: std::env::current_dir().ok(),
            home_setting: path("HARK_HOME"),
            user_config: Home::user_config(path("HARK_CONFIG")),
            clock,
            output,
            assistant: hark_hosts::assistant(&|name: &str| std::env::var(name).ok()),
        })
    }

    /// The passphrase for exports: from a file, else from the environment.
    pub(crate) fn passphrase(&self, file: Option<&Path>) -> Result<Option<Passphrase>, Failure> {
        let text = match file {
            Some(path) => hark_files::regular::read_to_string(path, 64 * 1024).map_err(|e| {
                Failure::user(format!("{}: {e}", path.display()), "name a file with the passphrase in it")
            })?,
            None => std::env::var("HARK_PASSPHRASE").unwrap_or_default(),
        };
        Ok(Passphrase::new(&text))
    }

    pub(crate) fn home(&self) -> Result<Home, Failure> {
        Home::of_user(self.home_setting.clone())
            .ok_or_else(|| Failure::user("there is no home directory", "set HARK_HOME to a folder"))
    }

    pub(crate) fn config(&self) -> Result<Config, Failure> {
        let home = self.home()?;
        let project = project_store::settings(self.cwd.as_deref(), &Layout::new(home.path));
        Ok(Config::load(self.user_config.as_deref(), project.as_ref())?)
    }

    pub(crate) fn engine(&self) -> Result<Engine, Failure> {
        Ok(Engine::open(self.home()?, self.config()?, self.clock)?)
    }

    /// Whose words a command speaks: the user's at the keyboard, or an assistant's in a shell of its own.
    pub(crate) fn caller(&self) -> Caller {
        match &self.assistant {
            Some(assistant) => Caller::assistant(self.cwd.clone(), assistant),
            None => Caller::user(self.cwd.clone()),
        }
    }

    /// For commands by which the user decides something: an assistant may not run them.
    pub(crate) fn refuse_under_assistant(&self, command: &str) -> Result<(), Failure> {
        match &self.assistant {
            None => Ok(()),
            Some(assistant) => Err(Failure::user(
                format!("`{command}` is for the user to run, and this is a shell of {}", assistant.host.name),
                "run it in a terminal of your own",
            )),
        }
    }

    /// Runs an operation on the store.
    pub(crate) fn with_engine<T>(
        &self,
        mut operation: impl FnMut(&mut Engine, &Caller) -> Result<T, hark_engine::EngineError>,
    ) -> Result<T, Failure> {
        let caller = self.caller();
        let mut engine = self.engine()?;
        if let Some(folder) = &self.cwd {
            engine.enter(folder)?;
            self.tell_of_untrusted(&engine, folder);
        }
        let (_, outcome) = engine.recovering(|engine| operation(engine, &caller));
        Ok(outcome?)
    }

    /// Says once that a project carries a store that is not used as the user's own.
    fn tell_of_untrusted(&self, engine: &Engine, folder: &Path) {
        if self.output.json {
            return;
        }
        if let Some(store) = engine.tell_of_untrusted(folder, Told::User) {
            ui::note(&format!(
                "this project carries a Hark store that you have not trusted ({}). Hark quotes it when you ask, and \
                 nothing more. To use it as your project's memory: hark trust\n",
                ui::safe(&store.display().to_string())
            ));
        }
    }
}
