//! Passages of a memory: analysed, embedded, filed.

use std::collections::BTreeMap;

use hark_core::memory::title_from_body;
use hark_core::rank::bm25;
use hark_core::text::{Token, Voice, analyze, is_code, passages};
use hark_core::vector::{Embedder, Vector, sign_bits};
use hark_core::{Clean, Memory};
use rusqlite::{Connection, OptionalExtension, params};

use super::chunks::{self, Facets, Marks, Place};
use super::unfinished;
use super::words::{self, Counted, Words};
use crate::projects::ProjectNum;
use crate::spaces;

/// Passage ids are `memory * 4096 + ordinal`: no table is needed to get from one to the other.
const ORDINAL_BITS: u32 = 12;

/// A passage by its number, for those outside who need not know how it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PassageId(pub(crate) i64);

impl PassageId {
    /// The first passage of a memory: every memory has one.
    pub fn first_of(memory: i64) -> Self {
        PassageId(passage_id(memory, 0))
    }

    /// Which passage of its memory it is, from 0.
    pub fn ordinal(self) -> usize {
        ordinal_of(self.0)
    }
}

pub(crate) fn passage_id(memory: i64, ordinal: usize) -> i64 {
    (memory << ORDINAL_BITS) | ordinal as i64
}

pub(crate) fn memory_of(passage: i64) -> i64 {
    passage >> ORDINAL_BITS
}

/// The ids of all passages of a memory: from, and up to but without.
pub(crate) fn passages_of(memory: i64) -> (i64, i64) {
    (passage_id(memory, 0), passage_id(memory + 1, 0))
}

pub(crate) fn ordinal_of(passage: i64) -> usize {
    (passage & ((1 << ORDINAL_BITS) - 1)) as usize
}

/// A passage in the full-text index. That looks deleted rows up by a remainder of their number by a
/// power of two, which is the same for all first passages; this one is not.
pub(crate) fn lexicon_row(passage: i64) -> i64 {
    passage + memory_of(passage)
}

pub(crate) fn passage_of(lexicon_row: i64) -> i64 {
    lexicon_row - lexicon_row / ((1 << ORDINAL_BITS) + 1)
}

/// What is embedded of each passage of a memory, in order.
pub(crate) fn texts(memory: &Memory, learned: &[Clean]) -> Vec<String> {
    let body = memory.searchable_body();
    let found = passages(&body);
    let title = embedded_title(memory, found.len());
    let labels = embedded_labels(memory);
    let phrases = phrases_of(memory, learned, found.len()).map(ToString::to_string);
    let bodies = found.iter().map(|passage| embedded_text(title, &body[passage.range.clone()], &labels));
    bodies.chain(phrases).collect()
}

/// The phrases that get a passage of their own, after those of the body: the writer's, then learned ones.
fn phrases_of<'m>(
    memory: &'m Memory,
    learned: &'m [Clean],
    bodies: usize,
) -> impl Iterator<Item = &'m Clean> {
    memory.asked_as.iter().chain(learned).take((1 << ORDINAL_BITS) - bodies.min(1 << ORDINAL_BITS))
}

