//! Made-up transcripts of any size, to measure `hark ingest` on. The mix of records and their sizes
//! follow 55 MB of real sessions of Claude Code: results of tools are more than half of the bytes,
//! progress reports a fifth, and what is worth keeping a few percent.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::json;

use crate::bench::rng::Rng;
use crate::failure::{Failure, Outcome};

const WORDS: &[&str] = &[
    "the",
    "importer",
    "reads",
    "a",
    "cursor",
    "from",
    "table",
    "and",
    "goes",
    "on",
    "where",
    "it",
    "stopped",
    "fn",
    "let",
    "result",
    "match",
    "config",
    "error",
    "test",
    "module",
    "request",
    "value",
    "index",
    "worker",
    "payment",
    "invoice",
    "migration",
    "schema",
    "client",
    "server",
    "timeout",
    "retry",
    "queue",
    "header",
];
const LARGEST: usize = 8_000_000;

/// `cargo xtask transcripts DIR SIZE`: at least SIZE bytes (`2GB`, `500MB`) in files below DIR.
pub(crate) fn run(folder: &str, size: &str) -> Outcome {
    let wanted =
        bytes(size).ok_or_else(|| Failure::new(format!("invalid size `{size}`; use 2GB or 500MB")))?;
    let folder = Path::new(folder);
    let mut rng = Rng::new(7);
    let (mut written, mut files) = (0, 0);
    while written < wanted {
        let length = rng.between(200_000, LARGEST).min(usize::try_from(wanted - written).unwrap_or(LARGEST));
        let project = folder.join(format!("-home-dev-project-{}", files % 40));
        fs::create_dir_all(&project).map_err(|e| Failure::io(&project, &e))?;
        let id = format!("{:08x}-{:04x}-4000-8000-{:012x}", rng.next() >> 32, files, rng.next() >> 16);
        let path = project.join(format!("{id}.jsonl"));
        let file = File::create(&path).map_err(|e| Failure::io(&path, &e))?;
        let mut session = Session { out: BufWriter::new(file), id, files, second: 0, calls: 0, written: 0 };
        session.write(&mut rng, length).map_err(|e| Failure::io(&path, &e))?;
        written += session.written as u64;
        files += 1;
    }
    println!(
        "wrote {files} sessions, {:.0} MB; next: hark ingest {}",
        written as f64 / 1e6,
        folder.display()
    );
    Ok(())
}

fn bytes(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let unit = match &text[digits..] {
        "GB" => 1_000_000_000,
        "MB" => 1_000_000,
        "" => 1,
        _ => return None,
    };
    text[..digits].parse::<u64>().ok()?.checked_mul(unit)
}

struct Session {
    out: BufWriter<File>,
    id: String,
    files: usize,
    second: usize,
    calls: usize,
    written: usize,
}

impl Session {
    fn write(&mut self, rng: &mut Rng, length: usize) -> std::io::Result<()> {
        while self.written < length {
            let text = prose(rng, 300);
            self.line(
                "user",
                &json!({ "role": "user", "content": text }),
                &json!({ "promptId": format!("{}-{}", self.id, self.second) }),
            )?;
            for _ in 0..10 {
                self.step(rng)?;
            }
            let text = prose(rng, 900);
            self.says(&json!({ "type": "text", "text": text }))?;
        }
        self.out.flush()
    }

