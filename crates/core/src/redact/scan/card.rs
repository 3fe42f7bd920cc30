//! Payment card numbers: sixteen digits alone mean nothing, so a number must pass the Luhn check and either
//! be written in groups or follow words about cards.

use std::ops::Range;

use super::super::boundary;

/// At `card`, `pan`, `visa` …: a number on the same line, shortly after.
pub(in super::super) fn named(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let rest = &text[at..text.len().min(at + 80)];
    let line = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    let Some(digit) = rest[..line].iter().position(u8::is_ascii_digit) else { return };
    push(text, at + digit, out);
}

/// At a digit that cards begin with: four groups of four. Versions and ids are not written like that.
pub(in super::super) fn grouped(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let Some(number) = text.get(at..at + 19) else { return };
    let separator = number[4];
    let set = b" -".contains(&separator)
        && number
            .iter()
            .enumerate()
            .all(|(i, b)| if i % 5 == 4 { *b == separator } else { b.is_ascii_digit() });
    let ends = !text.get(at + 19).is_some_and(|b| b.is_ascii_alphanumeric() || *b == separator && *b == b'-');
    let begins = boundary::before(text, at) && !(at > 0 && b"-.".contains(&text[at - 1]));
    if set && ends && begins && luhn(number) {
        out.push(at..at + 19);
    }
}

/// The range of the number at `at`, if it is one.
fn push(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    if !boundary::before(text, at) {
        return;
    }
    let length = text[at..].iter().take(24).take_while(|b| b.is_ascii_digit() || b" -".contains(b)).count();
    let length = length - text[at..at + length].iter().rev().take_while(|b| !b.is_ascii_digit()).count();
    if luhn(&text[at..at + length]) {
        out.push(at..at + length);
    }
}

/// Whether the digits of a number of 13 to 19 digits pass the Luhn check; separators are skipped.
pub(in super::super) fn luhn(number: &[u8]) -> bool {
    let digits: Vec<u32> =
        number.iter().filter(|b| b.is_ascii_digit()).map(|b| u32::from(b - b'0')).collect();
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, &digit)| match (i % 2, digit * 2) {
            (0, _) => digit,
            (_, double) if double > 9 => double - 9,
            (_, double) => double,
        })
        .sum();
    let varied = digits.iter().any(|digit| digit != &digits[0]);
    (13..=19).contains(&digits.len()) && varied && sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::luhn;

    #[test]
    fn luhn_knows_test_numbers() {
        assert!(luhn(b"4242 4242 4242 4242"));
        assert!(!luhn(b"4242 4242 4242 4243"));
        assert!(!luhn(b"0000000000000000"));
    }
}
