//! The search tiers: lexical, vector and fuzzy candidates with exact evidence for each, and graph
//! neighbours. Filters hold inside every tier. Fusing and judging is left to the caller.

mod chunk;
mod filter;
mod graph;
mod measure;
mod postings;
mod query;
mod scan;

pub use filter::Filter;
pub(crate) use filter::Sieve;
pub use graph::Activation;
pub(crate) use graph::{Meant, matching};
pub(crate) use postings::teach_packed;
pub use query::{QueryTerm, QueryTerms};
pub use scan::ChunkCache;
pub(crate) use scan::tagged;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use hark_core::rank::bm25::{self, Corpus, Evidence, WeightedTerm};
use hark_core::vector::{Vector, sign_bits, sign_words};
use hark_core::{Kind, Timestamp};
use rusqlite::OptionalExtension;

use crate::error::{At, StoreError};
use crate::index::{Facets, OTHER, PHRASE, PassageId, Totals, memory_of, passages_of};
use crate::store::Store;
use measure::{COLUMNS, Measure, Measured};
use scan::{Allowed, Wanted};

/// How many candidates each tier hands on to exact scoring.
#[derive(Debug, Clone, Copy)]
pub struct Depth {
    pub lexical: usize,
    pub vector: usize,
    /// Of the time that a query speaks of.
    pub timely: usize,
}

impl Default for Depth {
    fn default() -> Self {
        Depth { lexical: 120, vector: 80, timely: 40 }
    }
}

/// How many candidates are compared word by word: by similarity, and by shared words.
const NEAREST_COMPARED: usize = 48;
const WORDIEST_COMPARED: usize = 24;

/// How many long memories are read whole, and how much of each.
const LONG_READ: usize = 32;
const PASSAGES_READ: i64 = 64;

/// What a query means to the embedder: as a whole, and word by word.
#[derive(Debug, Clone)]
pub struct Meaning {
    pub vector: Vector,
    /// Each word as the embedder sees it, with how much it tells in this store.
    pub words: Vec<(Vec<u8>, f32)>,
    /// Share of the query's information that went into it, 0 to 1.
    pub understood: f32,
    /// Whether whoever asks, asks about themselves.
    pub about_self: bool,
    /// From when to when what is asked about happened, as far as the query says.
    pub times: Vec<Range<Timestamp>>,
}

/// A query's vector in a space beside the index's own.
#[derive(Debug, Clone)]
pub struct Second {
    pub space: String,
    pub vector: Vector,
}

/// A passage that a tier asks to have measured.
#[derive(Debug, Clone, Copy)]
struct Proposed {
    facets: Facets,
    near: bool,
}

impl Proposed {
    fn new(facets: Facets, near: bool) -> Self {
        Proposed { facets, near }
    }
}

/// How similar everything in scope is to a query in the second space: what makes one stand out.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spread {
    /// Passages with a vector.
    pub count: usize,
    pub mean: f32,
    pub deviation: f32,
}

/// A passage's words as the embedder lists them, and whether an assistant or a tool says them.
struct Listed {
    words: Vec<u8>,
    quoted: bool,
}

/// One memory with everything the tiers know about it; its best passage speaks for it.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub memory: i64,
    pub passage: PassageId,
    /// Orders ties the same way on every machine.
    pub tie: u32,
    /// To the minute.
    pub created: Timestamp,
    /// Evidence of the words as typed.
    pub typed: Evidence,
    /// Evidence with typos repaired; equal to `typed` when there were none.
    pub repaired: Evidence,
    /// Whether it has several passages.
    pub is_long: bool,
    /// Whether its best passage is code.
    pub is_code: bool,
    pub kind: Kind,
    /// Evidence of the memory as a whole; equal to `repaired` for a memory of one passage.
    pub whole: Evidence,
    /// Which words of the query it holds anywhere, in whoever's voice: bits as in [`Evidence::held`].
    pub held: u64,
    pub cosine: f32,
    /// How much of the query's words have a counterpart of like meaning, 0 to 1.
    pub words: f32,
    /// The same in one sentence, where somebody tells of themselves if the query is about that.
    pub said: f32,
    /// Nearness in the second space, for those that have a place there.
    pub second: Option<f32>,
    /// Whether the vector tier itself proposed it (and not only another tier).
    pub near: bool,
    /// What its phrases have to say, if a tier proposed one of them. Not part of anything above.
    pub phrase: Option<PhraseEvidence>,
}

