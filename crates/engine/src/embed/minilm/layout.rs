//! The layout of the encoder file. Written by `convert`, read by `weights`.
//!
//! All numbers are little-endian. What every text needs comes first; the rows of tokens, half of the file, come
//! last and are read one by one.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | magic `HARKENC1` |
//! | 8..36 | `u32` each: tokens, hidden width, layers, heads, inner width, positions, bytes of strings |
//! | 36..64 | zero |
//! | 64..96 | BLAKE3 of the bytes before it and of everything after the header |
//! | 96..128 | id of the vector space, ASCII, padded with zeros; ends with 12 digits of the checksum |
//! | then | (tokens + 1) × `u32`: where each token starts in the strings |
//! | then | tokens × `u16`: the tokens' numbers in the order of their bytes |
//! | then | strings: the tokens one after the other |
//! | then | `f32` each: positions (the segment's vector added), gain and shift after them; for each layer scales and biases of its four matrices, gain and shift after each half |
//! | then | `i8`: each layer's matrices, row by row: query, key and value together, attention's output, up, down |
//! | then | tokens × (`f32` scale, hidden × `i8`) |
//!
//! The packed form, which is part of the binary, has the magic `HARKENC2` and is the same but for what takes the room:
//!
//! | part | instead of bytes |
//! |---|---|
//! | matrices | for each, rows × width / 2 bytes of four-bit values ([`GROUP`] values in sixteen bytes, the low halves first), then rows × width / [`GROUP`] factors, a byte each: a value `v` is `scale × factor × (2v - 15)` |
//! | rows of tokens | `f32` scale, then for each of its bits a plane of hidden bits, lowest first: a value `v` of `b` bits is `scale × (2v + 1 - 2^b)` |
//!
//! and at 36..40 how many bits that are.
//!
//! A model that the user chose has the magic `HARKENC3` and is like the first form, with
//!
//! | bytes | what |
//! |---|---|
//! | 40..56 | `u32` each: role (0 encoder, 1 reranker), pooling (0 mean, 1 first token), bytes of the prefix for questions and for passages |
//! | after the strings | both prefixes |
//! | after the other floats | of an encoder the mean of unit vectors, which is subtracted; of a reranker the second segment's vector less the first's, the pooler's matrix and bias, the classifier's row and bias |

use std::ops::Range;

use super::kernel::{GROUP, HEAD, LANES, WIDEST_PACKED};

pub(super) const MAGIC: &[u8; 8] = b"HARKENC1";
const PACKED_MAGIC: &[u8; 8] = b"HARKENC2";
pub(super) const CHOSEN_MAGIC: &[u8; 8] = b"HARKENC3";
/// A prefix has at most this many bytes.
pub(super) const LONGEST_PREFIX: usize = 512;
pub(super) const HEADER: usize = 128;
pub(super) const CHECKSUM: Range<usize> = 64..96;
pub(super) const ID: Range<usize> = 96..128;

/// The format of the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Eight bits each.
    Bytes,
    /// Four bits in matrices and fewer than eight in rows of tokens.
    Packed { token_bits: usize },
}

/// The purpose of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Gives a text a vector.
    Encoder,
    /// Judges a question and a passage together.
    Reranker,
}

/// How the outputs of an encoder become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// The output of the first token.
    Cls,
}

/// The rules of a model that the user chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) role: Role,
    pub(super) pooling: Pooling,
    /// Bytes of the prefixes.
    pub(super) question: usize,
    pub(super) passage: usize,
}

/// The sizes that determine everything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) form: Form,
    pub(super) tokens: usize,
    pub(super) hidden: usize,
    pub(super) layers: usize,
    pub(super) heads: usize,
    pub(super) inner: usize,
    pub(super) positions: usize,
    pub(super) strings: usize,
    /// Only in files of models that the user chose.
    pub(super) rules: Option<Rules>,
}

/// The byte range of each part of the file.
pub(super) struct Sections {
    pub(super) starts: Range<usize>,
    pub(super) order: Range<usize>,
    pub(super) strings: Range<usize>,
    pub(super) prefixes: Range<usize>,
    pub(super) floats: Range<usize>,
    pub(super) matrices: Range<usize>,
    pub(super) rows: Range<usize>,
}

