//! Keys of wallets: 32 bytes in hex. A hash looks the same, so the words around it decide.

use std::ops::Range;

use super::super::{boundary, shape};

const WORDS: &[&str] = &["wallet", "private", "signer", "deployer", "accidenta", "secret", "mnemonic"];

/// At `0x`.
pub(in super::super) fn key(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let digits = text[at + 2..].iter().take(66).take_while(|b| b.is_ascii_hexdigit()).count();
    if digits != 64 || !boundary::before(text, at) {
        return;
    }
    let end = at + 66;
    let before = &text[boundary::line_start(text, at, 80)..at];
    let after = &text[end..text.len().min(end + 110)];
    if WORDS.iter().any(|word| shape::contains(before, word) || shape::contains(after, word)) {
        out.push(at + 2..end);
    }
}
