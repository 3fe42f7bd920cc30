//! Long words: base64 and hex that encode a line with a secret, and tokens that no rule knows but that look
//! like one.
//!
//! Encoded text is decoded once, up to a limit, and only if its first bytes are text: pictures, hashes and
//! keys are not. If a rule finds a secret in the result, the whole word is redacted.

use std::ops::Range;

use super::shape;

/// An access key id, the shortest token with a distinctive shape, is 28 characters of base64.
const SHORTEST: usize = 27;
const LONGEST: usize = 64 * 1024;
/// Encoders wrap lines at 64 or 76 columns; shorter lines belong to something else.
const FULL_LINE: usize = 60;

static IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = (b as u8).is_ascii_alphanumeric() || matches!(b as u8, b'+' | b'/' | b'-' | b'_');
        b += 1;
    }
    table
};

/// Calls `word` for every sufficiently long word. Jumps ahead to where such a word would have to end and goes
/// backwards, so most of a text is never read.
pub(super) fn long_words(text: &[u8], mut word: impl FnMut(Range<usize>)) {
    let mut start = 0;
    while let Some(window) = text.get(start..start + SHORTEST) {
        if let Some(gap) = window.iter().rposition(|&b| !IN_WORD[usize::from(b)]) {
            start += gap + 1;
            continue;
        }
        let more = text[start + SHORTEST..].iter().take_while(|&&b| IN_WORD[usize::from(b)]).count();
        let end = start + SHORTEST + more;
        word(start..end);
        start = end + 1;
    }
}

/// What the word decodes to, if that is text, and the range of all of it, including wrapped lines and
/// padding.
pub(super) fn decoded(text: &[u8], word: &Range<usize>) -> Option<(Vec<u8>, Range<usize>)> {
    // Only the beginning of a longer word is decoded.
    let first = &text[word.start..word.end.min(word.start + LONGEST)];
    if first.len() >= 40 && shape::is_hex(first) {
        let bytes = from_hex(first)?;
        return is_text(&bytes).then(|| (bytes, word.clone()));
    }
    // The first of four characters encodes the upper bits of a byte, which text leaves unset.
    let ascii = first.iter().step_by(4).take(5).all(|b| matches!(b, b'A'..=b'Z' | b'a'..=b'f'));
    let wide = first.len() >= 8 && first[..8].iter().filter(|&&b| b == b'A').count() >= 2;
    if !(ascii || wide) {
        return None;
    }
    let mut bytes = Vec::with_capacity(48);
    let mut bits = Bits::default();
    bits.decode(&first[..first.len().min(32)], &mut bytes)?;
    let wide = wide && bytes.len() >= 8 && bytes.iter().skip(1).step_by(2).take(4).all(|&b| b == 0);
    if !wide && !is_text(&bytes) {
        return None;
    }
    bits.decode(&first[first.len().min(32)..], &mut bytes)?;
    let mut end = word.end;
    while let Some(line) = next_line(text, end, word) {
        if bytes.len() + line.len() > LONGEST {
            break;
        }
        bits.decode(&text[line.clone()], &mut bytes)?;
        end = line.end;
    }
    end += text[end..].iter().take(2).take_while(|&&b| b == b'=').count();
    if wide {
        bytes = bytes.into_iter().step_by(2).collect();
    }
    is_text(&bytes).then_some((bytes, word.start..end))
}

/// The line after a full one, if it contains only more of the same.
fn next_line(text: &[u8], end: usize, word: &Range<usize>) -> Option<Range<usize>> {
    let line = super::boundary::line_start(text, end, 200).max(word.start);
    if end - line < FULL_LINE {
        return None;
    }
    let start = match text.get(end..)? {
        [b'\r', b'\n', ..] => end + 2,
        [b'\n', ..] => end + 1,
        _ => return None,
    };
    let indent = text[start..].iter().take(40).take_while(|b| b" \t".contains(b)).count();
    let start = start + indent;
    let length = text[start..].iter().take(200).take_while(|&&b| IN_WORD[usize::from(b)]).count();
    let after = text[start + length..].iter().find(|&&b| b != b'=');
    let ends = after.is_none_or(|b| b.is_ascii_whitespace() || b"\"'`".contains(b));
    (length > 0 && length <= end - line && ends).then(|| start..start + length)
}

/// No control characters except blanks, and whole characters except at the end.
fn is_text(bytes: &[u8]) -> bool {
    let whole = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    whole && bytes.len() >= 8 && bytes.iter().all(|b| *b >= 0x20 && *b != 0x7f || b"\t\r\n".contains(b))
}

/// Bits that do not make up a byte yet.
#[derive(Default)]
struct Bits {
    held: u32,
    count: u32,
}

