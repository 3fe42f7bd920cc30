//! What people see. Data goes to stdout, remarks to stderr; colour only on a terminal.

pub(crate) mod bar;
pub(crate) mod memory;
pub(crate) mod progress;

use std::io::Write;

use anstyle::{AnsiColor, Style};

pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const ID: Style = AnsiColor::Cyan.on_default();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// Writes to stdout. A closed pipe (`| head`) is success: there is nobody left to tell.
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

/// Text from a store may hold anything; a terminal must not obey it.
pub(crate) fn safe(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c }).collect()
}

/// Words of a memory, session or event: an assistant may read them in a shell of its own.
pub(crate) fn words(text: &str) -> String {
    hark_core::quote::quoted(&safe(text)).into_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn stored_text_cannot_steer_the_terminal() {
        assert_eq!(super::safe("a\u{1b}[31mb\nc"), "a\u{fffd}[31mb\nc");
    }
}
