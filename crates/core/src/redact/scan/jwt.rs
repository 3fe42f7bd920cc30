//! JSON Web Tokens: recognised by structure, not by length. A header that decodes to an object distinguishes
//! `eyJ…` from other base64.

use std::ops::Range;

use super::super::boundary;
use super::super::encoded::six_bits;

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

/// Whether a token has a signature of at least 256 bits, or is encrypted, in five parts.
pub(in super::super) fn is_whole(token: &[u8]) -> bool {
    let parts: Vec<&[u8]> = token.split(|&b| b == b'.').collect();
    let last = parts.last().map_or(0, |part| part.len());
    parts.len() == 5 && last >= 22 || parts.len() == 3 && last >= 43
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
