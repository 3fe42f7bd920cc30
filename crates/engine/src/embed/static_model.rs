//! The embedding model inside the binary: a table of token vectors distilled from a sentence encoder.
//!
//! A text's vector is the sum of its tokens' rows, scaled to unit length; rare words count more because the
//! weights folded into the rows say so. No file, no network, no start-up work: the first text in a fresh
//! process costs little more than any other. How the table was made and what it scores is in
//! `models/README.md`.

use hark_core::vector::{Level, dot_bytes, dots_bytes};

use super::table::{Place, Row, Table};
use super::words::{Word, each_word};
use super::{Embedder, Vector};

static FILE: &[u8] = include_bytes!("../../../../models/static-256.hark");

/// Tokens after this many do not change a text's vector. A mean over more words says less and less about any
/// of them; longer texts should be cut into passages first.
pub const MAX_TOKENS: usize = 512;

/// Words kept for word-by-word comparison, per text.
const MAX_WORDS: usize = 128;
/// Lighter words ("the", "of") say nothing on their own.
const LEAST_WEIGHT: f32 = 2.0;
/// What the nearest of so many unrelated words scores: the more there are, the nearer one comes
/// by chance.
fn unrelated(words: usize) -> f32 {
    0.10 + 0.04 * (words.max(1) as f32).ln()
}

/// Words as they are stored: numbers of rows.
fn ids(words: &[u8]) -> impl Iterator<Item = u16> {
    words.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair))
}

/// Static token embeddings.
pub struct StaticModel {
    table: Table<'static>,
}

impl StaticModel {
    /// The model compiled into this binary.
    #[must_use]
    pub fn embedded() -> Self {
        Self { table: Table::open(FILE).expect("the embedded model is well formed; a test opens it") }
    }

    /// Bytes that it takes in the binary.
    #[must_use]
    pub fn size() -> u64 {
        FILE.len() as u64
    }

    /// How much a token counts; frequent words are light.
    fn weight(&self, row: u16) -> f32 {
        self.table.row(row).map_or(0.0, |row| row.scale * (dot_bytes(row.values, row.values) as f32).sqrt())
    }

    fn rows(&self, words: &[u8]) -> Vec<(u16, Row<'static>, f32)> {
        let with_length = |id: u16| {
            let row = self.table.row(id)?;
            let length = (dot_bytes(row.values, row.values) as f32).sqrt();
            Some((id, row, length))
        };
        ids(words).filter_map(with_length).collect()
    }

    fn each_row(&self, text: &str, mut each: impl FnMut(u16)) {
        let mut left = MAX_TOKENS;
        each_word(text, |word| {
            self.each_row_of_word(word, |row| {
                if left > 0 {
                    left -= 1;
                    each(row);
                }
            });
            left > 0
        });
    }

    /// The whole word if the vocabulary has it, else each part of an identifier, else the longest pieces.
    fn each_row_of_word(&self, word: &Word, mut each: impl FnMut(u16)) {
        if let Some(row) = self.table.find(word.as_bytes(), Place::Start) {
            return each(row);
        }
        for part in word.parts() {
            let (mut rest, mut place) = (part, Place::Start);
            while let Some((row, len)) = self.table.longest_prefix(rest, place) {
                each(row);
                (rest, place) = (rest.get(len..).unwrap_or_default(), Place::Inside);
            }
        }
    }
}

impl Embedder for StaticModel {
    fn id(&self) -> &str {
        self.table.id()
    }

    fn dims(&self) -> usize {
        self.table.dims()
    }

    fn embed(&self, text: &str) -> Option<Vector> {
        let mut sum = vec![0f32; self.table.dims()];
        self.each_row(text, |row| {
            if let Some(row) = self.table.row(row) {
                for (total, &value) in sum.iter_mut().zip(row.values) {
                    *total += row.scale * f32::from(value.cast_signed());
                }
            }
        });
        Vector::from_floats(&sum)
    }