impl Bits {
    fn decode(&mut self, encoded: &[u8], out: &mut Vec<u8>) -> Option<()> {
        for &b in encoded {
            self.held = self.held << 6 | u32::from(six_bits(b)?);
            self.count += 6;
            if self.count >= 8 {
                self.count -= 8;
                out.push((self.held >> self.count & 0xff) as u8);
            }
        }
        Some(())
    }
}

/// Decodes base64 without its padding.
pub(super) fn from_base64(body: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(body.len());
    Bits::default().decode(body, &mut bytes)?;
    Some(bytes)
}

/// The value of a base64 character, in either alphabet.
pub(super) fn six_bits(b: u8) -> Option<u8> {
    Some(match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'-' | b'+' => 62,
        b'_' | b'/' => 63,
        _ => return None,
    })
}

fn from_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16);
    let (pairs, odd) = digits.as_chunks::<2>();
    odd.is_empty()
        .then(|| pairs.iter().filter_map(|&[a, b]| Some((digit(a)? * 16 + digit(b)?) as u8)).collect())
}

/// Beginnings of words that mark what follows as a hash.
const NOT_VENDORS: &[&str] = &["sha", "md5", "blake", "hash", "etag", "integrity", "checksum", "digest"];

/// Whether a word is like `acme_pat_4xQ…`: one to four short names in lower case, then a single part with
/// more mixed letters and digits than an id has.
pub(super) fn is_vendor_token(word: &[u8]) -> bool {
    const LEAST: usize = 32;
    let Some(&mark) = word.iter().take(11).find(|b| b"_-".contains(b)) else { return false };
    let mut at = 0;
    for _ in 0..4 {
        let Some(name) = word[at..].iter().take(11).position(|&b| b == mark) else { return false };
        let name = &word[at..at + name];
        let plain = (2..=10).contains(&name.len())
            && name.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if !plain || !name[0].is_ascii_lowercase() || shape::digits(name) > 2 {
            return false;
        }
        if NOT_VENDORS.iter().any(|known| name.starts_with(known.as_bytes())) {
            return false;
        }
        at += name.len() + 1;
        let body = word[at..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        let drawn = &word[at..at + body];
        if body >= LEAST {
            let beyond_hex =
                drawn.iter().filter(|b| b.is_ascii_alphabetic() && !b.is_ascii_hexdigit()).count();
            let mixed = shape::digits(drawn) >= 3 && shape::has_both_cases(drawn) && beyond_hex * 4 >= body;
            let ends = word.len() - at - body <= 12;
            // Two letters may be the beginning of any random text.
            let named = at > 3;
            let made_up = shape::is_typed_in_order(drawn) || shape::is_stand_in(drawn);
            return mixed && ends && named && !made_up && shape::entropy(drawn) >= 4.0;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_all_found() {
        let word = "a".repeat(30);
        for before in 0..70 {
            let text = format!("{} {word}, {word}", "x ".repeat(before));
            let mut found = 0;
            long_words(text.as_bytes(), |range| {
                assert_eq!(&text[range], word);
                found += 1;
            });
            assert_eq!(found, 2);
        }
    }

    #[test]
    fn only_text_is_decoded() {
        // "the quick brown fox jumps over it", in base64 and in hex.
        for encoded in [
            "dGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIGl0",
            "74686520717569636b2062726f776e20666f78206a756d7073206f766572206974",
        ] {
            let (text, range) = decoded(encoded.as_bytes(), &(0..encoded.len())).expect("is text");
            assert_eq!(text, b"the quick brown fox jumps over it");
            assert_eq!(range, 0..encoded.len());
        }
        for other in [
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
            "9fceb02d0ae598e95dc970b74767f19372d61af8",
            "this_is_a_rather_long_name_of_a_function",
        ] {
            assert!(decoded(other.as_bytes(), &(0..other.len())).is_none(), "{other}");
        }
    }

    #[test]
    fn vendor_tokens_are_distinguished_from_hashes_and_names() {
        let drawn = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3";
        for token in [format!("acme_{drawn}"), format!("acme_pat_v1_{drawn}"), format!("abc-{drawn}_x7")] {
            assert!(is_vendor_token(token.as_bytes()), "{token}");
        }
        for other in [
            format!("sha512-{drawn}"),
            format!("p0_{drawn}"),
            drawn.to_owned(),
            "node-modules-9fceb02d0ae598e95dc970b74767f19372d61af8".to_owned(),
            "test_that_a_very_long_name_is_not_taken_for_a_token".to_owned(),
            "getElement_byTheVeryLongNameThatItWasGiven2024".to_owned(),
        ] {
            assert!(!is_vendor_token(other.as_bytes()), "{other}");
        }
    }
}
