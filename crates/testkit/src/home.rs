//! A temporary home directory for one test: empty, private, and removed at the end.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::mcp::Mcp;
use crate::run::Hark;

/// The binary that outside tests run instead of the one that was built along with them. Tests bring dependencies of
/// their own, which switch on features of packages that the product shares with them; only a binary that was built as
/// users build it shows what they get. Once, `hark grep` could not ignore case for users, and every test passed.
pub const TESTED_BINARY: &str = "HARK_TEST_BINARY";

/// A temporary HOME, data directory and working folder, and the binary that uses them.
#[derive(Debug)]
pub struct Home {
    root: TempDir,
    binary: PathBuf,
    now: Option<String>,
}

impl Home {
    /// `binary` is `env!("CARGO_BIN_EXE_hark")`. [`TESTED_BINARY`] overrides it.
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        let root = tempfile::Builder::new().prefix("hark-test-").tempdir().expect("a temp folder");
        for folder in ["home", "work", "tmp", "xdg/config", "xdg/data", "xdg/state", "xdg/cache"] {
            std::fs::create_dir_all(root.path().join(folder)).expect("a folder");
        }
        let binary = std::env::var_os(TESTED_BINARY).map_or_else(|| binary.into(), PathBuf::from);
        Home { root, binary, now: None }
    }

    /// Stops the clock at `now` for everything run from this home.
    #[must_use]
    pub fn at(mut self, now: &str) -> Self {
        self.set_now(now);
        self
    }

    pub fn set_now(&mut self, now: &str) {
        self.now = Some(now.to_owned());
    }

    /// The folder that contains everything else.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// `HOME`.
    pub fn user(&self) -> PathBuf {
        self.root().join("home")
    }

    /// `HARK_HOME`; hark creates it.
    pub fn store(&self) -> PathBuf {
        self.root().join("store")
    }

    /// The default working folder of commands: a plain folder without git.
    pub fn work(&self) -> PathBuf {
        self.root().join("work")
    }

    pub fn memories(&self) -> PathBuf {
        self.store().join("memories")
    }

    pub fn database(&self) -> PathBuf {
        self.store().join("hark.db")
    }

    pub fn user_config(&self) -> PathBuf {
        self.root().join("xdg/config/hark/config.toml")
    }

    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// Removes the index and its side files; the memories stay.
    pub fn remove_index(&self) {
        for name in ["hark.db", "hark.db-wal", "hark.db-shm"] {
            match std::fs::remove_file(self.store().join(name)) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => panic!("{name}: {e}"),
                _ => {}
            }
        }
    }

    /// Any program, run in this home's environment.
    pub fn program(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.work());
        for name in ["PATH", "LLVM_PROFILE_FILE"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
            .env("HOME", self.user())
            .env("HARK_HOME", self.store())
            .env("TMPDIR", self.root().join("tmp"))
            .env("LANG", "C.UTF-8")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", self.root().join("no-gitconfig"))
            .env("GIT_TERMINAL_PROMPT", "0");
        for (name, folder) in [
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CACHE_HOME", "cache"),
        ] {
            command.env(name, self.root().join("xdg").join(folder));
        }
        if let Some(now) = &self.now {
            command.env("HARK_NOW", now);
        }
        command
    }

    /// `hark ARGS…`, not yet started.
    pub fn hark<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Hark {
        let mut command = self.program(&self.binary);
        command.args(args);
        Hark::new(command)
    }

    /// Stores a text and returns its id.
    pub fn remember(&self, text: &str) -> String {
        self.remember_with(text, &[])
    }

    /// Stores a text with extra flags and returns its id.
    pub fn remember_with(&self, text: &str, flags: &[&str]) -> String {
        let said = self.hark([&["remember", "--json"], flags, &["--", text]].concat()).ok().json();
        said["id"].as_str().expect("an id").to_owned()
    }

    /// The only memory in `hark show ID --json`.
    pub fn show(&self, id: &str) -> Value {
        self.hark(["show", id, "--json"]).ok().json()["memories"][0].clone()
    }

    /// `hark recall … --json`.
    pub fn recall(&self, query: &str, flags: &[&str]) -> Value {
        self.hark([&["recall", "--json"], flags, &["--", query]].concat()).ok().json()
    }

    /// The ids of the hits, best first.
    pub fn recall_ids(&self, query: &str, flags: &[&str]) -> Vec<String> {
        let hits = self.recall(query, flags)["hits"].as_array().expect("hits").clone();
        hits.iter().map(|hit| hit["id"].as_str().expect("id").to_owned()).collect()
    }

    /// `hark doctor --json`, with any exit code.
    pub fn doctor(&self) -> Value {
        self.hark(["doctor", "--json"]).run().json()
    }

    /// All findings of the doctor as one text.
    pub fn findings(&self) -> String {
        self.doctor()["findings"].to_string()
    }

    /// The file of a memory.
    pub fn file_of(&self, id: &str) -> PathBuf {
        let file = self.show(id)["file"].as_str().expect("a file").to_owned();
        self.memories().join(file)
    }

    /// Like [`Home::mcp`], in another folder and with variables that a client sets.
    pub fn mcp_within(&self, folder: &Path, variables: &[(&str, &str)]) -> Mcp {
        let mut command = self.program(&self.binary);
        command.arg("mcp").current_dir(folder).envs(variables.iter().copied());
        Mcp::start(command)
    }

    /// A running `hark mcp` after its handshake.
    pub fn mcp(&self) -> Mcp {
        let mut command = self.program(&self.binary);
        command.arg("mcp");
        Mcp::start(command)
    }
}
