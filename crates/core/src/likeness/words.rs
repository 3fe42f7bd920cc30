//! Reduces a text to its significant words, and matches those of two texts.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Serialize;

use super::table;
use crate::text::{fold, is_stop_word, stem};

/// Only the beginning of a longer text is compared.
const MOST_WORDS: usize = 4_000;
const NEGATION: &str = "¬";

/// Something that one text says and the other does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Difference {
    pub sort: Sort,
    /// As the older text says it; empty if it does not.
    pub before: String,
    /// As the newer text says it; empty if it does not.
    pub after: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// Not, never, without.
    Negation,
    /// A number, version, date or amount.
    Number,
    /// A path, identifier, address or flag.
    Identifier,
    /// A proper name.
    Name,
    /// Another word.
    Word,
    /// The same words, differently arranged.
    Order,
}

/// One significant word.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// The key by which it is matched.
    key: String,
    /// As written.
    written: String,
    sort: Sort,
    /// Whether the text says something else without it.
    is_telling: bool,
    /// The preposition right before it, which shows its role wherever it stands.
    led_by: String,
}

pub(super) struct Statement {
    words: Vec<Word>,
}

static SAME: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    table::SAME.iter().flat_map(|group| group.iter().map(|word| (*word, group[0]))).collect()
});
static TELLING: LazyLock<HashSet<&str>> = LazyLock::new(|| table::TELLING.iter().copied().collect());
static FILLERS: LazyLock<HashSet<&str>> = LazyLock::new(|| table::FILLERS.iter().copied().collect());

/// A word without the punctuation around it. Symbols that belong to it stay: `!12`, `--force`, `c++`.
pub(super) fn bare(word: &str) -> &str {
    word.trim_start_matches(['"', '\'', '(', '[', '{', '*', '_', '`', '“', '‘', '«', '>', '•', '–', '—', '…'])
        .trim_end_matches([
            '.', ',', ';', ':', '!', '?', '"', '\'', ')', ']', '}', '*', '_', '`', '”', '’', '»', '…', '–',
            '—',
        ])
}

impl Statement {
    pub(super) fn of(text: &str) -> Statement {
        let mut words: Vec<Word> = Vec::new();
        let mut begins = true;
        let mut lead = String::new();
        for written in text.split_whitespace() {
            if words.len() >= MOST_WORDS {
                break;
            }
            let word = bare(written);
            if word.chars().any(char::is_alphanumeric) {
                let before = words.len();
                push(word, begins, &mut words);
                let lower = word.to_lowercase();
                if let Some(first) = words.get_mut(before) {
                    first.led_by = std::mem::take(&mut lead);
                } else if table::PREPOSITIONS.contains(&lower.as_str()) {
                    lead = lower;
                }
                begins = written.ends_with(['.', '!', '?', ':']) || written.ends_with(".\"");
            } else {
                // A dash, an arrow or a bullet starts a new clause.
                begins = true;
            }
        }
        Statement { words }
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| word.key.as_str())
    }
}

fn push(word: &str, begins: bool, words: &mut Vec<Word>) {
    let folded = fold(word).to_lowercase().replace('’', "'");
    let folded = folded.strip_suffix("'s").unwrap_or(&folded);
    let add = |words: &mut Vec<Word>, key: String, sort, is_telling| {
        words.push(Word { key, written: word.to_owned(), sort, is_telling, led_by: String::new() });
    };
    let has_digit = folded.bytes().any(|b| b.is_ascii_digit());
    let has_sign = folded.chars().any(|c| !c.is_alphanumeric() && !matches!(c, '\'' | '-'));
    if has_digit || has_sign {
        let sort = if has_digit && !has_letters_and_signs(folded) { Sort::Number } else { Sort::Identifier };
        return add(words, folded.to_owned(), sort, true);
    }
    if folded.ends_with("n't") || folded == "cannot" || table::NEGATIONS.contains(&folded) {
        return add(words, NEGATION.to_owned(), Sort::Negation, true);
    }
    // Hyphens are a matter of taste in prose: `read-only` equals `read only`.
    if folded.contains('-') && folded.split('-').all(|part| part.chars().count() > 1) {
        for part in folded.split('-') {
            push(part, true, words);
        }
        return;
    }
    for base in bases(folded) {
        let head = SAME.get(base.as_str()).copied().unwrap_or(&base);
        if TELLING.contains(head) {
            return add(words, head.to_owned(), Sort::Word, true);
        }
        if SAME.contains_key(base.as_str()) && !FILLERS.contains(head) {
            return add(words, stem(head), Sort::Word, false);
        }
    }
    if is_stop_word(folded) || FILLERS.contains(folded) || folded.chars().nth(1).is_none() {
        return;
    }
    let inner_capital = word.chars().skip(1).any(char::is_uppercase);
    let is_name = inner_capital || (!begins && word.starts_with(char::is_uppercase));
    let sort = if is_name { Sort::Name } else { Sort::Word };
    add(words, stem(folded), sort, is_name);
}

fn has_letters_and_signs(folded: &str) -> bool {
    let letters = folded.chars().filter(|c| c.is_alphabetic()).count();
    // `v2`, `10ms` and `3rd` are numbers, `db-stg-1` and `src/a1.rs` are not.
    letters > 2
}

