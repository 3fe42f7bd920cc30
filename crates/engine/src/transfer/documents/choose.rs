//! Chooses the documents and sections of a project that are worth reading.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::export::io_error;
use super::sections::Section;
use crate::error::EngineError;

const LARGEST: u64 = 512 * 1024;
const MOST_FILES: usize = 300;
/// "Needs Node 20" is worth knowing; "See below" is not.
const LEAST_LETTERS: usize = 9;

/// Folders that people keep records of decisions in.
const DECISIONS: &[&str] = &["adr", "adrs", "decisions", "architecture-decisions"];
/// Documents at the top of a project, by the beginning of their name.
const TOP: &[&str] = &["readme", "contributing", "architecture", "design", "development", "hacking"];
const FOLDERS: &[&str] = &["docs", "doc", "adr", "adrs", "decisions"];
/// What is generated, or not about the project.
const SKIPPED: &[&str] =
    &["node_modules", "target", "vendor", "dist", "build", "_build", "site", "reference", "api"];

/// The documents of a project's folder, sorted. `everything` takes each markdown file.
pub(super) fn documents(root: &Path, folder: &Path, everything: bool) -> Result<Vec<PathBuf>, EngineError> {
    let mut found = Vec::new();
    if everything || is_of_documents(root, folder) {
        gather(folder, 0, &mut found)?;
    } else {
        for entry in fs::read_dir(folder).map_err(|e| io_error(folder, e))?.flatten() {
            let name = entry.file_name().to_string_lossy().to_lowercase();
            let path = entry.path();
            // A link may lead outside the project, to private files.
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) && !stays_within(root, &path) {
                continue;
            }
            if is_document(&path) && TOP.iter().any(|top| name.starts_with(top)) {
                found.push(path);
            } else if FOLDERS.contains(&name.as_str()) && path.is_dir() {
                gather(&path, 0, &mut found)?;
            }
        }
    }
    found.sort();
    found.truncate(MOST_FILES);
    Ok(found)
}

/// `docs/adr` contains nothing but documents, whatever their names.
fn is_of_documents(root: &Path, folder: &Path) -> bool {
    let within = folder.strip_prefix(root).unwrap_or(folder).iter().chain(folder.file_name());
    let mut names = within.map(|name| name.to_string_lossy().to_lowercase());
    names.any(|name| FOLDERS.contains(&name.as_str()))
}

fn gather(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), EngineError> {
    for entry in fs::read_dir(folder).map_err(|e| io_error(folder, e))?.flatten() {
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let Ok(kind) = entry.file_type() else { continue };
        if name.starts_with('.') || kind.is_symlink() || SKIPPED.contains(&name.as_str()) {
            continue;
        }
        if kind.is_dir() && depth < 6 {
            gather(&entry.path(), depth + 1, found)?;
        } else if is_document(&entry.path()) {
            found.push(entry.path());
        }
    }
    Ok(())
}

fn stays_within(root: &Path, path: &Path) -> bool {
    matches!((fs::canonicalize(root), fs::canonicalize(path)), (Ok(root), Ok(path)) if path.starts_with(&root))
}

fn is_document(path: &Path) -> bool {
    let markdown =
        path.extension().is_some_and(|e| e.eq_ignore_ascii_case("md") || e.eq_ignore_ascii_case("markdown"));
    markdown && fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= LARGEST)
}

/// Whether a document is a record of one decision.
pub(super) fn is_decision(place: &str) -> bool {
    let lower = place.to_lowercase();
    let mut parts: Vec<&str> = lower.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    let numbered = name.bytes().take_while(u8::is_ascii_digit).count() >= 2 || name.starts_with("adr-");
    let kept_there = parts.iter().any(|part| DECISIONS.contains(part));
    let about_them = matches!(name, "readme.md" | "index.md" | "template.md") || name.contains("template");
    (kept_there || numbered && parts.first().is_some_and(|p| p.starts_with("doc"))) && !about_them
}

/// Whether a section says something worth keeping.
pub(super) fn is_worth_it(section: &Section) -> bool {
    const DULL: &[&str] = &[
        "license",
        "licence",
        "table of contents",
        "contents",
        "toc",
        "contributors",
        "sponsors",
        "badges",
        "acknowledgements",
        "acknowledgments",
        "credits",
        "changelog",
        "star history",
        "links",
        "support",
    ];
    let heading = section.heading.to_lowercase();
    !DULL.contains(&heading.trim()) && prose(&section.text) >= LEAST_LETTERS
}

/// Letters that are not code, pictures, badges or links.
fn prose(text: &str) -> usize {
    let mut fenced = false;
    let mut count = 0;
    for line in text.lines() {
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            fenced = !fenced;
            // A command worth a block is worth something.
            count += 10;
            continue;
        }
        let markup = bare.starts_with("<") || bare.starts_with("[![") || bare.starts_with("![");
        if markup || (bare.starts_with('[') && bare.contains("]: ")) {
            continue;
        }
        let letters = bare.chars().filter(|c| c.is_alphabetic()).count();
        count += if fenced { letters / 4 } else { letters };
    }
    count
}

#[cfg(test)]
mod tests {
    use super::super::sections::split;
    use super::*;

    #[test]
    fn decisions_are_known_by_where_they_are() {
        for place in
            ["docs/adr/0001-use-rust.md", "adr/use-rust.md", "docs/decisions/x.md", "doc/0007-cache.md"]
        {
            assert!(is_decision(place), "{place}");
        }
        for place in
            ["README.md", "docs/adr/README.md", "docs/adr/template.md", "docs/setup.md", "2024-notes.md"]
        {
            assert!(!is_decision(place), "{place}");
        }
    }

    #[test]
    fn badges_and_licences_are_not_worth_it() {
        let text = "# Shop\n[![ci](x)](y)\n## License\nMIT, and a long sentence about what that means for everybody involved.\n## Deploys\nDeploys run on Tuesdays from the release branch, after the smoke tests are green.\n";
        let kept: Vec<String> =
            split(text).iter().filter(|s| is_worth_it(s)).map(|s| s.anchor.clone()).collect();
        assert_eq!(kept, ["deploys"]);
    }

    #[test]
    fn a_short_sentence_or_a_command_is_worth_it() {
        let text = "# Setup\nRun make dev; needs Node 20.\n## Test\n```sh\nmake test\n```\n## See\nBelow.\n";
        let kept: Vec<String> =
            split(text).iter().filter(|s| is_worth_it(s)).map(|s| s.anchor.clone()).collect();
        assert_eq!(kept, ["setup", "test"]);
    }
}
