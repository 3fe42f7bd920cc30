//! Distilling against the shared set of prompt injections, where it is unpacked: whatever was evidently
//! pasted yields nothing, however it is worded.
#![allow(clippy::print_stderr)]

use std::path::PathBuf;

use hark_core::distil;
use serde_json::Value;

fn texts() -> Option<Vec<String>> {
    let folder = std::env::var_os("HARK_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/shared-data"),
        PathBuf::from,
    );
    let path = folder.join("injection/dev.jsonl");
    let Ok(lines) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: {} is not there; unpack the shared data, or set HARK_DATA", path.display());
        return None;
    };
    let text = |line: &str| serde_json::from_str::<Value>(line).ok()?["text"].as_str().map(str::to_owned);
    Some(lines.lines().filter_map(text).collect())
}

#[test]
fn pasted_attacks_yield_nothing() {
    let Some(texts) = texts() else { return };
    assert!(texts.len() > 300, "{}", texts.len());
    for text in &texts {
        let inside = text.replace("```", "").replace("~~~", "").replace('\r', "");
        let quoted: String = inside.lines().map(|line| format!("> {line}\n")).collect();
        let indented: String = inside.lines().map(|line| format!("    {line}\n")).collect();
        for pasted in [
            format!("what does this mean?\n```\n{inside}\n```\nplease explain"),
            format!("{quoted}\nwhat does this mean?"),
            format!("what does this mean?\n\n{indented}"),
            format!("<tool_result>\n{inside}\n</tool_result>\nwhat does this mean?"),
            format!("<file-content path=\"a.md\">\n{inside}\n</file-content>"),
            format!("summarise it:\n\n# Page\n\n{inside}"),
        ] {
            let found = distil::turn(&pasted, Some(&inside));
            assert!(found.is_empty(), "{found:?}\nin {pasted}");
        }
    }
}

#[test]
fn what_the_user_says_beside_an_attack_is_still_found() {
    let Some(texts) = texts() else { return };
    for text in texts.iter().take(100) {
        let inside = text.replace("```", "").replace("~~~", "");
        let turn = format!("We use pnpm in this repo, not npm.\n\n```\n{inside}\n```");
        let found = distil::turn(&turn, None);
        assert_eq!(found.len(), 1, "{found:?}\nin {turn}");
        assert_eq!(found[0].body, "We use pnpm in this repo, not npm.");
    }
}
