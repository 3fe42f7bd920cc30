//! Credentials given to commands: `curl -u user:password`, `docker login -p …`, `psexec -p …`.

use std::ops::Range;

use super::super::shape;

const WITHIN: usize = 600;

/// At `curl`: the password of `-u`/`--user`, over continued lines.
pub(in super::super) fn curl(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let command = command(text, at);
    for (flag, short) in [(&b"-u"[..], true), (b"--user", false), (b"--proxy-user", false)] {
        let mut from = 0;
        while let Some(found) = command[from..].windows(flag.len()).position(|window| window == flag) {
            let start = from + found;
            from = start + flag.len();
            let spaced = start > 0 && command[start - 1].is_ascii_whitespace();
            let next = command.get(from).copied().unwrap_or(b' ');
            if !spaced
                || !(next.is_ascii_whitespace() || next == b'=' || short && !next.is_ascii_alphabetic())
            {
                continue;
            }
            if let Some(range) = user_password(command, from) {
                out.push(at + range.start..at + range.end);
            }
        }
    }
}

/// At `docker login`, `psexec`, `sshpass`, `mysql`…: the value of `-p`.
pub(in super::super) fn dash_p(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let command = command(text, at);
    let Some(flag) = command.windows(3).position(|w| w[0] == b' ' && w[1] == b'-' && w[2] == b'p') else {
        return;
    };
    let from = flag + 3;
    let gap = command[from..].iter().take(4).take_while(|b| b" '\"=".contains(b)).count();
    let value = argument(&command[from + gap..]);
    let numeric = value.iter().all(|b| b.is_ascii_digit() || b":/.".contains(b));
    if value.len() >= 4 && !numeric && is_password(value) {
        out.push(at + from + gap..at + from + gap + value.len());
    }
}

/// The rest of the command: to the end of the line, and on after a backslash.
fn command(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at..text.len().min(at + WITHIN)];
    // The next command of the same name is looked at in its own right.
    let again = rest[4..].windows(5).position(|window| window == &rest[..5]).map(|i| i + 4);
    let rest = &rest[..again.unwrap_or(rest.len())];
    let mut end = 0;
    while let Some(newline) = rest[end..].iter().position(|&b| b == b'\n') {
        let line = rest[end..end + newline].trim_ascii_end();
        end += newline + 1;
        if !line.ends_with(b"\\") {
            return &rest[..end - 1];
        }
    }
    rest
}

fn argument(rest: &[u8]) -> &[u8] {
    let length = rest.iter().take_while(|b| !b.is_ascii_whitespace() && !b"\"'`;|)".contains(b)).count();
    &rest[..length]
}

/// The password in `user:password`, with quotes around the whole or around either part.
fn user_password(command: &[u8], from: usize) -> Option<Range<usize>> {
    let mut at = from + command[from..].iter().take_while(|b| b" \t=\\\n".contains(b)).count();
    let quote = command.get(at).copied().filter(|b| b"\"'".contains(b));
    at += usize::from(quote.is_some());
    let user = command[at..].iter().position(|b| b":\"' \n".contains(b))?;
    let mut colon = at + user;
    // `"user":"password"`
    if quote.is_some() && command[colon] == quote? && command.get(colon + 1) == Some(&b':') {
        colon += 1;
    }
    if command[colon] != b':' {
        return None;
    }
    let mut start = colon + 1;
    let inner = command.get(start).copied().filter(|b| b"\"'".contains(b));
    if inner.is_some() && inner != quote || colon > at + user {
        start += usize::from(inner.is_some());
    }
    let closing = inner.or(quote);
    let length = match closing {
        Some(quote) => command[start..].iter().position(|&b| b == quote)?,
        None => argument(&command[start..]).len(),
    };
    is_password(&command[start..start + length]).then_some(start..start + length)
}

fn is_password(value: &[u8]) -> bool {
    const STAND_INS: &[&str] = &[
        "password",
        "pass",
        "passwd",
        "pwd",
        "token",
        "test",
        "changeme",
        "changeit",
        "secret",
        "apikey",
        "api_key",
        "api-token",
        "x-oauth-basic",
        "api_token",
    ];
    value.len() >= 3
        && !shape::is_reference(value)
        && !shape::is_filler(value)
        && !value.starts_with(b"<")
        && !value.ends_with(b">")
        && !value.starts_with(b"$")
        && !value.starts_with(b"[")
        && !value.starts_with(b"/")
        && !value.starts_with(b"{")
        && !value.iter().all(|b| b"*.x".contains(b))
        && !shape::contains(value, "your")
        && !STAND_INS.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}
