//! Lines of PostgreSQL's password file: `host:port:database:user:password`.

use std::ops::Range;

use super::super::{boundary, shape};

/// How far after the file's name its lines may be.
const WITHIN: usize = 600;

/// At a port between colons, or at the file's name: then every such line that follows.
pub(in super::super) fn line(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    if text[at] == b':' {
        let start = boundary::line_start(text, at, 200);
        out.extend(password(text, start));
        return;
    }
    let limit = text.len().min(at + WITHIN);
    let mut from = at;
    // In a command that writes the file, the line comes before its name.
    out.extend(password(text, boundary::line_start(text, at, 200)));
    while let Some(end) = text[from..limit].iter().position(|&b| b == b'\n') {
        from += end + 1;
        out.extend(password(text, from));
    }
}

/// The password on the line at `start`, if it has the five fields.
fn password(text: &[u8], start: usize) -> Option<Range<usize>> {
    let length = text[start..].iter().take(300).take_while(|b| !b"\r\n".contains(b)).count();
    let line = &text[start..start + length];
    // Only the port is certain; the host is the word before it.
    let is_port = |field: &[u8]| {
        field == b"*" || (2..=5).contains(&field.len()) && field.iter().all(u8::is_ascii_digit)
    };
    let colons: Vec<usize> =
        (0..line.len()).filter(|&i| line[i] == b':' && (i == 0 || line[i - 1] != b'\\')).collect();
    let fields = colons.windows(4).find(|four| {
        let (host, database, user) =
            (host(&line[..four[0]]), &line[four[1] + 1..four[2]], &line[four[2] + 1..four[3]]);
        let plain = |name: &[u8]| {
            !name.is_empty() && name.iter().all(|b| b.is_ascii_alphanumeric() || b"_*.@-".contains(b))
        };
        is_port(&line[four[0] + 1..four[1]]) && !host.is_empty() && plain(database) && plain(user)
    })?;
    let from = fields[3] + 1;
    let length = line[from..].iter().take_while(|b| !b.is_ascii_whitespace() && !b"\"'`".contains(b)).count();
    let value = &line[from..from + length];
    let stands_in =
        ["password", "pass", "passwd", "pwd"].iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()));
    // A colon inside the password is escaped; otherwise the line belongs to another file.
    let fields = (0..value.len()).any(|i| value[i] == b':' && (i == 0 || value[i - 1] != b'\\'));
    (length >= 3 && !fields && !stands_in && !shape::is_reference(value) && !shape::is_stand_in(value))
        .then_some(start + from..start + from + length)
}

/// The host at the end of a line's beginning.
fn host(before: &[u8]) -> &[u8] {
    let length =
        before.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || b"._-*/".contains(b)).count();
    &before[before.len() - length..]
}
