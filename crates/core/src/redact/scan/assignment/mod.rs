//! A secret assigned to a name: `PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<Password>…`.
//!
//! [`name`] decides whether a name denotes a secret, [`grammar`] finds the value assigned to it in any of the
//! usual syntaxes, and [`judge`] decides whether that value is a secret or something else in its place: a
//! variable, a type, a prompt, a placeholder.

mod grammar;
mod judge;
mod name;

use std::ops::Range;

/// For names that denote a password.
pub(in super::super) fn password(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    scan(text, at, name::Kind::Password, out);
}

/// For names that denote a token, a secret or a key.
pub(in super::super) fn secret(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    scan(text, at, name::Kind::Secret, out);
}

/// For names of services whose keys have no distinctive shape; see the rule's keywords.
pub(in super::super) fn service(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    scan(text, at, name::Kind::Service, out);
}

fn scan(text: &[u8], at: usize, kind: name::Kind, out: &mut Vec<Range<usize>>) {
    let Some(name) = name::around(text, at, kind) else { return };
    let Some(value) = grammar::value_of(text, &name) else { return };
    if judge::is_secret(text, &name, &value) {
        out.push(value.range);
    }
}
