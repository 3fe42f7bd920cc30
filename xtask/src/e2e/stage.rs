//! The environment of the clients: one home, one store, one project, one model.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hark_testkit::model::{Asked, Model, Script};
use hark_testkit::{Home, disk, git};
use serde_json::Value;

use super::clients::{Client, Scene};
use super::processes;
use crate::npm::{Npm, finish};

const PATIENCE: Duration = Duration::from_secs(120);
/// A file of the project that every client changes once.
pub(super) const NOTES: &str = "notes.txt";

pub(super) struct Stage<'a> {
    pub(super) home: Home,
    pub(super) project: PathBuf,
    pub(super) model: Model,
    npm: &'a Npm,
    /// Where logs of failures are kept.
    cache: &'a Path,
    /// What clients' users had set up, before hark came.
    pub(super) settings: BTreeMap<PathBuf, Vec<u8>>,
    /// What the client before left for the next one.
    pub(super) left: Option<Left>,
}

/// What one client leaves behind.
#[derive(Clone, Copy)]
pub(super) struct Left {
    pub(super) lane: &'static str,
}

impl<'a> Stage<'a> {
    pub(super) fn new(hark: &Path, cache: &'a Path, npm: &'a Npm) -> Result<Self, String> {
        let home = Home::new(hark);
        let project = git::repository(&home, "app");
        fs::write(project.join(NOTES), "lanes: none\n").map_err(|e| e.to_string())?;
        git::git(&home, &project, &["add", "."]);
        git::git(&home, &project, &["commit", "-q", "-m", "notes"]);
        let model = Model::start().map_err(|e| format!("no port to listen on: {e}"))?;
        // So that the first client receives something too.
        let directive = ["remember", "--kind", "directive", "Never drive into the depot on a Friday."];
        home.hark(directive).within(&project).ok();
        Ok(Stage { home, project, model, npm, cache, settings: BTreeMap::new(), left: None })
    }

    /// Puts there what the client's user has, and remembers it.
    pub(super) fn furnish(&mut self, client: &Client) -> Result<(), String> {
        let url = self.model.url();
        for (path, text) in (client.settings)(&Scene { home: &self.home, url: &url }) {
            let folder = path.parent().unwrap_or(&path);
            fs::create_dir_all(folder).and_then(|()| fs::write(&path, &text)).map_err(|e| e.to_string())?;
            self.settings.insert(path, text.into_bytes());
        }
        Ok(())
    }

    /// `hark …  --json` in the project; `null` if it fails.
    pub(super) fn hark(&self, words: &[&str]) -> Value {
        let outcome = self.home.hark([words, &["--json"]].concat()).within(&self.project).run();
        if outcome.code == Some(0) { outcome.json() } else { Value::Null }
    }

    /// Everything in the home that is not the store.
    pub(super) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = disk::files(&self.home.user());
        for (path, bytes) in disk::files(&self.home.root().join("xdg/config")) {
            all.insert(Path::new("config").join(path), bytes);
        }
        all
    }

    pub(super) fn log(&self, client: &Client) -> PathBuf {
        self.cache.join(format!("{}.log", client.id))
    }

    /// Where the requests of a failure are kept.
    pub(super) fn kept(&self, client: &Client) -> PathBuf {
        self.cache.join(format!("{}.requests.jsonl", client.id))
    }

    /// Runs the client once with this prompt; what its model was asked.
    pub(super) fn perform(
        &self,
        client: &Client,
        prompt: &str,
        script: Script,
    ) -> (Result<(), String>, Vec<Asked>) {
        self.model.play(script);
        let outcome = self.run(client, (client.arguments)(prompt));
        processes::end_leftovers(&self.home.user());
        (outcome, self.model.asked())
    }

    /// Runs the client with these words.
    pub(super) fn run(&self, client: &Client, words: Vec<String>) -> Result<(), String> {
        let url = self.model.url();
        let mut command = self.home.program(self.npm.binary(client.id, client.program));
        command.args(words).current_dir(&self.project).env("PATH", self.npm.search_path());
        for (name, value) in (client.environment)(&Scene { home: &self.home, url: &url }) {
            command.env(name, value);
        }
        for name in [
            "DISABLE_AUTOUPDATER",
            "DISABLE_TELEMETRY",
            "DISABLE_ERROR_REPORTING",
            "DO_NOT_TRACK",
            "NO_COLOR",
        ] {
            command.env(name, "1");
        }
        finish(&mut command, &self.log(client), PATIENCE)
    }

    /// What is run before, if anything is.
    pub(super) fn prepare(&self, client: &Client) -> Result<(), String> {
        let Some(before) = client.before else { return Ok(()) };
        let url = self.model.url();
        self.run(client, before(&Scene { home: &self.home, url: &url }))
    }
}
