//! Whether the product speaks only when it has something to say.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use serde_json::{Value, json};

use super::score::Share;
use super::sets::{self, string};
use crate::failure::Outcome;
use crate::workspace;

/// Prompts by the set whose documents they are asked of.
#[derive(Default)]
pub(super) struct Pairs(BTreeMap<String, Vec<Value>>);

impl Pairs {
    pub(super) fn new(records: Vec<Value>) -> Self {
        let mut pairs = Pairs::default();
        pairs.add(records);
        pairs
    }

    /// The pairs of all sets are in one file; a set of our own may bring its own.
    pub(super) fn read(data: &Path) -> Outcome<Self> {
        let mut pairs = Pairs::default();
        for path in ["eval/gate/pairs.jsonl", "eval/coding/pairs.jsonl"] {
            let path = data.join(path);
            if path.is_file() {
                pairs.add(sets::lines(&path)?);
            }
        }
        let notes = data.join("notes");
        if notes.join("negatives.jsonl").is_file() {
            pairs.add(of_notes(&notes)?);
        }
        Ok(pairs)
    }

    fn add(&mut self, records: Vec<Value>) {
        for record in records {
            self.0.entry(string(&record, "set")).or_default().push(record);
        }
    }

    pub(super) fn of(&self, set: &str) -> Option<&[Value]> {
        self.0.get(set).map(Vec::as_slice)
    }
}

/// Requests that a note of their project is about, and prompts that no note is about.
fn of_notes(folder: &Path) -> Outcome<Vec<Value>> {
    let mut gold: HashMap<String, Vec<String>> = HashMap::new();
    for line in workspace::read(&folder.join("qrels.tsv"))?.lines() {
        let mut parts = line.split('\t');
        if let (Some(question), Some(document)) = (parts.next(), parts.next()) {
            gold.entry(question.to_owned()).or_default().push(document.to_owned());
        }
    }
    let record = |id: String, prompt: String, project: &Value, right: Option<&Vec<String>>| {
        json!({
            "pid": id, "set": "notes", "prompt": prompt, "haystack": project, "project": project,
            "date": super::notes::ASKED, "gold": right,
            "expect": if right.is_some() { "inject" } else { "silent" },
        })
    };
    let mut found = Vec::new();
    for query in sets::lines(&folder.join("queries.jsonl"))? {
        let id = string(&query, "qid");
        if query["type"] == "prompt" && query["project"].is_string() {
            found.push(record(id.clone(), string(&query, "query"), &query["project"], gold.get(&id)));
        }
    }
    for (number, negative) in sets::lines(&folder.join("negatives.jsonl"))?.iter().enumerate() {
        if negative["project"].is_string() {
            found.push(record(format!("n{number}"), string(negative, "prompt"), &negative["project"], None));
        }
    }
    Ok(found)
}

/// Both ways to be wrong: speaking for nothing, and not saying what is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GateScore {
    /// Of the prompts that nothing is known about, those that got something.
    pub(super) noise: Share,
    /// Of the others, those that got a right document.
    pub(super) kept: Share,
}

impl GateScore {
    pub(super) fn of(pairs: &[Value], decisions: &[Value]) -> Self {
        let decisions: HashMap<&str, &Value> =
            decisions.iter().filter_map(|d| Some((d["pid"].as_str()?, d))).collect();
        let (mut noise, mut kept) = (Share { hits: 0, of: 0 }, Share { hits: 0, of: 0 });
        for pair in pairs {
            let decision = decisions.get(pair["pid"].as_str().unwrap_or_default());
            let injected: HashSet<&str> = decision
                .filter(|decision| decision["inject"] == true)
                .and_then(|decision| decision["ids"].as_array())
                .map(|ids| ids.iter().filter_map(Value::as_str).collect())
                .unwrap_or_default();
            let spoke = decision.is_some_and(|decision| decision["inject"] == true);
            if pair["expect"] == "silent" {
                noise.of += 1;
                noise.hits += usize::from(spoke);
            } else {
                let mut gold = pair["gold"].as_array().into_iter().flatten().filter_map(Value::as_str);
                kept.of += 1;
                kept.hits += usize::from(gold.any(|id| injected.contains(id)));
            }
        }
        GateScore { noise, kept }
    }

    pub(super) fn sum<'a>(scores: impl IntoIterator<Item = &'a GateScore>) -> GateScore {
        let none = Share { hits: 0, of: 0 };
        scores.into_iter().fold(GateScore { noise: none, kept: none }, |sum, score| GateScore {
            noise: sum.noise.plus(score.noise),
            kept: sum.kept.plus(score.kept),
        })
    }

    pub(super) fn json(&self) -> Value {
        json!({ "silent_injected": self.noise.json(), "inject_with_gold": self.kept.json() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_and_kept_hits_are_counted_apart() {
        let pairs = [
            json!({ "pid": "1", "expect": "silent", "gold": [] }),
            json!({ "pid": "2", "expect": "silent", "gold": [] }),
            json!({ "pid": "3", "expect": "inject", "gold": ["a", "b"] }),
            json!({ "pid": "4", "expect": "inject", "gold": ["a"] }),
            json!({ "pid": "5", "expect": "inject", "gold": ["a"] }),
            json!({ "pid": "missing", "expect": "inject", "gold": ["a"] }),
        ];
        let decisions = [
            json!({ "pid": "1", "inject": true, "ids": ["x"] }),
            json!({ "pid": "2", "inject": false, "ids": ["x"] }),
            json!({ "pid": "3", "inject": true, "ids": ["x", "b"] }),
            json!({ "pid": "4", "inject": true, "ids": ["x"] }),
            json!({ "pid": "5", "inject": false, "ids": ["a"] }),
        ];
        let score = GateScore::of(&pairs, &decisions);
        assert_eq!(score.noise, Share { hits: 1, of: 2 });
        assert_eq!(score.kept, Share { hits: 1, of: 4 });
        assert_eq!(GateScore::sum([&score, &score]).kept, Share { hits: 2, of: 8 });
    }
}
