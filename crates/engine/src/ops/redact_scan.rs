//! Finds secrets that were stored before a rule knew them: in files, history, sessions, the index, the
//! spool and backups. It only reports copies of other programs' files, which uninstalling needs.

use std::path::Path;

use clap::Args;
use hark_core::Raw;
use hark_core::redact::{Finding, Redactor};
use hark_files::regular;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, safe};
use crate::operation::{
    Code, DIM, EVERYWHERE, Effect, Group, Operation, Page, Reply, Tool, WARN, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Replace secrets; without this, only show where they are
    #[arg(long)]
    #[serde(default)]
    pub apply: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub applied: bool,
    pub looked_at: usize,
    pub found: Vec<Place>,
    /// Tables of the index that contained secrets and were cleaned.
    pub rows: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Place {
    /// The path relative to the data directory; for an entry of a backup, the backup and the entry.
    pub file: String,
    /// Names of the rules that matched.
    pub rules: Vec<String>,
    /// Whether it was, or would be, replaced. Files that hark did not write are left unchanged.
    pub ours: bool,
}

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    let redactor = engine.redactor();
    let home = engine.store.layout().home().to_owned();
    let mut response = Response { applied: request.apply, ..Response::default() };
    for path in engine.store.texts() {
        let Ok(text) = regular::read_to_string(&path, u64::MAX - 1) else { continue };
        response.looked_at += 1;
        let Some((clean, rules)) = swept(&redactor, &path.to_string_lossy(), &text) else { continue };
        let file = path.strip_prefix(&home).unwrap_or(&path);
        let ours = !file.starts_with("install");
        if request.apply && ours {
            engine.store.replace_text(&path, &clean, now)?;
        }
        response.found.push(Place { file: file.display().to_string(), rules, ours });
    }
    let in_backups = engine.store.sweep_backups(request.apply, |name, text| swept(&redactor, name, text))?;
    for (snapshot, entry, rules) in in_backups {
        response.found.push(Place { file: format!("backups/{snapshot}: {entry}"), rules, ours: true });
    }
    response.rows = engine
        .store
        .sweep_rows(request.apply, now, &|text| swept(&redactor, "", text).map(|(clean, _)| clean))?;
    if request.apply && (response.rows > 0 || response.found.iter().any(|place| place.ours)) {
        engine.store.reindex(now)?;
        engine.store.wipe()?;
    }
    Ok(response)
}

/// The text without secrets and the rules that matched; `None` if it has no secrets. JSON is cleaned
/// string by string, so that it stays valid.
fn swept(redactor: &Redactor, name: &str, text: &str) -> Option<(String, Vec<String>)> {
    let extension = Path::new(name).extension().and_then(|e| e.to_str());
    let looks_json = text.trim_start().starts_with(['{', '[']);
    let mut rules = Vec::new();
    let clean = if extension == Some("jsonl") || (looks_json && text.trim_end().contains('\n')) {
        let lines: Vec<String> = text.lines().map(|line| json_line(redactor, line, &mut rules)).collect();
        let end = if text.ends_with('\n') { "\n" } else { "" };
        format!("{}{end}", lines.join("\n"))
    } else if extension == Some("json") || looks_json {
        json_line(redactor, text, &mut rules)
    } else {
        plain(redactor, text, &mut rules)
    };
    rules.sort();
    rules.dedup();
    (!rules.is_empty()).then_some((clean, rules))
}

fn plain(redactor: &Redactor, text: &str, rules: &mut Vec<String>) -> String {
    let (clean, findings) = redactor.clean_with_findings(Raw::new(text));
    rules.extend(findings.iter().map(|Finding { rule, .. }| (*rule).to_owned()));
    clean.into_string()
}

fn json_line(redactor: &Redactor, line: &str, rules: &mut Vec<String>) -> String {
    match serde_json::from_str::<serde_json::Value>(line) {
        Ok(mut value) => {
            let before = rules.len();
            json_value(redactor, &mut value, rules);
            if rules.len() == before { line.to_owned() } else { value.to_string() }
        }
        Err(_) => plain(redactor, line, rules),
    }
}

fn json_value(redactor: &Redactor, value: &mut serde_json::Value, rules: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => *text = plain(redactor, text, rules),
        serde_json::Value::Array(items) => items.iter_mut().for_each(|v| json_value(redactor, v, rules)),
        serde_json::Value::Object(fields) => fields.values_mut().for_each(|v| json_value(redactor, v, rules)),
        _ => {}
    }
}

pub const OPERATION: Operation = Operation {
    name: "redact-scan",
    also: &[],
    summary: "Find secrets that were stored before a rule knew them",
    help: "",
    examples: &[
        ("hark redact-scan", "Show which files contain secrets"),
        ("hark redact-scan --apply", "Replace the secrets"),
    ],
    group: Group::Store,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Off("rewriting stored files is for the user to decide"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for place in &self.found {
            let whose = if place.ours { "" } else { " (not written by hark; left unchanged)" };
            page.print(&format!("{} {DIM}{}{whose}{DIM:#}\n", safe(&place.file), place.rules.join(", ")));
        }
        if self.rows > 0 {
            page.print(&format!("{} of the index\n", count(self.rows, "row", "rows")));
        }
        let any = self.rows > 0 || self.found.iter().any(|place| place.ours);
        page.note(&match (any, self.applied) {
            (false, _) => format!("checked {}; nothing to redact\n", count(self.looked_at, "file", "files")),
            (true, true) => "Redacted. Rotate these secrets; they may have leaked.\n".to_owned(),
            (true, false) => format!("{WARN}nothing was changed;{WARN:#} add --apply to redact\n"),
        });
    }
}
