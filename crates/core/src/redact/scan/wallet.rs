//! Wallet keys: 32 bytes in hex or base58. A hash looks the same, so the words around it decide.

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

/// At a word for a coin or a wallet: a key in the import format of wallets, shortly after.
pub(in super::super) fn import_format(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let line = &text[at..text.len().min(at + 140)];
    let line = line.split(|&b| b == b'\n').next().unwrap_or_default();
    let is_part = |b: u8| b.is_ascii_alphanumeric() && !b"0OIl".contains(&b);
    let mut from = 0;
    for word in line.split(|b| !b.is_ascii_alphanumeric()) {
        let fits = (51..=52).contains(&word.len()) && b"5KLQ6Tc9".contains(&word[0]);
        if fits && word.iter().all(|b| is_part(*b)) && shape::digits(word) > 2 {
            out.push(at + from..at + from + word.len());
            return;
        }
        from += word.len() + 1;
    }
}
