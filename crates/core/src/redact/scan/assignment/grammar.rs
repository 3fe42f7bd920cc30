//! Finds the value assigned to a name, in the syntaxes people use: assignments in programming and
//! configuration languages, JSON (also escaped), YAML, XML, headers, flags, prose.

use std::ops::Range;

use super::name::{Kind, Name};

const LONGEST: usize = 2048;
const LONGEST_BARE: usize = 1500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// `=`, `:=`, `=>`, `==` …; whether spaces surround it.
    Equals {
        spaced: bool,
    },
    Colon,
    /// `<name>value</name>`
    Element,
    /// `name="…" value="…"`, or `("name", "value")`.
    Pair,
    /// `--name value`
    Flag,
    /// `password 'value'`, as in Gradle, SQL and netrc.
    Space,
    /// `the password is …`
    Prose,
}

#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) range: Range<usize>,
    pub(super) quoted: bool,
    pub(super) link: Link,
}

pub(super) fn value_of(text: &[u8], name: &Name) -> Option<Value> {
    let mut at = name.range.end;
    let closed = skip_closers(text, &mut at);
    let spaces = skip_blanks(text, &mut at);
    let (link, after) = link(text, name, at, closed, spaces)?;
    // `password=password=…`: the second one is examined separately.
    let own = &text[name.range.end..after];
    let again = text[after..].strip_prefix(&text[name.range.clone()]);
    if !own.is_empty() && again.is_some_and(|rest| rest.starts_with(own)) {
        return None;
    }
    value(text, after, link)
}

/// Skips what may close a quoted name or a subscript: `"`, `\"`, `']`, `&quot;`.
fn skip_closers(text: &[u8], at: &mut usize) -> bool {
    let from = *at;
    if text[*at..].starts_with(b"&quot;") {
        *at += 6;
    }
    while *at - from < 4 && text.get(*at).is_some_and(|b| b"\"'`]\\".contains(b)) {
        *at += 1;
    }
    *at > from
}

fn skip_blanks(text: &[u8], at: &mut usize) -> usize {
    let from = *at;
    while *at - from < 40 && text.get(*at).is_some_and(|b| b" \t".contains(b)) {
        *at += 1;
    }
    *at - from
}

fn link(text: &[u8], name: &Name, at: usize, closed: bool, spaces: usize) -> Option<(Link, usize)> {
    let rest = &text[at..];
    let opened = name.range.start.checked_sub(1).map(|i| text[i]);
    match rest.first()? {
        b'>' if opened == Some(b'<') => return Some((Link::Element, at + 1)),
        b',' if closed => return pair(text, at + 1),
        b'v' | b'V' if closed && spaces > 0 => return pair(text, at),
        // `<name="X" />` and, in the next element, `<value="…" />`.
        b'/' if closed && rest.starts_with(b"/>") => {
            let gap = rest[2..].iter().take(80).take_while(|b| b.is_ascii_whitespace()).count();
            let next = at + 2 + gap;
            return (text.get(next) == Some(&b'<')).then(|| pair(text, next + 1)).flatten();
        }
        _ => {}
    }
    let operator = rest.iter().take(4).take_while(|b| b"=:?|.+!>~".contains(b)).count();
    let operator = &rest[..operator];
    if operator.contains(&b'=') {
        let after = at + operator.len();
        let spaced = spaces > 0 || text.get(after).is_some_and(|b| b" \t".contains(b));
        return Some((Link::Equals { spaced }, after));
    }
    if operator == b":" {
        return Some(typed(text, at + 1).unwrap_or((Link::Colon, at + 1)));
    }
    if !operator.is_empty() || spaces == 0 {
        return None;
    }
    if let Some(found) = typed(text, at) {
        return Some(found);
    }
    let is = rest.strip_prefix(b"is ").or_else(|| rest.strip_prefix(b"is: "));
    if let Some(after) = is {
        return Some((Link::Prose, text.len() - after.len()));
    }
    if name.flag {
        return Some((Link::Flag, at));
    }
    (rest[0] != b'-').then_some((Link::Space, at))
}

