//! Decides whether the value assigned to a secret's name is a secret.
//!
//! Most text that mentions passwords contains none: forms, types, prompts, variables, documentation. In
//! doubt, these rules keep readable words and redact anything that looks random.

use super::grammar::{self, Link, Value};
use super::name::{Kind, Name};
use crate::redact::shape;

pub(super) fn is_secret(text: &[u8], name: &Name, value: &Value) -> bool {
    let raw = &text[value.range.clone()];
    if raw.starts_with(b"[REDACTED:") || raw.starts_with(b"[PRIVATE]") || raw.len() < 4 {
        return false;
    }
    // The cheapest check first: most values are words.
    if name.kind == Kind::Secret && !looks_drawn(name, value, raw) {
        return false;
    }
    if shape::is_reference(raw) || shape::is_filler(raw) || (!value.quoted && is_code(text, value)) {
        return false;
    }
    // "pass" is a verb more often than a password: `pass \`x\` to the caller`.
    if name.terse && matches!(value.link, Link::Space | Link::Prose) || name.verb && value.link == Link::Space
    {
        return false;
    }
    if !value.quoted && grammar::needs_quotes(name, value.link) {
        return false;
    }
    match name.kind {
        Kind::Password => is_password(text, name, value, raw),
        Kind::Secret => is_token(name, value, raw),
        Kind::Service => is_service_key(value, raw),
    }
}

fn is_token(name: &Name, value: &Value, raw: &[u8]) -> bool {
    // A variable called `pat` is more often a pattern than a personal access token.
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"_-".contains(b);
    if name.short && !(raw.len() >= 20 && raw.iter().all(plain)) {
        return false;
    }
    let bound = !matches!(value.link, Link::Space | Link::Prose) || value.quoted || raw.len() >= 20;
    bound
        && !shape::is_stand_in(raw)
        && !shape::is_typed(raw, 6)
        && !is_location(raw)
        && (value.link != Link::Space || !is_version(raw))
}

/// Whether a value could be a token at all, regardless of its words.
fn looks_drawn(name: &Name, value: &Value, raw: &[u8]) -> bool {
    if !raw.iter().all(u8::is_ascii_graphic) {
        return false;
    }
    // Punctuation reveals a "secret" that a person chose, such as a hand-typed signing secret.
    let chosen = value.quoted
        && raw.len() >= 8
        && raw.iter().any(|b| b"#!@$%^&*".contains(b))
        && shape::letters(raw) >= 4
        && raw[0].is_ascii_alphanumeric();
    let bare_name = !value.quoted && !name.flag && shape::digits(raw) < 2 && !shape::has_both_cases(raw);
    chosen || (!bare_name && shape::is_random(raw))
}

/// `v3.2.2+incompatible`, `v0.0.0-20240102030405-9fceb02d0ae5`: the version of a module.
fn is_version(raw: &[u8]) -> bool {
    let Some(rest) = raw.strip_prefix(b"v") else { return false };
    let numbers = rest.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
    shape::digits(&rest[..numbers]) > 0 && rest[..numbers].contains(&b'.')
}

fn is_service_key(value: &Value, raw: &[u8]) -> bool {
    matches!(value.link, Link::Equals { .. } | Link::Colon | Link::Pair)
        && (14..=120).contains(&raw.len())
        && raw.iter().all(|b| b.is_ascii_alphanumeric() || b"_=-".contains(b))
        && shape::digits(raw) >= 2
        && !shape::is_stand_in(raw)
        && !shape::is_typed_in_order(raw)
        && shape::is_random(raw)
        && shape::entropy(raw) >= 3.2
}

/// What people write in place of a password.
const NOT_PASSWORDS: &[&str] = &[
    "true",
    "false",
    "null",
    "none",
    "nil",
    "undefined",
    "required",
    "optional",
    "string",
    "str",
    "text",
    "number",
    "boolean",
    "bool",
    "bytes",
    "object",
    "password",
    "passwd",
    "pass",
    "secret",
    "token",
    "hidden",
    "empty",
    "unset",
    "default",
    "prompt",
    "input",
    "varchar",
    "char",
    "field",
    "form",
    "label",
    "value",
    "user",
    "username",
    "admin",
    "email",
    "login",
    "name",
    "type",
    "yes",
    "no",
    "any",
    "plain",
    "encrypted",
    "hashed",
    "hash",
    "stdin",
    "file",
    "env",
    "ask",
    "vault",
    "securestring",
    "nonempty",
    "missing",
    "incorrect",
    "invalid",
    "wrong",
    "expired",
    "changed",
    "error",
    "test",
    "basic",
    "option",
    "self",
    "this",
    "args",
    "auth",
    "not",
    "the",
    "your",
    "userpassword",
    "newpassword",
    "oldpassword",
    "str,",
    "pwd",
    "placeholder",
    "http",
    "https",
];

