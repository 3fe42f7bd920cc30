//! The table of operations as a page.

use std::fmt::Write as _;

use serde_json::Value;

pub(super) fn page(table: &Value) -> String {
    let mut page = String::from(
        "# Operations\n\nEvery operation is one file in `crates/engine/src/ops` with one row, listed in `TABLE`. Commands, help, MCP tools, \
         completions and manual pages derive from the rows. *Effect* decides whether a reader or the writer of a long-lived \
         process runs it, and how its tool is annotated. *REST* and *page* say whether the operation may be offered by the HTTP \
         interface and the dashboard.\n",
    );
    let rows: Vec<&Value> = table["operations"].as_array().into_iter().flatten().collect();
    let mut groups: Vec<&str> = Vec::new();
    for row in &rows {
        let group = text(&row["group"]);
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    for group in groups {
        let _ = writeln!(
            page,
            "\n## {group}\n\n| operation | summary | effect | tool | REST | page |\n|---|---|---|---|---|---|"
        );
        for row in rows.iter().filter(|row| text(&row["group"]) == group) {
            let _ = writeln!(
                page,
                "| {} | {} | {} | {} | {} | {} |",
                name(row),
                text(&row["summary"]).replace('|', "\\|"),
                effect(row),
                tool(&row["tool"]),
                surface(&row["route"]),
                surface(&row["page"])
            );
        }
    }
    page.push_str(&absences(&rows));
    page.push_str(&programs(table));
    page
}

fn name(row: &Value) -> String {
    let shown = format!("`{}`", text(&row["name"]));
    if row["command"].get("off").is_some() { format!("{shown} (no command)") } else { shown }
}

fn effect(row: &Value) -> String {
    let effect = text(&row["effect"]);
    if row["only_user"] == Value::Bool(true) { format!("{effect}, user only") } else { effect.to_owned() }
}

fn tool(tool: &Value) -> String {
    match (tool["name"].as_str(), tool["within"].as_str()) {
        (Some(name), _) => format!("`{name}` ({})", text(&tool["family"])),
        (None, Some(other)) => format!("in `{other}`"),
        (None, None) => "–".to_owned(),
    }
}

fn surface(surface: &Value) -> &'static str {
    if surface.get("off").is_some() { "–" } else { "yes" }
}

/// Why an operation is not offered somewhere.
fn absences(rows: &[&Value]) -> String {
    let mut text_of = String::from(
        "\n## Where operations are not offered\n\n| operation | surface | reason |\n|---|---|---|\n",
    );
    for row in rows {
        for (key, label) in [("command", "command"), ("tool", "tool"), ("route", "REST"), ("page", "page")] {
            if let Some(why) = row[key]["off"].as_str() {
                let _ = writeln!(text_of, "| `{}` | {label} | {why} |", text(&row["name"]));
            }
        }
    }
    text_of
}

fn programs(table: &Value) -> String {
    let mut page = String::from(
        "\n## Other commands\n\nThese are programs rather than operations on a store.\n\n| command | summary |\n|---|---|\n",
    );
    for row in table["programs"].as_array().into_iter().flatten() {
        let _ = writeln!(page, "| `{}` | {} |", text(&row["name"]), text(&row["summary"]));
    }
    page
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