/// How a term is spelled in the full-text index: its hash, in characters no tokenizer touches.
pub(crate) fn lexicon_token(term: &str) -> String {
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in term.bytes() {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    let mut token = String::with_capacity(9);
    let mut rest = state >> 19;
    for _ in 0..9 {
        token.push(char::from(b"abcdefghijklmnopqrstuvwxyz012345"[(rest & 31) as usize]));
        rest >>= 5;
    }
    token
}

pub(super) struct Analysed {
    fields: Fields,
    pub(super) passages: Vec<Passage>,
    /// The record of the whole, for a memory of several passages.
    document: Option<Vec<u8>>,
}

impl Analysed {
    pub(super) fn words(&self) -> Words {
        words(&self.fields)
    }
}

pub(super) struct Passage {
    voice: Voice,
    terms: Vec<String>,
    lengths: [usize; bm25::FIELDS],
    record: Vec<u8>,
    vector: Option<Vector>,
    words: Vec<u8>,
    is_code: bool,
    is_phrase: bool,
}

/// Who says a passage, in the column `other`: its owner, an assistant or a tool, or nobody. Measures read it
/// without the packed facets at hand.
const OWN: i64 = 0;
pub(crate) const OTHER: i64 = 1;
pub(crate) const PHRASE: i64 = 2;

impl Passage {
    fn said(&self) -> i64 {
        match self.voice {
            _ if self.is_phrase => PHRASE,
            Voice::Other => OTHER,
            Voice::Own => OWN,
        }
    }
}

struct Fields {
    title: Vec<Token>,
    /// The title is only the beginning of a long text and says nothing about its other passages.
    is_cut: bool,
    bodies: Vec<Body>,
    labels: Vec<Token>,
    phrases: Vec<Phrase>,
}

impl Fields {
    /// The title as it stands with every passage.
    fn passage_title(&self) -> &[Token] {
        if self.is_cut { &[] } else { &self.title }
    }
}

struct Body {
    text: String,
    voice: Voice,
    tokens: Vec<Token>,
}

/// Stands alone: with title and labels it would be as near to a question as the body is.
struct Phrase {
    text: Clean,
    tokens: Vec<Token>,
}

fn fields(memory: &Memory, learned: &[Clean]) -> Fields {
    let body = memory.searchable_body();
    let bodies = passages(&body).into_iter().map(|passage| {
        let text = body[passage.range].to_owned();
        Body { tokens: analyze(&text), text, voice: passage.voice }
    });
    let bodies: Vec<Body> = bodies.collect();
    let phrases = phrases_of(memory, learned, bodies.len())
        .map(|text| Phrase { tokens: analyze(text), text: text.clone() });
    Fields {
        title: analyze(&memory.title),
        is_cut: is_cut(memory, bodies.len()),
        bodies,
        labels: analyze(&memory.searchable_labels()),
        phrases: phrases.collect(),
    }
}

/// Each word with the number of passages that hold it; title and labels stand in every one.
fn words(fields: &Fields) -> Words {
    let mut words = Words::new();
    for body in &fields.bodies {
        count(&mut words, fields.passage_title().iter().chain(&body.tokens).chain(&fields.labels));
    }
    for phrase in &fields.phrases {
        count(&mut words, phrase.tokens.iter());
    }
    words
}

/// Counts the words of one passage.
fn count<'t>(words: &mut Words, tokens: impl Iterator<Item = &'t Token>) {
    let here: BTreeMap<&str, &str> = tokens.map(|token| (token.word.as_str(), token.term.as_str())).collect();
    for (word, term) in here {
        match words.get_mut(word) {
            Some(counted) => counted.passages += 1,
            None => {
                words.insert(word.to_owned(), Counted { term: term.to_owned(), passages: 1 });
            }
        }
    }
}

pub(super) fn words_of(memory: &Memory, learned: &[Clean]) -> Words {
    words(&fields(memory, learned))
}

pub(super) fn analyse(memory: &Memory, learned: &[Clean], embedder: &dyn Embedder) -> Analysed {
    let fields = fields(memory, learned);
    let labels = embedded_labels(memory);
    let title = embedded_title(memory, fields.bodies.len());
    let title_tokens = fields.passage_title();
    let passages = fields.bodies.iter().map(|Body { text, voice, tokens }| {
        let terms = lexicon_terms(title_tokens.iter().chain(tokens).chain(&fields.labels));
        let embedded = embedded_text(title, text, &labels);
        Passage {
            voice: *voice,
            terms,
            lengths: [title_tokens.len(), tokens.len(), fields.labels.len()],
            record: bm25::encode([title_tokens, tokens, &fields.labels]),
            vector: embedder.embed(&embedded),
            words: embedder.words(&embedded),
            is_code: is_code(text),
            is_phrase: false,
        }
    });
    let mut passages: Vec<Passage> = passages.collect();
    // A memory that only a phrase finds is shown by its first passage, and is code if that is.
    let is_code = passages.first().is_some_and(|first| first.is_code);
    passages.extend(fields.phrases.iter().map(|phrase| Passage { is_code, ..of_phrase(phrase, embedder) }));
    Analysed { passages, document: document(&fields), fields }
}

