//! Credentials in the arguments of commands: `curl -u user:password`, `docker login -p …`, `psexec -p …`.

use std::ops::Range;

use super::super::shape;

const WITHIN: usize = 600;

/// Letters of curl that take no value, so that `u` may follow them: `-sSLu user:password`.
const CURL_SWITCHES: &[u8] = b"aBfgGiIjJklLMnNOpqRsSvVZ0123461#";

/// At `curl`: the password of `-u`/`--user`, across continued lines.
pub(in super::super) fn curl(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let command = command(text, at);
    let flags = (1..command.len()).filter(|&i| command[i] == b'-' && command[i - 1].is_ascii_whitespace());
    for flag in flags {
        let rest = &command[flag..];
        let long = ["--user", "--proxy-user", "-user"].iter().find(|name| rest.starts_with(name.as_bytes()));
        let from = match long {
            Some(name) if rest.get(name.len()).is_none_or(|b| b.is_ascii_whitespace() || *b == b'=') => {
                name.len()
            }
            _ => {
                let switches = rest[1..].iter().take_while(|b| CURL_SWITCHES.contains(b)).count();
                if !rest.get(1 + switches).is_some_and(|b| b"uU".contains(b)) {
                    continue;
                }
                2 + switches
            }
        };
        if let Some(range) = user_password(command, flag + from) {
            out.push(at + range.start..at + range.end);
        }
    }
}

/// At `http -a` or `http --auth`.
pub(in super::super) fn httpie(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let command = command(text, at);
    let Some(dash) = command.iter().position(|&b| b == b'-') else { return };
    let flag = command[dash..].iter().take_while(|b| b.is_ascii_alphabetic() || **b == b'-').count();
    let range = user_password(command, dash + flag);
    out.extend(range.map(|range| at + range.start..at + range.end));
}

/// How a command takes its password.
enum Given {
    /// `-pPASSWORD`; `-p` alone prompts for it.
    Glued(&'static str),
    /// `-p PASSWORD`, or attached, or with `=`.
    After(&'static str),
    /// `-U user%PASSWORD`.
    Percent(&'static str),
}

const COMMANDS: &[(&str, &[Given])] = &[
    ("mysql", &[Given::Glued("-p")]),
    ("mariadb", &[Given::Glued("-p")]),
    ("7z", &[Given::Glued("-p")]),
    ("redis-cli", &[Given::After("-a")]),
    ("sqlcmd", &[Given::After("-P")]),
    ("zip", &[Given::After("-P")]),
    ("ldap", &[Given::After("-w")]),
    ("smbclient", &[Given::Percent("-U")]),
    ("gh secret set", &[Given::After("--body"), Given::After("-b")]),
    ("security add-", &[Given::After("-w")]),
    ("gpg", &[Given::After("--passphrase")]),
    ("influx", &[Given::After("-password")]),
    ("clickhouse-client", &[Given::After("--password")]),
    ("", &[Given::After("-p")]),
];

/// At a command that takes a password.
pub(in super::super) fn password(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    if !super::super::boundary::before(text, at) && !text[at..].starts_with(b"zip") {
        return;
    }
    let command = command(text, at);
    let known = COMMANDS.iter().find(|(name, _)| {
        command.len() >= name.len() && command[..name.len()].eq_ignore_ascii_case(name.as_bytes())
    });
    let Some((_, flags)) = known else { return };
    let words = words(command);
    for (i, word) in words.iter().enumerate().skip(1) {
        let text = &command[word.clone()];
        for given in *flags {
            let value = match *given {
                Given::Glued(flag) => {
                    text.strip_prefix(flag.as_bytes()).map(|rest| word.end - rest.len()..word.end)
                }
                Given::After(flag) if text == flag.as_bytes() => words.get(i + 1).cloned(),
                Given::After(flag) if !flag.starts_with("--") || text.get(flag.len()) == Some(&b'=') => {
                    text.strip_prefix(flag.as_bytes()).map(|rest| word.end - rest.len()..word.end)
                }
                Given::After(_) => None,
                Given::Percent(flag) if text == flag.as_bytes() => words.get(i + 1).and_then(|word| {
                    let sign = command[word.clone()].iter().position(|&b| b == b'%')?;
                    Some(word.start + sign + 1..word.end)
                }),
                Given::Percent(_) => None,
            };
            let Some(value) = value.map(|value| unquoted(command, value)) else { continue };
            let password = &command[value.clone()];
            let numeric = password.iter().all(|b| b.is_ascii_digit() || b":/.".contains(b));
            if password.len() >= 4 && !numeric && !password.starts_with(b"-") && is_password(password) {
                out.push(at + value.start..at + value.end);
                return;
            }
        }
    }
}

/// The words of a simple command: up to the first pipe or semicolon, with quoted words kept together.
fn words(command: &[u8]) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut at = 0;
    while at < command.len() {
        if command[at].is_ascii_whitespace() || command[at] == b'\\' {
            at += 1;
            continue;
        }
        if b"|;&)`".contains(&command[at]) {
            break;
        }
        let start = at;
        let mut quote = None;
        while at < command.len() {
            let b = command[at];
            match quote {
                Some(open) if b == open => quote = None,
                None if b"\"'".contains(&b) => quote = Some(b),
                None if b.is_ascii_whitespace() || b"|;&)`".contains(&b) => break,
                _ => {}
            }
            at += 1;
        }
        words.push(start..at);
    }
    words
}

/// The value without an `=` before it and the quotes around it.
fn unquoted(command: &[u8], value: Range<usize>) -> Range<usize> {
    let mut value = value;
    value.start += usize::from(command.get(value.start) == Some(&b'=') && value.len() > 1);
    let text = &command[value.clone()];
    if let [open @ (b'"' | b'\''), .., close] = text
        && open == close
    {
        return value.start + 1..value.end - 1;
    }
    value
}

/// The rest of the command: to the end of the line, and further after a backslash.
fn command(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at..text.len().min(at + WITHIN)];
    // The next command of the same name is examined separately.
    let again = rest
        .get(4..)
        .and_then(|after| after.windows(5).position(|window| window == &rest[..5]))
        .map(|i| i + 4);
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
