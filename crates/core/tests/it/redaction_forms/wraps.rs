//! The ways to break up or rewrite a secret, each a function from the plain text to the wrapped one.

use super::made_up::{BASE64, BASE64_URL};

pub(crate) type Wrap = fn(&str) -> String;

pub(crate) fn plain(text: &str) -> String {
    text.to_owned()
}

/// Splits in two, near the middle.
fn halves(text: &str) -> (&str, &str) {
    text.split_at(text.len() * 3 / 5)
}

fn joined_by(text: &str, between: &str) -> String {
    let (one, two) = halves(text);
    format!("{one}{between}{two}")
}

fn every(text: &str, step: usize, between: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(step).map(|part| part.iter().collect::<String>()).collect::<Vec<_>>().join(between)
}

pub(crate) fn two_lines(text: &str) -> String {
    joined_by(text, "\n")
}

pub(crate) fn two_lines_indented(text: &str) -> String {
    joined_by(text, "\n    ")
}

pub(crate) fn two_lines_crlf(text: &str) -> String {
    joined_by(text, "\r\n")
}

pub(crate) fn lines_of_40(text: &str) -> String {
    every(text, 40, "\n")
}

pub(crate) fn lines_of_76(text: &str) -> String {
    every(text, 76, "\n")
}

pub(crate) fn quoted_mail(text: &str) -> String {
    joined_by(text, "\n> ")
}

pub(crate) fn backslash(text: &str) -> String {
    joined_by(text, "\\\n")
}

pub(crate) fn backslash_indented(text: &str) -> String {
    joined_by(text, "\\\n      ")
}

pub(crate) fn plus(text: &str) -> String {
    joined_by(text, "\" + \"")
}

pub(crate) fn plus_single_quotes(text: &str) -> String {
    joined_by(text, "'+'")
}

pub(crate) fn plus_next_line(text: &str) -> String {
    joined_by(text, "\" +\n        \"")
}

pub(crate) fn plus_leading(text: &str) -> String {
    joined_by(text, "\"\n        + \"")
}

pub(crate) fn plus_three(text: &str) -> String {
    every(text, text.len().div_ceil(3), "\" +\n    \"")
}

pub(crate) fn dot(text: &str) -> String {
    joined_by(text, "' . '")
}

pub(crate) fn ampersand(text: &str) -> String {
    joined_by(text, "\" & _\n    \"")
}

/// Adjacent literals, as Python and C join them.
pub(crate) fn side_by_side(text: &str) -> String {
    joined_by(text, "\"\n    \"")
}

pub(crate) fn percent_all(text: &str) -> String {
    text.bytes().map(|b| format!("%{b:02X}")).collect()
}

pub(crate) fn percent_punctuation(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("%{:02x}", u32::from(c)) })
        .collect()
}

pub(crate) fn unicode_first(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| format!("\\u{:04x}", u32::from(c))).unwrap_or_default();
    first + chars.as_str()
}

pub(crate) fn unicode_all(text: &str) -> String {
    text.chars().map(|c| format!("\\u{:04X}", u32::from(c))).collect()
}

pub(crate) fn unicode_punctuation(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) })
        .collect()
}

pub(crate) fn escaped_slashes(text: &str) -> String {
    text.replace('/', "\\/")
}

pub(crate) fn hex_escapes(text: &str) -> String {
    text.bytes().map(|b| format!("\\x{b:02x}")).collect()
}

pub(crate) fn entities(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("&#{};", u32::from(c)) })
        .collect()
}

pub(crate) fn zero_width(text: &str) -> String {
    every(text, 5, "\u{200b}")
}

pub(crate) fn zero_width_joiner(text: &str) -> String {
    joined_by(text, "\u{200d}")
}

pub(crate) fn byte_order_mark(text: &str) -> String {
    joined_by(text, "\u{feff}")
}

pub(crate) fn soft_hyphen(text: &str) -> String {
    every(text, 9, "\u{ad}")
}

pub(crate) fn word_joiner(text: &str) -> String {
    text.chars().map(|c| format!("{c}\u{2060}")).collect()
}

pub(crate) fn base64(text: &str) -> String {
    encode(text.as_bytes(), BASE64, true)
}

pub(crate) fn base64_url(text: &str) -> String {
    encode(text.as_bytes(), BASE64_URL, false)
}

pub(crate) fn base64_lines(text: &str) -> String {
    lines_of_76(&base64(text))
}

pub(crate) fn base64_utf16(text: &str) -> String {
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    encode(&bytes, BASE64, true)
}

pub(crate) fn hex(text: &str) -> String {
    text.bytes().map(|b| format!("{b:02x}")).collect()
}

/// `alphabet` has letters, digits, signs in this order; base64 begins with the capitals.
fn encode(bytes: &[u8], alphabet: &str, padded: bool) -> String {
    let ordered = format!("{}{}{}", &alphabet[26..52], &alphabet[..26], &alphabet[52..]);
    let ordered = ordered.as_bytes();
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0u32, |bits, &b| bits << 8 | u32::from(b)) << (8 * (3 - group.len()));
        for i in 0..4 {
            if i <= group.len() {
                out.push(char::from(ordered[(bits >> (18 - 6 * i)) as usize & 63]));
            } else if padded {
                out.push('=');
            }
        }
    }
    out
}
