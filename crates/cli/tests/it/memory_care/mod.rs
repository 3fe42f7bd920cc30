//! Memory operations from the command line: documents, paths, references, answers, ages and past sessions.

mod ages;
mod answers;
mod documents;
mod past;
mod paths;
mod references;

use hark_testkit::Home;
use hark_testkit::git::{git, repository};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark")).at("2026-06-10T12:00:00Z")
}

/// A clone of `git.example.org/GROUP/NAME`.
fn clone_of(home: &Home, path: &str) -> std::path::PathBuf {
    let folder = repository(home, &path.replace('/', "-"));
    git(home, &folder, &["remote", "add", "origin", &format!("https://git.example.org/{path}.git")]);
    folder
}

fn remember_in(home: &Home, folder: &std::path::Path, args: &[&str]) -> String {
    let said = home.hark([&["remember", "--json"], args].concat()).within(folder).ok().json();
    said["id"].as_str().unwrap().to_owned()
}

fn ids(list: &serde_json::Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}
