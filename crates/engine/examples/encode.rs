//! Embeds each line of stdin with an encoder file and prints the vectors as JSON, with the time for each on
//! stderr. With `--together`, all lines at once, on all cores as the worker does. Used to compare with the published model (`models/reference.py`) and to measure speed.
//!
//!     cargo run --release -p hark-engine --example encode -- minilm.hark < lines.txt > vectors.json

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::{Read, stdin};
use std::path::Path;
use std::time::Instant;

use hark_engine::embed::minilm::{MiniLm, ModelError};

fn main() -> Result<(), ModelError> {
    let path = std::env::args_os().nth(1).unwrap_or_default();
    let start = Instant::now();
    let model = MiniLm::open(Path::new(&path))?;
    eprintln!("opened in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let mut text = String::new();
    let _ = stdin().read_to_string(&mut text);
    if std::env::args().nth(2).is_some_and(|argument| argument == "--together") {
        let lines: Vec<&str> = text.lines().collect();
        let start = Instant::now();
        let vectors = model.encode_until(&lines, &|| false)?;
        let millis = start.elapsed().as_secs_f64() * 1e3;
        eprintln!("{:7.2} ms per line, {} lines", millis / lines.len().max(1) as f64, lines.len());
        let vectors: Vec<_> = vectors.into_iter().map(|v| v.flatten().map(|v| v.values.to_vec())).collect();
        println!("{}", serde_json::to_string(&vectors).unwrap_or_default());
        return Ok(());
    }
    let mut vectors = Vec::new();
    for line in text.lines() {
        let start = Instant::now();
        let vector = model.encode(line)?;
        eprintln!("{:7.2} ms  {:.60}", start.elapsed().as_secs_f64() * 1e3, line);
        vectors.push(vector.map(|v| v.values.to_vec()));
    }
    println!("{}", serde_json::to_string(&vectors).unwrap_or_default());
    Ok(())
}
