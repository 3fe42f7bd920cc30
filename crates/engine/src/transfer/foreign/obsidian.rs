//! Imports a folder of notes from Obsidian or a similar tool: one memory per note, with its tags, dates and
//! links.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use hark_core::{Kind, Relation, Timestamp};
use hark_files::regular;

use super::super::documents::sections::without_front_matter;
use super::super::export::io_error;
use super::harvest::{Harvest, Note, Tie};
use super::words::{self, time};
use super::{Surroundings, Tool};
use crate::error::EngineError;

pub(super) const TOOL: Tool = Tool {
    name: "obsidian",
    aliases: &["vault", "notes"],
    about: "a folder of markdown notes; PATH is required",
    places: |_: &Surroundings| Vec::new(),
    read,
};

const MOST_NOTES: usize = 50_000;

fn read(path: &Path, harvest: &mut Harvest) -> Result<(), EngineError> {
    let mut files = Vec::new();
    if path.is_file() {
        files.push(path.to_owned());
    } else {
        gather(path, 0, &mut files)?;
    }
    files.sort();
    if files.is_empty() {
        return Err(EngineError::invalid(
            format!("{}: contains no markdown files", path.display()),
            "pass the folder of the vault",
        ));
    }
    let mut names: HashMap<String, String> = HashMap::new();
    let mut calls: Vec<(String, String)> = Vec::new();
    for file in files {
        let Ok(text) = regular::read_to_string(&file, 16 * 1024 * 1024) else {
            harvest.unmapped("a note that is not UTF-8 text");
            continue;
        };
        let place = file.strip_prefix(path).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let place = if place.is_empty() { file.to_string_lossy().into_owned() } else { place };
        let front = front_matter(&text);
        if front.contains_key("id") && front.contains_key("revision") {
            harvest.unmapped("a memory of hark; import it with `hark import`");
            continue;
        }
        let stem = file.file_stem().and_then(|s| s.to_str()).unwrap_or_default().to_owned();
        let body = without_front_matter(&text).trim().to_owned();
        let mut note = Note::new(("notes", place.clone()), Kind::Fact, body);
        let first = |keys: &[&str]| keys.iter().find_map(|key| front.get(*key)?.first().cloned());
        if let Some(word) = first(&["kind", "type"]) {
            note.kind = words::kind(harvest, &word, Kind::Fact);
        }
        note.title = Some(first(&["title"]).unwrap_or(stem.clone()));
        note.tags = front.get("tags").or_else(|| front.get("tag")).cloned().unwrap_or_default();
        note.tags.extend(hashtags(&note.body));
        for tag in &mut note.tags {
            *tag = tag.trim_start_matches('#').to_owned();
        }
        note.created = time(first(&["created", "date", "created_at"]).as_deref());
        note.updated = time(first(&["updated", "modified"]).as_deref()).or_else(|| modified(&file));
        calls.extend(wiki_links(&note.body).into_iter().map(|to| (place.clone(), to)));
        for name in front.get("aliases").into_iter().flatten().chain([&stem]) {
            names.insert(name.to_lowercase(), place.clone());
        }
        names.insert(place.trim_end_matches(".md").to_lowercase(), place);
        harvest.notes.push(note);
    }
    for (from, to) in calls {
        match names.get(&to.to_lowercase()) {
            Some(place) => harvest.ties.push(Tie {
                from: ("notes", from),
                to: ("notes", place.clone()),
                relation: Relation::Related,
                weight: 1.0,
            }),
            None => harvest.unmapped("a link to a missing note"),
        }
    }
    Ok(())
}

fn gather(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), EngineError> {
    for entry in fs::read_dir(folder).map_err(|e| io_error(folder, e))?.flatten() {
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let Ok(kind) = entry.file_type() else { continue };
        if hidden || kind.is_symlink() || found.len() >= MOST_NOTES {
            continue;
        }
        if kind.is_dir() && depth < 16 {
            gather(&entry.path(), depth + 1, found)?;
        } else if entry.path().extension().is_some_and(|e| e.eq_ignore_ascii_case("md")) {
            found.push(entry.path());
        }
    }
    Ok(())
}

fn modified(file: &Path) -> Option<Timestamp> {
    let at = fs::metadata(file).ok()?.modified().ok()?;
    let since = at.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(Timestamp::from_millis(since.as_millis() as i64))
}

/// Keys with their values: `a: x`, `a: [x, y]`, or a list below. Nested things are passed over.
fn front_matter(text: &str) -> HashMap<String, Vec<String>> {
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    let body = without_front_matter(text);
    let head = &text[..text.len() - body.len()];
    let mut key = String::new();
    let plain = |value: &str| value.trim().trim_matches(['"', '\'']).trim().to_owned();
    for line in head.lines().filter(|line| *line != "---") {
        if let Some(item) = line.trim_start().strip_prefix("- ") {
            found.entry(key.clone()).or_default().push(plain(item));
        } else if let Some((name, value)) =
            line.split_once(':').filter(|(name, _)| !name.starts_with([' ', '#']))
        {
            key = name.trim().to_lowercase();
            let value = value.trim();
            let inner = value.strip_prefix('[').and_then(|v| v.strip_suffix(']'));
            let values: Vec<String> = match inner {
                Some(inner) => inner.split(',').map(plain).collect(),
                None if key == "tags" || key == "aliases" => value.split(',').map(plain).collect(),
                None => vec![plain(value)],
            };
            let values: Vec<String> = values.into_iter().filter(|v| !v.is_empty()).collect();
            found.entry(key.clone()).or_default().extend(values);
        }
    }
    found
}

/// `#tag` in running text; not headings, not numbers.
fn hashtags(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let Some(tag) = word.strip_prefix('#') else { continue };
        let tag: String =
            tag.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '/')).collect();
        let named = tag.chars().any(char::is_alphabetic);
        if named && !found.contains(&tag) && found.len() < 50 {
            found.push(tag);
        }
    }
    found
}

/// `[[Note]]`, `[[folder/Note|shown]]`, `[[Note#part]]`.
fn wiki_links(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in text.split("[[").skip(1) {
        let Some((inner, _)) = part.split_once("]]") else { continue };
        let name = inner.split(['|', '#']).next().unwrap_or_default().trim().trim_end_matches(".md");
        if !name.is_empty() && !inner.contains('\n') && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_tags_and_links_in_their_spellings() {
        let front =
            front_matter("---\ntags: [a, \"b\"]\naliases:\n  - One\n  - Two\ncreated: 2026-01-02\n---\nx");
        assert_eq!(front["tags"], ["a", "b"]);
        assert_eq!(front["aliases"], ["One", "Two"]);
        assert_eq!(front["created"], ["2026-01-02"]);
        assert_eq!(hashtags("# Heading\n#idea and #12 and (#x"), ["idea"]);
        assert_eq!(wiki_links("see [[A|b]], [[c/D#e]], [[broken and ![[A]]"), ["A", "c/D"]);
    }
}
