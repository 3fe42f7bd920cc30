//! The checks of a shell line, how they are tied together, and which of them its exit code and its output are about.

use super::split::{Simple, Tie, split};
use super::{Ran, Step, essential, key_of, program_of, tools, unknown_family};
use crate::failure::Class;

/// One command of a line that says something about the project.
struct Check {
    ran: Ran,
    at: usize,
    /// A command behind its pipe drops lines, so that empty output means nothing.
    filtered: bool,
}

/// What a line ran.
pub(in crate::failure) struct Line {
    /// In order; never empty.
    checks: Vec<Check>,
    main: usize,
    /// It prints an exit code, which means that a failure is expected.
    pub(in crate::failure) asks_for_exit: bool,
}

impl Line {
    /// The run that says most about the project, with the other checks of the line.
    pub(in crate::failure) fn main(&self) -> Ran {
        self.with_others(self.main)
    }

    /// The run that the findings come from. With `&&`, the first one that can report them is the last one that ran.
    pub(in crate::failure) fn reporter(&self, class: Option<Class>) -> Ran {
        let lints = |check: &Check| check.ran.step == Step::Lint && class == Some(Class::Lint);
        let fits = |check: &Check| {
            check.ran.step != Step::Other && class.is_some_and(|class| check.ran.step.reports(class))
        };
        let at = self
            .checks
            .iter()
            .rposition(lints)
            .or_else(|| self.checks.iter().position(fits))
            .unwrap_or(self.main);
        Ran { with: Vec::new(), ..self.checks[at].ran.clone() }
    }

    /// Whether the exit code of the line is that of another command for any of the checks.
    pub(in crate::failure) fn is_masked(&self) -> bool {
        let checks = self.checks.iter().enumerate();
        checks.filter(|(at, c)| *at == self.main || c.ran.step != Step::Other).any(|(_, c)| c.ran.masked)
    }

    pub(in crate::failure) fn is_filtered(&self) -> bool {
        self.checks[self.main].filtered
    }

    fn with_others(&self, main: usize) -> Ran {
        let mut ran = self.checks[main].ran.clone();
        let others = self.checks.iter().enumerate();
        ran.with = others
            .filter(|(at, check)| *at != main && check.ran.step != Step::Other)
            .map(|(_, check)| check.ran.clone())
            .collect();
        ran
    }
}

/// Everything that a line runs; `None` if it only looks around.
pub(in crate::failure) fn line_of(line: &str) -> Option<Line> {
    let commands = split(line);
    let folder = commands
        .iter()
        .take_while(|c| c.words.first().is_some_and(|w| w == "cd") || is_setting(c))
        .filter_map(|c| c.words.get(1).filter(|_| c.words[0] == "cd"))
        .last()
        .cloned();
    let mut checks: Vec<Check> = Vec::new();
    let mut asks_for_exit = false;
    for (at, command) in commands.iter().enumerate() {
        asks_for_exit |= command.words.first().is_some_and(|w| w == "echo" || w == "printf")
            && command.words.iter().any(|w| w.contains("$?"));
        let Some((words, inner)) = essential(&command.words) else { continue };
        if let Some(script) = inner {
            if let Some(line) = line_of(&script) {
                asks_for_exit |= line.asks_for_exit;
                checks.extend(line.checks.into_iter().map(|mut check| {
                    check.ran.folder = check.ran.folder.or_else(|| folder.clone());
                    Check { at, ..check }
                }));
            }
            continue;
        }
        let program = program_of(&words[0]);
        let (family, step) = match tools::known(&program, &words) {
            Some(found) => found,
            None if tools::is_looking(&program, &words) => continue,
            None => (unknown_family(&program, &words), Step::Other),
        };
        let key = key_of(&program, &words);
        let folder = folder.clone();
        let ran = Ran { family, key, step, folder, masked: false, followed: false, with: Vec::new() };
        checks.push(Check { ran, at, filtered: false });
    }
    let pipefail = line.contains("pipefail");
    for check in &mut checks {
        let behind = &commands[check.at + 1..];
        let pipe: Vec<&Simple> = behind.iter().take_while(|c| c.tie == Tie::Pipe).collect();
        check.ran.masked |= !pipe.is_empty() && !pipefail;
        check.ran.masked |= behind.iter().any(|c| match c.tie {
            Tie::Or => true,
            Tie::Then => !is_setting(c),
            Tie::And | Tie::Pipe => false,
        });
        check.ran.followed |= behind.iter().any(|c| c.tie == Tie::And);
        check.filtered |= pipe.iter().any(|c| !is_window(c));
    }
    let main = (0..checks.len()).max_by_key(|at| checks[*at].ran.step)?;
    Some(Line { checks, main, asks_for_exit })
}

/// Shows a part of the output, but never nothing of something.
fn is_window(command: &Simple) -> bool {
    matches!(
        command.words.first().map(String::as_str),
        Some("head" | "tail" | "cat" | "tee" | "less" | "more")
    )
}

fn is_setting(command: &Simple) -> bool {
    matches!(
        command.words.first().map(String::as_str),
        Some("set" | "export" | "source" | "." | "echo" | "true" | "pwd" | "wait" | "date")
    ) && command.words.first().is_none_or(|w| w != "echo" || !command.words.iter().any(|w| w.contains("$?")))
}
