//! Sets of short notes of several projects: each project is a haystack, and what names none asks all of them.
//!
//! They become the common format, once as they are and once with the phrases that their writers gave them.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde_json::{Value, json};

use super::sets::{self, Set};
use crate::failure::{Failure, Outcome};
use crate::workspace;

/// The questions are asked after all notes were written.
const ASKED: &str = "2026-11-17T09:00:00Z";

/// The sets of notes: those of the shared data, and the open ones in this repository.
pub(super) fn present(data: &Path, scratch: &Path) -> Outcome<Vec<Set>> {
    let open = workspace::root().join("eval");
    let sets = [
        (("notes", "notes, short engineering notes of six projects"), data.join("notes"), false),
        (("notes_asked", "the same, with the phrases that their writers gave them"), data.join("notes"), true),
        (("open", "open notes, in this repository"), open.join("notes"), false),
        (("open_asked", "the same, with phrases"), open.join("notes"), true),
        (("amended", "notes and chats that were amended, in this repository"), open.join("amended"), false),
    ];
    let present = sets.into_iter().filter(|(_, folder, _)| folder.join("docs.jsonl").is_file());
    present.map(|(name, folder, phrases)| export(name, &folder, phrases, &scratch.join(name.0))).collect()
}

/// Writes a folder of notes into `out`. With `phrases`, each note has those of `asked.jsonl`.
pub(super) fn export(
    (name, title): (&'static str, &'static str),
    folder: &Path,
    phrases: bool,
    out: &Path,
) -> Outcome<Set> {
    let asked_as: HashMap<String, Value> = match phrases {
        true => sets::lines(&folder.join("asked.jsonl"))?
            .into_iter()
            .map(|record| (sets::string(&record, "id"), record["asked_as"].clone()))
            .collect(),
        false => HashMap::new(),
    };
    let mut documents = sets::lines(&folder.join("docs.jsonl"))?;
    // As they were written: whoever stores notes does so one after another.
    documents.sort_by_key(|record| (sets::string(record, "date"), sets::string(record, "id")));
    let mut haystacks: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for record in &mut documents {
        let id = sets::string(record, "id");
        haystacks.entry(sets::string(record, "project")).or_default().push(json!({ "id": id }));
        record["date"] = json!(format!("{}T10:00:00Z", sets::string(record, "date")));
        if let Some(phrases) = asked_as.get(&id) {
            record["asked_as"] = phrases.clone();
        }
    }
    let mut queries = sets::lines(&folder.join("queries.jsonl"))?;
    for record in &mut queries {
        record["haystack"] = record["project"].clone();
        record["date"] = json!(ASKED);
    }
    sets::write_lines(&out.join("docs.jsonl"), &documents)?;
    sets::write_lines(&out.join("queries.jsonl"), &queries)?;
    let haystacks: Vec<Value> =
        haystacks.into_iter().map(|(name, docs)| json!({ "haystack": name, "docs": docs })).collect();
    sets::write_lines(&out.join("haystacks.jsonl"), &haystacks)?;
    let gold = folder.join("qrels.tsv");
    std::fs::copy(&gold, out.join("qrels.tsv")).map_err(|e| Failure::io(&gold, &e))?;
    Ok(Set { name, title, folder: out.to_owned(), pooled: false })
}
