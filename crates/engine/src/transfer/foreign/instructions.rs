//! Files in which people tell assistants how to work: CLAUDE.md, AGENTS.md, MEMORY.md. One memory per
//! section. They are instructions there; here they are what a file says, until the user says it too.

use std::fs;
use std::path::{Path, PathBuf};

use hark_core::{Kind, Timestamp};
use hark_files::regular;

use super::super::documents::sections;
use super::super::export::io_error;
use super::harvest::{Harvest, Note};
use super::{Surroundings, Tool};
use crate::error::EngineError;

pub(super) const TOOL: Tool = Tool {
    name: "instructions",
    aliases: &["claude-md", "CLAUDE.md", "agents-md", "AGENTS.md", "memory-md", "MEMORY.md"],
    about: "CLAUDE.md, AGENTS.md and MEMORY.md",
    places,
    read,
};

const NAMES: &[&str] = &["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "MEMORY.md", ".claude/CLAUDE.md"];

fn places(around: &Surroundings) -> Vec<PathBuf> {
    let mut found = around.in_home(&[".claude", "CLAUDE.md"]);
    found.extend(around.in_home(&[".codex", "AGENTS.md"]));
    if let Some(folder) = &around.folder {
        found.extend(NAMES.iter().map(|name| folder.join(name)));
        // What Claude Code notes by itself, by the folder it works in.
        let dashed = dashed(folder);
        found.extend(around.in_home(&[".claude", "projects", &dashed, "memory", "MEMORY.md"]));
    }
    found
}

/// How Claude Code names a folder: every character that is no letter or digit becomes a dash.
pub(super) fn dashed(folder: &Path) -> String {
    folder.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

fn read(path: &Path, harvest: &mut Harvest) -> Result<(), EngineError> {
    let files: Vec<PathBuf> = if path.is_dir() {
        NAMES.iter().map(|name| path.join(name)).filter(|file| file.is_file()).collect()
    } else {
        vec![path.to_owned()]
    };
    if files.is_empty() {
        return Err(EngineError::invalid(
            format!("{}: contains none of {}", path.display(), NAMES.join(", ")),
            "pass a file or a project folder",
        ));
    }
    for file in files {
        let file = fs::canonicalize(&file).map_err(|e| io_error(&file, e))?;
        let text = regular::read_to_string(&file, 16 * 1024 * 1024).map_err(|e| io_error(&file, e))?;
        let written = fs::metadata(&file).and_then(|meta| meta.modified()).ok();
        let written = written.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let written = written.map(|since| Timestamp::from_millis(since.as_millis() as i64));
        let name = file.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        for section in sections::split(&without_blocks(&text)) {
            if section.text.is_empty() {
                continue;
            }
            let key = ("sections", format!("{}#{}", file.display(), section.anchor));
            let mut note = Note::new(key, kind_of(&section.heading), section.text.clone());
            note.title = Some(section.path(name));
            note.tags.push(name.to_owned());
            note.project = project_of(&file);
            note.updated = written;
            harvest.notes.push(note);
        }
    }
    Ok(())
}

fn kind_of(heading: &str) -> Kind {
    let heading = heading.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| heading.contains(word));
    if has(&["decision", "adr"]) {
        Kind::Decision
    } else if has(&["command", "build", "test", "deploy", "setup", "install", "release", "workflow"]) {
        Kind::Procedure
    } else if has(&["architecture", "overview", "structure", "stack", "about", "project"]) {
        Kind::Fact
    } else {
        Kind::Convention
    }
}

/// The project a file speaks for; `None` for those of the whole machine.
fn project_of(file: &Path) -> Option<String> {
    let folder = file.parent()?;
    if folder.file_name()? == "memory" {
        // ~/.claude/projects/<dashed folder>/memory/MEMORY.md
        return Some(folder.parent()?.file_name()?.to_str()?.to_owned());
    }
    let tucked = folder.file_name().is_some_and(|name| name == ".claude" || name == ".codex");
    let root = if tucked { folder.parent()? } else { folder };
    let is_home =
        etcetera::home_dir().ok().and_then(|home| fs::canonicalize(home).ok()).is_some_and(|h| h == root);
    (!is_home).then(|| root.display().to_string())
}

/// Blocks that tools (we too) put between markers are theirs, not the user's.
fn without_blocks(text: &str) -> String {
    let mut kept = String::new();
    let mut until: Option<String> = None;
    for line in text.lines() {
        let bare = line.trim();
        let inner = bare.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")).map(str::trim);
        match (&until, inner) {
            (None, Some(inner)) => {
                let lower = inner.to_lowercase();
                if let Some(name) = lower.strip_prefix("begin ") {
                    until = Some(format!("end {}", name.split_whitespace().next().unwrap_or_default()));
                } else if let Some(name) = lower.strip_suffix(":start") {
                    until = Some(format!("{name}:end"));
                }
            }
            (None, None) => {
                kept.push_str(line);
                kept.push('\n');
            }
            (Some(end), Some(inner)) if inner.to_lowercase().starts_with(end.as_str()) => until = None,
            (Some(_), _) => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_tools_are_left_out() {
        let text = "mine\n<!-- BEGIN hark -->\ntheirs\n<!-- END hark -->\n<!-- sessionmem:start -->\nx\n<!-- sessionmem:end -->\n<!-- note -->\nmine too";
        assert_eq!(without_blocks(text), "mine\nmine too\n");
    }
}
