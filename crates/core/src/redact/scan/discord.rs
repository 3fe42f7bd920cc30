//! Discord bot tokens: the bot's number in base64, a timestamp and a signature, joined by dots.

use std::ops::Range;

use super::super::{boundary, shape};

/// At the first two characters of a number in base64.
pub(in super::super) fn token(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    if !boundary::before(text, at) || at > 0 && b"_.-".contains(&text[at - 1]) {
        return;
    }
    let part = |from: usize| {
        text[from..].iter().take(64).take_while(|b| b.is_ascii_alphanumeric() || b"_-".contains(b)).count()
    };
    let number = part(at);
    if !(22..=28).contains(&number) || text.get(at + number) != Some(&b'.') {
        return;
    }
    let second = at + number + 1;
    let stamp = part(second);
    if !(6..=7).contains(&stamp) || text.get(second + stamp) != Some(&b'.') {
        return;
    }
    let third = second + stamp + 1;
    let signature = part(third);
    let whole = at..third + signature;
    if (27..=40).contains(&signature) && shape::entropy(&text[whole.clone()]) >= 3.5 {
        out.push(whole);
    }
}