fn is_password(text: &[u8], name: &Name, value: &Value, raw: &[u8]) -> bool {
    let lower = raw.to_ascii_lowercase();
    let lower = lower.strip_suffix(b",").unwrap_or(&lower);
    let known = NOT_PASSWORDS.iter().any(|word| word.as_bytes() == lower);
    if is_connection_string(text, name, value) {
        return raw.len() >= 4 && !shape::is_stand_in(raw);
    }
    // Gradle, SQL: after a user name, even `password 'password'` is meant literally.
    if value.quoted && value.link == Link::Space && follows_user(text, name) {
        return true;
    }
    if known || is_stand_in_password(raw) || is_location(raw) || raw.len() > 200 {
        return false;
    }
    if raw.starts_with(b"#") || raw.starts_with(b"-") || raw.starts_with(b".") || raw.starts_with(b"|") {
        return false;
    }
    let punctuated = raw.iter().any(|b| b"!@$%^&*+=~?".contains(b));
    let telling = shape::digits(raw) > 0 || punctuated;
    let name_text = &text[name.range.clone()];
    if value.quoted {
        let phrase = raw.contains(&b' ');
        return match value.link {
            Link::Pair => telling && !phrase,
            // A network key is more often a phrase than a word.
            Link::Equals { spaced: false } if phrase && name.short => (8..64).contains(&raw.len()),
            // Sentences are messages: "Password is required", "Enter your password:".
            _ if phrase => {
                let words = raw.split(|&b| b == b' ').count();
                words == 2
                    && matches!(value.link, Link::Equals { .. })
                    && !shape::contains(raw, "pass")
                    && raw.iter().all(|b| b.is_ascii_lowercase() || *b == b' ')
            }
            _ => !raw.eq_ignore_ascii_case(name_text) && !is_label(raw, name_text, telling),
        };
    }
    if raw.len() < 5 || !raw.iter().all(u8::is_ascii_graphic) {
        return false;
    }
    // `Psk = 0x01u8`: a number in a program.
    if name.short && (raw.starts_with(b"0x") || shape::letters(raw) == 0) {
        return false;
    }
    match value.link {
        Link::Prose => {
            let after = value.range.end;
            let last =
                matches!(text.get(after), Some(b',' | b')' | b'.' | b';')) || grammar::ends_line(text, after);
            telling && raw.len() >= 6 && last
        }
        Link::Space => is_netrc(text, name) || (telling && raw.len() >= 8 && shape::is_random(raw)),
        Link::Flag => telling || shape::letters(raw) == raw.len(),
        Link::Colon => telling && !raw.ends_with(b":") && !is_expression(raw),
        // `pw = width2` is geometry; `pw=hunter2` at the end of a line or as an argument is not.
        Link::Equals { spaced } if name.short => {
            let ends = text.get(value.range.end).is_none_or(u8::is_ascii_whitespace);
            telling && !is_expression(raw) && (!spaced && ends || !shape::is_wordy(raw))
        }
        Link::Element => true,
        Link::Pair => false,
        Link::Equals { spaced } => {
            let screaming = name_text.iter().all(|b| !b.is_ascii_lowercase());
            let configured = grammar::ends_line(text, value.range.end);
            (telling && !is_expression(raw))
                || (configured
                    && (!spaced
                        || screaming
                        || follows_bare_user(text, name)
                        || text.get(value.range.end) == Some(&b';'))
                    && !is_expression(raw))
        }
    }
}

fn before<'a>(text: &'a [u8], name: &Name) -> &'a [u8] {
    &text[name.range.start.saturating_sub(160)..name.range.start]
}

fn follows_user(text: &[u8], name: &Name) -> bool {
    shape::contains(before(text, name), "user")
}

/// `user = deploy` on a separate line before it: a configuration file, not a program.
fn follows_bare_user(text: &[u8], name: &Name) -> bool {
    before(text, name).split(|&b| b == b'\n').any(|line| {
        let line = line.trim_ascii();
        let mut parts = line.splitn(2, |&b| b == b'=');
        let (Some(key), Some(user)) = (parts.next(), parts.next()) else { return false };
        let user = user.trim_ascii();
        let key = key.trim_ascii();
        ["user", "username", "login", "uid"].iter().any(|word| key.eq_ignore_ascii_case(word.as_bytes()))
            && !user.is_empty()
            && user.iter().all(u8::is_ascii_alphanumeric)
    })
}

