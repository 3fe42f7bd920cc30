//! What people type, and what assistants call.

use serde_json::{Map, Value, json};

use super::secrets::{Planted, home};

/// The flags of a command that take a value, as its help names them.
fn flags(help: &str) -> Vec<String> {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let takes_value = lines.filter(|line| line.split("  ").next().is_some_and(|head| head.contains('<')));
    takes_value
        .filter_map(|line| line.split([' ', ',', '=']).find(|word| word.starts_with("--")))
        .map(str::to_owned)
        .collect()
}

#[test]
fn no_flag_of_a_command_leaves_a_secret_on_disk() {
    let home = home();
    let mut planted = Planted::new();
    let id = home.remember("the importer reads rows in batches");
    let other = home.remember("the exporter writes rows one by one");
    let commands: &[(&[&str], &[&str])] = &[
        (&["remember"], &["--", "a note with one more field"]),
        (&["edit", &id], &[]),
        (&["checkpoint"], &["--session", "s1", "--goal", "a goal"]),
        (&["feedback", &id, "helpful"], &[]),
        (&["relate", &id, &other], &[]),
        (&["recall"], &["--", "rows"]),
        (&["list"], &[]),
        (&["context"], &[]),
        (&["resume"], &[]),
        (&["retention"], &[]),
    ];
    for (start, rest) in commands {
        let help = home.hark([start[0], "--help"]).ok().stdout();
        for flag in &flags(&help) {
            let words = planted.words(format!("{} {flag}", start[0]));
            let line = [*start, &[flag.as_str(), words.as_str()], *rest].concat();
            // A refusal is fine, as long as nothing of it is kept.
            let _ = home.hark(line).run();
        }
        let words = planted.words(format!("{} as its text", start[0]));
        let _ = home.hark([start[0], words.as_str()]).run();
        let _ = home.hark([start[0], "--", words.as_str()]).run();
    }
    assert!(planted.count() > 60, "{}", planted.count());
    planted.assert_absent(&home.store(), |_| true);
}

/// Something that fits the schema of an argument.
fn sample(name: &str, schema: &Value, id: &str) -> Value {
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[0].as_str(),
        one => one.as_str(),
    };
    if let Some(first) = schema["enum"].as_array().and_then(|all| all.first()) {
        return first.clone();
    }
    match kind {
        Some("array") if name == "ids" => json!([id]),
        Some("array") => json!(["one"]),
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(false),
        Some("object") => json!({}),
        _ if name == "id" || name == "to" => json!(id),
        _ => json!("something about rows"),
    }
}

#[test]
fn no_argument_of_a_tool_leaves_a_secret_on_disk() {
    let home = home();
    let mut planted = Planted::new();
    let mut mcp = home.mcp();
    let id = mcp.remember("the importer reads rows in batches");
    let tools = mcp.ask("tools/list", &json!({})).expect("an answer")["result"]["tools"].clone();
    let tools = tools.as_array().expect("tools").clone();
    assert!(tools.len() > 5, "{tools:?}");
    for tool in &tools {
        let name = tool["name"].as_str().expect("a name");
        let schema = &tool["inputSchema"];
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let base: Map<String, Value> = properties
            .iter()
            .filter(|(key, _)| required.contains(&key.as_str()))
            .map(|(key, schema)| (key.clone(), sample(key, schema, &id)))
            .collect();
        for key in properties.keys() {
            for shape in ["text", "list", "object"] {
                let words = planted.words(format!("{name} {key} as {shape}"));
                let value = match shape {
                    "text" => json!(words),
                    "list" => json!([words]),
                    _ => json!({ "path": words, "to": words, "url": words, "label": words, "title": words }),
                };
                let mut arguments = base.clone();
                arguments.insert(key.clone(), value);
                let _ = mcp.ask("tools/call", &json!({ "name": name, "arguments": arguments }));
            }
        }
    }
    assert!(planted.count() > 100, "{}", planted.count());
    planted.assert_absent(&home.store(), |_| true);
    drop(mcp);
    planted.assert_absent(&home.store(), |_| true);
}
