//! Opens the encoder's file: what every text needs is read at once, the row of a token when it is met.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::error::ModelError;
use super::kernel::Matrix;
use super::layout::{CHECKSUM, HEADER, ID, Shape};
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
    path: PathBuf,
    /// The file up to the rows.
    bytes: Vec<u8>,
    floats: Vec<f32>,
    rows: Mutex<File>,
}

pub(super) struct Layer {
    matrices: [Place; 4],
    pub(super) norms: [Norm; 2],
}

struct Place {
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
        let shape = Shape::read(&header).ok_or_else(|| damaged("is not a model of this version"))?;
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
            return Err(damaged("became shorter while it was read"));
        }
        let floats = bytes[sections.floats.clone()].as_chunks::<4>().0;
        let floats: Vec<f32> = floats.iter().map(|b| f32::from_le_bytes(*b)).collect();

        let vocabulary = vocabulary(&shape, &bytes);
        let marks = vocabulary.marks().ok_or_else(|| damaged("has no marks in its vocabulary"))?;
        let mut float = Cursor(0);
        let mut value = Cursor(sections.matrices.start);
        let positions = float.take(shape.positions * shape.hidden);
        let norm = float.norm(shape.hidden);
        let layers = (0..shape.layers).map(|_| Layer {
            matrices: shape.matrices().map(|(rows, width)| Place {
                values: value.take(rows * width),
                scales: float.take(rows),
                bias: float.take(rows),
            }),
            norms: [float.norm(shape.hidden), float.norm(shape.hidden)],
        });
        let layers = layers.collect();
        let rows = Mutex::new(file);
        Ok(Weights { shape, id, marks, layers, positions, norm, path: path.to_owned(), bytes, floats, rows })
    }

    pub(super) fn vocabulary(&self) -> Vocabulary<'_> {
        vocabulary(&self.shape, &self.bytes)
    }

    pub(super) fn floats(&self, range: &Range<usize>) -> &[f32] {
        &self.floats[range.clone()]
    }

    pub(super) fn matrix(&self, layer: &Layer, which: usize) -> Matrix<'_> {
        let place = &layer.matrices[which];
        Matrix {
            values: &self.bytes[place.values.clone()],
            scales: self.floats(&place.scales),
            bias: self.floats(&place.bias),
        }
    }

    /// The vectors of these tokens, one after the other.
    pub(super) fn rows(&self, tokens: &[u16], out: &mut Vec<f32>) -> Result<(), ModelError> {
        let io = |e| ModelError::io(&self.path, e);
        let width = 4 + self.shape.hidden;
        let start = self.shape.sections().rows.start;
        let mut row = vec![0; width];
        // A thread that panicked while reading left nothing half done.
        let mut file = self.rows.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        out.clear();
        for token in tokens {
            file.seek(SeekFrom::Start((start + usize::from(*token) * width) as u64)).map_err(io)?;
            file.read_exact(&mut row).map_err(io)?;
            if let Some((scale, values)) = row.split_first_chunk::<4>() {
                let scale = f32::from_le_bytes(*scale);
                out.extend(values.iter().map(|v| scale * f32::from(v.cast_signed())));
            }
        }
        Ok(())
    }
}

/// Reads the whole file and compares it with the checksum in its header. Gives the checksum.
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

/// Hands out what follows.
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