/// The best of a memory's phrases, by each measure.
#[derive(Debug, Clone, Copy)]
pub struct PhraseEvidence {
    pub typed: Evidence,
    pub repaired: Evidence,
    pub cosine: f32,
    pub second: Option<f32>,
}

impl PhraseEvidence {
    fn absorb(&mut self, other: &PhraseEvidence) {
        if other.typed.score > self.typed.score {
            self.typed = other.typed;
        }
        if other.repaired.score > self.repaired.score {
            self.repaired = other.repaired;
        }
        self.cosine = self.cosine.max(other.cosine);
        if other.second > self.second {
            self.second = other.second;
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Candidates {
    pub terms: QueryTerms,
    pub found: Vec<Candidate>,
    /// How much of the query's information each of its words is, as the bits of `held` count them.
    pub shares: Vec<f32>,
    /// Passages that passed the filter.
    pub in_scope: usize,
    /// Share of the query's information that the meaning stands for, 0 to 1.
    pub understood: f32,
    /// See [`Meaning::about_self`].
    pub about_self: bool,
    /// In the second space, if the query has a place there.
    pub spread: Option<Spread>,
}

impl Store {
    /// Everything the tiers have for an understood query. Its vector in a second space is asked for when the first
    /// tiers are done: it may take a while.
    pub fn search(
        &self,
        terms: QueryTerms,
        meaning: Option<&Meaning>,
        second: impl FnOnce() -> Option<Second>,
        filter: &Filter,
        depth: Depth,
    ) -> Result<Candidates, StoreError> {
        self.try_search(terms, meaning, second, filter, depth).at(self)
    }

    /// What the words of a query mean to this store.
    pub fn understand(&self, text: &str) -> Result<QueryTerms, StoreError> {
        let run =
            || query::understand(&self.conn, text, &self.totals(Totals::Passages)?, self.embedder.as_ref());
        run().at(self)
    }

    fn try_search(
        &self,
        terms: QueryTerms,
        meaning: Option<&Meaning>,
        second: impl FnOnce() -> Option<Second>,
        filter: &Filter,
        depth: Depth,
    ) -> rusqlite::Result<Candidates> {
        let corpus = self.totals(Totals::Passages)?;
        let postings = postings::gather(&self.conn, &terms)?;
        let signs = meaning.map(|m| sign_words(&sign_bits(&m.vector.values)));
        let wanted = Wanted {
            signs: signs.as_ref(),
            nearest: depth.vector,
            times: meaning.map_or(&[], |m| &m.times),
            timely: depth.timely,
        };
        let scan = scan::scan(self, filter, &wanted, &postings)?;

        let mut lexical = scan.allowed;
        if lexical.len() > depth.lexical {
            let heavier = |a: &Allowed, b: &Allowed| {
                b.weight.total_cmp(&a.weight).then(a.facets.tie.cmp(&b.facets.tie))
            };
            lexical.select_nth_unstable_by(depth.lexical, heavier);
            lexical.truncate(depth.lexical);
        }
        // In the order of the table: neighbours share pages.
        let mut proposed: Vec<Proposed> = lexical.iter().map(|l| Proposed::new(l.facets, false)).collect();
        proposed.extend(scan.nearest.iter().chain(&scan.timely).map(|near| Proposed::new(near.facets, true)));
        let second = second();
        let (mut nearness, mut spread) = (HashMap::new(), None);
        if let Some(second) = &second {
            let (near, around) = self.near_in(second, filter, depth.vector, &mut proposed)?;
            (nearness, spread) = (near, Some(around));
        }
        let faces = faces_of_phrases(&proposed);
        if let Some(second) = &second {
            let short = faces.iter().filter(|p| !p.facets.is_long).map(|p| p.facets.passage);
            nearness.extend(self.nearness_in(&second.space, &second.vector, short)?);
        }
        proposed.extend(faces);
        proposed.sort_unstable_by_key(|p| (p.facets.passage, !p.near));
        proposed.dedup_by_key(|p| p.facets.passage);

        let measure = Measure::new(&terms, meaning, corpus);
        let mut found: Vec<Candidate> = Vec::with_capacity(proposed.len());
        let mut words: HashMap<i64, Listed> = HashMap::with_capacity(proposed.len());
        let mut read =
            self.conn.prepare_cached(&format!("SELECT {COLUMNS}, words FROM passage WHERE id = ?1"))?;
        let mut phrases: HashMap<i64, PhraseEvidence> = HashMap::new();
        for Proposed { facets, near } in proposed {
            let Facets { passage, tie, created, is_long, is_code, is_phrase, kind, .. } = facets;
            let measured = read.query_row([passage], |row| {
                if !is_phrase {
                    words.insert(
                        passage,
                        Listed { words: row.get(5)?, quoted: row.get::<_, i64>(3)? == OTHER },
                    );
                }
                measure.passage(row)
            });
            let Some(Measured { typed, repaired, cosine }) = measured.optional()? else { continue };
            let second = nearness.get(&passage).copied();
            if is_phrase {
                let new = PhraseEvidence { typed, repaired, cosine, second };
                phrases.entry(memory_of(passage)).and_modify(|best| best.absorb(&new)).or_insert(new);
                continue;
            }
            found.push(Candidate {
                memory: memory_of(passage),
                passage: PassageId(passage),
                tie,
                created: Timestamp::from_minutes(created),
                typed,
                repaired,
                is_long,
                is_code,
                kind: Kind::from_code(kind).unwrap_or(Kind::Fact),
                whole: repaired,
                held: repaired.held,
                cosine,
                words: 0.0,
                said: 0.0,
                second,
                near,
                phrase: None,
            });
        }
        if let Some(meaning) = meaning {
            self.compare_words(&mut found, meaning, words);
        }
        let mut found = best_of_each(found);
        for candidate in &mut found {
            candidate.phrase = phrases.remove(&candidate.memory);
        }
        self.look_at_whole(&mut found, measure.meant())?;
        self.look_at_rest(&mut found, &measure)?;
        found.sort_unstable_by_key(|c| (c.tie, c.memory));
        let understood = meaning.map_or(0.0, |m| m.understood);
        Ok(Candidates {
            terms,
            found,
            shares: measure.shares(),
            in_scope: scan.in_scope,
            understood,
            about_self: meaning.is_some_and(|m| m.about_self),
            spread,
        })
    }

    /// How near what is proposed is in the second space, and what is nearest there, which is proposed too.
    fn near_in(
        &self,
        second: &Second,
        filter: &Filter,
        depth: usize,
        proposed: &mut Vec<Proposed>,
    ) -> rusqlite::Result<(HashMap<i64, f32>, Spread)> {
        let known: HashSet<i64> = proposed.iter().map(|p| p.facets.passage).collect();
        let (found, spread) = self.nearest_in(&second.space, &second.vector, filter, depth, &known)?;
        let new = found.iter().filter(|near| !known.contains(&near.facets.passage));
        proposed.extend(new.map(|near| Proposed::new(near.facets, false)));
        Ok((found.into_iter().map(|near| (near.facets.passage, near.cosine)).collect(), spread))
    }

    /// Word by word is dearer than one vector: only what leads by one measure or the other is
    /// compared so.
    fn compare_words(&self, found: &mut [Candidate], meaning: &Meaning, mut listed: HashMap<i64, Listed>) {
        let leaders =
            |found: &mut [Candidate], count: usize, measure: fn(&Candidate) -> f32| -> HashSet<PassageId> {
                found.sort_unstable_by(|a, b| measure(b).total_cmp(&measure(a)).then(a.tie.cmp(&b.tie)));
                found.iter().take(count).map(|c| c.passage).collect()
            };
        let nearest = leaders(found, NEAREST_COMPARED, |c| c.cosine);
        let wordiest = leaders(found, WORDIEST_COMPARED, |c| c.repaired.score);
        let is_timely = |c: &Candidate| meaning.times.iter().any(|times| times.contains(&c.created));
        let leads = |c: &&mut Candidate| {
            nearest.contains(&c.passage) || wordiest.contains(&c.passage) || is_timely(c)
        };
        let (mut leading, mut words, mut quoted) = (Vec::new(), Vec::new(), Vec::new());
        for candidate in found.iter_mut().filter(leads) {
            if let Some(list) = listed.remove(&candidate.passage.0) {
                leading.push(candidate);
                words.push(list.words);
                quoted.push(list.quoted);
            }
        }
        let matches = self.embedder.word_matches(&meaning.words, &words);
        for ((candidate, found), quoted) in leading.into_iter().zip(matches).zip(quoted) {
            candidate.words = found.anywhere;
            candidate.said = measure::said(&found, meaning.about_self, quoted);
        }
    }

    /// A memory of several passages is also judged as a whole.
    fn look_at_whole(&self, found: &mut [Candidate], terms: &[WeightedTerm]) -> rusqlite::Result<()> {
        let corpus = self.totals(Totals::Documents)?;
        if corpus.passages == 0 {
            return Ok(());
        }
        let mut read = self.conn.prepare_cached("SELECT record FROM document WHERE memory = ?1")?;
        for candidate in found.iter_mut().filter(|candidate| candidate.is_long) {
            let whole = read.query_row([candidate.memory], |row| {
                Ok(bm25::score(row.get_ref(0)?.as_blob()?, terms, &corpus))
            });
            if let Some(whole) = whole.optional()? {
                candidate.held |= whole.held;
                candidate.whole = whole;
            }
        }
        Ok(())
    }

    /// The tiers propose single passages; a long memory that leads so is read whole, because another
    /// of its passages may answer better.
    fn look_at_rest(&self, found: &mut [Candidate], measure: &Measure) -> rusqlite::Result<()> {
        let promise = |c: &Candidate| c.cosine + c.repaired.share + 0.4 * c.whole.share;
        let mut long: Vec<&mut Candidate> = found.iter_mut().filter(|c| c.is_long).collect();
        long.sort_unstable_by(|a, b| promise(b).total_cmp(&promise(a)).then(a.tie.cmp(&b.tie)));
        let mut read = self.conn.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM passage WHERE id >= ?1 AND id < ?2 AND other <> {PHRASE} ORDER BY id LIMIT ?3"
        ))?;
        for candidate in long.into_iter().take(LONG_READ) {
            let (from, to) = passages_of(candidate.memory);
            let mut rows = read.query(rusqlite::params![from, to, PASSAGES_READ])?;
            while let Some(row) = rows.next()? {
                let Measured { typed, repaired, cosine } = measure.passage(row)?;
                let passage = PassageId(row.get(4)?);
                let held = repaired.held;
                candidate.absorb(&Candidate { passage, typed, repaired, held, cosine, ..candidate.clone() });
            }
        }
        Ok(())
    }

    fn totals(&self, of: Totals) -> rusqlite::Result<Corpus> {
        self.conn
            .prepare_cached("SELECT passages, titles, bodies, labels FROM corpus WHERE id = ?1")?
            .query_row([of as i64], |row| {
                let unsigned = |at: usize| row.get::<_, i64>(at).map(|v| v.max(0) as u64);
                Ok(Corpus { passages: unsigned(0)?, lengths: [unsigned(1)?, unsigned(2)?, unsigned(3)?] })
            })
    }
}

/// The first passages of memories of which only phrases were proposed: a phrase is never shown.
fn faces_of_phrases(proposed: &[Proposed]) -> Vec<Proposed> {
    let of = |facets: &Facets| memory_of(facets.passage);
    let mut shown: HashSet<i64> =
        proposed.iter().filter(|p| !p.facets.is_phrase).map(|p| of(&p.facets)).collect();
    let mut faces = Vec::new();
    for Proposed { facets, .. } in proposed.iter().filter(|p| p.facets.is_phrase) {
        if shown.insert(of(facets)) {
            let passage = PassageId::first_of(of(facets)).0;
            faces.push(Proposed::new(Facets { passage, is_phrase: false, ..*facets }, false));
        }
    }
    faces
}

/// One candidate per memory, with the best of each measure over its passages; the strongest
/// passage stays its face.
fn best_of_each(found: Vec<Candidate>) -> Vec<Candidate> {
    let mut best: HashMap<i64, Candidate> = HashMap::with_capacity(found.len());
    for new in found {
        match best.get_mut(&new.memory) {
            Some(old) => old.absorb(&new),
            None => {
                best.insert(new.memory, new);
            }
        }
    }
    best.into_values().collect()
}

impl Candidate {
    /// Takes over what another passage of the same memory does better.
    fn absorb(&mut self, other: &Candidate) {
        if (other.repaired.score, other.cosine) > (self.repaired.score, self.cosine) {
            (self.passage, self.is_code) = (other.passage, other.is_code);
        }
        if other.typed.score > self.typed.score {
            self.typed = other.typed;
        }
        if other.repaired.score > self.repaired.score {
            self.repaired = other.repaired;
            if !self.is_long {
                self.whole = other.whole;
            }
        }
        // From one passage: nearness in one place and words in another are no evidence together.
        if other.cosine + other.words > self.cosine + self.words {
            (self.cosine, self.words) = (other.cosine, other.words);
        }
        self.said = self.said.max(other.said);
        if other.second > self.second {
            self.second = other.second;
        }
        self.near |= other.near;
        self.held |= other.held;
    }
}
