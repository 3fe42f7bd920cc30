//! On the open notes: the tokens that a prompt is told unasked, against all notes of its project. A tool that says
//! nothing saves everything, so the share of prompts that were told the right note stands beside it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use hark_core::budget::estimate_tokens;
use serde_json::json;

use super::replay::{hook, repository};
use crate::client::Hark;
use crate::eval::sets::{lines, string};
use crate::failure::{Failure, Outcome};
use crate::share::Share;
use crate::{process, workspace};

/// The questions are asked after all notes were written.
const ASKED: &str = "2026-11-17T09:00:00Z";

#[derive(Default)]
pub(super) struct Told {
    prompts: usize,
    /// Prompts that were told anything, and the right note.
    spoken_to: usize,
    right: usize,
    tokens: usize,
    history: usize,
}

impl Told {
    pub(super) fn text(&self) -> String {
        if self.prompts == 0 {
            return "\nopen notes: skipped, there are none\n".to_owned();
        }
        let each = |tokens: usize| tokens as f64 / self.prompts as f64;
        let percent = |hits| 100.0 * Share { hits, of: self.prompts }.value();
        let saved = 100.0 * (1.0 - self.tokens as f64 / self.history.max(1) as f64);
        format!(
            "\nOpen notes, {} prompts: told {:.0} tokens each, against {:.0} for all notes of the project ({saved:.1} % \
             less). {:.0} % of the prompts were told something, {:.0} % the right note.\n",
            self.prompts,
            each(self.tokens),
            each(self.history),
            percent(self.spoken_to),
            percent(self.right),
        )
    }
}

pub(super) fn measure(binary: &Path, folder: &Path) -> Outcome<Told> {
    let notes = workspace::root().join("eval/notes");
    if !notes.join("docs.jsonl").is_file() {
        return Ok(Told::default());
    }
    let home = folder.join("store");
    fs::create_dir_all(&home).map_err(|e| Failure::io(&home, &e))?;
    let hark = Hark::new(binary, &home);
    let mut documents = lines(&notes.join("docs.jsonl"))?;
    documents.sort_by_key(|record| (string(record, "date"), string(record, "id")));
    let mut repositories = BTreeMap::new();
    let mut history: HashMap<String, usize> = HashMap::new();
    let mut stored: HashMap<String, String> = HashMap::new();
    for record in &documents {
        let project = string(record, "project");
        if !repositories.contains_key(&project) {
            repositories.insert(project.clone(), repository(folder, &project)?);
        }
        let text = string(record, "text");
        *history.entry(project.clone()).or_default() += estimate_tokens(&text);
        let now = format!("{}T10:00:00Z", string(record, "date"));
        let kind = string(record, "kind");
        let mut command = hark.command(&["remember", &text, "--kind", &kind, "--json"]);
        let reply = process::capture(command.env("HARK_NOW", now).current_dir(&repositories[&project]))?;
        let reply: serde_json::Value = serde_json::from_str(&reply).unwrap_or_default();
        stored.insert(string(record, "id"), string(&reply, "id"));
    }
    let mut gold: HashMap<String, BTreeSet<String>> = HashMap::new();
    for line in workspace::read(&notes.join("qrels.tsv"))?.lines() {
        let mut columns = line.split('\t');
        if let (Some(query), Some(note)) = (columns.next(), columns.next()) {
            gold.entry(query.to_owned()).or_default().extend(stored.get(note).cloned());
        }
    }
    let mut told = Told::default();
    for (at, query) in lines(&notes.join("queries.jsonl"))?.iter().enumerate() {
        let Some(repo) = repositories.get(&string(query, "project")).filter(|_| query["type"] == "prompt")
        else {
            continue;
        };
        let event = json!({ "session_id": format!("notes-{at}"), "cwd": repo, "transcript_path": "",
            "hook_event_name": "UserPromptSubmit", "prompt": query["query"] });
        let said = hook(&hark, repo, ASKED, &event)?;
        let right = gold.get(&string(query, "qid"));
        told.prompts += 1;
        told.spoken_to += usize::from(!said.is_empty());
        told.right += usize::from(right.is_some_and(|ids| ids.iter().any(|id| said.contains(id.as_str()))));
        told.tokens += estimate_tokens(&said);
        told.history += history[&string(query, "project")];
    }
    Ok(told)
}
