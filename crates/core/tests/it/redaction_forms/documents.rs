//! Real documents: those of this repository, and the shared corpora if they are unpacked. Counted in lines: a
//! line without a secret that changes is a false alarm.

use std::fs;
use std::path::{Path, PathBuf};

use hark_core::redact::{Raw, RedactOptions, Redactor};

const MOST_FALSE: f64 = 0.005;
const MOST_BYTES: u64 = 2_000_000;
const ENOUGH_LINES: usize = 20_000;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Text files below `folder`, except for build output and texts about redaction, which are full of invented
/// secrets.
fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let made = ["target", "node_modules", "snapshots"].contains(&name.as_str()) || name.starts_with('.');
        if made || ["redact", "secret"].iter().any(|word| name.contains(word)) {
            continue;
        }
        if path.is_dir() {
            texts(&path, found);
            continue;
        }
        let kind = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        if ["md", "rs", "toml", "sql", "txt", "json", "jsonl", "lock", "py", "sh"].contains(&kind.as_str()) {
            found.push(path);
        }
    }
}

/// The number of lines, and those that changed, with the result.
fn measure(paths: &[PathBuf]) -> (usize, Vec<String>) {
    let redactor = Redactor::new(RedactOptions { emails: false, private_spans: false }, [7; 32]);
    let (mut lines, mut changed) = (0, Vec::new());
    for path in paths {
        if fs::metadata(path).is_ok_and(|meta| meta.len() > MOST_BYTES) {
            continue;
        }
        let Ok(text) = fs::read_to_string(path) else { continue };
        lines += text.lines().count();
        let (_, findings) = redactor.clean_with_findings(Raw::new(text.as_str()));
        for finding in findings {
            let from = text[..finding.start].rfind('\n').map_or(0, |i| i + 1);
            let line: String = text[from..].lines().next().unwrap_or_default().chars().take(200).collect();
            let covered = text[finding.start..finding.end].lines().count();
            let name = path.strip_prefix(root()).unwrap_or(path).display().to_string();
            changed.extend(vec![format!("{name}: {} {line}", finding.rule); covered]);
        }
    }
    (lines, changed)
}

fn check(name: &str, folder: &Path) -> usize {
    let mut paths = Vec::new();
    texts(folder, &mut paths);
    let (lines, changed) = measure(&paths);
    let share = changed.len() as f64 / lines.max(1) as f64;
    for line in &changed {
        eprintln!("changed {line}");
    }
    eprintln!("{name}: {} of {lines} lines in {} files changed = {share:.5}", changed.len(), paths.len());
    assert!(share <= MOST_FALSE, "{name}: {share:.5}");
    lines
}

#[test]
fn this_repository_comes_through() {
    assert!(check("repository", &root()) >= ENOUGH_LINES);
}

#[test]
fn the_shared_corpora_come_through() {
    let Some(data) = hark_testkit::shared("") else { return };
    check("notes", &data.join("notes"));
    check("transcripts", &data.join("transcripts"));
    check("hindsight", &data.join("hindsight"));
    check("evaluation", &data.join("eval"));
}
