//! The retrieval sets: which there are, and their files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::score::{Gold, Run};
use crate::failure::{Failure, Outcome};
use crate::workspace;

/// A set as it is run. One folder can be run in two ways.
#[derive(Debug, Clone)]
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) folder: PathBuf,
    /// Every question is asked of all documents, regardless of their owner.
    pub(crate) pooled: bool,
}

/// Name, folder below `eval/`, whether as one pool, and what it is.
const SETS: &[(&str, &str, bool, &str)] = &[
    ("lme_s", "lme_s", false, "LongMemEval-S, each question with its own history"),
    ("lme_s_pool", "lme_s", true, "LongMemEval-S, all histories in one pool"),
    ("locomo", "locomo", false, "LoCoMo, turns"),
    ("codemem_entire", "codemem_entire", false, "codemem_entire, real coding sessions"),
    ("cosqa", "cosqa", false, "CoSQA, questions about Python functions"),
    (OWN, OWN, false, "coding, decisions, fixes and commands of real sessions"),
];

/// The one that is made from public sessions by ourselves.
pub(crate) const OWN: &str = "coding";

/// Those that are in the data folder.
pub(crate) fn present(data: &Path) -> Vec<Set> {
    let set = |&(name, folder, pooled, title): &(&'static str, &str, bool, &'static str)| Set {
        name,
        title,
        folder: data.join("eval").join(folder),
        pooled,
    };
    SETS.iter().map(set).filter(|set| set.path("docs.jsonl").is_file()).collect()
}

impl Set {
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    pub(crate) fn haystacks(&self) -> Option<PathBuf> {
        Some(self.path("haystacks.jsonl")).filter(|path| path.is_file())
    }

    pub(crate) fn queries(&self) -> Outcome<Vec<Query>> {
        let mut queries: Vec<Query> =
            lines(&self.path("queries.jsonl"))?.into_iter().map(Query::from).collect();
        if self.pooled {
            for query in &mut queries {
                query.haystack = None;
                query.record.as_object_mut().map(|record| record.remove("haystack"));
            }
        }
        Ok(queries)
    }

    pub(crate) fn gold(&self) -> Outcome<Gold> {
        let path = self.path("qrels.tsv");
        let mut gold = Gold::new();
        for line in workspace::read(&path)?.lines().filter(|line| !line.trim().is_empty()) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [query, document, relevance] = fields[..] else {
                return Err(Failure::new(format!("{}: `{line}` does not have three fields", path.display())));
            };
            if relevance.trim().parse::<i64>().is_ok_and(|relevance| relevance > 0) {
                gold.entry(query.to_owned()).or_default().insert(document.to_owned());
            }
        }
        Ok(gold)
    }

    /// Ids and whole texts: what is said, by whomever, and the files it is about.
    pub(crate) fn documents(&self) -> Outcome<Vec<(String, String)>> {
        let document = |record: Value| {
            let mut text = string(&record, "text");
            for turn in record["turns"].as_array().into_iter().flatten() {
                text += turn["content"].as_str().unwrap_or_default();
                text.push('\n');
            }
            for file in record["files"].as_array().into_iter().flatten() {
                text.push('\n');
                text += file.as_str().unwrap_or_default();
            }
            (string(&record, "id"), text)
        };
        Ok(lines(&self.path("docs.jsonl"))?.into_iter().map(document).collect())
    }

    /// The ids of the documents in each haystack.
    pub(crate) fn straws(&self) -> Outcome<HashMap<String, Vec<String>>> {
        let Some(path) = self.haystacks() else { return Ok(HashMap::new()) };
        let straws = |record: Value| {
            let ids = record["docs"].as_array().into_iter().flatten().map(|straw| string(straw, "id"));
            (string(&record, "haystack"), ids.collect())
        };
        Ok(lines(&path)?.into_iter().map(straws).collect())
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Query {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) sort: String,
    pub(crate) haystack: Option<String>,
    /// There is no answer, on purpose.
    pub(crate) abstention: bool,
    /// As the file has it, but for what `pooled` takes away.
    pub(crate) record: Value,
}

impl From<Value> for Query {
    fn from(record: Value) -> Self {
        Query {
            id: string(&record, "qid"),
            text: string(&record, "query"),
            sort: string(&record, "type"),
            haystack: record["haystack"].as_str().map(str::to_owned),
            abstention: record["abstention"] == true,
            record,
        }
    }
}

/// A run file: which documents each question found, best first.
pub(crate) fn run(path: &Path) -> Outcome<Run> {
    let line = |record: Value| {
        let ranked = record["ranked"].as_array().into_iter().flatten();
        let certain = record["certainty"].get(0).is_some_and(|first| first != "perhaps");
        (string(&record, "qid"), ranked.filter_map(Value::as_str).map(str::to_owned).collect(), certain)
    };
    Ok(lines(path)?.into_iter().map(line).collect())
}

pub(crate) fn lines(path: &Path) -> Outcome<Vec<Value>> {
    let text = workspace::read(path)?;
    let records = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let record = |(at, line)| {
        serde_json::from_str(line)
            .map_err(|e| Failure::new(format!("{} line {}: {e}", path.display(), at + 1)))
    };
    records.map(record).collect()
}

pub(crate) fn write_lines<'a>(path: &Path, records: impl IntoIterator<Item = &'a Value>) -> Outcome {
    let text: String = records.into_iter().map(|record| format!("{record}\n")).collect();
    workspace::write(path, &text)
}

pub(crate) fn string(record: &Value, key: &str) -> String {
    record[key].as_str().unwrap_or_default().to_owned()
}
