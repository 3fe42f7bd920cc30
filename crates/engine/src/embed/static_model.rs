//! The embedding model in the binary: a table of token vectors distilled from a sentence encoder.
//!
//! The vector of a text is the sum of its tokens' rows, scaled to unit length; rare words count more because
//! their weights are part of the rows. No file, no network, no startup work: the first text in a fresh
//! process costs little more than any other. `models/README.md` describes how the table was made and how it
//! scores.

use hark_core::text::sentences;
use hark_core::vector::WordMatch;

use super::table::{Place, Table};
use super::word_list::{self, WordList};
use super::word_match::matches;
use super::words::{Word, each_word};
use super::{Embedder, Vector};

static FILE: &[u8] = include_bytes!("../../../../models/static-256.hark");

/// Tokens beyond this many do not change the vector of a text. A mean over more words says less and less
/// about any of them; split longer texts into passages first.
pub const MAX_TOKENS: usize = 512;

/// Lighter words ("the", "of") say nothing on their own.
const LEAST_WEIGHT: f32 = 2.0;

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

    /// Its size in the binary, in bytes.
    #[must_use]
    pub fn size() -> u64 {
        FILE.len() as u64
    }

    fn list_row(&self, list: &mut WordList, row: u16) {
        if self.weight(row) >= LEAST_WEIGHT {
            list.add(row);
        }
    }

    /// The weight of a token; frequent words are light.
    fn weight(&self, row: u16) -> f32 {
        self.table.row(row).map_or(0.0, |row| row.length())
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

    /// The whole word if it is in the vocabulary, else each part of an identifier, else the longest pieces.
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
                row.add_to(&mut sum);
            }
        });
        Vector::from_floats(&sum)
    }

    fn words(&self, text: &str) -> Vec<u8> {
        let mut list = WordList::default();
        for sentence in sentences(text) {
            list.begin(sentence.tells_of_self);
            each_word(sentence.text, |word| {
                match self.table.find(word.as_bytes(), Place::Start) {
                    Some(row) => self.list_row(&mut list, row),
                    None => {
                        for part in word.parts() {
                            match self.table.find(part, Place::Start) {
                                Some(row) => self.list_row(&mut list, row),
                                None => list.add(word_list::stranger(part)),
                            }
                        }
                    }
                }
                !list.is_full()
            });
        }
        list.into_bytes()
    }

    fn word_matches(&self, query: &[(Vec<u8>, f32)], passages: &[Vec<u8>]) -> Vec<WordMatch> {
        matches(&self.table, query, passages)
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
        assert!(model.table.row(word_list::FIRST_STRANGER).is_none(), "numbers of strangers are free");
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
        fn embedding_any_text_never_panics(text in "\\PC{0,200}") {
            check(&text)?;
        }

        #[test]
        fn embedding_any_bytes_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
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

    fn match_of(query: &[&str], passage: &str) -> WordMatch {
        let model = StaticModel::embedded();
        let query: Vec<(Vec<u8>, f32)> = query.iter().map(|word| (model.words(word), 1.0)).collect();
        model.word_matches(&query, &[model.words(passage)])[0]
    }

    #[test]
    fn words_of_one_sentence_count_more_than_scattered_ones() {
        let query = ["database", "migration", "fails"];
        let one = match_of(&query, "Lunch was good. The database migration fails. It rains.");
        let scattered = match_of(&query, "The database is large. A migration of birds. The exam fails.");
        assert!(one.sentence > 0.99 && one.anywhere > 0.99, "{one:?}");
        assert!(scattered.anywhere > 0.99 && scattered.sentence < 0.6, "{scattered:?}");
    }

    #[test]
    fn statements_about_oneself_are_counted_separately() {
        let query = ["buy", "racket"];
        let told = match_of(&query, "Which strings fit? I bought a tennis racket downtown.");
        let asked = match_of(&query, "Where can I buy a racket?");
        assert!(told.of_self > 0.7 && told.of_self == told.sentence, "{told:?}");
        assert!(asked.sentence > 0.9 && asked.of_self == 0.0, "{asked:?}");
    }

    #[test]
    fn unknown_words_are_matched_exactly() {
        let name = "zzqqxwv";
        assert!(!StaticModel::embedded().knows(name));
        let query = [name, "database"];
        let (with, without) =
            (match_of(&query, "the Zzqqxwv database"), match_of(&query, "the other database"));
        assert!(with.sentence > 0.99 && without.sentence < 0.6, "{with:?} {without:?}");
    }

    #[test]
    fn passages_match_the_same_together_and_alone() {
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
        let alone: Vec<WordMatch> =
            passages.iter().flat_map(|one| model.word_matches(&query, std::slice::from_ref(one))).collect();
        assert_eq!(together, alone);
        let anywhere: Vec<f32> = together.iter().map(|found| found.anywhere).collect();
        assert!(anywhere[1] > 0.99 && anywhere[1] > anywhere[0] && anywhere[0] > anywhere[2], "{together:?}");
        assert_eq!(together[3], WordMatch::default());
        assert!(model.word_matches(&query, &[]).is_empty());
    }
}