fn of_phrase(Phrase { text, tokens }: &Phrase, embedder: &dyn Embedder) -> Passage {
    Passage {
        voice: Voice::Own,
        terms: lexicon_terms(tokens.iter()),
        lengths: [0, tokens.len(), 0],
        record: bm25::encode([&[], tokens, &[]]),
        vector: embedder.embed(text),
        words: embedder.words(text),
        is_code: false,
        is_phrase: true,
    }
}

fn lexicon_terms<'t>(tokens: impl Iterator<Item = &'t Token>) -> Vec<String> {
    let mut terms: Vec<String> = tokens.map(|token| lexicon_token(&token.term)).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// What the owner said in all, so that an answer spread over several turns counts as one.
fn document(fields: &Fields) -> Option<Vec<u8>> {
    if fields.bodies.len() < 2 {
        return None;
    }
    let own = fields.bodies.iter().filter(|body| body.voice == Voice::Own);
    let tokens: Vec<Token> = own.flat_map(|body| body.tokens.iter().cloned()).collect();
    Some(bm25::encode([fields.passage_title(), &tokens, &fields.labels]))
}

fn is_cut(memory: &Memory, passages: usize) -> bool {
    passages > 1 && memory.title == title_from_body(&memory.body)
}

fn embedded_title(memory: &Memory, passages: usize) -> &str {
    if is_cut(memory, passages) { "" } else { &memory.title }
}

fn embedded_labels(memory: &Memory) -> String {
    memory.tags.iter().map(|tag| &**tag).collect::<Vec<_>>().join(" ")
}

/// The title leads every passage, so that a piece of a long note still knows its subject.
fn embedded_text(title: &str, passage: &str, labels: &str) -> String {
    let titled = title.is_empty() || passage.trim_start().starts_with(title.trim_end_matches('…'));
    if titled { format!("{passage}\n{labels}") } else { format!("{title}\n{passage}\n{labels}") }
}

pub(super) fn put(
    conn: &Connection,
    num: i64,
    project: ProjectNum,
    memory: &Memory,
    analysed: &Analysed,
) -> rusqlite::Result<()> {
    let is_long = analysed.document.is_some();
    let (mut count, mut totals) = (0, [0i64; bm25::FIELDS]);
    for (ordinal, passage) in analysed.passages.iter().enumerate() {
        put_one(conn, passage_id(num, ordinal), project, memory, passage, is_long)?;
        // Phrases are short, and would make every body look long.
        if !passage.is_phrase {
            count += 1;
            for (total, length) in totals.iter_mut().zip(passage.lengths) {
                *total += length as i64;
            }
        }
    }
    if let Some(record) = &analysed.document {
        conn.prepare_cached("INSERT INTO document (memory, record) VALUES (?1, ?2)")?
            .execute(params![num, record])?;
        move_totals(conn, Totals::Documents, 1, bm25::lengths(record).map(i64::from))?;
    }
    move_totals(conn, Totals::Passages, count, totals)
}

fn put_one(
    conn: &Connection,
    id: i64,
    project: ProjectNum,
    memory: &Memory,
    passage: &Passage,
    is_long: bool,
) -> rusqlite::Result<()> {
    let (scale, values): (f32, &[i8]) =
        passage.vector.as_ref().map_or((0.0, &[]), |vector| (vector.scale, &vector.values));
    let marks = Marks {
        has_vector: passage.vector.is_some(),
        is_long,
        is_code: passage.is_code,
        is_phrase: passage.is_phrase,
    };
    let facets = Facets::of(memory, id, marks);
    let place = chunks::append(conn, project, &facets, &sign_bits(values))?;
    let bytes: Vec<u8> = values.iter().map(|v| v.cast_unsigned()).collect();
    conn.prepare_cached("INSERT INTO lexicon (rowid, terms) VALUES (?1, ?2)")?
        .execute(params![lexicon_row(id), passage.terms.join(" ")])?;
    conn.prepare_cached(
        "INSERT INTO passage (id, chunk, slot, scale, vec, record, words, other) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        id,
        place.chunk,
        place.slot,
        f64::from(scale),
        bytes,
        passage.record,
        passage.words,
        passage.said(),
    ])
    .map(drop)
}

