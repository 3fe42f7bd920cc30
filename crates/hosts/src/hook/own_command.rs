//! Recognises a shell command that makes a checkpoint and does nothing else, which the gate lets through.
//!
//! The command comes from the model, so anything that could run a second program is refused: it is better to
//! refuse a harmless command than to let another one pass behind ours.

use serde_json::Value;

/// Redirections that change nothing but where output goes.
const HARMLESS: &[&str] = &["2>&1", "2>/dev/null", ">/dev/null"];

/// The program that a shell tool would start, if its input is `hark checkpoint …` alone: `hark`, or a path
/// that the caller has to check.
pub(super) fn checkpoint(tool: &str, input: &Value) -> Option<String> {
    let command = ["command", "cmd", "command_line", "commands"].iter().find_map(|key| input.get(key))?;
    let words = match command {
        Value::String(line) => words(line, quotes_protect(tool))?,
        Value::Array(list) => {
            let list: Vec<&str> = list.iter().map(Value::as_str).collect::<Option<_>>()?;
            match list.as_slice() {
                [line] => words(line, quotes_protect(tool))?,
                [shell, flag, line] if is_shell(shell) && matches!(*flag, "-c" | "-lc") => words(line, true)?,
                // Without a shell, each element is one argument.
                arguments => arguments.iter().map(|word| (*word).to_owned()).collect(),
            }
        }
        _ => return None,
    };
    program(&words)
}

/// In PowerShell and cmd, a backslash does not escape a quote and a single quote may not quote.
fn quotes_protect(tool: &str) -> bool {
    !cfg!(windows) && !tool.to_ascii_lowercase().contains("powershell")
}

fn is_shell(word: &str) -> bool {
    matches!(word.rsplit('/').next(), Some("sh" | "bash" | "zsh" | "dash"))
}

/// Skips `cd FOLDER &&` and settings of hark, and expects `hark checkpoint`.
fn program(words: &[String]) -> Option<String> {
    let mut rest = words;
    while let [cd, _, and, more @ ..] = rest
        && cd == "cd"
        && and == "&&"
    {
        rest = more;
    }
    while let [first, more @ ..] = rest
        && first.starts_with("HARK_")
        && first.contains('=')
    {
        rest = more;
    }
    let [program, verb, arguments @ ..] = rest else { return None };
    let is_hark = program == "hark" || program.ends_with("/hark") || program.ends_with("hark.exe");
    let alone = !arguments.iter().any(|word| word == "&&");
    (is_hark && verb == "checkpoint" && alone).then(|| program.clone())
}

/// The words of a line. `None` if it contains anything that could start another program.
fn words(line: &str, quotes_protect: bool) -> Option<Vec<String>> {
    const ACTIVE: &str = ";&|<>()`$\n\r{}";
    if !quotes_protect && line.contains(|c| ACTIVE.contains(c)) {
        return None;
    }
    let mut words = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        if let Some(more) = rest.strip_prefix("&&") {
            words.push("&&".to_owned());
            rest = more.trim_start();
            continue;
        }
        let plain = rest.find(char::is_whitespace).map_or(rest, |end| &rest[..end]);
        if HARMLESS.contains(&plain) {
            rest = rest[plain.len()..].trim_start();
            continue;
        }
        let (word, more) = word(rest)?;
        words.push(word);
        rest = more.trim_start_matches([' ', '\t']);
    }
    Some(words)
}

/// The first word, without its quotes, and what follows it.
fn word(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            ' ' | '\t' => return Some((word, &text[at..])),
            '\'' => loop {
                match chars.next()?.1 {
                    '\'' => break,
                    inner => word.push(inner),
                }
            },
            '"' => loop {
                match chars.next()?.1 {
                    '"' => break,
                    '\\' => word.push(chars.next()?.1),
                    '`' | '$' => return None,
                    inner => word.push(inner),
                }
            },
            '\\' => word.push(chars.next().filter(|(_, next)| *next != '\n')?.1),
            ';' | '&' | '|' | '<' | '>' | '(' | ')' | '`' | '$' | '\n' | '\r' | '{' | '}' => return None,
            plain => word.push(plain),
        }
    }
    Some((word, ""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(line: &str) -> Option<String> {
        checkpoint("Bash", &json!({ "command": line }))
    }

    #[test]
    fn a_checkpoint_alone_is_recognised() {
        for line in [
            "hark checkpoint",
            "hark checkpoint --help",
            "  hark checkpoint --goal 'fix; it & go' --done \"say \\\"hi\\\" (twice)\" ",
            "cd '/home/ann/my shop' && hark checkpoint --goal x",
            "cd .. && cd shop && hark checkpoint --goal x 2>&1",
            "HARK_HOME=/tmp/x hark checkpoint --pending \"a\nb\" >/dev/null 2>&1",
        ] {
            assert_eq!(found(line).as_deref(), Some("hark"), "{line}");
        }
        assert_eq!(found("/opt/hark/bin/hark checkpoint").as_deref(), Some("/opt/hark/bin/hark"));
        let listed = |list: Value| checkpoint("shell", &json!({ "command": list }));
        assert!(listed(json!(["bash", "-lc", "cd x && hark checkpoint --goal 'a b'"])).is_some());
        assert!(listed(json!(["hark", "checkpoint", "--goal", "a; b"])).is_some());
    }

    #[test]
    fn nothing_passes_behind_it() {
        for line in [
            "hark checkpoint; rm -rf x",
            "hark checkpoint & rm -rf x",
            "hark checkpoint && rm -rf x",
            "hark checkpoint | sh",
            "hark checkpoint\nrm -rf x",
            "hark checkpoint $(rm -rf x)",
            "hark checkpoint \"$(rm -rf x)\"",
            "hark checkpoint \"`rm -rf x`\"",
            "hark checkpoint <(rm -rf x)",
            "hark checkpoint > ~/.bashrc",
            "hark checkpoint $'a\\'' ; rm -rf x #'",
            "rm -rf x && hark checkpoint",
            "cd x; hark checkpoint",
            "cd $(rm -rf x) && hark checkpoint",
            "cd x && rm -rf y && hark checkpoint",
            "PATH=/tmp/evil hark checkpoint",
            "echo hark checkpoint",
            "rm -rf x # hark checkpoint",
            "hark config set checkpoint.policy off",
            "hark forget m-1 --yes",
            "hark",
            "notahark checkpoint",
            "hark checkpoint 'open",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
        let listed = |list: Value| checkpoint("shell", &json!({ "command": list }));
        assert!(listed(json!(["bash", "-lc", "hark checkpoint; rm -rf x"])).is_none());
        assert!(listed(json!(["rm", "hark", "checkpoint"])).is_none());
        // Other shells quote differently.
        let power = |line: &str| checkpoint("PowerShell", &json!({ "command": line }));
        assert!(power("hark checkpoint --goal x").is_some());
        assert!(power("hark checkpoint --goal \"a\\\" ; rm x ; \"b\"").is_none());
    }
}
