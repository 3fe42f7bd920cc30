//! The MCP tools, from a server that was asked for them.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::client::Hark;
use crate::failure::Outcome;

pub(super) fn page(hark: &Hark) -> Outcome<String> {
    let list = |arguments: &[&str]| -> Outcome<Vec<Value>> {
        let answer = hark.serve(arguments)?.request("tools/list", &json!({}))?;
        Ok(answer["tools"].as_array().cloned().unwrap_or_default())
    };
    let (default, all) = (list(&[])?, list(&["--tools", "all"])?);
    let mut page = String::from(
        "# MCP tools\n\n`hark mcp` offers the tools marked *always*. The others come with `--tools sessions,graph,admin` or \
         `--tools all`. `hark serve` offers the same over HTTP.\n\n| tool | offered | changes something | what for |\n\
         |---|---|---|---|\n",
    );
    for tool in &all {
        let offered = if default.iter().any(|t| t["name"] == tool["name"]) { "always" } else { "on request" };
        let annotations = &tool["annotations"];
        let changes =
            match (annotations["readOnlyHint"] == json!(true), annotations["destructiveHint"] == json!(true))
            {
                (true, _) => "no",
                (false, false) => "adds",
                (false, true) => "yes",
            };
        let _ = writeln!(
            page,
            "| `{}` | {offered} | {changes} | {} |",
            text(&tool["name"]),
            text(&tool["description"])
        );
    }
    for tool in &all {
        describe(&mut page, tool);
    }
    Ok(page)
}

fn describe(page: &mut String, tool: &Value) {
    let _ = writeln!(page, "\n## {}\n", text(&tool["name"]));
    let schema = &tool["inputSchema"];
    let properties = schema["properties"].as_object();
    if properties.is_none_or(serde_json::Map::is_empty) {
        page.push_str("Takes no arguments.\n");
        return;
    }
    let required: Vec<&Value> = schema["required"].as_array().into_iter().flatten().collect();
    page.push_str("| argument | type | |\n|---|---|---|\n");
    for (name, property) in properties.into_iter().flatten() {
        let must = if required.iter().any(|r| r.as_str() == Some(name)) { " (required)" } else { "" };
        let meaning = text(&property["description"]).replace('\n', " ").replace('|', "\\|");
        let _ = writeln!(page, "| `{name}` | {} | {meaning}{must} |", kind(property));
    }
}

fn kind(property: &Value) -> String {
    if let Some(words) = property["enum"].as_array() {
        let words: Vec<String> = words.iter().map(|w| format!("`{}`", text(w))).collect();
        return words.join(", ");
    }
    match &property["type"] {
        Value::String(one) if one == "array" => format!("array of {}", kind(&property["items"])),
        Value::String(one) => one.clone(),
        Value::Array(several) => {
            several.iter().map(text).filter(|t| *t != "null").collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
