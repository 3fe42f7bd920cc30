//! What was typed is no command: said as other failures are, with exit code 2.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::CommandFactory;
use clap::error::{Error, ErrorKind};

use crate::args::Cli;
use crate::{environment, ui};

const EXIT_CODE: u8 = 2;

pub(crate) fn command() -> clap::Command {
    Cli::command().after_long_help(environment::help())
}

/// Help and version are no failures, though they arrive as such.
pub(crate) fn report(error: &Error) -> ExitCode {
    if !error.use_stderr() {
        error.exit();
    }
    let typed: Vec<OsString> = std::env::args_os().collect();
    if wants_json(&typed) {
        let (message, hint) = parts(error);
        let error = serde_json::json!({ "error": { "message": message, "hint": hint } });
        ui::print(&format!("{error}\n"));
    }
    ui::note(&text(error, &typed));
    ExitCode::from(EXIT_CODE)
}

/// Parsing has failed, so nobody else can say whether `--json` was among the arguments.
fn wants_json(typed: &[OsString]) -> bool {
    typed.iter().skip(1).take_while(|arg| *arg != "--").any(|arg| arg == "--json")
}

/// The error echoes what was typed, which a terminal must not obey. To keep our own colours, the
/// same mistake is made again with harmless arguments.
fn text(error: &Error, typed: &[OsString]) -> String {
    let harmless = typed.iter().map(|arg| ui::safe(&arg.to_string_lossy()));
    match command().try_get_matches_from(harmless) {
        Err(again) if again.kind() == error.kind() => again.render().ansi().to_string(),
        _ => ui::safe(&error.render().to_string()),
    }
}

/// The first paragraph says what is wrong, the others what could be done.
fn parts(error: &Error) -> (String, String) {
    let text = ui::safe(&error.render().to_string());
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return ("a command is missing".to_owned(), "see `hark --help`".to_owned());
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
    fn a_usage_error_is_a_message_and_what_to_do() {
        let error = command().try_get_matches_from(["hark", "recal1", "x"]).unwrap_err();
        let (message, hint) = parts(&error);
        assert!(message.contains("recal1") && !message.starts_with("error"), "{message}");
        assert!(hint.contains("recall") && hint.contains("--help"), "{hint}");
    }
}
