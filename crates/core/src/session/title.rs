//! The title of a session: the first line of a prompt that says what the session is about. Prompts often begin
//! with something else: the name of a command, "Implement the following plan:", a greeting, a pasted log.

use crate::memory::title_from_body;
use crate::redact::Clean;

/// A program that asks on behalf of a person puts the question below this line.
const QUESTION: &str = "[[ ## user_query ## ]]";

/// Prompts that clients write, which are about an earlier conversation or about none.
const BY_CLIENTS: &[&str] = &[
    "Caveat: The messages below were generated",
    "This session is being continued from a previous conversation",
    "[Request interrupted by user",
];

/// Headings that say nothing without the text below them.
const HEADINGS: &[&str] = &[
    "background",
    "context",
    "description",
    "goal",
    "goals",
    "implementation plan",
    "instructions",
    "introduction",
    "objective",
    "overview",
    "plan",
    "problem",
    "problem statement",
    "prompt",
    "request",
    "role",
    "summary",
    "task",
    "the plan",
    "user request",
];

/// Words that point to the text below, in a line that ends with a colon.
const POINTERS: &[&str] = &["below", "following", "here", "here's", "these", "this"];

/// `None` if nothing in the prompt says what the session is about.
pub fn title_of_prompt(prompt: &Clean) -> Option<Clean> {
    let text = prompt.as_str();
    let text = text.rsplit_once(QUESTION).map_or(text, |(_, question)| question).trim_start();
    if BY_CLIENTS.iter().any(|beginning| text.starts_with(beginning)) {
        return None;
    }
    let mut fenced = false;
    let mut begins = true;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        let line = if begins { without_command(line) } else { line };
        begins = false;
        if !fenced && let Some(line) = telling(line) {
            // A part of a clean text is clean.
            return Some(title_from_body(&Clean::already_redacted(line.to_owned())))
                .filter(|t| !t.is_empty());
        }
    }
    None
}

/// `/review the parser` is about the parser; `/usr/bin is full` is not a command.
fn without_command(line: &str) -> &str {
    let Some(rest) = line.strip_prefix('/') else { return line };
    let (name, words) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    let is_command = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_name);
    if is_command { words.trim() } else { line }
}

/// The line without its decoration, if it says something.
fn telling(line: &str) -> Option<&str> {
    if is_log(line) || is_markup(line) {
        return None;
    }
    let line = line.trim_start_matches(['#', '-', '*', '>', '=', ' ']).trim_end_matches(['*', '=', ' ']);
    let line = ["Plan:", "Implementation Plan:", "Task:", "Title:", "Goal:"]
        .iter()
        .find_map(|label| strip_prefix_ignoring_case(line, label))
        .unwrap_or(line)
        .trim_start();
    let lower = line.to_lowercase();
    let bare = lower.trim_end_matches([':', '.', '!', '?']).trim();
    let words: Vec<&str> = bare.split_whitespace().collect();
    let points_below = line.ends_with(':') && words.len() <= 12 && words.iter().any(|w| POINTERS.contains(w));
    (!points_below && !HEADINGS.contains(&bare) && is_sentence(&words)).then_some(line)
}

fn strip_prefix_ignoring_case<'l>(line: &'l str, prefix: &str) -> Option<&'l str> {
    let head = line.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &line[prefix.len()..])
}

/// At least two words, or as much in a script without spaces.
fn is_sentence(words: &[&str]) -> bool {
    let spoken = words.iter().filter(|word| word.chars().any(char::is_alphabetic)).count();
    let wide = |c: &char| matches!(*c as u32, 0x2e80..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x20000..=0x3ffff);
    spoken >= 2 || words.iter().flat_map(|word| word.chars()).filter(wide).count() >= 4
}

/// A tag, a rule, a table, or a marker of a program.
fn is_markup(line: &str) -> bool {
    let is_tag = line.starts_with('<') && line.ends_with('>') && !line.contains("> ");
    let is_marker = line.starts_with("[[ ##") || line.starts_with("<!--") || line.starts_with('|');
    is_tag || is_marker || line.chars().all(|c| !c.is_alphanumeric())
}

