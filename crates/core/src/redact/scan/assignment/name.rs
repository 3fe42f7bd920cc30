//! Names: does `dbPassword` speak of a password, does `token_count` speak of a token?
//!
//! A name is read as words, and its last word decides: what something *is* comes last in a name.
//! `password_policy` is a policy. Words that only qualify (`_prod`, `_value`, `_2`) are skipped.

use std::ops::Range;

const BEFORE: usize = 64;
const AFTER: usize = 48;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Chosen by people: may be short and readable.
    Password,
    /// Drawn by machines: must look random.
    Secret,
    /// A service's name without a word for secret; the value alone has to convince.
    Service,
}

#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
    /// Written as a command line flag: `--password`, `-vaultToken`.
    pub(super) flag: bool,
    /// The bare word `pass`, which test reports use as well.
    pub(super) terse: bool,
    /// Ends in the word `pass`, as functions that report a test do: `test_pass "…"`.
    pub(super) verb: bool,
    /// One of the abbreviations that code uses for other things as well: `pw`, `psk`, `pat`.
    pub(super) short: bool,
}

/// The name around the keyword at `at`, if it speaks of a secret of this kind.
pub(super) fn around(text: &[u8], at: usize, kind: Kind) -> Option<Name> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let low = at.saturating_sub(BEFORE);
    let back = text[low..at].iter().rev().take_while(|b| is_part(b)).count();
    let high = text.len().min(at + AFTER);
    let ahead = text[at..high].iter().take_while(|b| is_part(b)).count();
    let mut range = at - back..at + ahead;
    // An escape before the name (`\nPASSWORD=`) is no part of it.
    if range.start > 0 && text[range.start - 1] == b'\\' && range.start < at {
        range.start += 1;
    }
    let dashes = text[range.clone()].iter().take_while(|&&b| b == b'-').count();
    range.start += dashes;
    while range.end > range.start && b".-".contains(&text[range.end - 1]) {
        range.end -= 1;
    }
    if range.is_empty() || at >= range.end {
        return None;
    }
    let mut words = words(&text[range.clone()]);
    // "secret key", "API token" and "Unseal Key 2" as people write them in prose and tables.
    if words.len() == 1 && dashes == 0 && kind == Kind::Secret {
        let before = preceding_word(text, range.start);
        words.insert(0, before);
    }
    let decided = decide(&words, kind)?;
    if words.iter().any(|word| DISQUALIFIERS.contains(&word.as_str())) {
        return None;
    }
    let last = words.last().map_or("", String::as_str);
    Some(Name {
        range,
        kind,
        flag: dashes > 0,
        terse: decided == Decided::Terse,
        verb: last == "pass",
        short: last == PAT || SHORT.contains(&last),
    })
}

#[derive(PartialEq, Eq)]
enum Decided {
    Plain,
    Terse,
}

/// Words that make a name speak of something else, wherever they stand.
const DISQUALIFIERS: &[&str] = &[
    "csrf",
    "xsrf",
    "authenticity",
    "public",
    "pub",
    "publishable",
    "max",
    "min",
    "num",
    "total",
    "next",
    "page",
    "continuation",
    "cursor",
    "pad",
    "eos",
    "bos",
    "unk",
    "sep",
    "cls",
    "mask",
    "special",
    "stop",
    "cancellation",
    "cancel",
    "syntax",
    "parse",
    "lexer",
    "sync",
    "design",
    "forgot",
    "reset",
    "no",
    "without",
    "invalid",
    "wrong",
    "missing",
    "cache",
];

/// Words that only qualify the word before them.
const QUALIFIERS: &[&str] = &[
    "value",
    "val",
    "string",
    "str",
    "raw",
    "text",
    "plain",
    "plaintext",
    "clear",
    "prod",
    "production",
    "dev",
    "development",
    "staging",
    "stage",
    "test",
    "testing",
    "live",
    "sandbox",
    "local",
    "default",
    "base64",
    "b64",
    "encoded",
    "enc",
    "env",
    "var",
    "new",
    "old",
    "current",
    "backup",
    "secondary",
    "main",
    "sid",
    "hex",
    "decoded",
];

/// Words for a password that are too short to be looked for inside of others.
const SHORT: &[&str] = &["pw", "psk"];
/// A personal access token, for short.
const PAT: &str = "pat";
const PASSWORDS: &[&str] =
    &["password", "passwd", "passphrase", "pwd", "passwort", "passcode", "psw", "pswd"];
const SECRETS: &[&str] = &[
    "secret",
    "token",
    "apikey",
    "authkey",
    "accesskey",
    "secretkey",
    "privatekey",
    "authtoken",
    "credential",
    "credentials",
    "creds",
    "jwt",
    "bearer",
    "passkey",
];

/// What has to come before `key` for it to be a secret: most keys are keys of maps.
const KEY_OWNERS: &[&str] = &[
    "api",
    "aws",
    "access",
    "secret",
    "private",
    "encryption",
    "signing",
    "auth",
    "license",
    "account",
    "shared",
    "preshared",
    "master",
    "service",
    "insert",
    "query",
    "app",
    "application",
    "client",
    "consumer",
    "storage",
    "subscription",
    "admin",
    "stream",
    "unseal",
    "integration",
    "write",
    "function",
    "functions",
    "session",
    "crypt",
    "aes",
    "hmac",
    "jwt",
    "server",
    "authentication",
    "ingest",
    "rest",
    "device",
    "provision",
    "apis",
    "webhook",
    "recovery",
    "user",
    "host",
    "ssl",
    "io",
    "merchant",
    "security",
    "token",
    "anon",
    "role",
    "personal",
];