/// The possible base forms of an inflected word, itself first.
fn bases(word: &str) -> Vec<String> {
    let mut found = vec![word.to_owned()];
    let mut add = |base: String| {
        if base.len() > 1 && !found.contains(&base) {
            found.push(base);
        }
    };
    if let Some(base) = word.strip_suffix("ies") {
        add(format!("{base}y"));
    }
    for (ending, instead) in
        [("ing", "e"), ("ing", ""), ("ed", "e"), ("ed", ""), ("es", ""), ("es", "e"), ("s", "")]
    {
        if let Some(base) = word.strip_suffix(ending).filter(|base| base.len() > 1) {
            add(format!("{base}{instead}"));
            let mut letters = base.chars().rev();
            if instead.is_empty() && letters.next() == letters.next() {
                add(base[..base.len() - base.chars().next_back().map_or(0, char::len_utf8)].to_owned());
            }
        }
    }
    found
}

/// Which words of two texts are the same, and which are left over.
pub(super) struct Matched {
    pub(super) common: usize,
    /// Positions in the first text.
    pub(super) lost: Vec<usize>,
    /// Positions in the second text.
    pub(super) gained: Vec<usize>,
}

/// Matches distinct keys: repeating a word adds nothing, except for negations.
pub(super) fn match_up(a: &Statement, b: &Statement) -> Matched {
    let first = |s: &Statement| {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut negations = 0;
        for (at, word) in s.words.iter().enumerate() {
            let mut key = word.key.clone();
            if word.sort == Sort::Negation {
                negations += 1;
                key = format!("{key}{negations}");
            }
            places.entry(key).or_insert(at);
        }
        places
    };
    let (in_a, in_b) = (first(a), first(b));
    let left = |from: &HashMap<String, usize>, other: &HashMap<String, usize>| {
        let mut places: Vec<usize> =
            from.iter().filter(|(key, _)| !other.contains_key(*key)).map(|(_, at)| *at).collect();
        places.sort_unstable();
        places
    };
    let (lost, gained) = (left(&in_a, &in_b), left(&in_b, &in_a));
    Matched { common: in_a.len() - lost.len(), lost, gained }
}

/// What makes the second text a different statement; empty if it only adds or drops plain words.
pub(super) fn differences(a: &Statement, b: &Statement, matched: &Matched) -> Vec<Difference> {
    let words = |s: &Statement, places: &[usize]| -> Vec<Word> {
        places.iter().map(|at| s.words[*at].clone()).collect()
    };
    let (mut lost, mut gained) = (words(a, &matched.lost), words(b, &matched.gained));
    let replaced = !lost.is_empty() && !gained.is_empty();
    if !replaced && !lost.iter().chain(&gained).any(|word| word.is_telling) {
        return if is_rearranged(a, b) {
            vec![Difference { sort: Sort::Order, before: String::new(), after: String::new() }]
        } else {
            Vec::new()
        };
    }
    // Pairs like with like: a number with a number, and the rest in reading order.
    let mut found = Vec::new();
    for sort in [Sort::Negation, Sort::Number, Sort::Identifier, Sort::Name, Sort::Word] {
        while let Some(at) = lost.iter().position(|word| word.sort == sort) {
            let Some(other) = gained.iter().position(|word| word.sort == sort) else { break };
            let (before, after) = (lost.remove(at), gained.remove(other));
            found.push(Difference { sort, before: before.written, after: after.written });
        }
    }
    let (mut lost, mut gained) = (lost.into_iter(), gained.into_iter());
    loop {
        let (before, after) = (lost.next(), gained.next());
        let Some(sort) = before.iter().chain(&after).map(|word| word.sort).min() else { break };
        let text = |word: Option<Word>| word.map(|word| word.written).unwrap_or_default();
        found.push(Difference { sort, before: text(before), after: text(after) });
    }
    found.sort_by_key(|difference| difference.sort);
    found.truncate(8);
    found
}

/// Whether the same words are in another order that may mean something else: "a calls b" is not "b calls a".
/// Ignores a clause that moved as a whole, a single word, and words with the same preposition as before.
fn is_rearranged(a: &Statement, b: &Statement) -> bool {
    let in_b: HashSet<&str> = b.keys().collect();
    let in_a: HashSet<&str> = a.keys().collect();
    let a: Vec<&Word> = a.words.iter().filter(|word| in_b.contains(word.key.as_str())).collect();
    let b: Vec<&Word> = b.words.iter().filter(|word| in_a.contains(word.key.as_str())).collect();
    let next: HashSet<(&str, &str)> =
        b.windows(2).map(|pair| (pair[0].key.as_str(), pair[1].key.as_str())).collect();
    let same_part = |word: &Word| {
        !word.led_by.is_empty() && b.iter().any(|other| other.key == word.key && other.led_by == word.led_by)
    };
    let (mut lone, mut length) = (0, 0);
    for (at, word) in a.iter().enumerate() {
        length += 1;
        let goes_on = a
            .get(at + 1)
            .is_some_and(|following| next.contains(&(word.key.as_str(), following.key.as_str())));
        if !goes_on {
            lone += usize::from(length == 1 && !same_part(word));
            length = 0;
        }
    }
    lone > 1
}
