//! Passages compared with a question word by word: each word of the question looks for its nearest counterpart
//! anywhere in a passage, and in each of its sentences.

use hark_core::vector::{Level, WordMatch, dot_bytes, dots_bytes};

use super::table::Table;
use super::word_list;

/// Words of one sentence that are farther apart have nothing to do with each other.
const FAR: f32 = 0.25;

/// What the nearest of so many unrelated words scores: the more there are, the nearer one comes by chance.
fn unrelated(words: usize) -> f32 {
    0.10 + 0.04 * (words.max(1) as f32).ln()
}

/// How much of what lies between chance and sameness is there.
fn beyond(nearness: f32, chance: f32) -> f32 {
    ((nearness - chance) / (1.0 - chance)).max(0.0)
}

/// See [`hark_core::vector::Embedder::word_matches`].
pub(super) fn matches(table: &Table<'_>, query: &[(Vec<u8>, f32)], passages: &[Vec<u8>]) -> Vec<WordMatch> {
    let mut known = Known::of(table, passages);
    let mut compared: Vec<Compared> = passages.iter().map(|words| Compared::of(words, &known)).collect();
    let (mut all, mut with_meaning) = (0.0, 0.0);
    for (word, weight) in query {
        let parts: Vec<u16> = word_list::read(word).into_iter().flat_map(|sentence| sentence.words).collect();
        let share = weight / parts.len() as f32;
        for part in parts {
            let has_meaning = known.compare(table, part);
            all += share;
            with_meaning += if has_meaning { share } else { 0.0 };
            for passage in &mut compared {
                passage.look_for(&known.near, share, has_meaning);
            }
        }
    }
    let of = |sum: f32, all: f32| if all > 0.0 { sum / all } else { 0.0 };
    let found = |passage: &Compared| {
        let best = |wanted: fn(&Sentence) -> bool| {
            let sums = passage.sentences.iter().filter(|s| wanted(s)).map(|s| s.found);
            of(sums.fold(0.0, f32::max), all)
        };
        WordMatch {
            anywhere: of(passage.found, with_meaning),
            sentence: best(|_| true),
            of_self: best(|sentence| sentence.tells_of_self),
        }
    };
    compared.iter().map(found).collect()
}

/// A passage with what was found in it so far.
struct Compared {
    sentences: Vec<Sentence>,
    chance: f32,
    found: f32,
}

struct Sentence {
    tells_of_self: bool,
    /// Places of its words among the known ones.
    places: Vec<u32>,
    found: f32,
}

impl Compared {
    fn of(words: &[u8], known: &Known<'_>) -> Self {
        let mut with_meaning: Vec<u16> = Vec::new();
        let sentences = word_list::read(words)
            .into_iter()
            .map(|sentence| {
                with_meaning.extend(sentence.words.iter().filter(|word| **word < word_list::FIRST_STRANGER));
                let places = sentence.words.iter().filter_map(|word| known.place(*word));
                Sentence { tells_of_self: sentence.tells_of_self, places: places.collect(), found: 0.0 }
            })
            .collect();
        with_meaning.sort_unstable();
        with_meaning.dedup();
        Compared { sentences, chance: unrelated(with_meaning.len()), found: 0.0 }
    }

    fn look_for(&mut self, near: &[f32], share: f32, has_meaning: bool) {
        let mut nearest = 0f32;
        for sentence in &mut self.sentences {
            let here = sentence.places.iter().fold(0f32, |best, at| best.max(near[*at as usize]));
            sentence.found += share * beyond(here, FAR);
            nearest = nearest.max(here);
        }
        if has_meaning {
            self.found += share * beyond(nearest, self.chance);
        }
    }
}

/// The different words of some passages: each is compared with a word of the question once, in however many
/// passages it is. Those that have a row come first.
struct Known<'t> {
    ids: Vec<u16>,
    rows: Vec<&'t [u8]>,
    lengths: Vec<f32>,
    level: Level,
    dots: Vec<i32>,
    near: Vec<f32>,
}

impl<'t> Known<'t> {
    fn of(table: &Table<'t>, passages: &[Vec<u8>]) -> Self {
        let is_word = |id: &u16| *id >= word_list::FIRST_STRANGER || table.row(*id).is_some();
        let sentences = passages.iter().flat_map(|words| word_list::read(words));
        let mut ids: Vec<u16> = sentences.flat_map(|sentence| sentence.words).filter(is_word).collect();
        ids.sort_unstable();
        ids.dedup();
        let rows: Vec<&'t [u8]> = ids
            .iter()
            .take_while(|id| **id < word_list::FIRST_STRANGER)
            .filter_map(|id| table.row(*id))
            .map(|row| row.values)
            .collect();
        let lengths = rows.iter().map(|row| length(row)).collect();
        Known { ids, rows, lengths, level: Level::new(), dots: Vec::new(), near: Vec::new() }
    }

    fn place(&self, id: u16) -> Option<u32> {
        self.ids.binary_search(&id).ok().map(|at| at as u32)
    }

    /// Sets how near each of the words is to this one, and says whether it has a meaning.
    fn compare(&mut self, table: &Table<'t>, id: u16) -> bool {
        self.near.clear();
        let row = Some(id).filter(|id| *id < word_list::FIRST_STRANGER).and_then(|id| table.row(id));
        if let Some(row) = &row {
            let own = length(row.values);
            dots_bytes(self.level, row.values, &self.rows, &mut self.dots);
            let near = self.dots.iter().zip(&self.lengths).map(|(dot, other)| *dot as f32 / (own * other));
            self.near.extend(near);
        }
        self.near.resize(self.ids.len(), 0.0);
        if let Ok(same) = self.ids.binary_search(&id) {
            self.near[same] = 1.0;
        }
        row.is_some()
    }
}

fn length(row: &[u8]) -> f32 {
    (dot_bytes(row, row) as f32).sqrt()
}
