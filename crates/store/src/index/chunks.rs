//! Packed facets and sign bits. A recall reads these for a whole project in one sweep, so a slot
//! holds just what filters and the first vector cut need.

use hark_core::{Memory, Timestamp};
use rusqlite::blob::ZeroBlob;
use rusqlite::{Connection, OptionalExtension, params};

use crate::projects::ProjectNum;

pub(crate) const SIGN_BYTES: usize = 32;
pub(crate) const SLOT_BYTES: usize = 64;
pub(crate) const CAPACITY: usize = 256;

const LIVE: u8 = 1;
const HAS_VECTOR: u8 = 2;
const IS_LONG: u8 = 4;
const IS_CODE: u8 = 8;
const IS_PHRASE: u8 = 16;

/// One slot, decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facets {
    pub(crate) passage: i64,
    /// Minutes.
    pub(crate) created: u32,
    /// Minutes; 0 while active.
    pub(crate) closed: u32,
    /// Minutes; 0 for never.
    pub(crate) expires: u32,
    pub(crate) tie: u32,
    pub(crate) kind: u8,
    pub(crate) status: u8,
    pub(crate) has_vector: bool,
    /// Whether its memory's body has several passages.
    pub(crate) is_long: bool,
    /// Of a phrase: whether the first passage of its memory is.
    pub(crate) is_code: bool,
    /// How its memory is asked for, and not what it says.
    pub(crate) is_phrase: bool,
}

/// What is to be known of a passage besides what its memory says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Marks {
    pub(crate) has_vector: bool,
    /// Whether its memory's body has several passages.
    pub(crate) is_long: bool,
    pub(crate) is_code: bool,
    pub(crate) is_phrase: bool,
}

impl Facets {
    pub(crate) fn of(memory: &Memory, passage: i64, marks: Marks) -> Self {
        let Marks { has_vector, is_long, is_code, is_phrase } = marks;
        Facets {
            passage,
            created: memory.created.as_minutes(),
            closed: memory.closed.map_or(0, Timestamp::as_minutes),
            expires: memory.expires.map_or(0, |t| t.as_minutes().max(1)),
            tie: memory.id.tie_break(),
            kind: memory.kind.code(),
            status: memory.status.code(),
            has_vector,
            is_long,
            is_code,
            is_phrase,
        }
    }

    fn encode(&self, sign: &[u8]) -> [u8; SLOT_BYTES] {
        let mut slot = [0; SLOT_BYTES];
        slot[0..8].copy_from_slice(&self.passage.to_le_bytes());
        slot[8..12].copy_from_slice(&self.created.to_le_bytes());
        slot[12..16].copy_from_slice(&self.closed.to_le_bytes());
        slot[16..20].copy_from_slice(&self.expires.to_le_bytes());
        slot[20..24].copy_from_slice(&self.tie.to_le_bytes());
        slot[24] = self.kind;
        slot[25] = self.status;
        let flag = |holds: bool, bit: u8| if holds { bit } else { 0 };
        slot[26] = LIVE
            | flag(self.has_vector, HAS_VECTOR)
            | flag(self.is_long, IS_LONG)
            | flag(self.is_code, IS_CODE)
            | flag(self.is_phrase, IS_PHRASE);
        let length = sign.len().min(SIGN_BYTES);
        slot[32..32 + length].copy_from_slice(&sign[..length]);
        slot
    }

    /// `None` for a slot that is empty or was cleared.
    #[inline]
    pub(crate) fn decode(slot: &[u8; SLOT_BYTES]) -> Option<Self> {
        let u32_at = |at: usize| u32::from_le_bytes([slot[at], slot[at + 1], slot[at + 2], slot[at + 3]]);
        // No kind or status has such a number: the slot is damaged, and not a passage.
        if slot[26] & LIVE == 0 || slot[24] >= 32 || slot[25] >= 8 {
            return None;
        }
        Some(Facets {
            passage: i64::from(u32_at(0)) | (i64::from(u32_at(4)) << 32),
            created: u32_at(8),
            closed: u32_at(12),
            expires: u32_at(16),
            tie: u32_at(20),
            kind: slot[24],
            status: slot[25],
            has_vector: slot[26] & HAS_VECTOR != 0,
            is_long: slot[26] & IS_LONG != 0,
            is_code: slot[26] & IS_CODE != 0,
            is_phrase: slot[26] & IS_PHRASE != 0,
        })
    }
}

/// Where a slot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) chunk: i64,
    pub(super) slot: i64,
}

/// Writes a slot into the project's newest chunk, opening a new chunk when it is full.
pub(super) fn append(
    conn: &Connection,
    project: ProjectNum,
    facets: &Facets,
    sign: &[u8],
) -> rusqlite::Result<Place> {
    let newest: Option<(i64, i64)> = conn
        .prepare_cached("SELECT id, used FROM chunk WHERE project = ?1 ORDER BY id DESC LIMIT 1")?
        .query_row([project.0], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let (chunk, used) = match newest {
        Some((id, used)) if (used as usize) < CAPACITY => (id, used),
        _ => {
            let size = ZeroBlob((CAPACITY * SLOT_BYTES) as u64);
            conn.prepare_cached("INSERT INTO chunk (project, used, data) VALUES (?1, 0, ?2)")?
                .execute(params![project.0, size])?;
            (conn.last_insert_rowid(), 0)
        }
    };
    write_slot(conn, Place { chunk, slot: used }, &facets.encode(sign))?;
    conn.prepare_cached("UPDATE chunk SET used = ?2 WHERE id = ?1")?.execute([chunk, used + 1])?;
    Ok(Place { chunk, slot: used })
}

pub(super) fn clear(conn: &Connection, place: Place) -> rusqlite::Result<()> {
    write_slot(conn, place, &[0; SLOT_BYTES])
}

/// In place: a whole chunk need not be rewritten for one slot.
fn write_slot(conn: &Connection, place: Place, slot: &[u8]) -> rusqlite::Result<()> {
    let mut blob = conn.blob_open("main", "chunk", "data", place.chunk, false)?;
    blob.write_at(slot, place.slot as usize * SLOT_BYTES)?;
    blob.close()?;
    mark(conn, place, slot)
}

/// Folds what was written into the chunk's mark: two chunks with one mark hold the same.
fn mark(conn: &Connection, place: Place, slot: &[u8]) -> rusqlite::Result<()> {
    let before: Option<i64> = conn
        .prepare_cached("SELECT mark FROM chunk_mark WHERE chunk = ?1")?
        .query_row([place.chunk], |row| row.get(0))
        .optional()?;
    let seed = 0xcbf2_9ce4_8422_2325 ^ before.unwrap_or_default().cast_unsigned();
    let place_bytes = place.slot.to_le_bytes();
    let bytes = place_bytes.iter().chain(slot);
    let after =
        bytes.fold(seed, |state, byte| (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    conn.prepare_cached(
        "INSERT INTO chunk_mark (chunk, mark) VALUES (?1, ?2) ON CONFLICT (chunk) DO UPDATE SET mark = excluded.mark",
    )?
    .execute([place.chunk, after.cast_signed()])?;
    Ok(())
}
