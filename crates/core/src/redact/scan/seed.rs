//! Recovery phrases of wallets: twelve to twenty-four words from a fixed list, which give access to
//! everything in the wallet. After a word that announces one they may be numbered, quoted or one per line;
//! otherwise they must be alone on a line, in exactly the valid lengths.

use std::ops::Range;

use super::seed_words;

const SHORTEST: usize = 12;
/// No phrase has more words, so counting can stop here.
const LONGEST: usize = 60;
const LENGTHS: [usize; 5] = [12, 15, 18, 21, 24];
const LONGEST_WORD: usize = 8;
/// How far after its announcement a phrase may begin.
const WITHIN: usize = 160;
/// Twelve words of three letters take 47 bytes, so looking this often finds every phrase.
const STRIDE: usize = 40;

/// Words of the list that are common in sentences.
const EVERYDAY: &[&str] = &[
    "all", "also", "any", "because", "before", "between", "can", "have", "into", "just", "more", "must",
    "never", "one", "only", "over", "own", "that", "then", "there", "they", "this", "under", "until", "use",
    "used", "very", "what", "when", "where", "will", "you",
];

/// At `mnemonic`, `seed phrase` and the like.
pub(in super::super) fn announced(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let limit = text.len().min(at + WITHIN);
    let mut from = at;
    while from < limit {
        let Some(letter) = text[from..limit].iter().position(u8::is_ascii_alphabetic) else { return };
        let start = from + letter;
        let (words, end) = run(text, start, loose_gap);
        if words >= SHORTEST {
            out.extend(drawn_in(text, start, end));
            return;
        }
        from = end.max(start + letters(text, start));
    }
}

/// The phrase in a row of list words. Words of its announcement may be in the list, too: `Recovery Phrase: legal …`.
fn drawn_in(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let mut row: Vec<(usize, &[u8])> = Vec::new();
    let mut at = start;
    for word in text[start..end].split(|b| !b.is_ascii_alphabetic()) {
        if word.len() > 2 {
            row.push((at, word));
        }
        at += word.len() + 1;
    }
    let words: Vec<&[u8]> = row.iter().map(|(_, word)| *word).collect();
    let fits = |skip: &usize| words.len() >= SHORTEST + skip && is_drawn(&words[*skip..]);
    (0..=3).find(fits).map(|skip| row[skip].0..end)
}

/// Phrases without an announcement.
pub(in super::super) fn alone(text: &[u8], out: &mut Vec<Range<usize>>) {
    let mut probe = STRIDE / 2;
    while probe < text.len() {
        let next = probe + STRIDE;
        let window = &text[probe..text.len().min(probe + LONGEST_WORD + 1)];
        let Some(space) = window.iter().position(|&b| b == b' ') else {
            probe = next;
            continue;
        };
        let start = probe + space + 1;
        if !may_be_word(text, start) || word(text, start).is_none() {
            probe = next;
            continue;
        }
        let first = first_word(text, start);
        let (words, end) = run(text, first, one_space);
        if LENGTHS.contains(&words) && stands_alone(text, first, end) {
            let row: Vec<&[u8]> = text[first..end].split(|&b| b == b' ').collect();
            if is_drawn(&row) && !is_sentence(&row) {
                out.push(first..end);
            }
        }
        probe = next.max(end);
    }
}

/// How many words of the list follow each other from `start` on, and where the last one ends. Stops counting
/// when there are too many for a phrase.
fn run(text: &[u8], start: usize, gap: fn(&[u8]) -> usize) -> (usize, usize) {
    let (mut words, mut end) = (0, start);
    let mut at = start;
    while let Some(length) = word(text, at) {
        words += 1;
        end = at + length;
        let skipped = gap(&text[end..]);
        if skipped == 0 || words > LONGEST {
            break;
        }
        at = end + skipped;
    }
    (words, end)
}

/// The first word of the run of list words, one space apart, that contains `start`.
fn first_word(text: &[u8], start: usize) -> usize {
    let mut first = start;
    // Longer runs than any phrase are word lists.
    for _ in 0..=LENGTHS[LENGTHS.len() - 1] {
        if first == 0 || text[first - 1] != b' ' {
            break;
        }
        let low = (first - 1).saturating_sub(LONGEST_WORD + 1);
        let back = text[low..first - 1].iter().rev().take_while(|b| b.is_ascii_alphabetic()).count();
        let before = first - 1 - back;
        if back == 0 || word(text, before) != Some(back) {
            break;
        }
        first = before;
    }
    first
}

/// The length of the list word at `at`, in any case.
fn word(text: &[u8], at: usize) -> Option<usize> {
    let mut lower = [0; LONGEST_WORD + 1];
    let mut length = 0;
    for &b in text.get(at..)?.iter().take(LONGEST_WORD + 1).take_while(|b| b.is_ascii_alphabetic()) {
        lower[length] = b | 0x20;
        length += 1;
    }
    ((3..=LONGEST_WORD).contains(&length) && seed_words::holds(&lower[..length])).then_some(length)
}

