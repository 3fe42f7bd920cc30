//! Distils the shared set of prompt injections, if it is unpacked: evidently pasted text must yield nothing,
//! however it is worded.

use hark_core::distil;
use serde_json::Value;

fn texts() -> Option<Vec<String>> {
    let path = hark_testkit::shared("injection/dev.jsonl")?;
    let lines = std::fs::read_to_string(&path).expect("the set can be read");
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
