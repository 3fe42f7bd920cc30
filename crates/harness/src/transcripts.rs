//! Transcripts: every reader accepts any bytes, and the position it waits at lies within its input.

use std::path::Path;

use hark_hosts::transcript::{Shape, TRANSCRIPTS, Told, recognise};

/// Paths whose parts readers inspect.
const PATHS: &[&str] = &[
    "/home/ann/.claude/projects/-home-ann-shop/1d062700-e19d-4725-bc83-fa659170faa0.jsonl",
    "/home/ann/.gemini/tmp/shop/chats/session-2026-11-15T18-40-7485bc2c.jsonl",
    "/",
];

pub fn transcripts(input: &[u8]) {
    for path in PATHS.iter().map(Path::new) {
        let _ = recognise(path, input);
        for transcripts in TRANSCRIPTS {
            let mut reader = transcripts.reader(path);
            let mut told = Told::default();
            let mut at = 0;
            let records: Vec<&[u8]> = match transcripts.shape {
                Shape::Document => vec![input],
                Shape::Lines | Shape::Database => input.split_inclusive(|byte| *byte == b'\n').collect(),
            };
            for record in records {
                let line = record.strip_suffix(b"\n").unwrap_or(record);
                reader.read(line, at, &mut told);
                let since = reader.waits_since().unwrap_or(at);
                assert!(since <= at, "{}: waits since {since}, at {at}", transcripts.host);
                at += record.len() as u64;
            }
        }
    }
}
