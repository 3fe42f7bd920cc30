//! Real inputs to start from: those in the repository, and recorded ones if they are unpacked.

use std::fs;
use std::path::{Path, PathBuf};

use hark_testkit::tool::shared_data;
use hark_testkit::{events, hooks as recorded};

/// Longer files are cut at a line end: their beginning shows enough.
const LONGEST: usize = 32 * 1024;

/// At most this many of each recorded sort; the rest look alike.
const MOST: usize = 120;

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

/// Files below a folder, sorted by name.
fn files(folder: &Path, endings: &[&str]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if endings.contains(&ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    let step = found.len().div_ceil(MOST).max(1);
    found.iter().step_by(step).filter_map(|path| fs::read(path).ok()).map(cut).collect()
}

fn cut(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() > LONGEST {
        let end = bytes[..LONGEST].iter().rposition(|byte| *byte == b'\n').map_or(LONGEST, |end| end + 1);
        bytes.truncate(end);
    }
    bytes
}

fn own(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(folder);
    let found = files(&folder, &["md", "json", "jsonl", "jsonc", "toml", "yaml", "txt"]);
    assert!(!found.is_empty(), "no seeds in {}", folder.display());
    found
}

/// Events from every assistant.
pub fn hooks() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> =
        events::all("/home/ann/shop").iter().map(|made| made.payload.to_string().into_bytes()).collect();
    let recorded = recorded::recorded().unwrap_or_default();
    let step = recorded.len().div_ceil(MOST).max(1);
    all.extend(recorded.into_iter().step_by(step).map(|event| event.stdin.into_bytes()));
    all
}

pub fn memory_files() -> Vec<Vec<u8>> {
    own("memories")
}

pub fn session_files() -> Vec<Vec<u8>> {
    own("sessions")
}

/// A transcript from every assistant.
pub fn transcripts() -> Vec<Vec<u8>> {
    let mut all = files(&crates().join("hosts/tests/fixtures"), &["json", "jsonl", "md"]);
    all.push(hark_testkit::transcripts::codex("01a1e07d", "/home/ann/shop", "cargo test", 1).into_bytes());
    let mut claude = hark_testkit::transcripts::Claude::new("1d062700", "/home/ann/shop");
    claude
        .prompt("Make it restartable.")
        .runs("t1", "cargo test", "error: x", false)
        .edits("t2", "/a.rs")
        .says("Done.");
    all.push(claude.text().into_bytes());
    all.extend(files(&shared_data::folder().join("transcripts"), &["json", "jsonl", "md"]));
    all
}

/// Settings files, each preceded by the byte that selects its place.
pub fn settings() -> Vec<Vec<u8>> {
    let texts = own("settings");
    let numbered = |number: u8| texts.iter().map(move |text| [&[number], text.as_slice()].concat());
    (0..9).flat_map(numbered).collect()
}

pub fn imports() -> Vec<Vec<u8>> {
    [own("exports"), own("memories")].concat()
}

/// Texts that contain secrets, made from the examples of the rules.
pub fn redaction() -> Vec<Vec<u8>> {
    [own("texts"), own("memories"), hooks()].concat()
}
