//! Inserts and removes entries, by example and for arbitrary documents.

use proptest::prelude::*;
use serde_json::json;

use super::super::{Edit, State};
use super::*;

fn entry(path: &[&str], value: Value) -> Edit {
    Edit::JsonEntry { path: path.iter().map(|p| (*p).to_owned()).collect(), value }
}

fn item(path: &[&str], value: Value, mark: &str) -> Edit {
    let path = path.iter().map(|p| (*p).to_owned()).collect();
    Edit::JsonItem { path, value, mark: mark.to_owned() }
}

fn server() -> Edit {
    entry(&["mcpServers", "hark"], json!({ "command": "/usr/bin/hark", "args": ["mcp"] }))
}

fn hook() -> Edit {
    let command = "/usr/bin/hark hook claude-code Stop";
    let group = json!({ "hooks": [{ "type": "command", "command": command, "timeout": 5 }] });
    item(&["hooks", "Stop"], group, "hook claude-code Stop")
}

const DOCUMENTS: &[&str] = &[
    "",
    "\n",
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "{\"a\":1}",
    "{\"mcpServers\":{},\"hooks\":{}}",
    "{\"mcpServers\":{\"x\":{\"command\":\"y\"}},\"hooks\":{\"Stop\":[]}}\n",
    "{\n  \"mcpServers\": {},\n  \"hooks\": { \"Stop\": [ ] }\n}\n",
    "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": {}\r\n\t}\r\n}\r\n",
    "// mine\n{\n  // servers\n  \"mcpServers\": {\n    \"x\": {\"a\": 1}, // the first\n  }, // end\n}\n// bye\n",
    "{\n    \"mcpServers\": {\n        \"x\": {} // no comma, a remark\n    } /* and, one */\n}",
    "{\n  \"mcpServers\": { /* none, yet */ },\n  \"hooks\": { // none\n  }\n}\n",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"mine\"}]}], \"Start\": []}}",
];

#[test]
fn insert_and_remove_restore_the_text() {
    for text in DOCUMENTS {
        for edits in [vec![server()], vec![hook()], vec![server(), hook()], vec![hook(), server()]] {
            let mut here = (*text).to_owned();
            let mut traces = Vec::new();
            for edit in &edits {
                assert_eq!(edit.state(&here), Ok(State::Absent), "{here}");
                let (next, trace) = edit.insert(&here).unwrap_or_else(|e| panic!("{e:?}\n{here}"));
                assert_eq!(edit.state(&next), Ok(State::Same), "{next}");
                here = next;
                traces.push(trace);
            }
            for (edit, trace) in edits.iter().zip(&traces).rev() {
                here = edit.remove(trace, &here).unwrap_or_else(|e| panic!("{e:?}\n{here}"));
            }
            assert_eq!(here, *text);
        }
    }
}

