//! The simple commands of a shell line, each as its words: what a rule about commands is compared with.

use super::split::{Tie, split};
use super::{is_assignment, program_of};

/// Programs that run the rest of their line. Where they have flags and numbers of their own, those come first.
const RUNS_THE_REST: &[&str] = &[
    "sudo",
    "doas",
    "env",
    "time",
    "nohup",
    "nice",
    "exec",
    "command",
    "builtin",
    "timeout",
    "xargs",
    "stdbuf",
    "caffeinate",
    "then",
    "do",
    "else",
    "!",
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

/// The commands that a line runs one after the other: only those that certainly ran if the line succeeded. Neither
/// substitutions nor here-documents nor the alternatives behind `||`; nothing of a line with loops or conditions.
pub fn chained(line: &str) -> Vec<Vec<String>> {
    const CONTROL: &[&str] =
        &["for", "while", "until", "if", "case", "function", "select", "then", "do", "else"];
    let plain = without_here_documents(line);
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut alternatives = false;
    for command in split(&plain) {
        if command.words.first().is_some_and(|word| CONTROL.contains(&word.as_str())) {
            return Vec::new();
        }
        match command.tie {
            Tie::Or => {
                found.pop();
                alternatives = true;
                continue;
            }
            Tie::And if alternatives => continue,
            // What follows a pipe filters.
            Tie::Pipe => continue,
            Tie::Then | Tie::And => alternatives = false,
        }
        match stripped(&command.words) {
            Some(Inner::Words(words)) => found.push(words),
            Some(Inner::Script(script)) => found.extend(chained(&script)),
            None => {}
        }
    }
    found
}

/// A line without the texts of its here-documents, whose quotes would confuse the rest.
fn without_here_documents(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut marks: Vec<String> = Vec::new();
    for row in line.split_inclusive('\n') {
        if let Some(mark) = marks.first() {
            if row.trim() == mark {
                marks.remove(0);
            }
            continue;
        }
        let mut rest = row;
        while let Some(at) = rest.find("<<") {
            let behind = rest[at + 2..].trim_start_matches(['-', ' ']);
            let mark: String = behind
                .trim_start_matches(['\'', '"', '\\'])
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            if !mark.is_empty() && !behind.starts_with('<') {
                marks.push(mark);
            }
            rest = &rest[at + 2..];
        }
        kept.push_str(row);
    }
    kept
}

fn collect(line: &str, depth: usize, found: &mut Vec<Vec<String>>) {
    if depth > MOST_DEPTH {
        return;
    }
    for inner in substitutions(line) {
        collect(inner, depth + 1, found);
    }
    for command in split(line) {
        match stripped(&command.words) {
            Some(Inner::Words(words)) => found.push(words),
            Some(Inner::Script(script)) => collect(&script, depth + 1, found),
            None => {}
        }
    }
}

enum Inner {
    /// With the name of the program first, without its folder.
    Words(Vec<String>),
    /// The line of a shell in a shell.
    Script(String),
}

/// A command without variables and the programs that only run it.
fn stripped(mut words: &[String]) -> Option<Inner> {
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
    let first = words.first()?;
    let program = program_of(first.trim_start_matches(['$', '`', '(']));
    if matches!(program.as_str(), "bash" | "sh" | "zsh" | "dash") {
        let flag = words.iter().position(|w| w.starts_with('-') && !w.starts_with("--") && w.contains('c'));
        if let Some(script) = flag.and_then(|at| words.get(at + 1)) {
            return Some(Inner::Script(script.clone()));
        }
    }
    Some(Inner::Words(std::iter::once(program).chain(words[1..].iter().cloned()).collect()))
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
    fn a_chain_is_what_certainly_ran() {
        for (line, expected) in [
            ("cd web && npm ci && npm run build 2>&1 | tail -5", "cd web|npm ci|npm run build"),
            ("make a || true; make b", "make b"),
            ("make a || make b && make c; make d", "make d"),
            (
                "git commit -m \"$(cat <<'EOF'\nUse `rm -rf x` and \"quotes\"\n\nrun this\nEOF\n)\" && git push",
                "git commit -m $(cat <<'EOF'|git push",
            ),
            ("for f in *; do rm $f; done", ""),
            ("echo `npm publish`", "echo npm publish"),
            ("bash -c 'npm publish'", "npm publish"),
        ] {
            let found: Vec<String> = chained(line).iter().map(|words| words.join(" ")).collect();
            let found: Vec<String> =
                found.iter().map(|one| one.replace("\n)", "").replace('`', "")).collect();
            assert_eq!(found.join("|"), expected, "{line}");
        }
    }

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
