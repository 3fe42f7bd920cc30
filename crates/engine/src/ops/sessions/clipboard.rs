//! Copies a line to the user's clipboard: with a program of the desktop, or by asking the terminal.

use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};

/// The answer of [`copy`] if the terminal was asked.
pub(super) const TERMINAL: &str = "terminal";

/// The name of what copied the text; `None` if nothing could.
pub(super) fn copy(text: &str) -> Option<&'static str> {
    // Over SSH, a program would copy to the clipboard of the other machine.
    let is_remote = std::env::var_os("SSH_CONNECTION").is_some() || std::env::var_os("SSH_TTY").is_some();
    let terminal = || ask_terminal(text).then_some(TERMINAL);
    if is_remote { terminal().or_else(|| with_program(text)) } else { with_program(text).or_else(terminal) }
}

/// Uses the first clipboard program that works.
fn with_program(text: &str) -> Option<&'static str> {
    let programs: [(&'static str, &[&str]); 5] = [
        ("pbcopy", &[]),
        ("wl-copy", &[]),
        ("xclip", &["-selection", "clipboard"]),
        ("xsel", &["--clipboard", "--input"]),
        ("clip.exe", &[]),
    ];
    let works = |(program, args): &&(&'static str, &[&str])| {
        let child = Command::new(program)
            .args(*args)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = child else { return false };
        let written = child.stdin.take().is_some_and(|mut stdin| stdin.write_all(text.as_bytes()).is_ok());
        child.wait().is_ok_and(|status| status.success()) && written
    };
    programs.iter().find(works).map(|(program, _)| *program)
}

/// The escape sequence OSC 52, which most terminals understand. Written to standard error: standard output is data.
fn ask_terminal(text: &str) -> bool {
    let mut out = std::io::stderr();
    let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    out.is_terminal() && !is_dumb && write!(out, "{}", sequence(text)).and_then(|()| out.flush()).is_ok()
}

fn sequence(text: &str) -> String {
    format!("\u{1b}]52;c;{}\u{7}", base64(text.as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word = (u32::from(three[0]) << 16)
            | (u32::from(*three.get(1).unwrap_or(&0)) << 8)
            | u32::from(*three.get(2).unwrap_or(&0));
        for place in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * place)) as usize & 63];
            text.push(if place > three.len() { '=' } else { char::from(letter) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_what_terminals_expect() {
        for (text, code) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("/a/b.md", "L2EvYi5tZA==")]
        {
            assert_eq!(base64(text.as_bytes()), code);
        }
        assert_eq!(sequence("foo"), "\u{1b}]52;c;Zm9v\u{7}");
    }
}
