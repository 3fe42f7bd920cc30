//! Passages of a memory: analysed, embedded, filed.

use hark_core::Memory;
use hark_core::rank::bm25;
use hark_core::text::{Token, analyze, passages};
use hark_core::vector::{Embedder, Vector, sign_bits};
use rusqlite::{Connection, OptionalExtension, params};

use super::chunks::{self, Facets, Place};
use super::words::Words;
use crate::projects::ProjectNum;

/// Passage ids are `memory * 4096 + ordinal`: no table is needed to get from one to the other.
const ORDINAL_BITS: u32 = 12;

pub(crate) fn passage_id(memory: i64, ordinal: usize) -> i64 {
    (memory << ORDINAL_BITS) | ordinal as i64
}

pub(crate) fn memory_of(passage: i64) -> i64 {
    passage >> ORDINAL_BITS
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
    pub(super) words: Words,
    pub(super) passages: Vec<Passage>,
}

pub(super) struct Passage {
    terms: Vec<String>,
    lengths: [usize; bm25::FIELDS],
    record: Vec<u8>,
    vector: Option<Vector>,
    words: Vec<u8>,
}

struct Fields {
    title: Vec<Token>,
    bodies: Vec<(String, Vec<Token>)>,
    labels: Vec<Token>,
}

fn fields(memory: &Memory) -> Fields {
    let body = memory.searchable_body();
    let bodies = passages(&body).into_iter().map(|range| {
        let text = body[range].to_owned();
        let tokens = analyze(&text);
        (text, tokens)
    });
    Fields {
        title: analyze(&memory.title),
        bodies: bodies.collect(),
        labels: analyze(&memory.searchable_labels()),
    }
}

fn words(fields: &Fields) -> Words {
    let bodies = fields.bodies.iter().flat_map(|(_, tokens)| tokens);
    let tokens = fields.title.iter().chain(bodies).chain(&fields.labels);
    tokens.map(|token| (token.word.clone(), token.term.clone())).collect()
}

pub(super) fn words_of(memory: &Memory) -> Words {
    words(&fields(memory))
}

pub(super) fn analyse(memory: &Memory, embedder: &dyn Embedder) -> Analysed {
    let fields = fields(memory);
    let labels = memory.tags.iter().map(|t| &**t).collect::<Vec<_>>().join(" ");
    let passages = fields.bodies.iter().map(|(text, tokens)| {
        let mut terms: Vec<String> =
            fields.title.iter().chain(tokens).chain(&fields.labels).map(|t| lexicon_token(&t.term)).collect();
        terms.sort_unstable();
        terms.dedup();
        let embedded = embedded_text(&memory.title, text, &labels);
        Passage {
            terms,
            lengths: [fields.title.len(), tokens.len(), fields.labels.len()],
            record: bm25::encode([&fields.title, tokens, &fields.labels]),
            vector: embedder.embed(&embedded),
            words: embedder.words(&embedded),
        }
    });
    Analysed { words: words(&fields), passages: passages.collect() }
}

/// The title leads every passage, so that a piece of a long note still knows its subject.
fn embedded_text(title: &str, passage: &str, labels: &str) -> String {
    let titled = passage.trim_start().starts_with(title.trim_end_matches('…'));
    if titled { format!("{passage}\n{labels}") } else { format!("{title}\n{passage}\n{labels}") }
}

pub(super) fn put(
    conn: &Connection,
    num: i64,
    project: ProjectNum,
    memory: &Memory,
    analysed: &Analysed,
) -> rusqlite::Result<()> {
    let mut file_terms = conn.prepare_cached("INSERT INTO lexicon (rowid, terms) VALUES (?1, ?2)")?;
    let mut insert = conn.prepare_cached(
        "INSERT INTO passage (id, chunk, slot, scale, vec, record, words) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let mut totals = [0usize; bm25::FIELDS];
    for (ordinal, passage) in analysed.passages.iter().enumerate() {
        let id = passage_id(num, ordinal);
        let (scale, values): (f32, &[i8]) =
            passage.vector.as_ref().map_or((0.0, &[]), |vector| (vector.scale, &vector.values));
        let facets = Facets::of(memory, id, passage.vector.is_some());
        let place = chunks::append(conn, project, &facets, &sign_bits(values))?;
        let bytes: Vec<u8> = values.iter().map(|v| v.cast_unsigned()).collect();
        file_terms.execute(params![id, passage.terms.join(" ")])?;
        insert.execute(params![
            id,
            place.chunk,
            place.slot,
            f64::from(scale),
            bytes,
            passage.record,
            passage.words
        ])?;
        for (total, length) in totals.iter_mut().zip(passage.lengths) {
            *total += length;
        }
    }
    move_totals(conn, analysed.passages.len() as i64, totals.map(|t| t as i64))
}

pub(super) fn clear(conn: &Connection, num: i64, count: i64) -> rusqlite::Result<()> {
    let mut find = conn.prepare_cached("SELECT chunk, slot, record FROM passage WHERE id = ?1")?;
    let mut totals = [0i64; bm25::FIELDS];
    for ordinal in 0..count.max(0) as usize {
        let id = passage_id(num, ordinal);
        let found: Option<(i64, i64, Vec<u8>)> =
            find.query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
        let Some((chunk, slot, record)) = found else { continue };
        for (field, total) in totals.iter_mut().enumerate() {
            if let Some(bytes) = record.get(2 * field..2 * field + 2) {
                *total -= i64::from(u16::from_le_bytes([bytes[0], bytes[1]]));
            }
        }
        chunks::clear(conn, Place { chunk, slot })?;
        conn.prepare_cached("DELETE FROM passage WHERE id = ?1")?.execute([id])?;
        conn.prepare_cached("DELETE FROM lexicon WHERE rowid = ?1")?.execute([id])?;
    }
    move_totals(conn, -count, totals)
}

fn move_totals(conn: &Connection, passages: i64, lengths: [i64; bm25::FIELDS]) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "UPDATE corpus SET passages = passages + ?1, titles = titles + ?2, bodies = bodies + ?3, \
         labels = labels + ?4 WHERE id = 1",
    )?
    .execute(params![passages, lengths[0], lengths[1], lengths[2]])?;
    Ok(())
}
