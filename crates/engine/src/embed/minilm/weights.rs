//! Opens an encoder. From a file, it reads what every text needs at once and token rows on demand; bytes in
//! the binary are read in place.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::error::ModelError;
use super::kernel::{Matrix, Values};
use super::layout::{CHECKSUM, Form, HEADER, ID, Shape};
use super::tokens::{Marks, Vocabulary};

/// An open model.
pub(super) struct Weights {
    pub(super) shape: Shape,
    pub(super) id: String,
    pub(super) marks: Marks,
    pub(super) layers: Vec<Layer>,
    /// Positions, then gain and shift.
    pub(super) positions: Range<usize>,
    pub(super) norm: Norm,
    /// The floats after those of the layers.
    pub(super) more: Range<usize>,
    held: Held,
    floats: Vec<f32>,
}

/// Where the bytes are.
enum Held {
    File {
        path: PathBuf,
        /// The file up to the rows.
        bytes: Vec<u8>,
        rows: Mutex<File>,
    },
    Whole(Cow<'static, [u8]>),
}

impl Held {
    fn bytes(&self) -> &[u8] {
        match self {
            Held::File { bytes, .. } => bytes,
            Held::Whole(bytes) => bytes,
        }
    }
}

pub(super) struct Layer {
    matrices: [Place; 4],
    pub(super) norms: [Norm; 2],
}

struct Place {
    /// How many values there are.
    count: usize,
    values: Range<usize>,
    scales: Range<usize>,
    bias: Range<usize>,
}

pub(super) struct Norm {
    pub(super) gain: Range<usize>,
    pub(super) shift: Range<usize>,
}

impl Weights {
    pub(super) fn open(path: &Path) -> Result<Self, ModelError> {
        let io = |e| ModelError::io(path, e);
        let damaged = |what: &str| ModelError::damaged(path, what);
        let mut file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let mut header = [0; HEADER];
        file.read_exact(&mut header).map_err(|_| damaged("is shorter than its header"))?;
        let shape = Shape::read(&header)
            .ok_or_else(|| damaged("is not a model that this version of hark can read"))?;
        let sections = shape.sections();
        if length != sections.rows.end as u64 {
            let wanted = sections.rows.end;
            return Err(damaged(&format!("has {length} bytes instead of {wanted}")));
        }
        let id = std::str::from_utf8(&header[ID]).map(|id| id.trim_end_matches('\0').to_owned());
        let id = id.ok().filter(|id| !id.is_empty()).ok_or_else(|| damaged("has no name in its header"))?;

        let mut bytes = Vec::with_capacity(sections.rows.start);
        bytes.extend(header);
        let body = sections.rows.start - HEADER;
        let read = (&mut file).take(body as u64).read_to_end(&mut bytes).map_err(io)?;
        if read != body {
            return Err(damaged("was truncated while hark read it"));
        }
        let held = Held::File { path: path.to_owned(), bytes, rows: Mutex::new(file) };
        Self::read(shape, id, held)
            .ok_or_else(|| damaged("has no special tokens in its vocabulary, or unreadable prefixes"))
    }

    /// `None` if these bytes are not a complete file.
    pub(super) fn inside(bytes: impl Into<Cow<'static, [u8]>>) -> Option<Self> {
        let bytes = bytes.into();
        let shape = Shape::read(bytes.get(..HEADER)?)?;
        let id = std::str::from_utf8(&bytes[ID]).ok()?.trim_end_matches('\0').to_owned();
        if bytes.len() != shape.sections().rows.end || id.is_empty() {
            return None;
        }
        Self::read(shape, id, Held::Whole(bytes))
    }

    fn read(shape: Shape, id: String, held: Held) -> Option<Self> {
        let sections = shape.sections();
        let floats = held.bytes()[sections.floats.clone()].as_chunks::<4>().0;
        let floats: Vec<f32> = floats.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let marks = vocabulary(&shape, held.bytes()).marks()?;
        let mut float = Cursor(0);
        let mut value = Cursor(sections.matrices.start);
        let positions = float.take(shape.positions * shape.hidden);
        let norm = float.norm(shape.hidden);
        let layers = (0..shape.layers).map(|_| Layer {
            matrices: shape.matrices().map(|(rows, width)| Place {
                count: rows * width,
                values: value.take(shape.matrix_bytes(rows * width)),
                scales: float.take(rows),
                bias: float.take(rows),
            }),
            norms: [float.norm(shape.hidden), float.norm(shape.hidden)],
        });
        let layers = layers.collect();
        let more = float.take(shape.more_floats());
        let weights = Weights { shape, id, marks, layers, positions, norm, more, held, floats };
        weights.prefixes().is_some().then_some(weights)
    }