    fn words(&self, text: &str) -> Vec<u8> {
        let mut rows: Vec<u16> = Vec::new();
        each_word(text, |word| {
            let mut add = |bytes: &[u8]| {
                let row = self.table.find(bytes, Place::Start);
                if let Some(row) = row.filter(|row| !rows.contains(row) && self.weight(*row) >= LEAST_WEIGHT)
                {
                    rows.push(row);
                }
                row.is_some()
            };
            if !add(word.as_bytes()) {
                for part in word.parts() {
                    add(part);
                }
            }
            rows.len() < MAX_WORDS
        });
        rows.iter().flat_map(|row| row.to_le_bytes()).collect()
    }

    fn word_matches(&self, query: &[(Vec<u8>, f32)], passages: &[Vec<u8>]) -> Vec<f32> {
        let mut known = Known::of(self, passages);
        let passages: Vec<Vec<usize>> = passages.iter().map(|words| known.places(words)).collect();
        let chances: Vec<f32> = passages.iter().map(|places| unrelated(places.len())).collect();
        let mut wanted = 0.0;
        let mut found = vec![0f32; passages.len()];
        let mut scores = vec![0f32; passages.len()];
        for (word, weight) in query {
            let parts = self.rows(word);
            if parts.is_empty() {
                continue;
            }
            wanted += weight;
            scores.fill(0.0);
            for (id, part, length) in &parts {
                let near = known.nearness(*id, part, *length);
                for ((places, chance), score) in passages.iter().zip(&chances).zip(&mut scores) {
                    let nearest = places.iter().fold(0f32, |best, at| best.max(near[*at]));
                    *score += ((nearest - chance) / (1.0 - chance)).max(0.0);
                }
            }
            for (found, score) in found.iter_mut().zip(&scores) {
                *found += weight * score / parts.len() as f32;
            }
        }
        if wanted > 0.0 {
            found.iter_mut().for_each(|found| *found /= wanted);
        }
        found
    }

    fn knows(&self, word: &str) -> bool {
        let mut known = true;
        each_word(word, |word| {
            let whole = |bytes: &[u8]| self.table.find(bytes, Place::Start).is_some();
            known &= whole(word.as_bytes()) || word.parts().all(whole);
            known
        });
        known
    }
}

/// The different words of some passages: each is compared with a word of the query once, in however
/// many passages it is.
struct Known {
    ids: Vec<u16>,
    rows: Vec<&'static [u8]>,
    lengths: Vec<f32>,
    level: Level,
    dots: Vec<i32>,
    near: Vec<f32>,
}

