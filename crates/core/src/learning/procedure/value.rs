//! Words that a command is called with: which look generated, and what to call them.

/// What sort of value a word is, as the name of its parameter. `None` for a plain word.
pub(super) fn sort_of(word: &str) -> Option<&'static str> {
    if word.contains("[REDACTED") {
        return Some("secret");
    }
    if word.contains("://") {
        return Some("url");
    }
    let bare = word.trim_start_matches(['v', 'V', '=', '@', '^', '~']);
    let digits = bare.chars().filter(char::is_ascii_digit).count();
    if is_date(bare) {
        return Some("date");
    }
    if digits > 0 && is_version(bare) {
        return Some("version");
    }
    let is_hex = word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit());
    if is_hex && digits > 0 && word.bytes().any(|b| b.is_ascii_alphabetic()) {
        return Some("commit");
    }
    if word.len() >= 5 && word.bytes().all(|b| b.is_ascii_digit()) {
        return Some("number");
    }
    let parts = || word.split(|c: char| !c.is_ascii_alphanumeric());
    if parts().any(|part| part.len() >= 16 && is_mixed(part)) || is_uuid(word) || parts().any(is_date) {
        return Some("id");
    }
    // A tag behind a name, such as `shop:3a13d16`.
    if let Some((name, tag)) = word.rsplit_once([':', '@'])
        && !name.is_empty()
        && let Some(sort) = sort_of(tag)
    {
        return Some(if sort == "file" { "name" } else { sort });
    }
    if word.starts_with("/tmp/") || word.starts_with("/var/folders/") || word.starts_with("/private/tmp/") {
        return Some("file");
    }
    None
}

/// Hashes, dates, versions, long ids, secrets: what no step may contain.
pub fn is_generated(word: &str) -> bool {
    sort_of(word).is_some_and(|sort| sort != "url")
}

/// Words as a person writes them, such as a commit message.
pub fn is_message(word: &str) -> bool {
    word.trim().contains([' ', '\n']) || word.contains("$(") || word.contains('`')
}

/// What to call a parameter with these values, after this flag.
pub(super) fn name_of(values: &[&str], flag: Option<&str>) -> String {
    let first = values.first().copied().unwrap_or_default();
    if let Some(sort) = sort_of(first).filter(|_| values.iter().all(|value| sort_of(value) == sort_of(first)))
    {
        return sort.to_owned();
    }
    if matches!(flag, Some("-m" | "--message")) || values.iter().all(|value| is_message(value)) {
        return "message".to_owned();
    }
    if let Some(long) = flag.and_then(|flag| flag.strip_prefix("--")) {
        let name: String = long.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        if !name.is_empty() {
            return name;
        }
    }
    let is_path = |value: &&str| {
        value.contains('/')
            || value
                .rsplit_once('.')
                .is_some_and(|(stem, end)| !stem.is_empty() && (1..=5).contains(&end.len()))
    };
    if values.iter().all(is_path) {
        return "file".to_owned();
    }
    if values.iter().all(|value| value.bytes().all(|b| b.is_ascii_digit())) {
        return "number".to_owned();
    }
    "name".to_owned()
}

fn is_version(word: &str) -> bool {
    let (core, _) = word.split_once(['-', '+']).unwrap_or((word, ""));
    let parts: Vec<&str> = core.split('.').collect();
    (2..=4).contains(&parts.len())
        && parts.iter().all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()))
}

fn is_date(word: &str) -> bool {
    let digits: String = word.chars().filter(char::is_ascii_digit).collect();
    let plain =
        word.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'T' | b':' | b'Z' | b'_' | b'/'));
    plain && digits.len() >= 8 && (digits.starts_with("19") || digits.starts_with("20")) && {
        let month = digits.get(4..6).and_then(|m| m.parse::<u8>().ok()).unwrap_or(0);
        let day = digits.get(6..8).and_then(|d| d.parse::<u8>().ok()).unwrap_or(0);
        (1..=12).contains(&month) && (1..=31).contains(&day)
    }
}

fn is_uuid(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    parts.len() >= 5
        && parts.iter().filter(|p| p.len() >= 4 && p.bytes().all(|b| b.is_ascii_hexdigit())).count() >= 5
}

/// Letters and digits without a pattern: an id, not a name.
fn is_mixed(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    digits >= 3 && word.bytes().any(|b| b.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_words_are_recognised() {
        for (word, sort) in [
            ("v1.2.0", Some("version")),
            ("1.2.0-rc.1", Some("version")),
            ("3a13d16", Some("commit")),
            ("2026-11-18", Some("date")),
            ("20261118120000", Some("date")),
            ("9667a07f-c677-4f9d-9b21-da366e5add6a", Some("id")),
            ("[REDACTED:token:ab]", Some("secret")),
            ("https://a.example", Some("url")),
            ("/tmp/x", Some("file")),
            ("123456", Some("number")),
            ("shop:3a13d16", Some("commit")),
            ("registry.example/shop:2026-11-18", Some("date")),
            ("shop:latest", None),
            ("main", None),
            ("feedbeef", None),
            ("k8s/app.yaml", None),
            ("src/lib.rs", None),
            ("patch", None),
        ] {
            assert_eq!(sort_of(word), sort, "{word}");
        }
    }
}
