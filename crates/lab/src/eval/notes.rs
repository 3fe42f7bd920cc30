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
pub(super) const ASKED: &str = "2026-11-17T09:00:00Z";

/// The sets of notes: those of the shared data, and the open ones in this repository.
pub(super) fn present(data: &Path, scratch: &Path) -> Outcome<Vec<Set>> {
    let open = workspace::root().join("eval");
    let sets = [
        (("notes", "notes, short engineering notes of six projects"), data.join("notes"), false),
        (
            ("notes_asked", "the same, with the phrases that their writers gave them"),
            data.join("notes"),
            true,
        ),
        (("open", "open notes, in this repository"), open.join("notes"), false),
        (("open_asked", "the same, with phrases"), open.join("notes"), true),
        (("amended", "notes and chats that were amended, in this repository"), open.join("amended"), false),
    ];
    let present = sets.into_iter().filter(|(_, folder, _)| folder.join("docs.jsonl").is_file());
    let mut found = Vec::new();
    for (name, folder, phrases) in present {
        found.push(export(name, &folder, phrases, &scratch.join(name.0))?);
    }
    for (of, name) in [
        ("notes", (NOTHING, "prompts and nonsense that no note answers")),
        ("open", (OPEN_NOTHING, "the same, asked of the open notes")),
    ] {
        if let Some(set) = found.iter().find(|set| set.name == of).cloned() {
            let negatives = if of == "notes" { data.join("notes") } else { open.join("notes") };
            found.push(nothing(name, &set, &negatives, &open.join("notes"), &scratch.join(name.0))?);
        }
    }
    Ok(found)
}

/// Questions that nothing in the store answers, each asked of every project: prompts of other trades, nonsense, and
/// questions about another project.
pub(crate) const NOTHING: &str = "nothing";
pub(crate) const OPEN_NOTHING: &str = "open_nothing";

fn nothing(
    (name, title): (&'static str, &'static str),
    notes: &Set,
    negatives: &Path,
    open: &Path,
    out: &Path,
) -> Outcome<Set> {
    for file in ["docs.jsonl", "haystacks.jsonl"] {
        let from = notes.path(file);
        std::fs::create_dir_all(out).map_err(|e| Failure::io(out, &e))?;
        std::fs::copy(&from, out.join(file)).map_err(|e| Failure::io(&from, &e))?;
    }
    let projects: Vec<String> =
        notes.straws()?.into_keys().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
    let mut asked: Vec<(String, &str, Option<String>)> = Vec::new();
    for record in sets::lines(&negatives.join("negatives.jsonl"))? {
        if record["type"] == "offdomain" {
            asked.push((sets::string(&record, "prompt"), "offdomain", None));
        }
    }
    for line in workspace::read(&open.join("nonsense.txt"))?.lines().filter(|line| !line.trim().is_empty()) {
        asked.push((line.to_owned(), "nonsense", None));
    }
    for query in notes.queries()? {
        asked.push((query.text, "elsewhere", query.haystack));
    }
    let mut queries = Vec::new();
    for (number, (text, sort, own)) in asked.iter().enumerate() {
        // A question about a project is asked of the next one; the others, of all.
        let foreign: Vec<&String> = match own {
            Some(own) => {
                let next = projects.iter().position(|p| p == own).map_or(0, |at| (at + 1) % projects.len());
                vec![&projects[next]]
            }
            None if *sort == "elsewhere" => continue,
            None => projects.iter().collect(),
        };
        for project in foreign {
            queries.push(json!({
                "qid": format!("{number}-{project}"), "query": text, "type": sort, "haystack": project,
                "project": project, "date": ASKED,
            }));
        }
    }
    sets::write_lines(&out.join("queries.jsonl"), &queries)?;
    workspace::write(&out.join("qrels.tsv"), "")?;
    Ok(Set { name, title, folder: out.to_owned(), pooled: false })
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