/// Whether the word at `at` deserves a closer look. Cheap, because it is called all over a text.
fn may_be_word(text: &[u8], at: usize) -> bool {
    let Some(&[a, b, c, d]) = text.get(at..at + 4) else { return false };
    let fourth = if d.is_ascii_lowercase() { d } else { b'.' };
    seed_words::may_hold(&[a, b, c, fourth])
}

fn letters(text: &[u8], at: usize) -> usize {
    text[at.min(text.len())..].iter().take(LONGEST_WORD + 1).take_while(|b| b.is_ascii_alphabetic()).count()
}

/// Between two words: spaces, line ends, numbers, quotes, commas. There must be a separator.
fn loose_gap(rest: &[u8]) -> usize {
    let is_gap = |b: &u8| b.is_ascii_whitespace() || b.is_ascii_digit() || b"\"'`,.;:)-|*\\".contains(b);
    let mut length = rest.iter().take(13).take_while(|b| is_gap(b)).count();
    // `\n` written out ends with a letter.
    let written = rest[..length].ends_with(b"\\") && rest.get(length) == Some(&b'n');
    length += usize::from(written);
    let gap = &rest[..length];
    let parted = written || gap.iter().any(|b| b.is_ascii_whitespace() || *b == b',');
    // `read-only` is one word; in a list, a dash is followed by a space.
    let dashed = gap.ends_with(b"-");
    if length > 12 || !parted || dashed { 0 } else { length }
}

fn one_space(rest: &[u8]) -> usize {
    usize::from(rest.first() == Some(&b' '))
}

/// Not part of a sentence: delimited by a line end, a quote or punctuation.
fn stands_alone(text: &[u8], start: usize, end: usize) -> bool {
    let blanks = text[..start].iter().rev().take(8).take_while(|b| b" \t".contains(b)).count();
    let begins = text[..start - blanks].last().is_none_or(|b| b"\n\"'`:=(>[".contains(b));
    let ends = text.get(end).is_none_or(|b| b"\r\n\"'`.,;)<]\\".contains(b));
    begins && ends
}

/// Random words: neither in dictionary order nor repeated over and over.
fn is_drawn(words: &[&[u8]]) -> bool {
    let mut unique = words.to_vec();
    unique.sort_unstable();
    unique.dedup();
    let lower = words[0].iter().all(u8::is_ascii_lowercase);
    let upper = words[0].iter().all(u8::is_ascii_uppercase);
    let alike = words.iter().all(|word| {
        let first = if lower { word[0].is_ascii_lowercase() } else { word[0].is_ascii_uppercase() };
        first && word[1..].iter().all(|b| b.is_ascii_uppercase() == upper)
    });
    // A word before a sorted list is not part of it.
    let turns = words.windows(2).filter(|pair| pair[0] > pair[1]).count();
    alike && turns > 1 && unique.len() * 3 >= words.len() * 2
}

fn is_sentence(words: &[&[u8]]) -> bool {
    let everyday =
        words.iter().filter(|word| EVERYDAY.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes())));
    everyday.count() >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHRASE: &str = "ticket scout banana motor hurdle orbit lemon canvas elbow thrive nephew quantum";

    fn found(text: &str) -> Vec<&str> {
        let mut out = Vec::new();
        alone(text.as_bytes(), &mut out);
        out.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_phrase_is_found_wherever_it_begins() {
        for before in 0..90 {
            let text = format!("{}\n{PHRASE}\nand so on", "x".repeat(before));
            assert_eq!(found(&text), [PHRASE], "{before}");
        }
    }

    #[test]
    fn sentences_and_word_lists_are_not_phrases() {
        for text in [
            "ticket scout banana motor hurdle orbit lemon canvas elbow thrive nephew",
            "able about above absent absorb abstract absurd abuse access accident account accuse",
            "make sure that you have just one more test when they will use this",
            "the ticket scout banana motor hurdle orbit lemon canvas elbow thrive nephew quantum of it",
        ] {
            assert!(found(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn an_announced_phrase_may_be_numbered() {
        let numbered: String =
            PHRASE.split(' ').enumerate().map(|(i, word)| format!("{}. {word}\n", i + 1)).collect();
        let text = format!("mnemonic:\n{numbered}");
        let mut out = Vec::new();
        announced(text.as_bytes(), 0, &mut out);
        assert_eq!(out.len(), 1);
        assert!(text[out[0].clone()].starts_with("ticket") && text[out[0].clone()].ends_with("quantum"));
    }

    #[test]
    fn words_of_the_announcement_may_be_in_the_list() {
        for announcement in ["Recovery Phrase: 1. ", "Seed Phrase Word: ", "recovery phrase: "] {
            let text = format!("{announcement}{}", PHRASE.replace(' ', " 2. "));
            let mut out = Vec::new();
            announced(text.as_bytes(), 0, &mut out);
            assert_eq!(out.len(), 1, "{text}");
            let found = &text[out[0].clone()];
            assert!(found.contains("ticket") && found.ends_with("quantum"), "{found}");
        }
        let list = "Seed Phrase: able about above absent absorb abstract absurd abuse access accident account accuse";
        let mut out = Vec::new();
        announced(list.as_bytes(), 0, &mut out);
        assert!(out.is_empty(), "a sorted list is not a phrase");
    }
}
