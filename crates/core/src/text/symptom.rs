//! Error messages and logs as questions: the message is what is asked about. Times, addresses, ids and folders differ
//! each time that something fails, so they say nothing about the cause.

/// Words of error messages.
const TROUBLE: [&str; 30] = [
    "abort",
    "aborted",
    "crash",
    "crashed",
    "deadlock",
    "denied",
    "err",
    "error",
    "errors",
    "exception",
    "exited",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "fatal",
    "fault",
    "invalid",
    "killed",
    "oom",
    "panic",
    "panicked",
    "refused",
    "rejected",
    "segfault",
    "timeout",
    "traceback",
    "unreachable",
    "warning",
];

/// A longer text is a log, even if no word says what went wrong.
const LOG_LINES: usize = 4;
/// The most lines that are read.
const LINES_READ: usize = 400;
/// The most lines of a log that speak for it.
const LINES_KEPT: usize = 6;

/// Whether a question is an error message, a log, or a complaint that quotes one.
pub fn is_symptom(text: &str) -> bool {
    let is_log = text.lines().filter(|line| !line.trim().is_empty()).nth(LOG_LINES - 1).is_some();
    is_log && text.lines().take(LINES_READ).any(tells_of_trouble) || is_message(text)
}

/// One line that is rather quoted than asked: trouble, and the punctuation of a program.
fn is_message(text: &str) -> bool {
    let looks_printed =
        text.contains(": ") || text.contains("()") || text.contains(" = ") || text.contains('[');
    tells_of_trouble(text) && looks_printed && !text.trim_end().ends_with('?')
}

fn tells_of_trouble(line: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric()).any(|word| {
        let lower = word.to_ascii_lowercase();
        // `NullPointerException`, `ECONNREFUSED`, `ModuleNotFoundError`.
        TROUBLE.contains(&lower.as_str())
            || lower.len() > 5 && (lower.ends_with("error") || lower.ends_with("exception"))
            || word.len() > 4 && word.starts_with('E') && word.chars().all(|c| c.is_ascii_uppercase())
    })
}

/// The message of a symptom: without times, addresses, ids, folders and stack frames; of a log, the lines that tell
/// of trouble. The whole text if nothing would be left.
pub fn message(text: &str) -> String {
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).take(LINES_READ).collect();
    let mut kept: Vec<&str> = lines.iter().copied().filter(|line| !is_frame(line)).collect();
    if kept.len() >= LOG_LINES {
        let mut telling: Vec<&str> = kept.iter().copied().filter(|line| tells_of_trouble(line)).collect();
        telling.dedup();
        if !telling.is_empty() {
            kept = telling;
        }
    }
    // The end of a log says what it came to.
    let from = kept.len().saturating_sub(LINES_KEPT);
    let words = kept[from..].iter().flat_map(|line| line.split_whitespace()).filter_map(telling_part);
    let message = words.collect::<Vec<_>>().join(" ");
    if message.chars().any(char::is_alphabetic) { message } else { text.to_owned() }
}

/// `at main (app.js:3:9)`, `File "x.py", line 3, in f`, `#4 0x…`.
fn is_frame(line: &str) -> bool {
    let opens = |start: &str| line.starts_with(start);
    (opens("at ") && line.contains(['(', ':'])) || opens("File \"") || (opens("#") && line.contains("0x"))
}

/// What of a word of a log is worth asking about.
fn telling_part(word: &str) -> Option<&str> {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '_');
    if bare.is_empty() || is_passing(bare) {
        return None;
    }
    // Of a path, the name: folders differ from machine to machine.
    let is_path = bare.starts_with('/') || bare.matches('/').count() >= 2 && !bare.contains("://");
    if is_path {
        let name = bare.rsplit('/').find(|part| !part.is_empty()).unwrap_or(bare);
        return Some(name.split(':').next().unwrap_or(name));
    }
    Some(word)
}

/// Times, addresses, hashes and long numbers.
fn is_passing(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let hex = word.trim_start_matches("0x");
    let is_hex = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let is_address = word.starts_with("0x") && is_hex(hex);
    let is_hash = digits > 0 && word.len() >= 8 && is_hex(word);
    let is_time = digits >= 4
        && word
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, ':' | '.' | '-' | '/' | 'T' | 'Z' | '+' | ','))
        && word.contains([':', '-', '/']);
    let is_long_number = digits > 5 && digits == word.len();
    is_address || is_hash || is_time || is_long_number
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn messages_are_told_from_questions() {
        for text in [
            "Error: connect ECONNREFUSED 127.0.0.1:5432",
            "thread 'main' panicked at src/main.rs:4:5: index out of bounds",
            "java.lang.NullPointerException: Cannot invoke \"User.id()\"",
            "a\nb\nfatal: not a git repository\nd",
        ] {
            assert!(is_symptom(text), "{text}");
        }
        for text in
            ["what is our timeout policy", "error handling", "why did the build fail?", "", "a\nb\nc\nd\ne"]
        {
            assert!(!is_symptom(text), "{text}");
        }
    }

    #[test]
    fn what_differs_from_run_to_run_is_left_out() {
        for (text, expected) in [
            (
                "2026-03-01T10:22:31.113Z ERROR [worker-3] job 0x7f3a9c failed: lock wait timeout",
                "ERROR [worker-3] job failed: lock wait timeout",
            ),
            (
                "error in /srv/app/releases/2026/lib/mailer.rb:88: no such host",
                "error in mailer.rb no such host",
            ),
            ("exit code 137", "exit code 137"),
            (
                "Traceback (most recent call last):\n  File \"/a/b.py\", line 3, in f\n    g()\nKeyError: 'tenant'",
                "Traceback (most recent call last): g() KeyError: 'tenant'",
            ),
            ("0xdeadbeef", "0xdeadbeef"),
        ] {
            assert_eq!(message(text), expected);
        }
    }

    #[test]
    fn of_a_long_log_the_lines_that_tell_of_trouble_speak() {
        let log = format!("{}error: disk quota exceeded\ndone\n", "compiling something\n".repeat(50));
        assert_eq!(message(&log), "error: disk quota exceeded");
    }

    proptest! {
        #[test]
        fn any_text_has_a_message(text in "(\\PC{0,20}[ \n]){0,20}") {
            let _ = is_symptom(&text);
            prop_assert_eq!(message(&text).is_empty(), text.is_empty());
        }
    }
}
