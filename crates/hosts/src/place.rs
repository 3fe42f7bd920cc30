//! What is around us: folders, variables, the path of the binary. Given by the caller, so that
//! nothing below reads the environment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::bearer::Bearer;
use crate::host::{Host, Place, Root};

/// Variables of assistants that move their folders. Read by the caller into [`Surroundings::vars`].
pub const VARIABLES: &[&str] = &["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "CONTINUE_GLOBAL_DIR"];

#[derive(Debug, Clone)]
pub struct Surroundings {
    pub home: PathBuf,
    /// `XDG_CONFIG_HOME` or `~/.config`.
    pub config: PathBuf,
    /// Where desktop programs keep settings.
    pub app_config: PathBuf,
    /// The root of the project we are in.
    pub project: Option<PathBuf>,
    /// Where hark keeps what is installed, and plugin folders.
    pub data: PathBuf,
    /// The binary that assistants will start.
    pub executable: PathBuf,
    /// `HARK_HOME` as it was set, so that assistants find the same store.
    pub hark_home: Option<PathBuf>,
    pub vars: BTreeMap<String, PathBuf>,
    /// Folders of `PATH`.
    pub path: Vec<PathBuf>,
    /// What entries over HTTP have to show, as far as it is known.
    pub bearer: Option<Bearer>,
}

impl Surroundings {
    /// Where a row's place is; none for project places outside a project.
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

    /// What shows that an assistant is used here: a program or a trace of it.
    pub fn sign_of(&self, host: &Host) -> Option<PathBuf> {
        let programs = host.install.programs.iter().filter_map(|name| self.program(name));
        let traces = host.install.traces.iter().filter_map(|place| self.find(host, place));
        programs.chain(traces.filter(|path| path.exists())).next()
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        let file = if cfg!(windows) { format!("{name}.exe") } else { name.to_owned() };
        self.path.iter().map(|folder| folder.join(&file)).find(|path| path.is_file())
    }

    /// The version of an assistant where it can be read without starting it: npm puts a
    /// `package.json` beside every program.
    pub fn version_of(&self, host: &Host) -> Option<String> {
        let program = host.install.programs.iter().find_map(|name| self.program(name))?;
        let real = program.canonicalize().ok()?;
        let package =
            real.ancestors().skip(1).take(4).map(|dir| dir.join("package.json")).find(|p| p.is_file())?;
        let text = hark_files::regular::read_to_string(&package, 4 * 1024 * 1024).ok()?;
        let package: serde_json::Value = serde_json::from_str(&text).ok()?;
        Some(package["version"].as_str()?.to_owned())
    }

    /// `~` for the home folder, as people read it.
    pub fn short(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(rest) if !rest.as_os_str().is_empty() => format!("~/{}", rest.display()),
            _ => path.display().to_string(),
        }
    }
}
