//! Proves every row on its own examples.

use std::collections::HashSet;

use super::super::redactor::{RedactOptions, Redactor};
use super::super::text::Raw;
use super::all;

/// Replaces `{kind:n}` with n pseudo-random characters that are the same on every run.
fn expand(template: &str, seed: u64) -> String {
    let mut out = String::new();
    let mut state = seed | 1;
    let mut next = move |alphabet: &[u8]| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(alphabet[(state >> 33) as usize % alphabet.len()])
    };
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let Some(close) = rest[open..].find('}') else { break };
        let inner = &rest[open + 1..open + close];
        let (kind, count) = inner.split_once(':').unwrap_or((inner, ""));
        let lower = "abcdefghijklmnopqrstuvwxyz";
        let upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let alphabet = match kind {
            "hex" => "0123456789abcdef".to_owned(),
            "HEX" => "0123456789ABCDEF".to_owned(),
            "dig" => "123456789".to_owned(),
            "low" => format!("{lower}0123456789"),
            "alpha" => format!("{lower}{upper}"),
            "an" | "b64" | "url" => format!("{lower}{upper}0123456789"),
            "B32" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".to_owned(),
            "b32" => "abcdefghijklmnopqrstuvwxyz234567".to_owned(),
            "bech" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".to_owned(),
            "bechlow" => "qpzry9x8gf2tvdw0s3jn54khce6mua7l".to_owned(),
            "an58" => "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".to_owned(),
            "uuid" => "0123456789abcdef".to_owned(),
            _ => String::new(),
        };
        match (kind, count.parse::<usize>()) {
            ("uuid", _) => {
                let groups =
                    [8, 4, 4, 4, 12].map(|n| (0..n).map(|_| next(alphabet.as_bytes())).collect::<String>());
                out.push_str(&groups.join("-"));
            }
            (_, Ok(count)) if !alphabet.is_empty() => {
                (0..count).for_each(|_| out.push(next(alphabet.as_bytes())));
            }
            _ => out.push_str(&rest[open..=open + close]),
        }
        rest = &rest[open + close + 1..];
    }
    out.push_str(rest);
    out
}

#[test]
fn every_rule_finds_its_examples_and_only_those() {
    let redactor = Redactor::new(RedactOptions::default(), [1; 32]);
    let mut failures = Vec::new();
    for rule in all() {
        if rule.matches.is_empty() || rule.ignores.is_empty() {
            failures.push(format!("{}: no examples", rule.name));
        }
        for seed in [0x9E37_79B9_7F4A_7C15u64, 0xD1B5_4A32_D192_ED03, 77_777_777_777] {
            for template in rule.matches {
                let example = expand(template, seed);
                let (clean, found) = redactor.clean_with_findings(Raw::new(example.as_str()));
                if found.is_empty() {
                    failures.push(format!("{}: missed in {example}", rule.name));
                }
                let mut own = Vec::new();
                for keyword in rule.keywords {
                    let lower = example.to_ascii_lowercase();
                    for (at, _) in lower.match_indices(&keyword.to_ascii_lowercase()) {
                        rule.find_at(example.as_bytes(), at, keyword, &mut own);
                    }
                }
                rule.find_all(example.as_bytes(), &mut own);
                if own.is_empty() {
                    failures.push(format!("{}: does not match {example} itself ({clean})", rule.name));
                }
            }
            for template in rule.ignores {
                let example = expand(template, seed);
                let (clean, found) = redactor.clean_with_findings(Raw::new(example.as_str()));
                if found.iter().any(|finding| finding.rule == rule.name) {
                    failures.push(format!("{}: should ignore {example}, made {clean}", rule.name));
                }
            }
        }
    }
    // Every regex has been compiled by now.
    for rule in all() {
        assert!(!rule.is_broken(), "{} does not compile", rule.name);
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn names_are_unique_and_fit_the_placeholder() {
    let mut seen = HashSet::new();
    for rule in all() {
        assert!(seen.insert(rule.name), "{} is there twice", rule.name);
        let plain = rule.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        assert!(plain && rule.name.len() <= 40, "{}", rule.name);
        assert!(!rule.keywords.is_empty(), "{} would never run", rule.name);
    }
}
