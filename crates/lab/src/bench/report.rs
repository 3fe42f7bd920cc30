//! A measurement as a table for people, and its distance from what was promised.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// The limits: name, where the figure is, the limit, its unit.
type Target = (&'static str, fn(&Value) -> Option<f64>, f64, &'static str);

const TARGETS: &[Target] = &[
    ("recall, 100k, warm p50", |r| at_size(r, 100_000, "recall_warm"), 5.0, "ms"),
    ("recall, 100k, cold p50", |r| at_size(r, 100_000, "recall_cold"), 25.0, "ms"),
    ("40-word prompt, 100k over 10k, warm", prompt_ratio, 2.0, "×"),
    ("remember, 100k, warm p50", |r| at_size(r, 100_000, "remember_warm"), 2.0, "ms"),
    ("remember, 10k, warm p50", |r| at_size(r, 10_000, "remember_warm"), 2.0, "ms"),
    ("hook after a tool, 10k, p50", |r| at_size(r, 10_000, "hook_after_tool"), 10.0, "ms"),
    ("idle `hark mcp`, resident", |r| r["mcp"]["idle_rss_kb"].as_f64().map(|kb| kb / 1024.0), 30.0, "MB"),
    ("`hark mcp` after recalls in 100k, resident", resident_after_recalls, 30.0, "MB"),
    ("binary", |r| r["binary_bytes"].as_f64().map(|b| b / 1_048_576.0), 30.0, "MB"),
];

fn store(result: &Value, size: u64) -> Option<&Value> {
    result["stores"].as_array()?.iter().find(|store| store["memories"] == json!(size))
}

/// A median in milliseconds.
fn at_size(result: &Value, size: u64, what: &str) -> Option<f64> {
    Some(store(result, size)?[what]["p50"].as_f64()? / 1000.0)
}

fn resident_after_recalls(result: &Value) -> Option<f64> {
    Some(store(result, 100_000)?["rss_after_recalls_kb"].as_f64()? / 1024.0)
}

fn prompt_ratio(result: &Value) -> Option<f64> {
    Some(at_size(result, 100_000, "prompt_warm")? / at_size(result, 10_000, "prompt_warm")?)
}

pub(super) fn targets(result: &Value) -> Value {
    let of = |(name, value, limit, unit): &Target| {
        let value = value(result);
        json!({ "name": name, "value": value, "limit": limit, "unit": unit, "held": value.map(|v| v <= *limit) })
    };
    TARGETS.iter().map(of).collect::<Vec<_>>().into()
}

/// Rows of the table of times: what it says, and where the figures are.
const LATENCIES: &[(&str, &str)] = &[
    ("recall, warm", "recall_warm"),
    ("recall right after a write, warm", "recall_after_write"),
    ("recall, 40-word prompt, warm", "prompt_warm"),
    ("recall, cold process", "recall_cold"),
    ("the same, the part that the product states (`micros`)", "recall_cold_stated"),
    ("recall, 40-word prompt, cold process", "prompt_cold"),
    ("remember, warm", "remember_warm"),
    ("remember, cold process", "remember_cold"),
    ("hook after a tool, whole process", "hook_after_tool"),
    ("hook with a 40-word prompt, whole process", "hook_prompt"),
];

pub(super) fn markdown(result: &Value) -> String {
    let mut out = String::new();
    head(&mut out, result);
    promises(&mut out, result);
    latencies(&mut out, result);
    sizes(&mut out, result);
    process(&mut out, result);
    out
}

/// Without what does not depend on a store, nor what was promised for others.
pub(super) fn of_stores(result: &Value) -> String {
    let mut out = String::new();
    head(&mut out, result);
    latencies(&mut out, result);
    sizes(&mut out, result);
    out
}

fn head(out: &mut String, result: &Value) {
    let machine = &result["machine"];
    let _ = writeln!(
        out,
        "Measured {} at commit {} on {} ({} cores, {} GB, {}), load {} at the end; a fixed loop took {} ms before \
         and {} ms after.\n",
        text(&result["date"]),
        text(&result["commit"]),
        text(&machine["cpu"]),
        machine["cores"],
        machine["memory_gb"],
        text(&machine["system"]),
        text(&machine["load"]),
        result["loop_before"],
        result["loop_after"],
    );
}

