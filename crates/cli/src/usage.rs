//! Mistakes on the command line: reported like other failures, with exit code 2.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use crate::failure::Failure;
use crate::{overview, tree, ui};

const EXIT_CODE: u8 = 2;

/// Help and version are not failures, although clap returns them as such.
pub(crate) fn report(mut error: Error) -> ExitCode {
    if !error.use_stderr() {
        error.exit();
    }
    near_only(&mut error);
    let typed: Vec<OsString> = std::env::args_os().collect();
    if wants_json(&typed) {
        let (message, hint) = parts(&error);
        let error = serde_json::json!({ "error": { "message": message, "hint": hint } });
        ui::print(&format!("{error}\n"));
    }
    match error.kind() {
        ErrorKind::MissingSubcommand => ui::note(&overview::first()),
        // A suggestion that was removed leaves an empty paragraph.
        _ => ui::note(&text(&error, &typed).replace("\n\n\n", "\n\n")),
    }
    ExitCode::from(EXIT_CODE)
}

/// The same as a failure, for a command that was named rather than run.
pub(crate) fn failure(error: &Error) -> Failure {
    let (message, hint) = parts(error);
    Failure::user(message, hint)
}

/// Keeps a suggestion only if it differs from the typed word by one or two typos.
fn near_only(error: &mut Error) {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand).cloned() else {
        return;
    };
    let near = |word: &String| strsim::damerau_levenshtein(&typed, word) <= 1 + typed.chars().count() / 4;
    if let Some(ContextValue::Strings(words)) = error.remove(ContextKind::SuggestedSubcommand) {
        let words: Vec<String> = words.into_iter().filter(near).collect();
        if !words.is_empty() {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(words));
        }
    }
}

/// Parsing has failed, so the arguments have to be searched for `--json`.
fn wants_json(typed: &[OsString]) -> bool {
    typed.iter().skip(1).take_while(|arg| *arg != "--").any(|arg| arg == "--json")
}

/// The error echoes the typed text, which may contain terminal escapes. To keep hark's own colours, this
/// produces the same error again with escaped arguments.
fn text(error: &Error, typed: &[OsString]) -> String {
    let harmless = typed.iter().map(|arg| ui::safe(&arg.to_string_lossy()));
    match tree::command().try_get_matches_from(harmless) {
        Err(mut again) if again.kind() == error.kind() => {
            near_only(&mut again);
            again.render().ansi().to_string()
        }
        _ => ui::safe(&error.render().to_string()),
    }
}

/// The first paragraph says what is wrong, the others what could be done.
fn parts(error: &Error) -> (String, String) {
    let text = ui::safe(&error.render().to_string());
    if error.kind() == ErrorKind::MissingSubcommand {
        return ("no command was given".to_owned(), "see `hark help`".to_owned());
    }
    let (message, hint) = text.split_once("\n\n").unwrap_or((&text, ""));
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let hints: Vec<String> = hint.split("\n\n").map(one_line).filter(|line| !line.is_empty()).collect();
    (one_line(message.strip_prefix("error: ").unwrap_or(message)), hints.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_wanted_only_before_the_end_of_options() {
        let typed = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert!(wants_json(&typed("hark frobnicate --json")));
        assert!(!wants_json(&typed("hark remember -- --json")));
    }

    #[test]
    fn a_suggestion_is_made_only_where_it_is_near() {
        let error = |word: &str| {
            let mut error = tree::command().try_get_matches_from(["hark", word]).unwrap_err();
            near_only(&mut error);
            error.render().to_string()
        };
        assert!(error("remmeber").contains("remember"));
        assert!(!error("frobnicate").contains("similar"), "{}", error("frobnicate"));
    }

    #[test]
    fn a_usage_error_is_a_message_and_what_to_do() {
        let error = tree::command().try_get_matches_from(["hark", "recal1", "x"]).unwrap_err();
        let (message, hint) = parts(&error);
        assert!(message.contains("recal1") && !message.starts_with("error"), "{message}");
        assert!(hint.contains("recall") && hint.contains("--help"), "{hint}");
    }
}
