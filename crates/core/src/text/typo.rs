//! Corrects typos by symmetric deletion: a word and its misspelling are equal after deleting one letter from
//! each. The store keeps hashes of these deletions for its vocabulary.

/// Shorter words have too many neighbours to correct safely.
const MIN_CHARS: usize = 4;
/// From this length on, a word may contain two typos.
const LONG_CHARS: usize = 8;
/// Longer runs are hashes or data, not typed words.
const MAX_CHARS: usize = 24;

/// Whether a word is of the kind that gets mistyped and corrected.
pub fn may_be_typo_of(word: &str) -> bool {
    let count = word.chars().count();
    (MIN_CHARS..=MAX_CHARS).contains(&count) && word.chars().all(char::is_alphabetic)
}

/// Hashes under which a vocabulary word is stored: the word itself and each one-letter deletion.
pub fn deletions(word: &str) -> Vec<i64> {
    let mut hashes = vec![hash(word)];
    hashes.extend(drop_one(word).iter().map(|rest| hash(rest)));
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// Hashes for looking up a mistyped word; long words may lack two letters.
pub fn query_deletions(word: &str) -> Vec<i64> {
    let ones = drop_one(word);
    let mut hashes = vec![hash(word)];
    hashes.extend(ones.iter().map(|rest| hash(rest)));
    if word.chars().count() >= LONG_CHARS {
        hashes.extend(ones.iter().flat_map(|one| drop_one(one)).map(|rest| hash(&rest)));
    }
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// The number of typos between two words, if it is plausibly small.
pub fn typo_distance(typed: &str, word: &str) -> Option<usize> {
    let shorter = typed.chars().count().min(word.chars().count());
    let allowed = match shorter {
        0..MIN_CHARS => 0,
        MIN_CHARS..LONG_CHARS => 1,
        _ => 2,
    };
    let distance = strsim::damerau_levenshtein(typed, word);
    (distance <= allowed).then_some(distance)
}

fn drop_one(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    (0..chars.len())
        .map(|skip| chars.iter().enumerate().filter(|(i, _)| *i != skip).map(|(_, c)| *c).collect())
        .collect()
}

/// 48 bits, stable on disk and small as a SQLite varint: the first letters in order, then a hash of
/// everything. Deletions of one word mostly start alike, so storing a word touches few pages.
fn hash(text: &str) -> i64 {
    const LETTERS: usize = 6;
    let mut letters = text.chars().map(|letter| match letter {
        'a'..='z' => u64::from(letter) - u64::from('a'),
        other => 26 + u64::from(other) % 6,
    });
    let prefix = (0..LETTERS).fold(0, |prefix, _| (prefix << 5) | letters.next().unwrap_or(0));
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    ((prefix << 18) | (state >> 46)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meet(typed: &str, word: &str) -> bool {
        let filed = deletions(word);
        query_deletions(typed).iter().any(|h| filed.contains(h)) && typo_distance(typed, word).is_some()
    }

    #[test]
    fn common_typos_find_their_word() {
        for (typed, word) in [
            ("dokcer", "docker"),
            ("netowrking", "networking"),
            ("kuberntes", "kubernetes"),
            ("rollbck", "rollback"),
            ("postgress", "postgres"),
            ("timout", "timeout"),
            ("authentcation", "authentication"),
            ("migratoin", "migration"),
            ("reddis", "redis"),
            ("kuberneets", "kubernetes"),
            ("enviroment", "environment"),
        ] {
            assert!(meet(typed, word), "{typed} -> {word}");
        }
    }

    #[test]
    fn different_words_stay_different() {
        for (typed, word) in [("cat", "car"), ("post", "past"), ("table", "cables"), ("grommet", "comment")] {
            let apart = typo_distance(typed, word).is_none() || !may_be_typo_of(typed) || typed.len() == 4;
            assert!(apart, "{typed} / {word}");
        }
    }
}