fn promises(out: &mut String, result: &Value) {
    out.push_str("| promise | limit | measured | share of the limit |\n|---|---|---|---|\n");
    for target in result["targets"].as_array().into_iter().flatten() {
        let (limit, unit) = (target["limit"].as_f64().unwrap_or(1.0), text(&target["unit"]));
        let measured = match target["value"].as_f64() {
            Some(value) => {
                let verdict = if value <= limit { "" } else { " **over**" };
                format!("{value:.2} {unit} | {:.0} %{verdict}", 100.0 * value / limit)
            }
            None => "not measured | ".to_owned(),
        };
        let _ = writeln!(out, "| {} | {limit} {unit} | {measured} |", text(&target["name"]));
    }
    out.push('\n');
}

fn latencies(out: &mut String, result: &Value) {
    let stores: Vec<&Value> = result["stores"].as_array().into_iter().flatten().collect();
    let heads = stores.iter().map(|s| format!(" {} memories |", s["memories"])).collect::<String>();
    let _ = writeln!(out, "| p50 / p99, ms |{heads}\n|---|{}", "---|".repeat(stores.len()));
    for (name, key) in LATENCIES {
        let cells: String = stores.iter().map(|store| format!(" {} |", pair(&store[key]))).collect();
        let _ = writeln!(out, "| {name} |{cells}");
    }
    out.push('\n');
}

fn sizes(out: &mut String, result: &Value) {
    out.push_str("| memories | index from files, s | memories a second | index, MB | index, bytes each | resident after recalls, MB | found |\n");
    out.push_str("|---|---|---|---|---|---|---|\n");
    for store in result["stores"].as_array().into_iter().flatten() {
        let number = |key: &str| store[key].as_f64().unwrap_or_default();
        let _ = writeln!(
            out,
            "| {} | {:.1} | {:.0} | {:.1} | {:.0} | {:.1} | {:.0} % |",
            store["memories"],
            number("index_seconds"),
            number("index_per_second"),
            number("index_bytes") / 1_048_576.0,
            number("index_bytes") / number("memories"),
            number("rss_after_recalls_kb") / 1024.0,
            100.0 * number("found"),
        );
    }
    out.push('\n');
}

fn process(out: &mut String, result: &Value) {
    let mcp = &result["mcp"];
    out.push_str("| process | |\n|---|---|\n");
    let rows = [
        ("`hark --version`, ms (p50 / p99)", pair(&result["start"])),
        ("`hark mcp` from start to handshake to end, ms", pair(&mcp["connect"])),
        ("`ping` round trip, ms", pair(&mcp["ping"])),
        ("`tools/list` round trip, ms", pair(&mcp["tools_list"])),
        ("idle `hark mcp`, resident MB", megabytes(&mcp["idle_rss_kb"], 1024.0)),
        ("binary, MB", megabytes(&result["binary_bytes"], 1_048_576.0)),
        ("instructions, `hark --version`", millions(&result["instructions"]["start"])),
        ("instructions, cold recall in 1,000 memories", millions(&result["instructions"]["recall"])),
        ("instructions, cold remember in 1,000 memories", millions(&result["instructions"]["remember"])),
    ];
    for (name, value) in rows {
        let _ = writeln!(out, "| {name} | {value} |");
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("unknown")
}

fn pair(quantiles: &Value) -> String {
    let ms = |key: &str| quantiles[key].as_f64().map_or("–".to_owned(), |us| format!("{:.2}", us / 1000.0));
    format!("{} / {}", ms("p50"), ms("p99"))
}

fn megabytes(value: &Value, divisor: f64) -> String {
    value.as_f64().map_or("not available".to_owned(), |v| format!("{:.1}", v / divisor))
}

fn millions(value: &Value) -> String {
    value.as_f64().map_or("not available".to_owned(), |v| format!("{:.1} million", v / 1e6))
}
