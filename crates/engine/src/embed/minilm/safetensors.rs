//! Reads a safetensors file: the length of a JSON header, the header, and the tensors' bytes.

use serde_json::Value;

/// The tensors of a file in memory.
pub(super) struct Tensors<'a> {
    list: serde_json::Map<String, Value>,
    data: &'a [u8],
}

/// A tensor and its dimensions; a vector has one row.
pub(super) struct Tensor {
    pub(super) rows: usize,
    pub(super) width: usize,
    pub(super) values: Vec<f32>,
}

impl<'a> Tensors<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, String> {
        let broken = || "is not a safetensors file".to_owned();
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(broken)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| broken())?;
        let (header, data) = rest.split_at_checked(length).ok_or_else(broken)?;
        match serde_json::from_slice(header) {
            Ok(Value::Object(list)) => Ok(Tensors { list, data }),
            _ => Err(broken()),
        }
    }

    /// A tensor by name; encoders are saved with and without a `bert.` prefix.
    pub(super) fn get(&self, name: &str) -> Result<Tensor, String> {
        let missing = || format!("has no tensor `{name}`");
        let info = self.list.get(name).or_else(|| self.list.get(&format!("bert.{name}")));
        let info = info.ok_or_else(missing)?;
        if info["dtype"] != "F32" {
            return Err(format!("stores `{name}` as {} instead of F32", info["dtype"]));
        }
        let numbers = |key: &str| -> Option<Vec<usize>> {
            info[key].as_array()?.iter().map(|n| usize::try_from(n.as_u64()?).ok()).collect()
        };
        let broken = || format!("describes `{name}` wrongly");
        let (rows, width) = match numbers("shape").ok_or_else(broken)?[..] {
            [width] => (1, width),
            [rows, width] => (rows, width),
            _ => return Err(broken()),
        };
        let [start, end] = numbers("data_offsets").ok_or_else(broken)?[..] else { return Err(broken()) };
        let bytes = self.data.get(start..end).ok_or_else(broken)?;
        let (floats, rest) = bytes.as_chunks::<4>();
        let values: Vec<f32> = floats.iter().map(|b| f32::from_le_bytes(*b)).collect();
        if !rest.is_empty() || rows.checked_mul(width) != Some(values.len()) {
            return Err(broken());
        }
        Ok(Tensor { rows, width, values })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.list.contains_key(name) || self.list.contains_key(&format!("bert.{name}"))
    }
}
