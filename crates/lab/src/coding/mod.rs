//! `cargo xtask coding`: a retrieval set of real coding sessions, made from public transcripts.
//! The text stays with the shared data; the repository contains only the code that makes the set.

mod clients;
mod gate;
mod pick;
mod score;
mod session;
mod set;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::failure::{Failure, Outcome};
use crate::{shared_data, workspace};
use session::{Claude, Session};
use set::{Body, Document, Question, Set};

pub(crate) fn run(options: &[&str]) -> Outcome {
    let data = shared_data::folder();
    let mut out = data.join("eval").join("coding");
    let (mut ranked, mut decided) = (None, None);
    let mut rest = options;
    while let [name, value, more @ ..] = rest {
        match *name {
            "--out" => out = PathBuf::from(value),
            "--stale" => ranked = Some(PathBuf::from(value)),
            "--gate" => decided = Some(PathBuf::from(value)),
            other => return Err(Failure::new(format!("unknown option `{other}` of coding"))),
        }
        rest = more;
    }
    if let [odd] = rest {
        return Err(Failure::new(format!("`{odd}` needs a value")));
    }
    if ranked.is_some() || decided.is_some() {
        ranked.iter().try_for_each(|run| score::stale(&out, run))?;
        return decided.iter().try_for_each(|run| score::gate(&out, run));
    }
    let public = data.join("transcripts").join("public");
    let mut sessions = sessions(&public);
    let more = data.join("eval").join(MORE).join("docs.jsonl");
    if let Ok(text) = fs::read_to_string(&more) {
        let known: BTreeSet<String> = sessions.iter().map(|session| session.id.clone()).collect();
        let new = clients::neutral(&text).into_iter().filter(|session| !known.contains(&session.id));
        sessions.extend(new.map(|session| Session { project: MORE_OF.to_owned(), ..session }));
        tidy(&mut sessions);
    } else {
        println!("without {}: a smaller and easier set than the documented one", more.display());
    }
    if sessions.is_empty() {
        let text = "no transcripts in {}: unpack the shared data there, or set HARK_DATA";
        return Err(Failure::new(text.replace("{}", &public.display().to_string())));
    }
    let set = set::build(&sessions);
    let pairs = gate::pairs(&sessions, &set.questions);
    write(&out, &set, &pairs)?;
    report(&out, &set, &pairs);
    Ok(())
}

/// More sessions of one of the projects, in the neutral format, without their commands.
const MORE: &str = "codemem_entire";
const MORE_OF: &str = "entireio__cli";

/// Fewer turns or less text than this is a parser fixture, not a session.
const LEAST_TURNS: usize = 4;
const LEAST_TEXT: usize = 600;

/// Sessions as clients wrote them. Only folders that state where they are from are read.
fn sessions(public: &Path) -> Vec<Session> {
    let mut found: Vec<Session> = Vec::new();
    for client in ["claude-code", "codex", "gemini-cli"] {
        for folder in folders(&public.join(client)) {
            if !folder.join("ORIGIN.md").is_file() {
                continue;
            }
            let project = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let texts = |extension| {
                let files = workspace::files_below(&folder, extension).into_iter();
                files.filter_map(|file| fs::read(file).ok()).map(|b| String::from_utf8_lossy(&b).into_owned())
            };
            let mut here: Vec<Session> = match client {
                "claude-code" => {
                    let mut claude = Claude::default();
                    texts("jsonl").for_each(|text| claude.read(&text));
                    let named = claude.sessions.into_iter();
                    named.map(|(id, session)| Session { id, ..session }).collect()
                }
                "codex" => texts("jsonl").filter_map(|text| clients::codex(&text)).collect(),
                _ => texts("json").filter_map(|text| clients::gemini(&text)).collect(),
            };
            here.iter_mut().for_each(|session| session.project.clone_from(&project));
            found.extend(here);
        }
    }
    tidy(&mut found);
    found
}

/// In order of time, each once, only those worth asking about.
fn tidy(found: &mut Vec<Session>) {
    found.retain(|session| {
        let length: usize = session.said().map(|(_, text)| text.len()).sum();
        session.said().count() >= LEAST_TURNS && length >= LEAST_TEXT && !session.ended.is_empty()
    });
    found.sort_by(|a, b| (&a.began, &a.id).cmp(&(&b.began, &b.id)));
    found.dedup_by(|a, b| a.id == b.id);
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn write(out: &Path, set: &Set, pairs: &[gate::Pair]) -> Outcome {
    workspace::write(&out.join("docs.jsonl"), &lines(set.documents.iter().map(document)))?;
    workspace::write(&out.join("queries.jsonl"), &lines(set.questions.iter().map(query)))?;
    workspace::write(&out.join("pairs.jsonl"), &lines(pairs.iter().map(gate::Pair::json)))?;
    let mut projects: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for document in &set.documents {
        let straw = json!({"id": document.id, "date": document.date});
        projects.entry(&document.project).or_default().push(straw);
    }
    let haystacks = projects.iter().map(|(name, docs)| json!({"haystack": name, "docs": docs}));
    // Questions name no haystack, so they search the pool of all projects; only the gate's prompts do.
    workspace::write(&out.join("haystacks.jsonl"), &lines(haystacks))?;
    let table = |ids: fn(&Question) -> &[String], end: &str| -> String {
        let rows =
            set.questions.iter().flat_map(|q| ids(q).iter().map(|id| format!("{}\t{id}{end}\n", q.qid)));
        rows.collect()
    };
    workspace::write(&out.join("qrels.tsv"), &table(|question| &question.gold, "\t1"))?;
    workspace::write(&out.join("stale.tsv"), &table(|question| &question.stale, ""))
}

fn lines(values: impl Iterator<Item = Value>) -> String {
    values.map(|value| format!("{value}\n")).collect()
}

fn document(document: &Document) -> Value {
    match &document.body {
        Body::Turns(turns) => {
            let turn = |(role, text): &(session::Role, String)| json!({"role": role.name(), "content": text});
            let turns: Vec<Value> = turns.iter().map(turn).collect();
            json!({"id": document.id, "date": document.date, "turns": turns, "files": document.files})
        }
        Body::Fact { session, text } => {
            json!({"id": document.id, "date": document.date, "session": session, "text": text})
        }
    }
}

fn query(question: &Question) -> Value {
    json!({"qid": question.qid, "query": question.query, "type": question.kind.name(), "date": question.date,
        "project": question.project})
}

fn report(out: &Path, set: &Set, pairs: &[gate::Pair]) {
    let facts = set.documents.iter().filter(|document| matches!(document.body, Body::Fact { .. })).count();
    println!("{}", out.display());
    println!(
        "  documents      {:>5}  ({} sessions, {facts} facts)",
        set.documents.len(),
        set.documents.len() - facts
    );
    println!("  queries        {:>5}", set.questions.len());
    let mut kinds: BTreeMap<pick::Kind, usize> = BTreeMap::new();
    set.questions.iter().for_each(|question| *kinds.entry(question.kind).or_insert(0) += 1);
    kinds.iter().for_each(|(kind, count)| println!("    {:<13}{count:>4}", kind.name()));
    let silent = pairs.iter().filter(|pair| pair.gold.is_empty()).count();
    println!("  pairs          {:>5}  ({} inject, {silent} silent)", pairs.len(), pairs.len() - silent);
    set.dropped.iter().for_each(|(why, count)| println!("  dropped        {count:>5}  {why}"));
}