impl Known {
    fn of(model: &StaticModel, passages: &[Vec<u8>]) -> Self {
        let mut ids: Vec<u16> = passages.iter().flat_map(|words| ids(words)).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|id| model.table.row(*id).is_some());
        let rows: Vec<&'static [u8]> =
            ids.iter().filter_map(|id| model.table.row(*id)).map(|row| row.values).collect();
        let lengths = rows.iter().map(|row| (dot_bytes(row, row) as f32).sqrt()).collect();
        Known { ids, rows, lengths, level: Level::new(), dots: Vec::new(), near: Vec::new() }
    }

    /// Where the words of a passage are in this list.
    fn places(&self, words: &[u8]) -> Vec<usize> {
        ids(words).filter_map(|id| self.ids.binary_search(&id).ok()).collect()
    }

    /// How near each of the words is to one of the query.
    fn nearness(&mut self, id: u16, row: &Row<'static>, length: f32) -> &[f32] {
        dots_bytes(self.level, row.values, &self.rows, &mut self.dots);
        let near = self.dots.iter().zip(&self.lengths).map(|(dot, other)| *dot as f32 / (length * other));
        self.near.clear();
        self.near.extend(near);
        if let Ok(same) = self.ids.binary_search(&id) {
            self.near[same] = 1.0;
        }
        &self.near
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tokens(text: &str) -> usize {
        let mut n = 0;
        StaticModel::embedded().each_row(text, |_| n += 1);
        n
    }

    fn similarity(a: &str, b: &str) -> f32 {
        let model = StaticModel::embedded();
        model.embed(a).expect(a).cosine(&model.embed(b).expect(b))
    }

    #[test]
    fn the_embedded_file_opens() {
        let model = StaticModel::embedded();
        assert_eq!(model.dims(), 256);
        assert!(model.id().starts_with("static-256-"), "{}", model.id());
    }

    #[test]
    fn a_damaged_file_is_refused() {
        assert!(Table::open(b"").is_none());
        assert!(Table::open(&FILE[..FILE.len() - 1]).is_none());
        let mut other = FILE.to_vec();
        other[0] ^= 1;
        assert!(Table::open(&other).is_none());
    }

    #[test]
    fn texts_without_words_have_no_vector() {
        let model = StaticModel::embedded();
        for text in ["", " \n\t", "!?… -- /", "漢字かな交じり文", "\u{0}\u{301}", "🦀🦀"] {
            assert!(model.embed(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn known_words_are_whole_and_identifiers_are_cut() {
        assert_eq!(tokens("database"), 1);
        assert_eq!(tokens("kubernetes GitHub sha256"), 3);
        assert_eq!(tokens("getUserById"), 4);
        assert_eq!(tokens("src/main_loop.rs"), 4);
    }

    #[test]
    fn spelling_of_an_identifier_does_not_matter() {
        assert!(similarity("getUserName", "get_user_name") > 0.999);
        assert!(similarity("Café", "cafe") > 0.999);
    }

    #[test]
    fn meaning_beats_no_meaning() {
        let near = similarity("the database connection timed out", "postgres stopped answering queries");
        let far = similarity("the database connection timed out", "grandmother baked a chocolate cake");
        assert!(near > far + 0.1, "{near} {far}");
    }

    #[test]
    fn words_past_the_cap_change_nothing() {
        let model = StaticModel::embedded();
        let long = "database ".repeat(MAX_TOKENS);
        assert_eq!(model.embed(&long), model.embed(&format!("{long} chocolate cake")));
    }

    proptest! {
        #[test]
        fn any_text_embeds_or_does_not_but_never_panics(text in "\\PC{0,200}") {
            check(&text)?;
        }

        #[test]
        fn any_bytes_do_too(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            check(&String::from_utf8_lossy(&bytes))?;
        }

        #[test]
        fn a_file_of_any_bytes_is_safe_to_read(mut noise in proptest::collection::vec(any::<u8>(), 64..4096),
                                               word in "[a-z]{1,12}") {
            noise[..32].copy_from_slice(&FILE[..32]);
            noise[12..16].copy_from_slice(&2u32.to_le_bytes());
            noise[16..20].copy_from_slice(&8u32.to_le_bytes());
            if let Some(table) = Table::open(&noise) {
                let _ = table.longest_prefix(word.as_bytes(), Place::Start).and_then(|(row, _)| table.row(row).map(|r| r.scale));
            }
        }
    }

    fn check(text: &str) -> Result<(), TestCaseError> {
        if let Some(v) = StaticModel::embedded().embed(text) {
            prop_assert_eq!(v.values.len(), 256);
            prop_assert!((v.cosine(&v) - 1.0).abs() < 1e-3);
        }
        Ok(())
    }

    #[test]
    fn passages_are_matched_together_as_alone() {
        let model = StaticModel::embedded();
        let words = |text: &str| model.words(text);
        let query: Vec<(Vec<u8>, f32)> =
            ["database", "migration", "fails", "zzqqx"].iter().map(|w| (words(w), w.len() as f32)).collect();
        let passages: Vec<Vec<u8>> = [
            "the schema upgrade of the database breaks on sqlite",
            "database migration fails",
            "a recipe for bread with olives",
            "",
        ]
        .iter()
        .map(|text| words(text))
        .collect();
        let together = model.word_matches(&query, &passages);
        let alone: Vec<f32> =
            passages.iter().flat_map(|one| model.word_matches(&query, std::slice::from_ref(one))).collect();
        assert_eq!(together, alone);
        assert!(together[1] > 0.99 && together[1] > together[0] && together[0] > together[2], "{together:?}");
        assert_eq!(together[3], 0.0);
        assert!(model.word_matches(&query, &[]).is_empty());
    }
}
