//! Measures recall through the production path: stores documents in a temporary store and asks questions.
//! `cargo xtask eval` scores the results against known answers.

mod documents;
mod gate;
mod rank;
mod shelf;

pub use documents::{Document, Haystack, Query};
pub use gate::{GateReport, GateRequest, gate};
pub use rank::{RankReport, RankRequest, rank};

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::EngineError;

/// What a run cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Cost {
    pub documents: usize,
    pub queries: usize,
    pub store_seconds: f64,
    pub query_micros_p50: u64,
    pub query_micros_p99: u64,
    /// The peak memory of this process, if the system reports it.
    pub peak_megabytes: Option<u64>,
}

impl Cost {
    fn of(documents: usize, store_seconds: f64, mut micros: Vec<u64>) -> Self {
        micros.sort_unstable();
        let at = |share: f64| {
            let place = (micros.len() as f64 * share) as usize;
            micros.get(place.min(micros.len().saturating_sub(1))).copied().unwrap_or(0)
        };
        Cost {
            documents,
            queries: micros.len(),
            store_seconds: (store_seconds * 10.0).round() / 10.0,
            query_micros_p50: at(0.5),
            query_micros_p99: at(0.99),
            peak_megabytes: peak_megabytes(),
        }
    }
}

fn peak_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}

/// Reads a file of JSON lines; errors name the line.
fn read_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, EngineError> {
    let unreadable = |e: std::io::Error| {
        EngineError::invalid(format!("cannot read {}: {e}", path.display()), "check the path")
    };
    let mut records = Vec::new();
    for (number, line) in BufReader::new(File::open(path).map_err(unreadable)?).lines().enumerate() {
        let line = line.map_err(unreadable)?;
        if line.trim().is_empty() {
            continue;
        }
        let record = serde_json::from_str(&line).map_err(|e| {
            EngineError::invalid(
                format!("{} line {}: {e}", path.display(), number + 1),
                "one JSON object per line; docs/benchmarks.md has the format",
            )
        })?;
        records.push(record);
    }
    Ok(records)
}

fn create(path: &Path) -> Result<BufWriter<File>, EngineError> {
    File::create(path).map(BufWriter::new).map_err(|e| unwritable(path, &e))
}

fn write_line(out: &mut BufWriter<File>, path: &Path, line: &impl Serialize) -> Result<(), EngineError> {
    let text = serde_json::to_string(line).unwrap_or_default();
    writeln!(out, "{text}").map_err(|e| unwritable(path, &e))
}

fn unwritable(path: &Path, e: &std::io::Error) -> EngineError {
    EngineError::invalid(format!("cannot write {}: {e}", path.display()), "choose another --out")
}
