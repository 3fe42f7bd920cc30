//! What makes two failures the same: their message without the parts that change from run to run.

use super::Class;

/// The beginning of a longer message is distinctive enough.
const MOST_CHARS: usize = 180;

/// A message without paths, numbers, addresses, ids, times and colours.
pub fn normalise(message: &str) -> String {
    let mut out = String::with_capacity(message.len().min(MOST_CHARS * 2));
    for word in message.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        push_word(&mut out, word);
        if out.len() > MOST_CHARS * 2 {
            break;
        }
    }
    match out.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => out[..end].to_owned(),
        None => out,
    }
}

/// The signature of a failure in `file`.
pub(super) fn of(class: Class, message: &str, file: Option<&str>, symbol: Option<&str>) -> String {
    let mut text = format!("{}: {}", class.name(), normalise(message));
    for part in [file, symbol].into_iter().flatten() {
        text.push_str(" @ ");
        text.push_str(part);
    }
    text
}

fn push_word(out: &mut String, word: &str) {
    let open = word.len() - word.trim_start_matches(['(', '[', '{', '"', '\'', '`', '<']).len();
    let close = word.trim_end_matches([')', ']', '}', '"', '\'', '`', '>', ',', '.', ':', ';']).len();
    if open >= close {
        push_numbers(out, word);
        return;
    }
    let (head, inner, tail) = (&word[..open], &word[open..close], &word[close..]);
    out.push_str(head);
    if is_path(inner) {
        out.push_str("<path>");
    } else if is_time(inner) {
        out.push_str("<time>");
    } else if is_id(inner) {
        out.push_str("<id>");
    } else {
        push_numbers(out, inner);
    }
    out.push_str(tail);
}

/// An absolute path, or one with folders that ends in a file with a line number.
fn is_path(word: &str) -> bool {
    let absolute = (word.starts_with('/') && word.len() > 1 && word[1..].contains('/'))
        || word.starts_with("~/")
        || word.get(1..3) == Some(":\\")
        || word.starts_with("file://");
    let located = word.contains('/') && word.rsplit(':').next().is_some_and(|n| n.parse::<u32>().is_ok());
    absolute || located
}

/// `2026-11-16…`, with or without a time of day.
fn is_time(word: &str) -> bool {
    let b = word.as_bytes();
    b.len() >= 10
        && b[..4].iter().all(u8::is_ascii_digit)
        && b[4] == b'-'
        && b[5].is_ascii_digit()
        && b[7] == b'-'
}

/// A hash, a UUID, an address.
fn is_id(word: &str) -> bool {
    let hex = word.strip_prefix("0x").unwrap_or(word);
    let digits = hex.bytes().filter(u8::is_ascii_digit).count();
    let all_hex = hex.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    all_hex && digits > 0 && (word.len() > hex.len() || hex.len() >= 7 && digits < hex.len())
}

/// Replaces numbers with one mark, including what is attached to them: `1.25s`, `10ms`, `#3`.
fn push_numbers(out: &mut String, word: &str) {
    let mut rest = word.char_indices().peekable();
    let mut previous = ' ';
    while let Some((_, c)) = rest.next() {
        // `E0308`, `TS2304`, `utf8`, `x1`: a digit that belongs to a name stays.
        if c.is_ascii_digit() && !(previous.is_alphanumeric() || previous == '_') {
            out.push_str("<n>");
            while let Some((_, next)) = rest.peek() {
                if next.is_ascii_digit()
                    || matches!(next, '.' | ':' | ',') && is_digit_after(word, rest.peek())
                {
                    rest.next();
                } else {
                    break;
                }
            }
            // Includes a unit right after it.
            let unit: String = rest.clone().map(|(_, c)| c).take_while(char::is_ascii_alphabetic).collect();
            if matches!(
                unit.as_str(),
                "s" | "ms" | "us" | "ns" | "m" | "h" | "kb" | "mb" | "gb" | "KB" | "MB" | "GB"
            ) {
                for _ in 0..unit.len() {
                    rest.next();
                }
            }
            previous = '>';
            continue;
        }
        out.push(c);
        previous = c;
    }
}

fn is_digit_after(word: &str, at: Option<&(usize, char)>) -> bool {
    at.and_then(|(at, c)| word[at + c.len_utf8()..].chars().next()).is_some_and(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_change_between_runs_are_removed() {
        for (one, other) in [
            ("IndexError: list index 3 out of range", "IndexError: list index 12 out of range"),
            ("open /home/ann/app/x.json: no such file", "open /srv/build/app/x.json: no such file"),
            ("object at 0x7f3a2b timed out after 1.25s", "object at 0x55aa01 timed out after 30s"),
            ("commit 3f2a9bc1 not found", "commit 77aa01be not found"),
            ("at src/a.rs:10:5 failed", "at src/a.rs:200:1 failed"),
            ("2026-11-16T03:04:05 worker died", "2025-01-02T23:59:59 worker died"),
            ("took 12ms (limit 10ms)", "took 900ms (limit 10ms)"),
        ] {
            assert_eq!(normalise(one), normalise(other));
        }
    }

    #[test]
    fn distinctive_parts_stay() {
        for (one, other) in [
            ("KeyError: 'user'", "KeyError: 'name'"),
            ("error[E0308]: mismatched types", "error[E0382]: borrow of moved value"),
            ("cannot find module './auth'", "cannot find module './user'"),
            ("TS2304: Cannot find name 'a'", "TS2322: Cannot find name 'a'"),
        ] {
            assert_ne!(normalise(one), normalise(other));
        }
    }
}
