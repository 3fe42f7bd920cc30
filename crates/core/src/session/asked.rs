//! What a prompt asks for: a request, a question, or only a command to the client.

use crate::redact::Clean;

/// The request in a prompt. A command to the client, such as `/clear` or `/model opus`, has none; a command with a
/// text of its own, such as `/fix the login form`, has that text.
pub fn request_in(prompt: &Clean) -> Option<Clean> {
    // The form in which transcripts record a command.
    const TAG: &str = "<command-";
    let text = prompt.trim();
    if text.starts_with(TAG) {
        return None;
    }
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let is_command = first.strip_prefix('/').is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
    });
    let request = if is_command { rest.trim() } else { text };
    let says_something =
        if is_command { request.split_whitespace().count() >= FEWEST_WORDS } else { !request.is_empty() };
    // A part of a clean text is clean.
    says_something.then(|| Clean::already_redacted(request.to_owned()))
}

/// This many words after a command are a request and not its arguments.
const FEWEST_WORDS: usize = 3;

/// Whether it is one line that asks for an answer.
pub fn is_question(text: &str) -> bool {
    let text = text.trim();
    !text.contains('\n') && text.ends_with(['?', '？'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_to_the_client_are_not_requests() {
        let clean = |text: &str| Clean::already_redacted(text.to_owned());
        for prompt in
            ["/clear", "/model opus", "/mcp:login now", "/compact", "", "<command-name>/init</command-name>"]
        {
            assert_eq!(request_in(&clean(prompt)), None, "{prompt}");
        }
        for (prompt, request) in [
            ("/fix the login form", "the login form"),
            ("fix the login form", "fix the login form"),
            ("/usr/bin/env is missing", "/usr/bin/env is missing"),
            ("/ what is this", "/ what is this"),
        ] {
            assert_eq!(request_in(&clean(prompt)).as_deref(), Some(request), "{prompt}");
        }
    }

    #[test]
    fn questions_are_single_lines() {
        assert!(is_question("What is a monad? "));
        assert!(!is_question("Fix this:\nwhy does it fail?"));
        assert!(!is_question("Fix the login"));
    }
}