/// Placeholders for a password, which unlike tokens are often words: `your-password`, `<password>`.
fn is_stand_in_password(raw: &[u8]) -> bool {
    const WORDS: &[&str] = &[
        "<",
        "changeme",
        "change_me",
        "your_",
        "your-",
        "placeholder",
        "example",
        "xxxx",
        "****",
        "...",
        "redacted",
        "&lt;",
        "foo-bar",
        "not-set",
        "not_set",
        "insert",
        "enter",
    ];
    WORDS.iter().any(|word| shape::contains(raw, word))
}

/// Labels, selectors and translation keys: `Password:`, `form.password`.
fn is_label(raw: &[u8], name: &[u8], telling: bool) -> bool {
    if raw.ends_with(b":") || raw.contains(&b'<') || raw.starts_with(b"/") {
        return true;
    }
    // `password: "password_field"`, `AdminPassword = "AdminPassword1"`: the value is another name.
    !telling
        && raw.iter().any(|b| b"_-. ".contains(b))
        && (shape::contains(raw, "pass") || shape::contains(raw, "pwd") || name.len() < 3)
}

/// `Server=…;Uid=…;Pwd=…`: any value is the password.
fn is_connection_string(text: &[u8], name: &Name, value: &Value) -> bool {
    if value.quoted || !matches!(value.link, Link::Equals { .. }) {
        return false;
    }
    let low = name.range.start.saturating_sub(300);
    let line = crate::redact::boundary::line_start(text, name.range.start, 300).max(low);
    let before = &text[line..name.range.start];
    before.contains(&b';')
        && [
            "server=",
            "data source=",
            "user id=",
            "uid=",
            "host=",
            "user=",
            "username=",
            "provider=",
            "driver=",
        ]
        .iter()
        .any(|mark| shape::contains(before, mark))
}

/// `machine host login user password …`, on several lines or on one.
fn is_netrc(text: &[u8], name: &Name) -> bool {
    let before = &text[name.range.start.saturating_sub(200)..name.range.start];
    shape::contains(before, "machine ") && shape::contains(before, "login ")
}

/// Paths, URLs and file names say where secrets are; they are not secrets.
fn is_location(raw: &[u8]) -> bool {
    let slashes = raw.iter().filter(|&&b| b == b'/').count();
    shape::contains(raw, "://")
        || raw.starts_with(b"./")
        || raw.starts_with(b"~/")
        || raw.starts_with(b"../")
        || raw.starts_with(b"arn:")
        || (raw.starts_with(b"/") && shape::is_wordy(raw))
        || (slashes >= 2 && !raw.contains(&b'+') && !raw.ends_with(b"=") && shape::is_wordy(raw))
        || [
            ".json",
            ".pem",
            ".txt",
            ".yml",
            ".yaml",
            ".key",
            ".env",
            ".go",
            ".js",
            ".ts",
            ".py",
            ".rs",
            ".html",
            ".md",
            ".crt",
            ".properties",
        ]
        .iter()
        .any(|end| raw.ends_with(end.as_bytes()))
}

/// Something a program computes: a call, a subscript, a member.
fn is_code(text: &[u8], value: &Value) -> bool {
    let raw = &text[value.range.clone()];
    if matches!(text.get(value.range.end), Some(b'(' | b'[')) || is_expression(raw) {
        return true;
    }
    // `"`, `'` right after an identifier opens a subscript or a prefixed literal: `os.environ['X']`.
    raw.contains(&b'(') || raw.contains(&b'[') && !raw.starts_with(b"[")
}

/// `config.password`, `user->pass`, `Settings::TOKEN`, `a|b`.
fn is_expression(raw: &[u8]) -> bool {
    let identifier = |part: &[u8]| {
        part.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_' || *b == b'$')
            && part.iter().all(|b| b.is_ascii_alphanumeric() || b"_$?!".contains(b))
            && shape::digits(part) * 4 < part.len()
    };
    let raw = raw.strip_prefix(b"&").or_else(|| raw.strip_prefix(b"*")).unwrap_or(raw);
    // Tokens with dots are longer than any chain of members.
    let token = raw.len() >= 60 && shape::is_random(raw);
    let member = raw.contains(&b'.') && !token && raw.split(|&b| b == b'.').all(identifier);
    member
        || shape::contains(raw, "->")
        || shape::contains(raw, "::")
        || raw.contains(&b'|') && !token
        || shape::contains(raw, "=>")
        // At the end it is base64 padding.
        || shape::contains(raw.trim_ascii_end().strip_suffix(b"==").unwrap_or(raw), "==")
}
