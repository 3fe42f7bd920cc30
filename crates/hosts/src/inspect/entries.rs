//! What an assistant's settings really say about hark: the program they name, whether it is turned off, and
//! whether it is there twice.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::edit::{self, Edit, State};
use crate::host::Host;
use crate::place::Surroundings;
use crate::wish::{Options, Wish, wishes};

/// A problem in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) file: PathBuf,
    pub(super) what: String,
    /// What the user has to do; otherwise hark can write it again.
    pub(super) fix: Option<&'static str>,
}

pub(super) fn problems(host: &Host, options: &Options, around: &Surroundings) -> Vec<Problem> {
    let mut found: Vec<Problem> = Vec::new();
    for Wish { file, edit, .. } in wishes(host, options, around) {
        let Some(text) = edit::readable(&file) else { continue };
        let mut said = server(&edit, &text, around);
        said.extend(hook(&edit, &text, around).map(|what| (what, None)));
        said.extend(script(&edit, &file).map(|what| (what, Some("make it executable"))));
        for (what, fix) in said {
            let what = format!("{}: {what}", around.short(&file));
            let problem = Problem { file: file.clone(), what, fix };
            if !found.contains(&problem) {
                found.push(problem);
            }
        }
    }
    found
}

/// Which of hark's things are not in the file at all.
pub(super) fn missing(file: &Path, host: &Host, options: &Options, around: &Surroundings) -> Vec<String> {
    let text = edit::readable(file).unwrap_or_default();
    let here = wishes(host, options, around).into_iter().filter(|wish| wish.file == file);
    let absent = here.filter(|wish| wish.edit.state(&text) == Ok(State::Absent));
    absent.map(|wish| wish.edit.label()).collect()
}

/// The entry of the MCP server.
fn server(edit: &Edit, text: &str, around: &Surroundings) -> Vec<(String, Option<&'static str>)> {
    let Ok(Some(entry)) = edit.in_its_place(text) else { return Vec::new() };
    let mut said = Vec::new();
    if entry["disabled"] == Value::Bool(true) || entry["enabled"] == Value::Bool(false) {
        let what = format!("{} is turned off, so its tools are not available", edit.label());
        said.push((what, Some("turn it on there")));
    }
    if let Some(program) = program(&entry) {
        said.extend(stranger(program, around).map(|what| (format!("{} {what}", edit.label()), None)));
    }
    for other in edit.siblings(text) {
        let what = format!("the server is there twice, as {} and as `{other}`", edit.label());
        said.push((what, Some("remove one of them")));
    }
    said
}

/// The program that an entry starts; some assistants want one list with its arguments.
pub(super) fn program(entry: &Value) -> Option<&str> {
    let command = &entry["command"];
    command.as_str().or_else(|| command.as_array()?.first()?.as_str())
}

fn hook(edit: &Edit, text: &str, around: &Surroundings) -> Option<String> {
    let Edit::JsonItem { mark, .. } = edit else { return None };
    let command = edit.command_in(text, mark)?;
    let program = called(&command)?;
    stranger(&program, around).map(|what| format!("its hook {what}"))
}

/// The program in a hook's command line, as `hark install` writes it.
fn called(command: &str) -> Option<String> {
    let (program, _) = command.strip_prefix("test -x ")?.split_once(" && ")?;
    let quoted = program.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    Some(quoted.map_or_else(|| program.to_owned(), |inner| inner.replace(r"'\''", "'")))
}

/// What is wrong with a program that is named instead of this one.
fn stranger(program: &str, around: &Surroundings) -> Option<String> {
    let path = Path::new(program);
    let found = if path.is_absolute() { Some(path.to_owned()) } else { around.program(program) };
    let Some(found) = found.filter(|found| found.is_file()) else {
        return Some(format!("names `{program}`, which does not exist"));
    };
    let real = |path: &Path| path.canonicalize().ok();
    let is_hark = found.file_stem().is_some_and(|name| name == "hark");
    (is_hark && real(&found) != real(&around.executable))
        .then(|| format!("names another hark: {}", around.short(&found)))
}

/// A hook that is a script of its own has to be executable.
#[cfg(unix)]
fn script(edit: &Edit, file: &Path) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;
    let Edit::Whole { executable: true, .. } = edit else { return None };
    let mode = std::fs::metadata(file).ok()?.permissions().mode();
    (mode & 0o111 == 0).then(|| "it is not executable, so it does not run".to_owned())
}

#[cfg(not(unix))]
fn script(_edit: &Edit, _file: &Path) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_of_a_hook_is_found() {
        for (line, program) in [
            ("test -x /usr/bin/hark && /usr/bin/hark hook codex Stop || true", "/usr/bin/hark"),
            (r"test -x '/a b/it'\''s/hark' && x hook codex Stop || true", "/a b/it's/hark"),
        ] {
            assert_eq!(called(line).as_deref(), Some(program));
        }
        assert_eq!(called("hark hook codex Stop"), None);
    }
}