fn decide(words: &[String], kind: Kind) -> Option<Decided> {
    let mut rest = words;
    if kind == Kind::Service {
        const NOT_A_KEY: &[&str] = &[
            "url",
            "uri",
            "host",
            "name",
            "domain",
            "path",
            "file",
            "version",
            "hash",
            "sha",
            "commit",
            "ref",
            "region",
            "bucket",
            "image",
            "digest",
            "endpoint",
            "checksum",
            "rev",
            "branch",
            "integrity",
            "class",
            "type",
            "cluster",
            "namespace",
            "project",
            "org",
        ];
        let last = words.last()?;
        return (!NOT_A_KEY.contains(&last.as_str())).then_some(Decided::Plain);
    }
    while let [before @ .., last] = rest
        && !before.is_empty()
        && (QUALIFIERS.contains(&last.as_str()) || last.bytes().all(|b| b.is_ascii_digit()))
    {
        rest = before;
    }
    let [before @ .., last] = rest else { return None };
    let owner = before.last().map_or("", String::as_str);
    match kind {
        Kind::Password => {
            let last = last.trim_end_matches(|c: char| c.is_ascii_digit());
            if SHORT.contains(&last) || PASSWORDS.iter().any(|noun| last.ends_with(noun)) {
                return Some(Decided::Plain);
            }
            let joined = [
                "db", "user", "my", "admin", "root", "ftp", "smtp", "auth", "login", "ssh", "wifi", "mysql",
                "mongo", "redis", "mail", "ldap",
            ];
            let glued = last.strip_suffix("pass").is_some_and(|head| joined.contains(&head));
            if glued || (last == "pass" && !owner.is_empty() && words.len() > 1 && owner != "first") {
                return Some(Decided::Plain);
            }
            (last == "pass").then_some(Decided::Terse)
        }
        Kind::Secret => {
            let plain = last == PAT || SECRETS.iter().any(|noun| last.ends_with(noun));
            let key = last == "key"
                && (KEY_OWNERS.contains(&owner)
                    || before.iter().any(|word| ["api", "secret", "token", "auth"].contains(&word.as_str())));
            (plain || key).then_some(Decided::Plain)
        }
        Kind::Service => None,
    }
}

/// Splits at separators and at the humps of camel case; words come out in lower case.
fn words(name: &[u8]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for (i, &b) in name.iter().enumerate() {
        if !b.is_ascii_alphanumeric() {
            open = false;
            continue;
        }
        let hump = b.is_ascii_uppercase()
            && i > 0
            && (name[i - 1].is_ascii_lowercase()
                || name[i - 1].is_ascii_digit()
                || (name[i - 1].is_ascii_uppercase()
                    && name.get(i + 1).is_some_and(u8::is_ascii_lowercase)
                    // The plural of an acronym is no hump: `APIs`.
                    && name.get(i + 1..) != Some(b"s")));
        if !open || hump {
            words.push(String::new());
        }
        open = true;
        if let Some(word) = words.last_mut() {
            word.push(char::from(b.to_ascii_lowercase()));
        }
    }
    words
}

/// The word before `at` on the same line, one space away; empty if there is none.
fn preceding_word(text: &[u8], at: usize) -> String {
    let Some(space) = at.checked_sub(1).filter(|&i| text[i] == b' ') else { return String::new() };
    let low = space.saturating_sub(24);
    let length = text[low..space].iter().rev().take_while(|b| b.is_ascii_alphanumeric()).count();
    let word = &text[space - length..space];
    String::from_utf8_lossy(word).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speaks(name: &str, keyword: &str, kind: Kind) -> bool {
        let at = name.to_ascii_lowercase().find(keyword).expect("the keyword is in the name");
        around(name.as_bytes(), at, kind).is_some()
    }

    #[test]
    fn the_last_word_decides() {
        for name in ["db_password", "adminPassword", "PASSWORD_PROD", "password2", "dbpassword"] {
            assert!(speaks(name, "password", Kind::Password), "{name}");
        }
        for name in ["password_policy", "passwordLabel", "forgot_password", "password-stdin"] {
            assert!(!speaks(name, "password", Kind::Password), "{name}");
        }
        for name in ["access_token", "vaultToken", "tokenToken", "MY_TOKEN_VALUE"] {
            assert!(speaks(name, "token", Kind::Secret), "{name}");
        }
        for name in ["max_tokens", "token_count", "tokenizer", "next_page_token", "csrf_token"] {
            assert!(!speaks(name, "token", Kind::Secret), "{name}");
        }
    }

    #[test]
    fn a_key_needs_an_owner() {
        for name in ["api_key", "apiKey", "AWS_SECRET_ACCESS_KEY", "privateKey"] {
            assert!(speaks(name, "key", Kind::Secret), "{name}");
        }
        for name in ["primary_key", "key", "bucket_key", "keyboard", "public_key"] {
            assert!(!speaks(name, "key", Kind::Secret), "{name}");
        }
    }
}