    pub(super) fn vocabulary(&self) -> Vocabulary<'_> {
        vocabulary(&self.shape, self.held.bytes())
    }

    /// What goes before a question and before a passage; `None` if it is not text.
    pub(super) fn prefixes(&self) -> Option<(&str, &str)> {
        let text = std::str::from_utf8(&self.held.bytes()[self.shape.sections().prefixes]).ok()?;
        text.split_at_checked(self.shape.rules.map_or(0, |rules| rules.question))
    }

    pub(super) fn floats(&self, range: &Range<usize>) -> &[f32] {
        &self.floats[range.clone()]
    }

    pub(super) fn matrix(&self, layer: &Layer, which: usize) -> Matrix<'_> {
        let place = &layer.matrices[which];
        let bytes = &self.held.bytes()[place.values.clone()];
        let values = match self.shape.form {
            Form::Bytes => Values::Bytes(bytes),
            Form::Packed { .. } => {
                let (pairs, factors) = bytes.split_at(place.count / 2);
                Values::Packed { pairs, factors }
            }
        };
        Matrix { values, scales: self.floats(&place.scales), bias: self.floats(&place.bias) }
    }

    /// Appends the vectors of these tokens.
    pub(super) fn rows(&self, tokens: &[u16], out: &mut Vec<f32>) -> Result<(), ModelError> {
        let width = self.shape.row_bytes();
        let start = self.shape.sections().rows.start;
        let place = |token: &u16| start + usize::from(*token) * width;
        match &self.held {
            Held::Whole(bytes) => {
                for token in tokens {
                    self.widen_row(&bytes[place(token)..][..width], out);
                }
            }
            Held::File { path, rows, .. } => {
                let io = |e| ModelError::io(path, e);
                let mut row = vec![0; width];
                // A thread that panicked while reading left nothing half done.
                let mut file = rows.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                for token in tokens {
                    file.seek(SeekFrom::Start(place(token) as u64)).map_err(io)?;
                    file.read_exact(&mut row).map_err(io)?;
                    self.widen_row(&row, out);
                }
            }
        }
        Ok(())
    }

    fn widen_row(&self, row: &[u8], out: &mut Vec<f32>) {
        let Some((scale, values)) = row.split_first_chunk::<4>() else { return };
        let scale = f32::from_le_bytes(*scale);
        match self.shape.form {
            Form::Bytes => out.extend(values.iter().map(|v| scale * f32::from(v.cast_signed()))),
            Form::Packed { token_bits } => {
                let plane = self.shape.hidden / 8;
                let bit = |p: usize, i: usize| values[p * plane + i / 8] >> (i % 8) & 1;
                let value = |i: usize| (0..token_bits).fold(0, |v, p| v | bit(p, i) << p);
                let middle = f32::from((1u8 << token_bits) - 1);
                out.extend((0..self.shape.hidden).map(|i| scale * (2.0 * f32::from(value(i)) - middle)));
            }
        }
    }
}

/// Reads the whole file and verifies it against the checksum in its header. Returns the checksum.
pub(super) fn check(path: &Path) -> Result<String, ModelError> {
    let io = |e| ModelError::io(path, e);
    let mut file = File::open(path).map_err(io)?;
    let mut header = [0; HEADER];
    file.read_exact(&mut header).map_err(|_| ModelError::damaged(path, "is shorter than its header"))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(&header[..CHECKSUM.start]);
    std::io::copy(&mut file, &mut hasher).map_err(io)?;
    let found = hasher.finalize();
    let digits = found.to_hex().to_string();
    let named = String::from_utf8_lossy(&header[ID]).trim_end_matches('\0').ends_with(&digits[..12]);
    if found.as_bytes() != &header[CHECKSUM] || !named {
        return Err(ModelError::damaged(path, "does not match the checksum in its header"));
    }
    Ok(digits)
}

fn vocabulary<'a>(shape: &Shape, bytes: &'a [u8]) -> Vocabulary<'a> {
    let sections = shape.sections();
    let part = |range: Range<usize>| &bytes[range];
    Vocabulary { starts: part(sections.starts), order: part(sections.order), strings: part(sections.strings) }
}

/// Hands out consecutive ranges.
struct Cursor(usize);

impl Cursor {
    fn take(&mut self, size: usize) -> Range<usize> {
        let start = self.0;
        self.0 += size;
        start..self.0
    }

    fn norm(&mut self, size: usize) -> Norm {
        Norm { gain: self.take(size), shift: self.take(size) }
    }
}
