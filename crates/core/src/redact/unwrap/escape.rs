//! Escapes of printable characters: `%2B`, `\u002b`, `\x2b`, `&#43;`, `\/`. Escapes of anything else, such as
//! line ends, stay: the rules treat them as word boundaries.

/// The character that the text begins with as an escape, and the length of the escape.
pub(super) fn byte(rest: &[u8]) -> Option<(u8, usize)> {
    let (byte, length) = match rest {
        [b'%', hex @ ..] => (number(hex.get(..2)?, 16)?, 3),
        [b'\\', b'u' | b'U', hex @ ..] => (number(hex.get(..4)?, 16)?, 6),
        [b'\\', b'x' | b'X', hex @ ..] => (number(hex.get(..2)?, 16)?, 4),
        [b'\\', byte @ (b'/' | b'"' | b'\\'), ..] => (*byte, 2),
        [b'&', b'#', entity @ ..] => {
            let end = entity.iter().take(6).position(|&b| b == b';')?;
            let value = match &entity[..end] {
                [b'x' | b'X', hex @ ..] => number(hex, 16)?,
                decimal => number(decimal, 10)?,
            };
            (value, end + 3)
        }
        _ => return None,
    };
    // An escaped percent sign is an escape of an escape: one level is enough.
    (byte.is_ascii_graphic() && !(byte == b'%' && rest[0] == b'%')).then_some((byte, length))
}

fn number(digits: &[u8], base: u32) -> Option<u8> {
    if digits.is_empty() {
        return None;
    }
    let value =
        digits.iter().try_fold(0u32, |value, &b| Some(value * base + char::from(b).to_digit(base)?))?;
    u8::try_from(value).ok()
}
