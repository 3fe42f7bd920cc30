//! The environment of clients that follow each other: one home, one store, one project, one model.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use hark_testkit::model::{Asked, Model, Script};
use hark_testkit::{Home, disk, git};
use serde_json::Value;

use super::clients::{Client, Release, Scene};
use super::ledger::{self, Entry};
use super::processes;
use crate::npm::{Npm, finish};

const PATIENCE: Duration = Duration::from_secs(90);
/// A file of the project that every client changes once.
pub(super) const NOTES: &str = "notes.txt";

pub(super) struct Stage<'a> {
    pub(super) home: Home,
    pub(super) project: PathBuf,
    pub(super) model: Model,
    npm: &'a Npm,
    release: Release,
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
    pub(super) fn new(hark: &Path, cache: &'a Path, npm: &'a Npm, release: Release) -> Result<Self, String> {
        let home = Home::new(hark);
        let project = git::repository(&home, "app");
        fs::write(project.join(NOTES), "lanes: none\n").map_err(|e| e.to_string())?;
        git::git(&home, &project, &["add", "."]);
        git::git(&home, &project, &["commit", "-q", "-m", "notes"]);
        let model = Model::start().map_err(|e| format!("no port to listen on: {e}"))?;
        // So that the first client receives something too.
        let directive = ["remember", "--kind", "directive", "Never drive into the depot on a Friday."];
        home.hark(directive).within(&project).ok();
        Ok(Stage { home, project, model, npm, release, cache, settings: BTreeMap::new(), left: None })
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

    /// The log of the run with this name.
    pub(super) fn log(&self, client: &Client, name: &str) -> PathBuf {
        self.cache.join(format!("{}-{name}.log", client.id))
    }

    /// Where the requests of a failure are kept.
    pub(super) fn kept(&self, client: &Client) -> PathBuf {
        self.cache.join(format!("{}.requests.jsonl", client.id))
    }

    /// Runs the client once; what its model was asked.
    pub(super) fn perform(&self, client: &Client, run: Run<'_>) -> (Result<(), String>, Vec<Asked>) {
        let words = run.words(client);
        self.model.play(run.scripts);
        let outcome = self.run(client, run.name, words);
        processes::end_leftovers(&self.home.user());
        (outcome, self.model.asked())
    }

    /// Runs the client twice at once: the second from start to end while the model of the first keeps it
    /// waiting.
    pub(super) fn perform_both(
        &self,
        client: &Client,
        mut first: Run<'_>,
        second: Run<'_>,
    ) -> (Result<(), String>, Result<(), String>, Vec<Asked>) {
        first.scripts[0].held = true;
        let mark = first.scripts[0].prompt.clone();
        let (words, other_words) = (first.words(client), second.words(client));
        self.model.play([first.scripts, second.scripts].concat());
        let outcomes = std::thread::scope(|scope| {
            let waits = scope.spawn(|| self.run(client, first.name, words));
            let came = self.model.wait_for(&mark, PATIENCE);
            let other = self.run(client, second.name, other_words);
            self.model.release();
            let outcome = waits.join().unwrap_or_else(|_| Err("a panic".to_owned()));
            (if came { outcome } else { Err("it asked its model nothing".to_owned()) }, other)
        });
        processes::end_leftovers(&self.home.user());
        (outcomes.0, outcomes.1, self.model.asked())
    }

    /// Runs the client with these words.
    fn run(&self, client: &Client, name: &str, words: Vec<String>) -> Result<(), String> {
        finish(&mut self.command(client, words), &self.log(client, name), PATIENCE)
    }

    /// The client with these words, not yet started.
    pub(super) fn command(&self, client: &Client, words: Vec<String>) -> Command {
        let url = self.model.url();
        let mut command = self.home.program(self.npm.binary(&self.folder_of(client), client.program));
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
        command
    }

    /// What is run before, if anything is.
    pub(super) fn prepare(&self, client: &Client) -> Result<(), String> {
        let Some(before) = client.before else { return Ok(()) };
        let url = self.model.url();
        self.run(client, "before", before(&Scene { home: &self.home, url: &url }))
    }

    /// The sessions of this client, oldest first.
    pub(super) fn sessions(&self, client: &Client) -> Vec<Value> {
        let listed = self.hark(&["sessions", "--limit", "1000"]);
        let mut own: Vec<Value> = listed["sessions"].as_array().cloned().unwrap_or_default();
        own.retain(|session| session["host"] == client.id);
        own.sort_by_key(|session| session["started"].as_str().unwrap_or_default().to_owned());
        own
    }

    /// A session in full.
    pub(super) fn show(&self, session: &Value) -> Value {
        self.hark(&["sessions", "show", session["id"].as_str().unwrap_or_default()])
    }

    /// What hark says it injected into a session.
    pub(super) fn ledger(&self, session: &Value) -> Vec<Entry> {
        let id = session["id"].as_str().unwrap_or_default();
        ledger::entries(&self.hark(&["ledger", "--session", id, "--limit", "1000"]))
    }

    /// A path as hark shows it.
    pub(super) fn place(&self, shown: &str) -> PathBuf {
        shown.strip_prefix("~/").map_or_else(|| shown.into(), |below| self.home.user().join(below))
    }

    fn folder_of(&self, client: &Client) -> String {
        self.release.folder(client)
    }
}

/// One run of a client with a prompt.
pub(super) struct Run<'a> {
    /// Names its log.
    pub(super) name: &'static str,
    pub(super) prompt: String,
    /// The session to go on with, as the client calls it.
    pub(super) resumes: Option<&'a str>,
    /// Of the prompt, then of the subagents.
    pub(super) scripts: Vec<Script>,
}

impl Run<'_> {
    fn words(&self, client: &Client) -> Vec<String> {
        (client.arguments)(&self.prompt, self.resumes)
    }
}
