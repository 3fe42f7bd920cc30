//! Follows a session of hook events through the readers and its trail, as the engine does.

use std::collections::BTreeMap;
use std::path::Path;

use hark_core::failure::command::edits_by;
use hark_core::failure::region::Region;
use hark_core::failure::trail::{Change, Remedy, Trail};
use hark_core::failure::{Finding, Place, Verdict, judge};
use serde_json::Value;

use crate::failure::Outcome;
use crate::workspace;

/// Sessions name the folder that they ran in like this.
const FOLDER: &str = "{CWD}";
const ROOT: &str = "/project";

/// What the readers make of one output.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) output: String,
    pub(super) failed: bool,
    pub(super) findings: Vec<Finding>,
    /// Files of the edits that fixed the first finding; `None` if no edit did.
    pub(super) fixed_by: Option<Vec<String>>,
}

/// A session: readings of commands and edited files, by the line of their event.
#[derive(Debug, Default)]
pub(super) struct Session {
    pub(super) readings: BTreeMap<usize, Reading>,
    edits: BTreeMap<usize, Vec<String>>,
}

impl Session {
    pub(super) fn files_edited_at(&self, lines: &[usize]) -> Vec<String> {
        lines.iter().filter_map(|line| self.edits.get(line)).flatten().cloned().collect()
    }
}

pub(super) fn session(path: &Path) -> Outcome<Session> {
    let text = workspace::read(path)?;
    let place = Place::new(ROOT, ROOT);
    let mut session = Session::default();
    let mut trail = Trail::default();
    // Lines that saw a failure which nothing has fixed yet.
    let mut waiting: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (line, text) in text.lines().enumerate() {
        let event: Value = serde_json::from_str(text).unwrap_or_default();
        if event["ev"] != "after" {
            continue;
        }
        let ok = event["error"] != true;
        let edited = if ok { files_of(&event, &place) } else { Vec::new() };
        for file in &edited {
            trail.edited(file, "", &Region::default());
        }
        if !edited.is_empty() {
            session.edits.insert(line, edited);
        }
        if event["tool"] != "Bash" {
            continue;
        }
        let output = whole(&event["output"]);
        let command = whole(&event["input"]["command"]).replace(FOLDER, ROOT);
        let judged = judge(&command, Some(ok), &output.replace(FOLDER, ROOT), &place);
        let mut reading = Reading { output, ..Reading::default() };
        if let Some(judged) = judged {
            if let Verdict::Failed(findings) = &judged.verdict {
                reading.failed = true;
                reading.findings.clone_from(findings);
            }
            let first = reading.findings.first().map(|finding| finding.signature.clone());
            session.readings.insert(line, reading);
            for change in trail.ran(&judged.ran, &judged.verdict) {
                match change {
                    Change::Seen { finding, .. } if Some(&finding.signature) == first.as_ref() => {
                        waiting.entry(finding.signature).or_default().push(line);
                    }
                    Change::Fixed { signature, by: Remedy::Edits(edits) } => {
                        let files: Vec<String> = edits.into_iter().map(|edit| edit.path).collect();
                        for line in waiting.remove(&signature).unwrap_or_default() {
                            if let Some(reading) = session.readings.get_mut(&line) {
                                reading.fixed_by = Some(files.clone());
                            }
                        }
                    }
                    Change::Fixed { signature, .. } => drop(waiting.remove(&signature)),
                    _ => {}
                }
            }
        } else {
            session.readings.insert(line, reading);
        }
    }
    Ok(session)
}

fn files_of(event: &Value, place: &Place) -> Vec<String> {
    let input = &event["input"];
    match event["tool"].as_str().unwrap_or("") {
        "Edit" | "Write" | "MultiEdit" => {
            place.file(&whole(&input["file_path"]).replace(FOLDER, ROOT)).into_iter().collect()
        }
        "Bash" => {
            let command = whole(&input["command"]).replace(FOLDER, ROOT);
            edits_by(&command).iter().filter_map(|path| place.file(path)).collect()
        }
        _ => Vec::new(),
    }
}

fn whole(value: &Value) -> String {
    value.as_str().unwrap_or("").to_owned()
}
