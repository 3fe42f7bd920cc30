//! JSON Web Tokens: recognised by structure, not by length. A header that decodes to an object is
//! what tells `eyJ…` from other base64.

use std::ops::Range;

use super::super::boundary;

/// At `eyJ`.
pub(in super::super) fn token(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    if !text[at..].starts_with(b"eyJ") || !boundary::before(text, at) {
        return;
    }
    let part = |from: usize| {
        text[from..]
            .iter()
            .take(8192)
            .take_while(|b| b.is_ascii_alphanumeric() || b"_-+/=".contains(b))
            .count()
    };
    let header = part(at);
    let first = at + header;
    if header < 12 || text.get(first) != Some(&b'.') || !is_object(&text[at..first]) {
        return;
    }
    let mut end = first;
    for _ in 0..4 {
        if text.get(end) != Some(&b'.') {
            break;
        }
        let length = part(end + 1);
        if length == 0 && end > first {
            break;
        }
        end += 1 + length;
    }
    if end > first + 8 {
        out.push(at..end);
    }
}

/// Whether the start of a base64url text decodes to the start of a JSON object with a name.
fn is_object(encoded: &[u8]) -> bool {
    let mut decoded = Vec::with_capacity(24);
    for group in encoded.chunks_exact(4).take(6) {
        let mut bits = 0u32;
        for &b in group {
            let Some(six) = six_bits(b) else { return false };
            bits = bits << 6 | u32::from(six);
        }
        decoded.extend_from_slice(&bits.to_be_bytes()[1..]);
    }
    let name = decoded.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    name.is_some_and(|name| name.starts_with(b"\"") && name.iter().all(|b| (32..127).contains(b)))
}

fn six_bits(b: u8) -> Option<u8> {
    Some(match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'-' | b'+' => 62,
        b'_' | b'/' => 63,
        _ => return None,
    })
}
