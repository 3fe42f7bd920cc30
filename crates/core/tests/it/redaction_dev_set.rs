//! Redaction of the shared set of public secret-scanner test cases, if it is unpacked.
#![allow(clippy::print_stderr)]

use std::collections::BTreeMap;

use hark_core::redact::{Raw, RedactOptions, Redactor};
use serde_json::Value;

const LEAST_RECALL: f64 = 0.98;
const LEAST_PRECISION: f64 = 0.98;

#[test]
fn recall_and_precision_hold_on_the_dev_set() {
    let Some(path) = hark_testkit::shared("secrets/dev.jsonl") else { return };
    let lines = std::fs::read_to_string(&path).expect("the set can be read");
    // Addresses are personal data, not secrets: counting them would flatter recall. Both limits apply without
    // and with them.
    for emails in [false, true] {
        measure(&lines, RedactOptions { emails, ..RedactOptions::default() });
    }
}

fn measure(lines: &str, options: RedactOptions) {
    let redactor = Redactor::new(options, [0; 32]);
    let mut sources: BTreeMap<(String, bool), (u32, u32)> = BTreeMap::new();
    let (mut positives, mut found, mut negatives, mut wrong) = (0u32, 0u32, 0u32, 0u32);
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).expect("a line of the set is JSON");
        let field = |name: &str| case[name].as_str().unwrap_or_default();
        let (clean, findings) = redactor.clean_with_findings(Raw::new(field("text")));
        let hit = !findings.is_empty();
        let positive = field("label") == "pos";
        let judged = ["gitleaks", "noseyparker", "secretlint"].contains(&field("source"));
        let count = sources.entry((field("source").to_owned(), positive)).or_default();
        count.0 += 1;
        count.1 += u32::from(hit);
        let shown: String = clean.chars().take(300).collect();
        if positive {
            positives += 1;
            found += u32::from(hit);
            if !hit {
                eprintln!("missed  {} {}: {shown}", field("source"), field("rule"));
            }
        } else if judged {
            negatives += 1;
            wrong += u32::from(hit);
            if hit {
                eprintln!("wrong   {} {}: {shown}", field("source"), field("rule"));
            }
        }
    }
    for ((source, positive), (all, hit)) in &sources {
        eprintln!("{source:16} {} {hit}/{all}", if *positive { "pos" } else { "neg" });
    }
    let recall = f64::from(found) / f64::from(positives);
    let precision = f64::from(found) / f64::from(found + wrong);
    let rate = f64::from(wrong) / f64::from(negatives);
    eprintln!(
        "emails {}: recall {recall:.4} ({found}/{positives}), precision {precision:.4}, false positives {wrong}/{negatives} = {rate:.4}",
        options.emails
    );
    assert!(recall >= LEAST_RECALL, "recall {recall:.4}");
    assert!(precision >= LEAST_PRECISION, "precision {precision:.4}");
}
