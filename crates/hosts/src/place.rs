//! The surroundings: folders, variables, the path of the binary. The caller supplies them, so that nothing
//! below reads the environment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::bearer::Bearer;
use crate::host::{Host, Place, Root};

/// Variables that move an assistant's folders. The caller reads them into [`Surroundings::vars`].
pub const VARIABLES: &[&str] = &["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "CONTINUE_GLOBAL_DIR"];

#[derive(Debug, Clone)]
pub struct Surroundings {
    pub home: PathBuf,
    /// `XDG_CONFIG_HOME` or `~/.config`.
    pub config: PathBuf,
    /// The settings folder of desktop programs.
    pub app_config: PathBuf,
    /// The root of the current project.
    pub project: Option<PathBuf>,
    /// Where hark stores its record of installations, and plugin folders.
    pub data: PathBuf,
    /// The binary that assistants will start.
    pub executable: PathBuf,
    /// `HARK_HOME` if it was set, so that assistants use the same store.
    pub hark_home: Option<PathBuf>,
    pub vars: BTreeMap<String, PathBuf>,
    /// Folders of `PATH`.
    pub path: Vec<PathBuf>,
    /// The token for entries over HTTP, if it is known.
    pub bearer: Option<Bearer>,
}

impl Surroundings {
    /// The path of a place; `None` for project places outside a project.
    pub(crate) fn find(&self, host: &Host, place: &Place) -> Option<PathBuf> {
        let root = match place.root {
            Root::Home => self.home.clone(),
            Root::Config => self.config.clone(),
            Root::AppConfig => self.app_config.clone(),
            Root::Var(name, otherwise) => {
                self.vars.get(name).cloned().unwrap_or_else(|| self.home.join(otherwise))
            }
            Root::Project => self.project.clone()?,
            Root::Plugin => self.data.join("plugins").join(host.id),
        };
        let paths = || place.names.iter().map(|name| root.join(name));
        paths().find(|path| path.exists()).or_else(|| paths().next_back())
    }

    /// Evidence that an assistant is used here: its program or a trace of it.
    pub fn sign_of(&self, host: &Host) -> Option<PathBuf> {
        let programs = host.install.programs.iter().filter_map(|name| self.program(name));
        let traces = host.install.traces.iter().filter_map(|place| self.find(host, place));
        programs.chain(traces.filter(|path| path.exists())).next()
    }

    /// A program on the path.
    pub(crate) fn program(&self, name: &str) -> Option<PathBuf> {
        let file = if cfg!(windows) { format!("{name}.exe") } else { name.to_owned() };
        self.path.iter().map(|folder| folder.join(&file)).find(|path| path.is_file())
    }

    /// The version of an assistant, if it can be read without starting it: npm puts a `package.json` next to
    /// every program.
    pub fn version_of(&self, host: &Host) -> Option<String> {
        let program = host.install.programs.iter().find_map(|name| self.program(name))?;
        let real = program.canonicalize().ok()?;
        let package =
            real.ancestors().skip(1).take(4).map(|dir| dir.join("package.json")).find(|p| p.is_file())?;
        let text = hark_files::regular::read_to_string(&package, 4 * 1024 * 1024).ok()?;
        let package: serde_json::Value = serde_json::from_str(&text).ok()?;
        Some(package["version"].as_str()?.to_owned())
    }

    /// Shortens the home folder to `~` for display.
    pub fn short(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(rest) if !rest.as_os_str().is_empty() => format!("~/{}", rest.display()),
            _ => path.display().to_string(),
        }
    }
}
