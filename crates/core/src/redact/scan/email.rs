//! E-mail addresses. Many other things contain an `@`: remotes, scoped packages, decorators, retina images.
//! Addresses at domains reserved for documentation belong to no one.

use std::ops::Range;

const RESERVED: &[&str] =
    &["example.com", "example.org", "example.net", "localhost.localdomain", "users.noreply.github.com"];
/// Mailboxes that belong to no one.
const STAND_INS: &[&str] = &[
    "test",
    "user",
    "username",
    "foo",
    "bar",
    "baz",
    "someone",
    "somebody",
    "you",
    "your",
    "yourname",
    "your.name",
    "youremail",
    "your-email",
    "your.email",
    "your_email",
    "name",
    "email",
    "example",
    "noreply",
    "no-reply",
    "donotreply",
];
const NOT_DOMAINS: &[&str] = &[
    "png",
    "jpg",
    "jpeg",
    "gif",
    "svg",
    "webp",
    "js",
    "ts",
    "tsx",
    "jsx",
    "css",
    "html",
    "json",
    "py",
    "rs",
    "go",
    "rb",
    "java",
    "md",
    "txt",
    "yml",
    "yaml",
    "toml",
    "lock",
    "service",
    "test",
    "invalid",
    "example",
    "local",
    "internal",
    "lan",
    "sock",
    "so",
    "git",
    "prototype",
    "length",
];

/// At `@`.
pub(in super::super) fn address(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let is_local = |b: &u8| b.is_ascii_alphanumeric() || b"._%+-".contains(b);
    let local = text[at.saturating_sub(64)..at].iter().rev().take_while(|b| is_local(b)).count();
    let start = at - local;
    let skip = text[start..at].iter().take_while(|b| b".%+-".contains(b)).count();
    let start = start + skip;
    let domain = text[at + 1..]
        .iter()
        .take(255)
        .take_while(|b| b.is_ascii_alphanumeric() || b".-".contains(b))
        .count();
    let domain = &text[at + 1..at + 1 + domain];
    let domain = &domain[..domain.len() - domain.iter().rev().take_while(|b| b".-".contains(b)).count()];
    let end = at + 1 + domain.len();
    let Some(dot) = domain.iter().rposition(|&b| b == b'.') else { return };
    let top = domain[dot + 1..].to_ascii_lowercase();
    let before = start.checked_sub(1).map(|i| text[i]);
    let after = text.get(end).copied();
    let scp = text[start..at] == *b"git"
        || after == Some(b':')
            && text.get(end + 1).is_some_and(|b| b.is_ascii_alphanumeric() || b"~/".contains(b));
    let known = NOT_DOMAINS.iter().any(|word| word.as_bytes() == top);
    let reserved =
        RESERVED.iter().any(|name| domain.eq_ignore_ascii_case(name.as_bytes()) || ends_in(domain, name));
    let local = &text[start..at];
    let nobody = STAND_INS.iter().any(|word| local.eq_ignore_ascii_case(word.as_bytes()));
    if start >= at
        || nobody
        || !can_exist(local, domain)
        || dot == 0
        || !(2..=18).contains(&top.len())
        || !top.iter().all(u8::is_ascii_alphabetic)
        || matches!(before, Some(b'/' | b'@' | b':' | b'\\')) && in_url(text, start)
        || before == Some(b'@')
        || scp
        || known
        || reserved
        || after == Some(b'@')
        || after == Some(b'(')
    {
        return;
    }
    out.push(start..end);
}

/// Gmail names have at least six characters, not counting dots and what follows a plus.
fn can_exist(local: &[u8], domain: &[u8]) -> bool {
    let gmail = domain.eq_ignore_ascii_case(b"gmail.com") || domain.eq_ignore_ascii_case(b"googlemail.com");
    let name = local.split(|&b| b == b'+').next().unwrap_or_default();
    !gmail || name.iter().filter(|&&b| b != b'.').count() >= 6
}

fn ends_in(domain: &[u8], name: &str) -> bool {
    domain.len() > name.len()
        && domain[domain.len() - name.len()..].eq_ignore_ascii_case(name.as_bytes())
        && domain[domain.len() - name.len() - 1] == b'.'
}

/// Whether the word that ends here is the user of a URL: `https://user@host`.
fn in_url(text: &[u8], at: usize) -> bool {
    let before = &text[at.saturating_sub(80)..at];
    let word = before.iter().rposition(u8::is_ascii_whitespace).map_or(0, |i| i + 1);
    before[word..].windows(3).any(|window| window == b"://")
}
