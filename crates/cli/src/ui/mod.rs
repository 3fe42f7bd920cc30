//! Output for people. Data goes to stdout, notes to stderr; colour only on a terminal.

pub(crate) mod bar;
pub(crate) mod pager;

use std::io::{IsTerminal, Write};

pub(crate) use hark_engine::operation::text::safe;
pub(crate) use hark_engine::operation::{BAD, BOLD, DIM, GOOD};

/// Writes to stdout. A closed pipe (`| head`) is success.
pub(crate) fn print(text: &str) {
    let mut out = anstream::stdout().lock();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

/// Remarks that are not data.
pub(crate) fn note(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

pub(crate) fn report_error(message: &str, hint: Option<&str>) {
    note(&format!("{BAD}error:{BAD:#} {}\n", safe(message)));
    if let Some(hint) = hint.filter(|h| !h.is_empty()) {
        note(&format!("{GOOD}hint:{GOOD:#} {}\n", safe(hint)));
    }
}

pub(crate) fn print_json(value: &impl serde::Serialize) {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    print(&format!("{text}\n"));
}

/// The width of the terminal; `None` where stdout is a file or a pipe.
pub(crate) fn width() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}
