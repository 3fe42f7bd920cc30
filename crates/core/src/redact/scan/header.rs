//! Credentials in HTTP headers: `Authorization: <scheme> <credentials>`, and session cookies.

use std::ops::Range;

use super::super::{encoded, shape};

const SCHEMES: &[&str] = &[
    "bearer",
    "basic",
    "token",
    "api-token",
    "apikey",
    "ssws",
    "digest",
    "key",
    "api-key",
    "negotiate",
    "bot",
    "oauth",
    "jwt",
    "splunk",
    "genie",
    "githubtoken",
];

/// At `authorization`, in a header, a dictionary of headers or a shell argument.
pub(in super::super) fn authorization(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let mut from = at + b"authorization".len();
    let punctuation = text[from..].iter().take(12).take_while(|b| b"\"'\\:=> ,\t]`(".contains(b)).count();
    if !text[from..from + punctuation].iter().any(|b| b":=,".contains(b)) {
        return;
    }
    from += punctuation;
    let word = word_length(text, from);
    let scheme = &text[from..from + word];
    let known = SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known.as_bytes()));
    let from = if known {
        let gap = text[from + word..].iter().take(8).take_while(|b| b" \t:=".contains(b)).count();
        from + word + gap
    } else {
        from
    };
    push(text, from, !known, out);
}

/// At `bearer`, without the header's name.
pub(in super::super) fn bearer(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let from = at + b"bearer".len();
    let gap = text[from..].iter().take(4).take_while(|b| b" \t".contains(b)).count();
    if gap > 0 && super::super::boundary::before(text, at) {
        push(text, from + gap, true, out);
    }
}

/// At `basic`, without the header's name: the following text must decode to `user:password`.
pub(in super::super) fn basic(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let from = at + b"basic ".len();
    let is_base64 = |b: &u8| b.is_ascii_alphanumeric() || b"+/=".contains(b);
    let length = text[from..].iter().take(512).take_while(|b| is_base64(b)).count();
    if length >= 8
        && super::super::boundary::before(text, at)
        && is_user_and_password(&text[from..from + length])
    {
        out.push(from..from + length);
    }
}

fn is_user_and_password(encoded: &[u8]) -> bool {
    let body = encoded.split(|&b| b == b'=').next().unwrap_or_default();
    let Some(decoded) = encoded::from_base64(body) else { return false };
    let colon = decoded.iter().position(|&b| b == b':');
    colon.is_some_and(|colon| colon > 0 && colon + 3 < decoded.len())
        && decoded.iter().all(|b| b.is_ascii_graphic() || *b == b' ')
}

fn word_length(text: &[u8], from: usize) -> usize {
    text[from..]
        .iter()
        .take(4096)
        .take_while(|b| b.is_ascii_alphanumeric() || b"_-.~+/=@|%!:".contains(b))
        .count()
}

/// Takes the credentials at `from`, unless they are words of a sentence or placeholders.
fn push(text: &[u8], from: usize, strict: bool, out: &mut Vec<Range<usize>>) {
    let length = word_length(text, from);
    let value = &text[from..from + length];
    let end = length - value.iter().rev().take_while(|b| b".:!".contains(b)).count();
    let value = &value[..end];
    let telling = shape::digits(value) > 0 || shape::has_both_cases(value) && value.len() >= 16;
    if end < 8
        || !telling
        || shape::is_filler(value)
        || shape::is_stand_in(value)
        || shape::is_typed_in_order(value)
        || shape::is_wordy(value)
        || shape::entropy(value) < 2.5
        || (strict && (end < 12 || shape::entropy(value) < 2.75 || shape::contains(value, "://")))
    {
        return;
    }
    if matches!(text.get(from + length), Some(b'(' | b'[' | b'{' | b'$')) || shape::is_reference(value) {
        return;
    }
    out.push(from..from + end);
}

/// At `cookie`: values of cookies whose names suggest a session.
pub(in super::super) fn cookie(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let from = at + b"cookie".len();
    let colon = text[from..].iter().take(4).position(|&b| b == b':');
    let Some(colon) = colon else { return };
    let start = from + colon + 1;
    let length = text[start..].iter().take(1024).take_while(|b| !b"\r\n\"'`\\".contains(b)).count();
    let mut at = start;
    for pair in text[start..start + length].split(|&b| b == b';') {
        if let Some(equals) = pair.iter().position(|&b| b == b'=') {
            let (name, value) = (&pair[..equals], &pair[equals + 1..]);
            let session = ["sess", "sid", "auth", "token", "jwt", "remember", "login", "sso"]
                .iter()
                .any(|word| shape::contains(name, word));
            if session
                && value.len() >= 8
                && shape::digits(value) > 0
                && !shape::is_filler(value)
                && !shape::is_reference(value)
                && !value.starts_with(b"[REDACTED")
            {
                out.push(at + equals + 1..at + equals + 1 + value.len());
            }
        }
        at += pair.len() + 1;
    }
}
