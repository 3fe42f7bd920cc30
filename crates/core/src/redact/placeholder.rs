//! The placeholder format: `[REDACTED:<rule>:<fingerprint>]` and `[PRIVATE]`.
//!
//! Redaction writes and recognises placeholders, so that it never examines one again. Text in this form
//! counts as a placeholder only if its rule is in the table; any other text in brackets is ordinary text.

use std::ops::Range;

use super::boundary;

pub(super) const PRIVATE: &str = "[PRIVATE]";
const OPEN: &[u8] = b"[REDACTED:";
const FINGERPRINT: usize = 6;
const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Writes the placeholder for `secret`. The fingerprint is keyed: without the key it neither confirms a guess
/// nor links the texts of two machines.
pub(super) fn write(out: &mut String, rule: &str, secret: &[u8], key: &[u8; 32]) {
    out.push_str("[REDACTED:");
    out.push_str(rule);
    out.push(':');
    let hash = blake3::keyed_hash(key, secret);
    let bits = u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap_or_default());
    for i in 0..FINGERPRINT {
        out.push(char::from(BASE32[(bits >> (5 * i)) as usize & 31]));
    }
    out.push(']');
}

/// The placeholders already in `text`, in order.
pub(super) fn existing(text: &[u8], is_rule: impl Fn(&[u8]) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = memchr(text, at) {
        match length_at(&text[open..], &is_rule) {
            Some(length) => {
                found.push(open..open + length);
                at = open + length;
            }
            None => at = open + 1,
        }
    }
    found
}

fn memchr(text: &[u8], from: usize) -> Option<usize> {
    boundary::find(&text[from..], b'[').map(|i| from + i)
}

fn length_at(text: &[u8], is_rule: impl Fn(&[u8]) -> bool) -> Option<usize> {
    if text.starts_with(PRIVATE.as_bytes()) {
        return Some(PRIVATE.len());
    }
    let rest = text.strip_prefix(OPEN)?;
    let colon = rest.iter().take(64).position(|&b| b == b':')?;
    let tail = rest.get(colon + 1..colon + 2 + FINGERPRINT)?;
    let (print, close) = tail.split_at(FINGERPRINT);
    (close == b"]" && print.iter().all(|b| BASE32.contains(b)) && is_rule(&rest[..colon]))
        .then_some(OPEN.len() + colon + 2 + FINGERPRINT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_placeholders_are_recognised() {
        let mut text = String::from("a ");
        write(&mut text, "jwt", b"secret", &[7; 32]);
        text.push_str(" [PRIVATE] [REDACTED:nobody:abcdef] [REDACTED:jwt:ABCDEF]");
        let found = existing(text.as_bytes(), |rule| rule == b"jwt");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], 2..2 + "[REDACTED:jwt:abcdef]".len());
    }

    #[test]
    fn the_key_and_the_secret_both_matter() {
        let print = |secret: &[u8], key| {
            let mut text = String::new();
            write(&mut text, "jwt", secret, &[key; 32]);
            text
        };
        assert_eq!(print(b"one", 1), print(b"one", 1));
        assert_ne!(print(b"one", 1), print(b"two", 1));
        assert_ne!(print(b"one", 1), print(b"one", 2));
    }
}