/// `: string = …` and Go's ` string = …`: a type between the name and its value.
fn typed(text: &[u8], at: usize) -> Option<(Link, usize)> {
    let mut at = at;
    skip_blanks(text, &mut at);
    let word =
        text[at..].iter().take(24).take_while(|b| b.is_ascii_alphanumeric() || b"&<>[]?".contains(b)).count();
    let kind = text[at..at + word].to_ascii_lowercase();
    if ![
        b"string".as_slice(),
        b"str",
        b"&str",
        b"&'static",
        b"char[]",
        b"string?",
        b"securestring",
        b"option<string>",
        b"optional[str]",
    ]
    .contains(&kind.as_slice())
    {
        return None;
    }
    at += word;
    skip_blanks(text, &mut at);
    (text.get(at) == Some(&b'=') && text.get(at + 1) != Some(&b'='))
        .then_some((Link::Equals { spaced: true }, at + 1))
}

/// The value of `"name": "X", "value": "…"`, `key="X" value="…"` or `("X", "…")`.
fn pair(text: &[u8], at: usize) -> Option<(Link, usize)> {
    let mut at = at;
    let space = |at: &mut usize| {
        while text.get(*at).is_some_and(u8::is_ascii_whitespace) {
            *at += 1;
        }
    };
    space(&mut at);
    let mut key = at;
    while text.get(key).is_some_and(|b| b"\\\"'".contains(b)) {
        key += 1;
    }
    if text.get(key..key + 5).is_some_and(|word| word.eq_ignore_ascii_case(b"value")) {
        let mut after = key + 5;
        skip_closers(text, &mut after);
        space(&mut after);
        if text.get(after).is_some_and(|b| b"=:".contains(b)) {
            after += 1;
            space(&mut after);
            return Some((Link::Pair, after));
        }
    }
    text.get(at).is_some_and(|b| b"\"'\\".contains(b)).then_some((Link::Pair, at))
}

fn value(text: &[u8], after: usize, link: Link) -> Option<Value> {
    let mut at = after;
    skip_blanks(text, &mut at);
    if let Some(line) = block_scalar(text, at, link) {
        return Some(Value { range: line, quoted: false, link });
    }
    at = wrapped(text, at).unwrap_or(at);
    // A quoted value, or an element's content, may start on the next line.
    if matches!(text.get(at), Some(b'\n' | b'\r')) {
        let mut next = at;
        while next - at < 80 && text.get(next).is_some_and(u8::is_ascii_whitespace) {
            next += 1;
        }
        let quote = text.get(next).is_some_and(|b| b"\"'`".contains(b));
        if !(quote || link == Link::Element) {
            return None;
        }
        at = next;
    }
    // Prefixes of string literals: `r"…"`, `b'…'`, `@"…"`, `f"…"`; and Perl's `q(…)` is not one.
    if text.get(at).is_some_and(|b| b"rbfu@RBFU".contains(b))
        && text.get(at + 1).is_some_and(|b| b"\"'".contains(b))
    {
        at += 1;
    }
    if let Some((open, quote)) = opening_quote(text, at) {
        let start = at + open;
        let end = closing_quote(text, start, quote)?;
        return Some(Value { range: start..end, quoted: true, link });
    }
    let end = bare_end(text, at, link);
    let next = text[end..].iter().take(80).find(|b| !b.is_ascii_whitespace());
    if link == Link::Element && next != Some(&b'<') {
        return None;
    }
    (end > at).then_some(Value { range: at..end, quoted: false, link })
}

/// YAML's `name: |` and `name: >-`: the word on the next line, if it is alone there.
fn block_scalar(text: &[u8], at: usize, link: Link) -> Option<Range<usize>> {
    let marked = link == Link::Colon && text.get(at).is_some_and(|b| b"|>".contains(b));
    let mut at = at + 1;
    if !marked {
        return None;
    }
    at += usize::from(text.get(at).is_some_and(|b| b"+-".contains(b)));
    skip_blanks(text, &mut at);
    at += usize::from(text.get(at) == Some(&b'\r'));
    if text.get(at) != Some(&b'\n') {
        return None;
    }
    at += 1;
    let indented = skip_blanks(text, &mut at) > 0;
    let end = bare_end(text, at, Link::Element);
    (indented && end > at && ends_line(text, end)).then_some(at..end)
}

