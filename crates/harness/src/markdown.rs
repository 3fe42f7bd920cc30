//! Memory and session files: whatever can be read is written so that it can be read again, nothing is lost,
//! and the next rewrite changes nothing.

use hark_core::memory::Memory;
use hark_core::redact::{RedactOptions, Redactor};
use hark_core::{Clean, Raw, Session, markdown};

fn clean(raw: Raw) -> Clean {
    Redactor::new(RedactOptions::default(), [7; 32]).clean(raw)
}

pub fn memory_file(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let Ok(first) = markdown::parse(&text, &clean) else { return };
    let written = markdown::render(&first);
    let second = markdown::parse(&written, &clean).unwrap_or_else(|e| panic!("{e}\n{written}"));
    same("lost in a rewrite", &format!("{:#?}", rounded(&first, &second)), &format!("{second:#?}"));
    same("changed by the second rewrite", &written, &markdown::render(&second));
    file_name(&markdown::file_name(&first));
}

/// Decimals are written with three places, and unknown entries may become comments.
fn rounded(first: &Memory, second: &Memory) -> Memory {
    let near = |a: f32, b: f32| (a - b).abs() < 0.001;
    let mut rounded = first.clone();
    if near(rounded.confidence, second.confidence) {
        rounded.confidence = second.confidence;
    }
    for (link, other) in rounded.links.iter_mut().zip(&second.links) {
        if near(link.weight, other.weight) {
            link.weight = other.weight;
        }
    }
    rounded.unknown.clone_from(&second.unknown);
    rounded
}

pub fn session_file(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let Ok(first) = markdown::session::parse(&text, &clean) else { return };
    let written = markdown::session::render(&first);
    let second = markdown::session::parse(&written, &clean).unwrap_or_else(|e| panic!("{e}\n{written}"));
    let known = Session { unknown: second.unknown.clone(), ..first.clone() };
    same("lost in a rewrite", &format!("{known:#?}"), &format!("{second:#?}"));
    same("changed by the second rewrite", &written, &markdown::session::render(&second));
    file_name(&markdown::session::file_name(&first));
}

/// Texts are long, so this reports only the first line that differs.
fn same(what: &str, before: &str, after: &str) {
    if before != after {
        let line = before.lines().zip(after.lines()).position(|(a, b)| a != b);
        let line = line.unwrap_or_else(|| before.lines().count().min(after.lines().count()));
        let shown =
            |text: &str| text.lines().nth(line).map(|line| line.chars().take(400).collect::<String>());
        panic!("{what}: line {line} was {:?} and is {:?}", shown(before), shown(after));
    }
}

fn file_name(name: &str) {
    assert!(!name.contains(['/', '\\', '\0']) && !name.starts_with('.') && name.len() < 255, "{name}");
}
