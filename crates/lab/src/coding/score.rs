//! What the common scorer does not count: stale below current, and the gate's two shares.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::failure::Outcome;
use crate::workspace;

fn records(path: &Path) -> Outcome<Vec<Value>> {
    Ok(workspace::read(path)?.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Of the questions with a stale answer: how often the current one comes before every stale one.
pub(super) fn stale(set: &Path, run: &Path) -> Outcome {
    let table = |name: &str| -> Outcome<BTreeMap<String, Vec<String>>> {
        let mut rows: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in workspace::read(&set.join(name))?.lines() {
            let mut cells = line.split('\t').map(str::to_owned);
            if let (Some(question), Some(document)) = (cells.next(), cells.next()) {
                rows.entry(question).or_default().push(document);
            }
        }
        Ok(rows)
    };
    let (gold, stale) = (table("qrels.tsv")?, table("stale.tsv")?);
    let runs = records(run)?;
    let (mut above, mut found) = (0, 0);
    for (question, old) in &stale {
        let ranked = runs.iter().find(|line| line["qid"] == **question).map(|line| strings(&line["ranked"]));
        let first = |ids: &[String]| {
            ranked
                .as_ref()
                .and_then(|ranked| ranked.iter().position(|id| ids.iter().any(|other| other == id)))
        };
        let current = gold.get(question).and_then(|ids| first(ids));
        found += usize::from(current.is_some());
        above += usize::from(current.is_some_and(|at| first(old).is_none_or(|old| at < old)));
    }
    println!(
        "stale: {} questions, current found {found}, current above every stale one {above}",
        stale.len()
    );
    Ok(())
}

/// Per reason: how many prompts got something injected, and how many of those something right.
pub(super) fn gate(set: &Path, run: &Path) -> Outcome {
    let decisions: BTreeMap<String, Value> = records(run)?
        .into_iter()
        .map(|line| (line["pid"].as_str().unwrap_or_default().to_owned(), line))
        .collect();
    let mut rows: BTreeMap<(String, String), [usize; 3]> = BTreeMap::new();
    for pair in records(&set.join("pairs.jsonl"))? {
        let text = |key: &str| pair[key].as_str().unwrap_or_default().to_owned();
        let decision = decisions.get(&text("pid")).unwrap_or(&Value::Null);
        let injected = decision["inject"] == true;
        let gold = strings(&pair["gold"]);
        let right = injected && strings(&decision["ids"]).iter().any(|id| gold.contains(id));
        for why in [text("why"), "all".to_owned()] {
            let row = rows.entry((text("expect"), why)).or_default();
            row[0] += 1;
            row[1] += usize::from(injected);
            row[2] += usize::from(right);
        }
    }
    for ((expect, why), [all, injected, right]) in rows {
        println!(
            "gate: {expect:<7}{why:<24}{all:>4} prompts, {injected:>4} injected, {right:>4} with a gold document"
        );
    }
    Ok(())
}
