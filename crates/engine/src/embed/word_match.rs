//! Compares passages with a question word by word: each word of the question looks for its closest
//! counterpart anywhere in a passage, and in each of its sentences.

use std::ops::Range;

use hark_core::vector::{Level, WordMatch, dot_bytes, dots_bytes};

use super::table::{Row, Table};
use super::word_list;

/// Words in a sentence that are further apart are unrelated.
const FAR: f32 = 0.25;

/// The best score among this many unrelated words: the more there are, the closer one gets by chance.
fn unrelated(words: usize) -> f32 {
    0.10 + 0.04 * (words.max(1) as f32).ln()
}

/// The nearness as a share of the range between chance and identity.
fn beyond(nearness: f32, chance: f32) -> f32 {
    ((nearness - chance) / (1.0 - chance)).max(0.0)
}

/// See [`hark_core::vector::Embedder::word_matches`].
pub(super) fn matches(table: &Table<'_>, query: &[(Vec<u8>, f32)], passages: &[Vec<u8>]) -> Vec<WordMatch> {
    let mut known = Known::new(table);
    let mut sentences = Vec::with_capacity(8 * passages.len());
    let mut compared: Vec<Compared> =
        passages.iter().map(|words| Compared::read(words, &mut known, &mut sentences)).collect();
    let (mut all, mut with_meaning) = (0.0, 0.0);
    for (word, weight) in query {
        let parts: Vec<u16> = word_list::words(word).collect();
        let share = weight / parts.len() as f32;
        for part in parts {
            let has_meaning = known.compare(part);
            all += share;
            with_meaning += if has_meaning { share } else { 0.0 };
            for passage in &mut compared {
                let nearest = known.look_for(&mut sentences[passage.sentences.clone()], share);
                if has_meaning {
                    passage.found += share * beyond(nearest, passage.chance);
                }
            }
        }
    }
    let of = |sum: f32, all: f32| if all > 0.0 { sum / all } else { 0.0 };
    let found = |passage: &Compared| {
        let here = &sentences[passage.sentences.clone()];
        let best = |wanted: fn(&Sentence) -> bool| {
            of(here.iter().filter(|s| wanted(s)).fold(0.0, |best: f32, s| best.max(s.found)), all)
        };
        WordMatch {
            anywhere: of(passage.found, with_meaning),
            sentence: best(|_| true),
            of_self: best(|sentence| sentence.tells_of_self),
        }
    };
    compared.iter().map(found).collect()
}

/// A passage and what has been found in it so far.
struct Compared {
    sentences: Range<usize>,
    chance: f32,
    found: f32,
}

struct Sentence {
    tells_of_self: bool,
    /// The range of its words among the places.
    words: Range<usize>,
    found: f32,
}

impl Compared {
    fn read(words: &[u8], known: &mut Known<'_, '_>, sentences: &mut Vec<Sentence>) -> Self {
        let first = sentences.len();
        let first_word = known.places.len();
        for sentence in word_list::read(words) {
            let from = known.places.len();
            for word in sentence.words {
                known.add(word);
            }
            let words = from..known.places.len();
            sentences.push(Sentence { tells_of_self: sentence.tells_of_self, words, found: 0.0 });
        }
        let mut different: Vec<u32> = known.places[first_word..].to_vec();
        different.sort_unstable();
        different.dedup();
        let with_meaning = different.iter().filter(|at| known.has_meaning(**at)).count();
        Compared { sentences: first..sentences.len(), chance: unrelated(with_meaning), found: 0.0 }
    }
}

/// The distinct words of some passages: each is compared with a word of the question only once, in however
/// many passages it occurs.
struct Known<'a, 't> {
    table: &'a Table<'t>,
    /// For each word number, its place among the distinct words.
    place_of: Vec<u32>,
    ids: Vec<u16>,
    /// Their values, one row after another. Words without a row have zeros.
    rows: Vec<u8>,
    lengths: Vec<f32>,
    /// The words of all sentences, as places.
    places: Vec<u32>,
    level: Level,
    dots: Vec<i32>,
    near: Vec<f32>,
}

const NOWHERE: u32 = u32::MAX;

impl<'a, 't> Known<'a, 't> {
    fn new(table: &'a Table<'t>) -> Self {
        Known {
            table,
            place_of: vec![NOWHERE; usize::from(u16::MAX) + 1],
            ids: Vec::new(),
            rows: Vec::new(),
            lengths: Vec::new(),
            places: Vec::new(),
            level: Level::new(),
            dots: Vec::new(),
            near: Vec::new(),
        }
    }

    /// Appends a word. One that has no row and is not marked as such belongs to another table.
    fn add(&mut self, word: u16) {
        let slot = usize::from(word);
        if self.place_of[slot] == NOWHERE {
            let row = self.row(word);
            if row.is_none() && word < word_list::FIRST_STRANGER {
                return;
            }
            self.place_of[slot] = self.ids.len() as u32;
            self.ids.push(word);
            let start = self.rows.len();
            match row {
                Some(row) => row.widen(&mut self.rows),
                None => self.rows.resize(start + self.table.dims(), 0),
            }
            self.lengths.push(length(&self.rows[start..]));
        }
        self.places.push(self.place_of[slot]);
    }

    fn row(&self, word: u16) -> Option<Row<'t>> {
        Some(word).filter(|id| *id < word_list::FIRST_STRANGER).and_then(|id| self.table.row(id))
    }

    fn has_meaning(&self, place: u32) -> bool {
        self.ids[place as usize] < word_list::FIRST_STRANGER
    }

    /// Computes how near each word is to this one; returns whether it has a meaning.
    fn compare(&mut self, word: u16) -> bool {
        self.near.clear();
        let row = self.row(word);
        if let Some(row) = row {
            let mut values = Vec::with_capacity(self.table.dims());
            row.widen(&mut values);
            let own = length(&values);
            dots_bytes(self.level, &values, &self.rows, &mut self.dots);
            let near =
                self.dots.iter().zip(&self.lengths).map(|(dot, other)| *dot as f32 / (own * other).max(1.0));
            self.near.extend(near);
        }
        self.near.resize(self.ids.len(), 0.0);
        if let Some(same) = self.near.get_mut(self.place_of[usize::from(word)] as usize) {
            *same = 1.0;
        }
        row.is_some()
    }

    /// Adds what each sentence contributes for a word; returns the nearness of the closest word.
    fn look_for(&self, sentences: &mut [Sentence], share: f32) -> f32 {
        let mut nearest = 0f32;
        for sentence in sentences {
            let places = &self.places[sentence.words.clone()];
            let here = places.iter().fold(0f32, |best, at| best.max(self.near[*at as usize]));
            sentence.found += share * beyond(here, FAR);
            nearest = nearest.max(here);
        }
        nearest
    }
}

fn length(row: &[u8]) -> f32 {
    (dot_bytes(row, row) as f32).sqrt()
}