    /// Some thinking, a call of a tool, reports of its progress, its result.
    fn step(&mut self, rng: &mut Rng) -> std::io::Result<()> {
        if rng.below(2) == 0 {
            let thinking = prose(rng, 1_200);
            self.says(&json!({ "type": "thinking", "thinking": thinking, "signature": "x".repeat(600) }))?;
            let text = prose(rng, 200);
            self.says(&json!({ "type": "text", "text": text }))?;
        }
        self.calls += 1;
        let id = format!("toolu_{}_{:06}", &self.id[..13], self.calls);
        let path = format!("/srv/dev/project-{}/src/module_{}.rs", self.files % 40, rng.below(60));
        let (name, input, size) = match rng.below(20) {
            0..7 => ("Read", json!({ "file_path": path }), 6_000),
            7..13 => (
                "Bash",
                json!({ "command": format!("cargo test -p crate-{}", rng.below(9)), "description": prose(rng, 40) }),
                2_500,
            ),
            13..17 => (
                "Edit",
                json!({ "file_path": path, "old_string": code(rng, 500), "new_string": code(rng, 600) }),
                1_500,
            ),
            17..19 => ("Grep", json!({ "pattern": WORDS[rng.below(WORDS.len())] }), 3_000),
            _ => ("Task", json!({ "prompt": prose(rng, 600) }), 4_000),
        };
        self.says(&json!({ "type": "tool_use", "id": id, "name": name, "input": input }))?;
        for _ in 0..3 {
            let data = json!({ "type": "bash_progress", "output": code(rng, 500), "elapsedTimeSeconds": rng.below(60) });
            self.line("progress", &json!(null), &json!({ "data": data, "toolUseID": id }))?;
        }
        // A few are very long.
        let size = if rng.below(50) == 0 { size * 20 } else { size / 2 + rng.below(size) };
        let output = code(rng, size);
        let failed = rng.below(12) == 0;
        let result =
            json!({ "type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed });
        self.line(
            "user",
            &json!({ "role": "user", "content": [result] }),
            &json!({ "toolUseResult": { "stdout": output, "stderr": "" } }),
        )
    }

    fn says(&mut self, block: &serde_json::Value) -> std::io::Result<()> {
        let message = json!({ "id": format!("msg_{}", self.second), "type": "message", "role": "assistant",
            "model": "model-1", "content": [block], "usage": { "input_tokens": 100, "output_tokens": 20 } });
        self.line("assistant", &message, &json!({}))
    }

    fn line(
        &mut self,
        kind: &str,
        message: &serde_json::Value,
        more: &serde_json::Value,
    ) -> std::io::Result<()> {
        self.second += 1;
        let (day, rest) = (self.files % 28 + 1, self.second % 86_400);
        let mut line = json!({
            "parentUuid": null, "isSidechain": false, "userType": "external", "type": kind,
            "cwd": format!("/srv/dev/project-{}", self.files % 40), "sessionId": self.id, "version": "2.1.325",
            "gitBranch": "main", "uuid": format!("{}-{:06}", self.id, self.second),
            "timestamp": format!("2026-{:02}-{day:02}T{:02}:{:02}:{:02}.000Z", self.files % 9 + 1, rest / 3600, rest / 60 % 60, rest % 60),
        });
        if let (Some(line), Some(more)) = (line.as_object_mut(), more.as_object()) {
            if !message.is_null() {
                line.insert("message".to_owned(), message.clone());
            }
            line.extend(more.clone());
        }
        let mut text = line.to_string();
        text.push('\n');
        self.written += text.len();
        self.out.write_all(text.as_bytes())
    }
}

fn prose(rng: &mut Rng, length: usize) -> String {
    let mut text = String::with_capacity(length + 16);
    while text.len() < length {
        text.push_str(WORDS[rng.below(WORDS.len())]);
        text.push(if rng.below(12) == 0 { '.' } else { ' ' });
    }
    text
}

/// Numbered lines that look like a file or a log.
fn code(rng: &mut Rng, length: usize) -> String {
    let mut text = String::with_capacity(length + 64);
    let mut number = 0;
    while text.len() < length {
        number += 1;
        let (a, b) = (WORDS[rng.below(WORDS.len())], WORDS[rng.below(WORDS.len())]);
        text.push_str(&format!("{number:>6}\t    let {a}_{b} = {a}({}, \"{b}\");\n", rng.below(10_000)));
    }
    text
}
