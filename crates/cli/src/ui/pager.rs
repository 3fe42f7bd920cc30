//! Long lists go through the user's pager, on a terminal only.

use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};

pub(crate) fn print(text: &str) {
    let height = terminal_size::terminal_size().map(|(_, height)| usize::from(height.0));
    let long = height.is_some_and(|height| text.lines().count() >= height);
    if !long || !std::io::stdout().is_terminal() || !through_pager(text) {
        super::print(text);
    }
}

/// `PAGER`, else `less`; an empty `PAGER` or `cat` means none.
fn through_pager(text: &str) -> bool {
    let pager = std::env::var("PAGER").unwrap_or_else(|_| "less".to_owned());
    let mut words = pager.split_whitespace();
    let Some(program) = words.next().filter(|program| *program != "cat") else { return false };
    let child = Command::new(program)
        .args(words)
        // Colours pass, and the text stays on the screen afterwards.
        .env("LESS", std::env::var("LESS").unwrap_or_else(|_| "FRX".to_owned()))
        .stdin(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else { return false };
    if let Some(mut stdin) = child.stdin.take() {
        let colour = anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
        let plain;
        let bytes = if colour {
            text.as_bytes()
        } else {
            plain = anstream::adapter::strip_str(text).to_string();
            plain.as_bytes()
        };
        // The reader may quit before the end.
        let _ = stdin.write_all(bytes);
    }
    child.wait().is_ok()
}
