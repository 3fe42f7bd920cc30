//! Labels made by hand: which spans of which turns are worth remembering. The texts stay where they are.

use std::path::Path;

use serde_json::Value;

use crate::failure::{Failure, Outcome};
use crate::workspace;

/// How wrong it is to miss a span: not at all, or quite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grade {
    /// Worth a memory: missing it counts.
    Keep,
    /// Storing it is acceptable; missing it is not an error.
    May,
}

#[derive(Clone, Debug)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kinds: Vec<String>,
    pub(super) grade: Grade,
}

#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) file: String,
    pub(super) place: super::turns::Place,
    hash: u64,
    pub(super) sample: String,
    pub(super) spans: Vec<Span>,
}

impl Label {
    /// Rules are tuned on one half, and looked at on the other; the text's own hash decides.
    pub(super) fn is_tuned_on(&self) -> bool {
        (self.hash >> 17) & 1 == 0
    }

    pub(super) fn is_for(&self, text: &str) -> bool {
        fnv(text.as_bytes()) == self.hash
    }
}

pub(super) fn read(path: &Path) -> Outcome<Vec<Label>> {
    let text = workspace::read(path)?;
    let labels = text.lines().enumerate().map(|(number, line)| {
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        parse(&value).ok_or_else(|| Failure::new(format!("{}:{}: not a label", path.display(), number + 1)))
    });
    labels.collect()
}

fn parse(value: &Value) -> Option<Label> {
    let spans = value["spans"].as_array()?.iter().map(|span| {
        Some(Span {
            start: usize::try_from(span["start"].as_u64()?).ok()?,
            end: usize::try_from(span["end"].as_u64()?).ok()?,
            kinds: span["kinds"].as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            grade: if span["grade"] == "keep" { Grade::Keep } else { Grade::May },
        })
    });
    Some(Label {
        file: value["file"].as_str()?.to_owned(),
        place: (value["record"].as_u64()?, value["turn"].as_u64()?),
        hash: u64::from_str_radix(value["hash"].as_str()?, 16).ok()?,
        sample: value["sample"].as_str()?.to_owned(),
        spans: spans.collect::<Option<_>>()?,
    })
}

/// FNV-1a: enough to tell that a text is still the one that was labelled.
pub(crate) fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}
