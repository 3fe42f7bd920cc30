//! Reads the static model's file in place: nothing is built, copied or allocated when it is opened, and only
//! the pages a lookup touches are ever loaded.
//!
//! All numbers are little-endian. `models/pack_table.py` writes the file; both describe the same layout:
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | magic `HARKEMB2` |
//! | 8..12 | `u32` dims |
//! | 12..16 | `u32` rows (at most 65,534) |
//! | 16..20 | `u32` slots (a power of two) |
//! | 20..24 | `u32` longest token in bytes |
//! | 24..28 | `u32` flags: 1 lower-case, 2 accents stripped, 4 identifiers split |
//! | 28..32 | zero |
//! | 32..64 | id of the vector space, ASCII, padded with zeros |
//! | then | slots × `u32`: hash table, linear probing; high half fingerprint, low half row + 1, 0 empty |
//! | then | (rows + 1) × `u32`: where each row's token starts in the strings |
//! | then | strings: ASCII tokens in row order, `##` before a piece that continues a word |
//! | then | zeros up to a multiple of 64 |
//! | then | rows × (`f32` scale, dims / 2 bytes): four bits for each value, the first half of the values in the low halves of the bytes; the vector is scale × (2 × value - 15), its weight folded in |

const MAGIC: &[u8; 8] = b"HARKEMB2";
const HEADER: usize = 64;
const FLAGS: u32 = 1 | 2 | 4;
/// Tokens are short; a file that claims otherwise is invalid.
const LONGEST: usize = 64;

/// A view of a model file.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    dims: usize,
    longest: usize,
    id: &'a str,
    slots: &'a [u8],
    starts: &'a [u8],
    strings: &'a [u8],
    records: &'a [u8],
}

/// One token's vector: a scale and packed values.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) scale: f32,
    pairs: &'a [u8],
}

impl Row<'_> {
    /// Adds the vector to a sum of the same length.
    pub(super) fn add_to(&self, sum: &mut [f32]) {
        let (first, second) = sum.split_at_mut(self.pairs.len());
        for ((first, second), pair) in first.iter_mut().zip(second).zip(self.pairs) {
            *first += self.scale * f32::from(low(*pair));
            *second += self.scale * f32::from(high(*pair));
        }
    }

    /// Appends the values without the scale.
    pub(super) fn widen(&self, values: &mut Vec<u8>) {
        values.extend(self.pairs.iter().map(|pair| low(*pair).cast_unsigned()));
        values.extend(self.pairs.iter().map(|pair| high(*pair).cast_unsigned()));
    }

    /// The length of the vector.
    pub(super) fn length(&self) -> f32 {
        let square = |x: i8| i32::from(x) * i32::from(x);
        let sum: i32 = self.pairs.iter().map(|pair| square(low(*pair)) + square(high(*pair))).sum();
        self.scale * (sum as f32).sqrt()
    }
}

fn low(pair: u8) -> i8 {
    2 * (pair & 15).cast_signed() - 15
}

fn high(pair: u8) -> i8 {
    2 * (pair >> 4).cast_signed() - 15
}

/// The position of a token: first in its word, or continuing it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Start,
    Inside,
}

impl<'a> Table<'a> {
    /// `None` if `file` is not a complete model that this version can read.
    pub(super) fn open(file: &'a [u8]) -> Option<Self> {
        if file.get(..8)? != MAGIC || u32_at(file, 24)? & !FLAGS != 0 {
            return None;
        }
        let dims = u32_at(file, 8)? as usize;
        let rows = u32_at(file, 12)? as usize;
        let slots = u32_at(file, 16)? as usize;
        let longest = u32_at(file, 20)? as usize;
        let plausible = (8..=4096).contains(&dims)
            && dims.is_multiple_of(2)
            && (1..usize::from(u16::MAX)).contains(&rows)
            && (slots.is_power_of_two() && slots > rows && slots <= 1 << 20)
            && (1..=LONGEST).contains(&longest);
        if !plausible {
            return None;
        }
        let id = std::str::from_utf8(file.get(32..HEADER)?).ok()?.trim_end_matches('\0');
        let (slots, rest) = file.get(HEADER..)?.split_at_checked(slots * 4)?;
        let (starts, rest) = rest.split_at_checked((rows + 1) * 4)?;
        let strings = rest.get(..u32_at(starts, rows * 4)? as usize)?;
        let before = HEADER + slots.len() + starts.len() + strings.len();
        let records = file.get(before.next_multiple_of(64)..)?;
        (records.len() == rows * (dims / 2 + 4)).then_some(Self {
            dims,
            longest,
            id,
            slots,
            starts,
            strings,
            records,
        })
    }

    pub(super) fn dims(&self) -> usize {
        self.dims
    }

    pub(super) fn id(&self) -> &'a str {
        self.id
    }

    /// The row of this exact token.
    pub(super) fn find(&self, token: &[u8], place: Place) -> Option<u16> {
        self.probe(token.iter().fold(seed(place), |h, &b| step(h, b)), token, place)
    }

    /// The row of the longest token that `text` begins with, and that token's length.
    pub(super) fn longest_prefix(&self, text: &[u8], place: Place) -> Option<(u16, usize)> {
        let mut hashes = [0u64; LONGEST];
        let mut hash = seed(place);
        let limit = text.len().min(self.longest);
        for (slot, &byte) in hashes.iter_mut().zip(text.iter().take(limit)) {
            hash = step(hash, byte);
            *slot = hash;
        }
        (1..=limit).rev().find_map(|len| {
            let row = self.probe(*hashes.get(len - 1)?, text.get(..len)?, place)?;
            Some((row, len))
        })
    }

    pub(super) fn row(&self, row: u16) -> Option<Row<'a>> {
        let stride = self.dims / 2 + 4;
        let record = self.records.get(usize::from(row) * stride..)?.get(..stride)?;
        let (scale, pairs) = record.split_first_chunk::<4>()?;
        Some(Row { scale: f32::from_le_bytes(*scale), pairs })
    }

    fn probe(&self, hash: u64, token: &[u8], place: Place) -> Option<u16> {
        let hash = spread(hash);
        let slots = self.slots.len() / 4;
        let fingerprint = hash as u16;
        let mut at = (hash >> 32) as usize;
        for _ in 0..slots {
            at &= slots - 1;
            let slot = u32_at(self.slots, at * 4)?;
            let row = (slot as u16).checked_sub(1)?;
            if (slot >> 16) as u16 == fingerprint && self.token(row)? == (place, token) {
                return Some(row);
            }
            at += 1;
        }
        None
    }

    fn token(&self, row: u16) -> Option<(Place, &'a [u8])> {
        let at = usize::from(row) * 4;
        let (start, end) = (u32_at(self.starts, at)? as usize, u32_at(self.starts, at + 4)? as usize);
        let token = self.strings.get(start..end)?;
        Some(token.strip_prefix(b"##").map_or((Place::Start, token), |rest| (Place::Inside, rest)))
    }
}

/// FNV-1a, so that every prefix of a word is hashed in one pass.
fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
}

fn seed(place: Place) -> u64 {
    match place {
        Place::Start => 0xcbf2_9ce4_8422_2325,
        Place::Inside => step(step(0xcbf2_9ce4_8422_2325, b'#'), b'#'),
    }
}

/// Slot (upper half) and fingerprint (lowest 16 bits) both need well-mixed bits.
fn spread(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b))
}
