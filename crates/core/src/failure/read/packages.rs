//! Package managers, and messages of shells and git when something is impossible.

use super::{Found, has_words};
use crate::failure::Class;

const BEGINNINGS: &[(&str, Option<Class>)] = &[
    ("npm ERR! code ", Some(Class::Dependency)),
    ("npm error code ", Some(Class::Dependency)),
    ("npm ERR! Missing script", Some(Class::Command)),
    ("npm error Missing script", Some(Class::Command)),
    ("ERR_PNPM_", Some(Class::Dependency)),
    ("ERROR: Could not find a version", Some(Class::Dependency)),
    ("ERROR: No matching distribution", Some(Class::Dependency)),
    ("ERROR: Cannot install", Some(Class::Dependency)),
    ("ERROR: Failed building wheel", Some(Class::Dependency)),
    ("ERROR: Could not build wheels", Some(Class::Dependency)),
    ("E: Unable to locate package", Some(Class::Dependency)),
    ("Because ", Some(Class::Dependency)),
    ("Could not find gem", Some(Class::Dependency)),
    ("Your requirements could not be resolved", Some(Class::Dependency)),
    ("ERROR: failed to solve", Some(Class::Dependency)),
    ("ERROR: failed to build", None),
    ("CMake Error", None),
    ("fatal: ", None),
    ("CONFLICT (", Some(Class::Other)),
    ("! [rejected]", Some(Class::Other)),
    ("The following paths are ignored by", Some(Class::Other)),
    ("docker: ", None),
    ("Error: ", None),
];

pub(super) fn read(lines: &[&str], found: &mut Found<'_>) {
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        if let Some((_, class)) = BEGINNINGS.iter().find(|(mark, _)| trimmed.starts_with(mark)) {
            if trimmed.starts_with("Because ") && !lines.iter().any(|l| l.contains("version solving failed"))
            {
                continue;
            }
            // The code alone says little: a line below it names the package or the host.
            let is_code = trimmed.contains("! code ") || trimmed.contains("error code ");
            let next = lines
                .iter()
                .skip(at + 1)
                .take(if is_code { 6 } else { 0 })
                .map(|l| l.trim_start().trim_start_matches("npm ERR!").trim_start_matches("npm error").trim())
                .find(|l| has_words(l, 3))
                .unwrap_or("");
            let files: Vec<&str> = if trimmed.starts_with("CONFLICT") {
                trimmed.rsplit(' ').take(1).collect()
            } else {
                Vec::new()
            };
            let message = if next.is_empty() { trimmed.to_owned() } else { format!("{trimmed} {next}") };
            // Skips an error that the reader of a language understood better.
            if class.is_some() || found.is_empty() {
                let class = match Class::of(&message) {
                    fault @ (Class::Network | Class::Environment | Class::Permission) => Some(fault),
                    _ => *class,
                };
                found.add(class, &message, &files, &[]);
            }
        } else if is_shell(line) {
            let message = line
                .rsplit_once("line ")
                .and_then(|(_, rest)| rest.split_once(": "))
                .map_or(*line, |(_, m)| m);
            let class = if line.contains("not found") { Some(Class::Command) } else { None };
            let files: Vec<&str> = message.split([' ', ':', '\'']).collect();
            found.add(class, message, &files, &[]);
        }
    }
}

fn is_shell(line: &str) -> bool {
    let from = ["bash: ", "sh: ", "zsh: ", "/bin/sh: ", "/bin/bash: ", "-bash: "]
        .iter()
        .any(|s| line.starts_with(s))
        || (line.contains(": line ") && line.split(": line ").next().is_some_and(|p| p.ends_with("sh")));
    from && [
        "not found",
        "No such file",
        "Permission denied",
        "syntax error",
        "unbound variable",
        "cannot execute",
    ]
    .iter()
    .any(|w| line.contains(w))
}