/// Adds one phrase to a memory in the index. Indexing it again would lose its vectors in other spaces.
pub(crate) fn add_phrase(
    conn: &Connection,
    embedder: &dyn Embedder,
    num: i64,
    memory: &Memory,
    text: &Clean,
) -> rusqlite::Result<()> {
    let (project, ordinal): (i64, i64) = conn
        .prepare_cached("SELECT project, passages FROM memory WHERE num = ?1")?
        .query_row([num], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if ordinal >= 1 << ORDINAL_BITS {
        return Ok(());
    }
    let body = memory.searchable_body();
    let bodies = passages(&body);
    let first = bodies.first().map_or("", |passage| &body[passage.range.clone()]);
    let phrase = Phrase { tokens: analyze(text), text: text.clone() };
    let passage = Passage { is_code: is_code(first), ..of_phrase(&phrase, embedder) };
    let id = passage_id(num, ordinal as usize);
    put_one(conn, id, ProjectNum(project), memory, &passage, bodies.len() > 1)?;
    if !unfinished::is_left(conn, num)? {
        let mut counted = Words::new();
        count(&mut counted, phrase.tokens.iter());
        words::add(conn, &counted)?;
    }
    conn.prepare_cached("UPDATE memory SET passages = passages + 1 WHERE num = ?1")?.execute([num]).map(drop)
}

pub(super) fn clear(conn: &Connection, num: i64, count: i64) -> rusqlite::Result<()> {
    let mut find = conn.prepare_cached("SELECT chunk, slot, record, other FROM passage WHERE id = ?1")?;
    let (mut bodies, mut totals) = (count, [0i64; bm25::FIELDS]);
    for ordinal in 0..count.max(0) as usize {
        let id = passage_id(num, ordinal);
        let found: Option<(i64, i64, Vec<u8>, i64)> = find
            .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .optional()?;
        let Some((chunk, slot, record, other)) = found else { continue };
        if other == PHRASE {
            bodies -= 1;
        } else {
            for (total, length) in totals.iter_mut().zip(bm25::lengths(&record)) {
                *total -= i64::from(length);
            }
        }
        chunks::clear(conn, Place { chunk, slot })?;
        spaces::forget(conn, chunk, slot, id)?;
        conn.prepare_cached("DELETE FROM passage WHERE id = ?1")?.execute([id])?;
        conn.prepare_cached("DELETE FROM lexicon WHERE rowid = ?1")?.execute([lexicon_row(id)])?;
    }
    let document: Option<Vec<u8>> = conn
        .prepare_cached("DELETE FROM document WHERE memory = ?1 RETURNING record")?
        .query_row([num], |row| row.get(0))
        .optional()?;
    if let Some(record) = document {
        move_totals(conn, Totals::Documents, -1, bm25::lengths(&record).map(|length| -i64::from(length)))?;
    }
    move_totals(conn, Totals::Passages, -bodies, totals)
}

/// Rows of the table of totals.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Totals {
    Passages = 1,
    Documents = 2,
}

fn move_totals(
    conn: &Connection,
    of: Totals,
    count: i64,
    lengths: [i64; bm25::FIELDS],
) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "UPDATE corpus SET passages = passages + ?1, titles = titles + ?2, bodies = bodies + ?3, \
         labels = labels + ?4 WHERE id = ?5",
    )?
    .execute(params![count, lengths[0], lengths[1], lengths[2], of as i64])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_full_text_index_are_in_order_lead_back_and_have_different_remainders() {
        let mut last = -1;
        for memory in (0..300).chain([1 << 40]) {
            for ordinal in [0, 1, 2, 4094, 4095] {
                let passage = passage_id(memory, ordinal);
                let row = lexicon_row(passage);
                assert!(row > last, "{memory} {ordinal}");
                assert_eq!(passage_of(row), passage, "{memory} {ordinal}");
                last = row;
            }
        }
        let remainders: std::collections::HashSet<i64> =
            (0..128).map(|memory| lexicon_row(passage_id(memory, 0)) % 128).collect();
        assert_eq!(remainders.len(), 128);
    }
}
