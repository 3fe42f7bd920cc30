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
            Ok(Value::Object(list)) => {
                // Also the tensors that nobody needs: they show that a download was cut off.
                let ends = list.values().filter_map(|info| info["data_offsets"][1].as_u64());
                match ends.max() {
                    Some(end) if end > data.len() as u64 => Err("is cut off".to_owned()),
                    _ => Ok(Tensors { list, data }),
                }
            }
            _ => Err(broken()),
        }
    }

    /// A tensor by name; encoders are saved with and without a `bert.` prefix.
    pub(super) fn get(&self, name: &str) -> Result<Tensor, String> {
        let missing = || format!("has no tensor `{name}`");
        let info = self.list.get(name).or_else(|| self.list.get(&format!("bert.{name}")));
        let info = info.ok_or_else(missing)?;
        let read: fn(&[u8]) -> Option<Vec<f32>> = match info["dtype"].as_str() {
            Some("F32") => |bytes| whole(bytes, |b| f32::from_le_bytes(*b)),
            Some("F16") => |bytes| whole(bytes, |b| half(u16::from_le_bytes(*b))),
            Some("BF16") => |bytes| whole(bytes, |b| f32::from_bits(u32::from(u16::from_le_bytes(*b)) << 16)),
            _ => return Err(format!("stores `{name}` as {} instead of F32, F16 or BF16", info["dtype"])),
        };
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
        let values =
            read(bytes).filter(|values| rows.checked_mul(width) == Some(values.len())).ok_or_else(broken)?;
        if values.iter().any(|value| !value.is_finite()) {
            return Err(format!("has values in `{name}` that are not numbers"));
        }
        Ok(Tensor { rows, width, values })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.list.contains_key(name) || self.list.contains_key(&format!("bert.{name}"))
    }
}

/// The values of a whole number of `N` bytes each.
fn whole<const N: usize>(bytes: &[u8], value: impl Fn(&[u8; N]) -> f32) -> Option<Vec<f32>> {
    let (chunks, rest) = bytes.as_chunks::<N>();
    rest.is_empty().then(|| chunks.iter().map(value).collect())
}

/// A float of 16 bits: a sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_of_sixteen_bits_are_read() {
        let read = [0x3c00, 0xc000, 0x3555, 0x0001, 0x8000, 0x7c00].map(half);
        assert_eq!(read, [1.0, -2.0, 0.333_251_95, 5.960_464_5e-8, 0.0, f32::INFINITY]);
        assert!(half(0x7e00).is_nan());
    }
}
