//! What weights find, in rows of a table.

use super::Learned;
use crate::eval::score::{Run, Score, Scores};

pub(super) fn head() {
    println!(
        "| set | learned from | questions | any@1 | any@3 | any@5 | any@8 | nothing | more than perhaps |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
}

pub(super) fn rows(one: &Learned, from: &str, run: &Run) {
    let scores = Scores::of(&one.queries, &one.gold, run);
    let types: Vec<&str> = {
        let mut types: Vec<&str> = one.queries.iter().map(|query| query.sort.as_str()).collect();
        types.sort_unstable();
        types.dedup();
        types
    };
    row(one, from, run, None, &scores.all);
    if one.projects.is_empty() {
        return;
    }
    for sort in types {
        row(one, from, run, Some(sort), &scores.types.get(sort).copied().unwrap_or_default());
    }
}

fn row(one: &Learned, from: &str, run: &Run, sort: Option<&str>, score: &Score) {
    let asked: Vec<&str> = one
        .queries
        .iter()
        .filter(|query| !query.abstention && sort.is_none_or(|sort| query.sort == sort))
        .map(|query| query.id.as_str())
        .collect();
    let percent = |count: usize| format!("{:.1}", 100.0 * count as f64 / asked.len().max(1) as f64);
    let silent = asked.iter().filter(|id| run.get(id).is_none_or(Vec::is_empty)).count();
    let certain = asked.iter().filter(|id| run.certain(id)).count();
    let at = |k: &str| match score.questions {
        0 => "–".to_owned(),
        _ => format!("{:.1}", 100.0 * score.share(k).value()),
    };
    println!(
        "| {} {} | {from} | {} | {} | {} | {} | {} | {} | {} |",
        one.set.name,
        sort.unwrap_or(""),
        asked.len(),
        at("any@1"),
        at("any@3"),
        at("any@5"),
        at("any@8"),
        percent(silent),
        percent(certain),
    );
}
