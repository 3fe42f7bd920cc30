//! Sentences, content words and a seeded order: how text becomes a question without its wording.

use std::collections::BTreeSet;

/// Changing it gives another benchmark; figures are comparable only under the same seed.
const SEED: u64 = 20_261_116;

/// Words that say nothing about the subject, the markers of decisions and rules among them.
const EMPTY: &str = " a about above after again all also always am an and any are aren't as at be because been \
    before being below between both but by can can't cannot could did didn't do does doesn't doing don't done \
    down during each either else even every few first for from further get gets getting go goes going good got \
    had has hasn't have haven't having he her here him his how however i i'd i'll i'm i've if in instead into \
    is isn't it it's its itself just keep know let let's like look looks lot made make makes me more most much \
    must my need needed needs never no nor not now of off ok okay on once one only or other our out over own \
    per please put rather really right same say see seems she should shouldn't since so some still such sure \
    take than that that's the their them then there there's these they thing things think this those through \
    to too two under until up us use used uses using very via want wants was wasn't way we we'll we're we've \
    well were what when where whether which while who why will with within without won't would yes yet you \
    you'd you'll you're you've your decided decide lets will actually currently already command ";

/// FNV-1a over the seed and the text, mixed: the same order on every machine.
pub(super) fn order(text: &str) -> u64 {
    let bytes = SEED.to_le_bytes().into_iter().chain(text.bytes());
    let mut hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    hash = (hash ^ (hash >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 29)
}

/// Words as written, in order, once each, without the empty ones; of a path, its last part.
pub(super) fn content(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let text = text.replace('’', "'");
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\'' | '/');
    let words = text.split(|c: char| !part(c)).map(|word| {
        let word = word.trim_end_matches('/');
        word.rsplit('/').next().unwrap_or_default().trim_matches(|c: char| !c.is_alphanumeric())
    });
    words
        .filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1 && word.len() < 40)
        .filter(|word| !EMPTY.contains(&format!(" {} ", word.to_lowercase())))
        .filter(|word| seen.insert(word.to_lowercase()))
        .map(str::to_owned)
        .collect()
}

/// What a text is about, for comparing: lower case, split at every sign, plurals folded.
pub(super) fn terms(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 1 && word.len() < 40)
        .map(str::to_lowercase)
        .filter(|word| !EMPTY.contains(&format!(" {word} ")))
        .map(|word| match word.strip_suffix('s') {
            Some(stem) if stem.len() > 3 && !stem.ends_with('s') => stem.to_owned(),
            _ => word,
        })
        .collect()
}

/// Two thirds of the words, four to nine of them, in another order.
pub(super) fn reduced(words: &[String]) -> String {
    let mut words: Vec<&String> = words.iter().collect();
    words.sort_by_key(|word| order(word));
    words.truncate((words.len() * 2 / 3).clamp(4, 9));
    words.into_iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// Sentences of prose: no code, tables or headings. Each is a piece of the text, so that it can be cut out.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut code = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") {
            code = !code;
        }
        let prose = !code
            && !line.starts_with(['|', '#', '`', '$', '{', '}', '/', '<'])
            && !line.ends_with([';', '{', '}', '('])
            && !line.contains("://");
        if prose {
            let line = line.trim_start_matches(|c: char| !c.is_alphabetic());
            let mut rest = line;
            while let Some(end) = [". ", "! ", "? "].iter().filter_map(|stop| rest.find(stop)).min() {
                found.push(&rest[..=end]);
                rest = rest[end + 1..].trim_start();
            }
            found.push(rest);
        }
    }
    found.retain(|sentence| (6..=45).contains(&sentence.split_whitespace().count()));
    found
}

/// Whether a phrase stands in the text as whole words.
pub(super) fn has_phrase(text: &str, phrase: &str) -> bool {
    let text = text.to_lowercase().replace('’', "'");
    let letter = |c: char| c.is_alphanumeric() || c == '\'';
    text.match_indices(phrase)
        .any(|(at, _)| !text[..at].ends_with(letter) && !text[at + phrase.len()..].starts_with(letter))
}

/// Without terminal colours.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut escaped = false;
    for c in text.chars() {
        match (escaped, c) {
            (_, '\u{1b}') => escaped = true,
            (true, c) => escaped = !c.is_ascii_alphabetic(),
            (false, c) => out.push(c),
        }
    }
    out
}

/// At most so many bytes, at a character's end.
pub(super) fn head(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_lose_wording_and_order() {
        let words = content(
            "We decided to store sessions in src/store/wal.rs because locks block readers and writers",
        );
        assert_eq!(words, ["store", "sessions", "wal.rs", "locks", "block", "readers", "writers"]);
        assert_eq!(reduced(&words), reduced(&words));
        assert_eq!(reduced(&words).split(' ').count(), 4);
    }

    #[test]
    fn prose_only() {
        let text = "Fine.\n```\nlet a = one two three four five six seven eight;\n```\n- We keep the old format because readers exist. And this other one is also long enough to count.";
        assert_eq!(
            sentences(text),
            [
                "We keep the old format because readers exist.",
                "And this other one is also long enough to count."
            ]
        );
        assert!(has_phrase("Never do", "never") && !has_phrase("mustard", "must"));
    }

    #[test]
    fn colours_go() {
        assert_eq!(plain("\u{1b}[31mred\u{1b}[0m"), "red");
        assert_eq!(head("aé", 2), "a");
    }
}