/// Skips a call that only wraps a literal, up to its quote: `SecretStr("…")`, `String::from("…")`, `new
/// Token('…')`, `Some("…")`. Calls that fetch something are not among them.
fn wrapped(text: &[u8], at: usize) -> Option<usize> {
    const WRAPPERS: &[&str] = &[
        "secretstr",
        "secretstring",
        "string",
        "from",
        "some",
        "new",
        "secret",
        "str",
        "of",
        "password",
        "token",
    ];
    let start = if text[at..].starts_with(b"new ") { at + 4 } else { at };
    let path =
        text[start..].iter().take(60).take_while(|b| b.is_ascii_alphanumeric() || b"_:.".contains(b)).count();
    let open = start + path;
    let quoted = text.get(open) == Some(&b'(') && text.get(open + 1).is_some_and(|b| b"\"'".contains(b));
    let last = text[start..open].rsplit(|b| b":.".contains(b)).next()?;
    let wraps = WRAPPERS.iter().any(|word| last.eq_ignore_ascii_case(word.as_bytes()));
    (quoted && wraps).then_some(open + 1)
}

/// Which quote opens at `at`, and its length.
fn opening_quote(text: &[u8], at: usize) -> Option<(usize, &[u8])> {
    const QUOTES: &[&[u8]] = &[b"\"\"\"", b"'''", b"\\\\\\\"", b"\\\"", b"\\'", b"&quot;", b"\"", b"'", b"`"];
    let rest = &text[at..];
    QUOTES.iter().find(|quote| rest.starts_with(quote)).map(|quote| (quote.len(), *quote))
}

fn closing_quote(text: &[u8], start: usize, quote: &[u8]) -> Option<usize> {
    let limit = text.len().min(start + LONGEST);
    let mut at = start;
    while at < limit {
        if text[at..].starts_with(quote) {
            return Some(at);
        }
        match text[at] {
            b'\n' if quote.len() < 3 || quote[0] == b'&' => return None,
            b'\\' if quote[0] != b'\\' && !text[at + 1..].starts_with(quote) => at += 1,
            b'\\' if quote[0] != b'\\' => at += 1,
            _ => {}
        }
        at += 1;
    }
    // An unclosed quote at the very end of a text: a truncated line still contains a secret.
    (limit == text.len()).then_some(limit)
}

/// Where an unquoted value ends.
fn bare_end(text: &[u8], at: usize, link: Link) -> usize {
    let limit = text.len().min(at + LONGEST_BARE);
    let mut end = at;
    while end < limit {
        let b = text[end];
        if b.is_ascii_alphanumeric() {
            end += 1;
            continue;
        }
        let stop = match b {
            b'\n' | b'\r' | b'\t' | b' ' | b'"' | b'\'' | b'`' | b'<' | b';' | 0 => true,
            b'\\' => text.get(end + 1).is_none_or(|next| b"nrtb\"'\\u \n".contains(next)),
            b'&' | b'>' => true,
            b',' | b')' | b']' | b'}' => link != Link::Element,
            _ => false,
        };
        if stop {
            break;
        }
        end += 1;
    }
    // A very long run is data, not a value that someone typed or pasted.
    if end - at < LONGEST_BARE { end } else { at }
}

/// Whether a bare value ends its line, except for comments: then it is configuration, not an argument.
pub(super) fn ends_line(text: &[u8], at: usize) -> bool {
    let mut after = at;
    skip_blanks(text, &mut after);
    match text.get(after) {
        None | Some(b'\n' | b'\r' | b'#') => true,
        Some(b'\\') => text.get(after + 1).is_some_and(|b| b"nr".contains(b)),
        Some(b';') => true,
        _ => false,
    }
}

/// Kinds whose value must be a literal in code, not an identifier.
pub(super) fn needs_quotes(name: &Name, link: Link) -> bool {
    matches!(link, Link::Pair) || (name.kind == Kind::Password && name.terse)
}
