//! The set that is in the repository: made-up memories of a few projects and questions about them,
//! which the tests use too. Few and easy beside the shared sets; there so that a clone can score
//! something.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::gate::Pairs;
use super::sets::{self, Set};
use crate::failure::Outcome;
use crate::workspace;

pub(super) const NAME: &str = "small";

/// Writes it into a folder in the format of the others.
pub(super) fn export(folder: &Path) -> Outcome<(Set, Pairs)> {
    let corpus = workspace::root().join("crates/testkit/corpus");
    let notes = sets::lines(&corpus.join("memories.jsonl"))?;
    let documents: Vec<Value> = notes.iter().map(document).collect();
    sets::write_lines(&folder.join("docs.jsonl"), &documents)?;

    let (mut queries, mut pairs, mut gold) = (Vec::new(), Vec::new(), String::new());
    for (number, question) in sets::lines(&corpus.join("queries.jsonl"))?.iter().enumerate() {
        let (id, text, expect) = (format!("q{number}"), &question["query"], &question["expect"]);
        queries.push(json!({ "qid": id, "query": text, "type": question["type"] }));
        let mut answers = 0;
        for key in expect.as_array().into_iter().flatten().filter_map(Value::as_str) {
            let _ = writeln!(gold, "{id}\t{key}\t1");
            answers += 1;
        }
        let wanted = if answers == 0 { "silent" } else { "inject" };
        pairs.push(json!({ "pid": id, "set": NAME, "prompt": text, "expect": wanted, "gold": expect }));
    }
    sets::write_lines(&folder.join("queries.jsonl"), &queries)?;
    workspace::write(&folder.join("qrels.tsv"), &gold)?;
    let title = "small, the made-up memories in this repository";
    Ok((Set { name: NAME, title, folder: folder.to_owned(), pooled: false }, Pairs::new(pairs)))
}

fn document(note: &Value) -> Value {
    let parts = ["title", "body", "why"].iter().filter_map(|key| note[*key].as_str());
    let text = parts.collect::<Vec<_>>().join("\n\n");
    json!({ "id": note["key"], "text": text, "files": note["files"].as_array().cloned().unwrap_or_default() })
}
