//! Measures the cost of redaction: `cargo run --release -p hark-core --example redaction_cost`.
//!
//! With paths of text files as arguments, it cleans each of those once instead. Under `valgrind
//! --tool=callgrind` that gives instruction counts, which do not depend on how busy the machine is.
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use hark_core::redact::{Raw, RedactOptions, Redactor};

fn time<T>(run: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    std::hint::black_box(run());
    started.elapsed()
}

fn main() {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    if !paths.is_empty() {
        let redactor = Redactor::new(RedactOptions::default(), [1; 32]);
        for path in &paths {
            let text = std::fs::read(path).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).into_owned();
            let bytes = text.len();
            println!("{}: {bytes} bytes, {:?}", path.display(), time(|| redactor.clean(Raw::new(text))));
        }
        return;
    }
    let key = ["gh", "p_", "aZ3bY4cX5dW6eV7fU8gT9hS0aZ3bY4cX5dW6"].concat();
    let first = format!("please use {key} for the release");
    let redactor = Redactor::new(RedactOptions::default(), [1; 32]);
    let cold = time(|| redactor.clean(Raw::new("nothing here")));
    println!("the first text of a process, clean: {cold:?}");
    let key = time(|| redactor.clean(Raw::new(first.as_str())));
    println!("the first text with a key in it: {key:?} more");

    let sentence =
        "The importer reads the file in chunks, checks each row and reports what it could not place. ";
    let prose = sentence.repeat(1024 / sentence.len() + 1);
    let warm = (0..200).map(|_| time(|| redactor.clean(Raw::new(prose.as_str())))).min().unwrap_or_default();
    println!("{} bytes of prose, warm: {warm:?}", prose.len());

    let line = "2026-03-03T14:32:07.123Z INFO  server::http request{id=550e8400 method=GET path=/v1/items?page=3} \
                finished in 12.5 ms status=200 bytes=5123 user=42 session=none\n";
    let log = line.repeat(1_000_000 / line.len());
    let warm = (0..3).map(|_| time(|| redactor.clean(Raw::new(log.as_str())))).min().unwrap_or_default();
    println!("1 MB of log lines: {warm:?}");

    for word in [
        "password=",
        "token ",
        "secret_key: ",
        "api_key=\"",
        "eyJ",
        "://",
        "-----BEGIN RSA PRIVATE KEY-----",
        "@",
        "<private",
        "curl -u ",
        "kind: Secret\n",
        "jenkins ",
        "sourcegraph ",
        "authorization: ",
        "wallet ",
        "blynk ",
        "okta ",
        "[REDACTED:",
        "card 4",
        "docker login ",
        "PuTTY-User-Key-File-",
        "s.",
        "cookie: sid=",
        "0x",
    ] {
        let text = word.repeat(1_000_000 / word.len());
        println!("1 MB of {word:?}: {:?}", time(|| redactor.clean(Raw::new(text.as_str()))));
    }
}
