//! Lines and words of tool output, as far as all readers need them.

/// Text without colours, carriage returns, and prefixes that clients and task runners add.
pub(in crate::failure) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => {
                if rest.next() == Some('[') {
                    for c in rest.by_ref() {
                        if c.is_ascii_alphabetic() {
                            break;
                        }
                    }
                }
            }
            '\r' => {}
            c => out.push(c),
        }
    }
    if let Some(rest) = out.strip_prefix("Output: ") {
        out = rest.to_owned();
    } else if out.contains("\nOutput: ") {
        out = out.replacen("\nOutput: ", "\n", 1);
    }
    if out.lines().any(is_escaped) {
        out = out
            .lines()
            .map(|l| if is_escaped(l) { l.replace("\\n", "\n") } else { l.to_owned() })
            .fold(String::new(), |all, line| all + &line + "\n");
    }
    without_tasks(out)
}

/// A hook that passes text on without turning `\n` into new lines. In quotes it is a value.
fn is_escaped(line: &str) -> bool {
    line.find("\\n\\n").is_some_and(|at| !line[..at].contains(['"', '\'', '`']))
}

/// A task runner puts the name of the task before each line: `[lint:go] src/a.go:1:2: …`.
fn without_tasks(text: String) -> String {
    let mut tasks: Vec<&str> = Vec::new();
    for line in text.lines() {
        let Some((task, rest)) = task_of(line) else { continue };
        let is_runner =
            rest.starts_with("$ ") || rest == "ERROR task failed" || rest.starts_with("Finished in ");
        if is_runner && !tasks.contains(&task) && tasks.len() < 32 {
            tasks.push(task);
        }
    }
    if tasks.is_empty() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        out.push_str(task_of(line).filter(|(task, _)| tasks.contains(task)).map_or(line, |(_, rest)| rest));
        out.push('\n');
    }
    out
}

fn task_of(line: &str) -> Option<(&str, &str)> {
    let (task, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let is_name =
        !task.is_empty() && task.bytes().all(|b| b.is_ascii_alphanumeric() || b":-_./".contains(&b));
    is_name.then_some((task, rest))
}

const MOST_CHARS: usize = 200;

/// One line without markup, truncated to the length of a message.
pub(in crate::failure) fn one_line(text: &str) -> String {
    let folded: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let kept: String = folded.chars().filter(|c| !c.is_control()).take(MOST_CHARS).collect();
    // Half a redaction placeholder is not a placeholder.
    match kept.rfind("[REDACTED:") {
        Some(at) if !kept[at..].contains(']') => kept[..at].trim_end().to_owned(),
        _ => kept.trim().to_owned(),
    }
}

/// `path:12:5: rest` and `path:12: rest`.
pub(super) fn location(line: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    while let Some(colon) = line[from..].find(':').map(|at| at + from) {
        let rest = &line[colon + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && colon > 0 {
            let mut rest = &rest[digits..];
            if let Some(column) = rest.strip_prefix(':') {
                let digits = column.bytes().take_while(u8::is_ascii_digit).count();
                if digits > 0 {
                    rest = &column[digits..];
                }
            }
            let path = line[..colon].trim();
            let ends = rest.is_empty() || rest.starts_with([':', ' ', ')', '-', ',']);
            let is_path = path.contains('.') && !path.contains(' ');
            return (ends && is_path).then(|| (path, rest.trim_start_matches([':', ' ', '-', ')', ','])));
        }
        from = colon + 1;
    }
    None
}

/// Whether a text has this many words. Numbers, addresses and paths are no words.
pub(super) fn has_words(text: &str, least: usize) -> bool {
    text.split_whitespace()
        .filter(|token| !token.contains('/'))
        .flat_map(|token| token.split(|c: char| !c.is_alphabetic()))
        .filter(|word| word.chars().count() >= 3)
        .take(least)
        .count()
        == least
}

/// Like [`has_words`], but a name counts as the words that it is made of: `KeyError` is two.
pub(super) fn has_parts(text: &str, least: usize) -> bool {
    let mut parts = 0;
    for token in text.split_whitespace().filter(|token| !token.contains('/')) {
        let mut length = 0;
        let mut previous = ' ';
        for c in token.chars().chain([' ']) {
            let begins = c.is_uppercase() && previous.is_lowercase();
            if !c.is_alphabetic() || begins {
                parts += usize::from(length >= 2);
                length = 0;
            }
            length += usize::from(c.is_alphabetic());
            previous = c;
        }
    }
    parts >= least
}

/// A line that a program logged, at a level that is no failure.
pub(super) fn is_log(line: &str) -> bool {
    [
        " INFO ",
        " WARN ",
        " WARNING ",
        " DEBUG ",
        " TRACE ",
        "[info]",
        "[warning]",
        "[debug]",
        "level=info",
        "level=warn",
    ]
    .iter()
    .any(|level| line.contains(level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tasks_are_removed() {
        let text = "[lint:go] $ golangci-lint run\n[lint:go] a.go:1:2: x\n[other] stays\n[lint:go] ERROR task failed\n";
        assert_eq!(plain(text), "$ golangci-lint run\na.go:1:2: x\n[other] stays\nERROR task failed\n");
        assert_eq!(plain("[a] b"), "[a] b", "no runner says so");
    }

    #[test]
    fn new_lines_that_a_hook_escaped() {
        assert_eq!(plain("Check failed:\\n\\n[FORMAT] a.ex"), "Check failed:\n\n[FORMAT] a.ex\n");
        let value = "got \"a\\n\\nb\"";
        assert_eq!(plain(value), value);
    }

    #[test]
    fn words_of_a_message() {
        for (text, words, parts) in [
            ("+0x190", 0, 0),
            ("FAIL github.com/a/b/c 2.1s", 1, 1),
            ("got 3, want 4", 2, 2),
            ("KeyError: 'id'", 1, 3),
            ("undefined: cwd", 2, 2),
            ("cannot use x as string value", 4, 5),
        ] {
            assert!(has_words(text, words) && !has_words(text, words + 1), "{text}");
            assert!(has_parts(text, parts) && !has_parts(text, parts + 1), "{text}");
        }
    }
}