/// A line of pasted output: a time, a level, a place in a stack, a prompt of a shell.
fn is_log(line: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "$ ",
        "% ",
        ">>> ",
        "at ",
        "File \"",
        "Traceback (most recent call last)",
        "npm ERR!",
        "npm error",
        "error[",
        "error:",
        "warning:",
        "[INFO]",
        "[WARN]",
        "[ERROR]",
        "[DEBUG]",
        "INFO ",
        "WARN ",
        "ERROR ",
        "DEBUG ",
        "TRACE ",
        "FAILED ",
        "panic:",
        "thread '",
        "--> ",
    ];
    let is_at = |line: &str| line.starts_with("at ") && (line.contains('(') || line.contains(':'));
    if BEGINNINGS.iter().any(|beginning| line.starts_with(beginning)) {
        return !line.starts_with("at ") || is_at(line);
    }
    // `2026-01-02T03:04:05`, `[12:34:56]`, `12:34:56.789`
    let line = line.trim_start_matches(['[', '(']);
    let numbers = line
        .chars()
        .take_while(|c| c.is_ascii_digit() || matches!(c, '-' | ':' | '.' | '/' | 'T' | ' '))
        .count();
    let digits = line.chars().take(numbers).filter(char::is_ascii_digit).count();
    digits >= 6 && line.chars().take(numbers).any(|c| matches!(c, ':' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(prompt: &str) -> Option<String> {
        title_of_prompt(&Clean::already_redacted(prompt.to_owned())).map(Clean::into_string)
    }

    #[test]
    fn a_title_is_the_first_line_that_says_something() {
        for (prompt, expected) in [
            ("Fix the login bug. It fails on Safari.", "Fix the login bug"),
            (
                "Implement the following plan:\n\n# Add retries to the uploader\n\n## Context\n…",
                "Add retries to the uploader",
            ),
            ("Implement the following plan:\n\n# Plan: Move hooks into a crate\n", "Move hooks into a crate"),
            (
                "Implement the following plan:\n\n# Plan\n\n## Context\n\nThe cache is never emptied. So it grows.",
                "The cache is never emptied",
            ),
            ("Please implement this plan:\n- read the file\n", "read the file"),
            ("/review the new parser", "the new parser"),
            ("/usr/bin is full, clean it up", "/usr/bin is full, clean it up"),
            ("[[ ## user_query ## ]]\n\nWhich port does the server use?", "Which port does the server use?"),
            (
                "files:\n* a.md\n\n[[ ## user_query ## ]]\n\nWrite a greeting in Python",
                "Write a greeting in Python",
            ),
            (
                "I get this error:\n```\nerror[E0308]: mismatched types\n```\nwhy does the build fail?",
                "why does the build fail?",
            ),
            (
                "2026-01-02T03:04:05Z ERROR worker died\n2026-01-02T03:04:06Z INFO restarted\nWhy does the worker die?",
                "Why does the worker die?",
            ),
            ("hi\n\ncan you look at the failing test?", "can you look at the failing test?"),
            ("<context>\nWe use Redis for sessions.\n</context>", "We use Redis for sessions"),
            ("缓存使用Redis。过期时间是十分钟。", "缓存使用Redis"),
            ("Fix this: the button is grey", "Fix this: the button is grey"),
        ] {
            assert_eq!(title(prompt).as_deref(), Some(expected), "{prompt}");
        }
    }

    #[test]
    fn prompts_that_say_nothing_give_no_title() {
        for prompt in [
            "",
            "hi",
            "test",
            "/compact",
            "/clear\n",
            "Implement the following plan:",
            "Caveat: The messages below were generated by the user while running local commands.",
            "This session is being continued from a previous conversation that ran out of context.\nAnalysis: …",
            "[Request interrupted by user]",
            "```\nall of it is code here\n```",
            "2026-01-02 03:04:05 INFO started\n[12:34:56] done with it",
            "---",
        ] {
            assert_eq!(title(prompt), None, "{prompt}");
        }
    }
}