impl Shape {
    /// `None` if the header is invalid, or has sizes that the arithmetic does not support.
    pub(super) fn read(header: &[u8]) -> Option<Self> {
        let at = |i: usize| header.get(8 + 4 * i..)?.first_chunk().map(|b| u32::from_le_bytes(*b) as usize);
        let form = match header.first_chunk()? {
            MAGIC | CHOSEN_MAGIC => Form::Bytes,
            PACKED_MAGIC => Form::Packed { token_bits: at(7).filter(|bits| (1..8).contains(bits))? },
            _ => return None,
        };
        let rules = match header.starts_with(CHOSEN_MAGIC) {
            true => Some(Rules {
                role: [Role::Encoder, Role::Reranker].get(at(8)?).copied()?,
                pooling: [Pooling::Mean, Pooling::Cls].get(at(9)?).copied()?,
                question: at(10)?,
                passage: at(11)?,
            }),
            false => None,
        };
        let shape = Shape {
            form,
            rules,
            tokens: at(0)?,
            hidden: at(1)?,
            layers: at(2)?,
            heads: at(3)?,
            inner: at(4)?,
            positions: at(5)?,
            strings: at(6)?,
        };
        shape.is_plausible().then_some(shape)
    }

    pub(super) fn role(&self) -> Role {
        self.rules.map_or(Role::Encoder, |rules| rules.role)
    }

    pub(super) fn pooling(&self) -> Pooling {
        self.rules.map_or(Pooling::Mean, |rules| rules.pooling)
    }

    /// Only for the forms with bytes; the packed form is not written here.
    pub(super) fn write(&self, header: &mut [u8; HEADER]) {
        header[..8].copy_from_slice(if self.rules.is_some() { CHOSEN_MAGIC } else { MAGIC });
        let sizes =
            [self.tokens, self.hidden, self.layers, self.heads, self.inner, self.positions, self.strings];
        for (to, size) in header[8..].chunks_exact_mut(4).zip(sizes) {
            to.copy_from_slice(&(size as u32).to_le_bytes());
        }
        if let Some(rules) = self.rules {
            let numbers = [rules.role as usize, rules.pooling as usize, rules.question, rules.passage];
            for (to, number) in header[40..].chunks_exact_mut(4).zip(numbers) {
                to.copy_from_slice(&(number as u32).to_le_bytes());
            }
        }
    }

    /// The arithmetic needs whole vectors, and sums that fit into 32 bits.
    pub(super) fn is_plausible(&self) -> bool {
        (4..=usize::from(u16::MAX)).contains(&self.tokens)
            && (HEAD..=4096).contains(&self.hidden)
            && (LANES..=4096).contains(&self.inner)
            && self.inner.is_multiple_of(LANES)
            && (1..=48).contains(&self.layers)
            && (1..=64).contains(&self.heads)
            && self.hidden.is_multiple_of(self.heads * HEAD)
            && (3..=512).contains(&self.positions)
            && self.strings <= 1 << 24
            && self.rules.is_none_or(|rules| rules.question.max(rules.passage) <= LONGEST_PREFIX)
            && (self.form == Form::Bytes || self.can_be_packed())
    }

    fn can_be_packed(&self) -> bool {
        self.matrices().iter().all(|(_, width)| width.is_multiple_of(GROUP) && *width <= WIDEST_PACKED)
    }

    /// The number of bytes of a matrix with this many values.
    pub(super) fn matrix_bytes(&self, values: usize) -> usize {
        match self.form {
            Form::Bytes => values,
            Form::Packed { .. } => values / 2 + values / GROUP,
        }
    }

    /// The number of bytes of a token's row.
    pub(super) fn row_bytes(&self) -> usize {
        4 + match self.form {
            Form::Bytes => self.hidden,
            Form::Packed { token_bits } => token_bits * self.hidden / 8,
        }
    }

    /// The four matrices of a layer as (rows, width).
    pub(super) fn matrices(&self) -> [(usize, usize); 4] {
        let (hidden, inner) = (self.hidden, self.inner);
        [(3 * hidden, hidden), (hidden, hidden), (inner, hidden), (hidden, inner)]
    }

    /// The number of floats after those of the layers.
    pub(super) fn more_floats(&self) -> usize {
        match self.rules.map(|rules| rules.role) {
            None => 0,
            Some(Role::Encoder) => self.hidden,
            Some(Role::Reranker) => self.hidden * (self.hidden + 3) + 1,
        }
    }

    pub(super) fn sections(&self) -> Sections {
        let mut end = HEADER;
        let mut next = |size: usize| {
            let start = end;
            end += size;
            start..end
        };
        let outputs: usize = self.matrices().iter().map(|(rows, _)| rows).sum();
        let values: usize = self.matrices().iter().map(|(rows, width)| self.matrix_bytes(rows * width)).sum();
        let floats = (self.positions + 2) * self.hidden + self.layers * (2 * outputs + 4 * self.hidden);
        let floats = floats + self.more_floats();
        let prefixes = self.rules.map_or(0, |rules| rules.question + rules.passage);
        Sections {
            starts: next(4 * (self.tokens + 1)),
            order: next(2 * self.tokens),
            strings: next(self.strings),
            prefixes: next(prefixes),
            floats: next(4 * floats),
            matrices: next(self.layers * values),
            rows: next(self.tokens * self.row_bytes()),
        }
    }
}
