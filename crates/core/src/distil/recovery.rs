//! Commands that fixed something: a check failed, one command ran, the same check passed.
//!
//! Reads only commands, never their output: programs write it, and so does anyone who feeds them.

use super::Statement;
use super::compose::title;
use crate::kind::Kind;
use crate::origin::Origin;

/// What an assistant did, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'a> {
    /// A command, and whether it succeeded, if that is known.
    Ran { command: &'a str, ok: Option<bool> },
    /// A file was changed.
    Edited,
    /// The user spoke.
    Spoke,
}

/// Programs whose outcome shows whether the work is sound.
const CHECKS: &[&str] =
    &["test", "check", "build", "lint", "clippy", "pytest", "vitest", "jest", "tsc", "typecheck", "verify"];
/// Programs that only read.
const LOOKS: &[&str] = &[
    "ls", "cat", "head", "tail", "grep", "rg", "find", "git", "echo", "pwd", "which", "sed", "wc", "cd",
    "tree",
];

/// Each command that alone made a failing check pass, with the index of the passing run in `steps`.
pub fn recoveries(steps: &[Step<'_>]) -> Vec<(usize, Statement)> {
    let mut found: Vec<(usize, Statement)> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        // A client that reports failures would report this one too, so an unknown outcome counts as success.
        let Step::Ran { command: check, ok: None | Some(true) } = step else { continue };
        if !is_check(check) {
            continue;
        }
        let Some(remedy) = remedy(&steps[..at], check) else { continue };
        let (check, remedy) = (first_line(check), first_line(remedy));
        let body = format!("When `{check}` failed, running `{remedy}` made it pass.");
        if found.iter().all(|(_, known)| known.body != body) {
            let candidate = Statement {
                kind: Kind::Procedure,
                origin: Origin::Assistant,
                title: title(&format!("`{remedy}` repairs `{check}`")),
                body,
                why: None,
                confidence: 0.55,
                span: 0..0,
                rule: "recovery",
            };
            found.push((at, candidate));
        }
    }
    found
}

/// The one command between the last failure of this check and now, if nothing else can have fixed it.
fn remedy<'a>(before: &[Step<'a>], check: &str) -> Option<&'a str> {
    let mut remedy = None;
    for step in before.iter().rev() {
        match step {
            Step::Edited => return None,
            Step::Spoke => {}
            Step::Ran { command, ok } if *command == check => {
                return if *ok == Some(false) { remedy } else { None };
            }
            Step::Ran { command, .. } if looks_only(command) => {}
            Step::Ran { ok: None | Some(true), command } if remedy.is_none() && command.len() <= 160 => {
                remedy = Some(*command);
            }
            Step::Ran { .. } => return None,
        }
    }
    None
}

fn is_check(command: &str) -> bool {
    command.len() <= 160 && words(command).any(|word| CHECKS.contains(&word))
}

fn looks_only(command: &str) -> bool {
    let first = command.split_whitespace().next().unwrap_or("");
    LOOKS.contains(&first) && !command.contains(['>', '|', ';', '&'])
}

fn words(command: &str) -> impl Iterator<Item = &str> {
    command.split(|c: char| !c.is_ascii_alphanumeric())
}

fn first_line(command: &str) -> &str {
    command.lines().next().unwrap_or("").trim()
}
