//! The simple commands of a shell line, each as its words: what a rule about commands is compared with.

use super::split::split;
use super::{is_assignment, program_of};

/// Programs that run the rest of their line. Where they have flags and numbers of their own, those come first.
const RUNS_THE_REST: &[&str] = &[
    "sudo", "doas", "env", "time", "nohup", "nice", "exec", "command", "builtin", "timeout", "xargs", "stdbuf",
    "caffeinate", "then", "do", "else", "!",
];
/// `bash -c "bash -c '…'"` ends somewhere.
const MOST_DEPTH: usize = 3;

/// The words of every command in a line, also of those inside `bash -c`, `$(…)` and backticks. The first word is the
/// name of the program, without its folder.
pub fn simple_commands(line: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    collect(line, 0, &mut found);
    found
}

fn collect(line: &str, depth: usize, found: &mut Vec<Vec<String>>) {
    if depth > MOST_DEPTH {
        return;
    }
    for inner in substitutions(line) {
        collect(inner, depth + 1, found);
    }
    for command in split(line) {
        let mut words: &[String] = &command.words;
        while let Some(first) = words.first() {
            let program = program_of(first.trim_start_matches(['$', '`', '(']));
            if is_assignment(first) {
                words = &words[1..];
            } else if RUNS_THE_REST.contains(&program.as_str()) {
                words = &words[1..];
                while words.first().is_some_and(|word| is_own_argument(word)) {
                    words = &words[1..];
                }
            } else {
                break;
            }
        }
        let Some(first) = words.first() else { continue };
        let program = program_of(first.trim_start_matches(['$', '`', '(']));
        if matches!(program.as_str(), "bash" | "sh" | "zsh" | "dash") {
            let flag = words.iter().position(|w| w.starts_with('-') && !w.starts_with("--") && w.contains('c'));
            if let Some(script) = flag.and_then(|at| words.get(at + 1)) {
                collect(script, depth + 1, found);
                continue;
            }
        }
        found.push(std::iter::once(program).chain(words[1..].iter().cloned()).collect());
    }
}

/// A flag, a duration or an assignment in front of the command that is run.
fn is_own_argument(word: &str) -> bool {
    let number = word.trim_end_matches(['s', 'm', 'h', 'd']);
    word.starts_with('-') || is_assignment(word) || (!number.is_empty() && number.parse::<f64>().is_ok())
}

/// What is inside `$(…)` and backticks, outermost only.
fn substitutions(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find("$(") {
        let inner = &rest[at + 2..];
        let mut depth = 1;
        let end = inner.find(|c| {
            depth += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        let end = end.unwrap_or(inner.len());
        found.push(&inner[..end]);
        rest = inner.get(end + 1..).unwrap_or("");
    }
    found.extend(line.split('`').skip(1).step_by(2));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_of_a_line_is_found() {
        for (line, expected) in [
            ("npm install", vec!["npm install"]),
            ("cd web && FOO=1 /usr/bin/npm ci | tee log", vec!["cd web", "npm ci", "tee log"]),
            ("sudo -E env A=b timeout 60s npm test", vec!["npm test"]),
            ("bash -lc 'npm i && ls'", vec!["npm i", "ls"]),
            ("echo $(npm root) `npm bin`", vec!["npm root", "npm bin", "echo npm root) npm bin"]),
            ("git commit -m 'use npm install'", vec!["git commit -m use npm install"]),
            ("# npm install", vec![]),
        ] {
            let found: Vec<String> = simple_commands(line).iter().map(|words| words.join(" ")).collect();
            for one in &expected {
                if !one.starts_with("echo") {
                    assert!(found.contains(&(*one).to_owned()), "{line}: {found:?}");
                }
            }
            assert_eq!(found.len(), expected.len(), "{line}: {found:?}");
        }
    }
}