#[test]
fn layout_is_the_one_around() {
    let (text, _) = server().insert("{\n\t\"a\": 1\n}\n").unwrap();
    assert_eq!(
        text,
        "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"hark\": {\n\t\t\t\"command\": \"/usr/bin/hark\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}\n"
    );
    let (text, _) = server().insert("{\"a\":1}").unwrap();
    assert_eq!(text, r#"{"a":1,"mcpServers":{"hark":{"command":"/usr/bin/hark","args":["mcp"]}}}"#);
}

#[test]
fn a_handler_among_others_leaves_alone() {
    let (text, trace) = hook().insert("{\n}\n").unwrap();
    let joined = text.replace("\"timeout\": 5", "\"timeout\": 9 }, { \"command\": \"mine\"");
    assert_ne!(joined, text);
    assert_eq!(hook().state(&joined), Ok(State::Differs));
    let left = hook().remove(&trace, &joined).unwrap();
    assert!(left.contains("mine") && !left.contains("hark"), "{left}");
}

#[test]
fn the_wrong_shape_is_refused_with_its_line() {
    for (text, line) in [
        ("{\n  \"mcpServers\": [],\n}\n", 2),
        ("{\n  \"a\": 1\n  \"b\": 2\n}\n", 3),
        ("[\n]\n", 1),
        ("{\n  \"a\": \n", 2),
        ("{'a': 1}", 1),
    ] {
        let refusal = server().insert(text).unwrap_err();
        assert!(refusal.line.is_some_and(|l| l.abs_diff(line) <= 1), "{refusal:?}");
    }
}

#[test]
fn replacing_stays_in_place() {
    let (text, trace) = hook().insert("{\"hooks\":{\"Stop\":[{\"a\":1}]}}").unwrap();
    let after = text.replace("]}}", ",{\"b\":2}]}}");
    let Edit::JsonItem { path, mark, .. } = hook() else { panic!() };
    let new = Edit::JsonItem { path, value: json!({ "x": "hook claude-code Stop" }), mark };
    let (text, _) = new.replace(&hook(), &trace, &after).unwrap_or_else(|e| panic!("{e:?} {after}"));
    assert!(text.contains(r#"{"x":"hook claude-code Stop"},{"b":2}"#), "{text}");
}

/// Arbitrary JSON with comments, in any layout.
fn document() -> impl Strategy<Value = String> {
    let space =
        prop::sample::select(vec!["", " ", "\n", "\r\n", "\n  ", "\t", " // x, y\n", "/* , */", "\n\n    "]);
    let leaf =
        prop::sample::select(vec!["1", "-2.5e3", "true", "null", "\"a\"", "\"\\\"}]{[//\"", "\"é\\n\""]);
    let leaf = (space.clone(), leaf).prop_map(|(s, l)| format!("{s}{l}"));
    let value = leaf.prop_recursive(4, 24, 4, move |inner| {
        let space = space.clone();
        let key = prop::sample::select(vec!["a", "b", "hooks", "Stop", "x y"]);
        let entry = (space.clone(), key, space.clone(), inner.clone(), space.clone());
        let object = (prop::collection::vec(entry, 0..4), any::<bool>(), space.clone());
        let object = object.prop_map(|(entries, trailing, end)| {
            let mut seen = std::collections::BTreeSet::new();
            let entries: Vec<String> = entries
                .into_iter()
                .filter(|(_, key, ..)| seen.insert(*key))
                .map(|(a, key, b, value, c)| format!("{a}\"{key}\"{b}:{value}{c}"))
                .collect();
            let comma = if trailing && !entries.is_empty() { "," } else { "" };
            format!("{{{}{comma}{end}}}", entries.join(","))
        });
        let array = (prop::collection::vec((inner, space.clone()), 0..4), any::<bool>(), space.clone());
        let array = array.prop_map(|(elements, trailing, end)| {
            let elements: Vec<String> = elements.into_iter().map(|(v, s)| format!("{v}{s}")).collect();
            let comma = if trailing && !elements.is_empty() { "," } else { "" };
            format!("[{}{comma}{end}]", elements.join(","))
        });
        prop_oneof![object, array].boxed()
    });
    // Only a top-level object accepts an entry, so most documents have one.
    let tops = ["{\"hooks\":@}", "{ \"a\" :@ , }", "{\n  \"mcpServers\":@\n}", "@"];
    let ends = ["", "\n", "\r\n", " // end"];
    (value, prop::sample::select(tops.to_vec()), prop::sample::select(ends.to_vec()))
        .prop_map(|(value, top, end)| format!("{}{end}", top.replace('@', &value)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_document_survives(text in document()) {
        for edit in [server(), hook(), entry(&["a", "hark"], json!(1)), entry(&["hark"], json!({}))] {
            if let Ok((with, trace)) = edit.insert(&text) {
                prop_assert_eq!(edit.state(&with), Ok(State::Same));
                prop_assert_eq!(edit.remove(&trace, &with), Ok(text.clone()), "{:?}", with);
            }
        }
    }
}
