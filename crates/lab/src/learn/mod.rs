//! Learns the judgement of candidates from several sets at once, and reports what it does on what it has not seen: each
//! project of notes by weights that were learned without it, and each set by weights that were learned without it.

mod evidence;
mod forest;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use hark_core::rank::judge::Judge;

use crate::eval::Asker;
use crate::eval::score::{Gold, Score};
use crate::eval::sets::{Query, Set};
use crate::failure::Outcome;
use crate::workspace;
use evidence::Asked;

/// What each set counts in all. One folder can be several sets, which then share it.
const WEIGHT: f64 = 300.0;
/// The sets that are learned from. Others only show what it does elsewhere.
const LEARNED_FROM: [&str; 9] = [
    "lme_s",
    "lme_s_pool",
    "locomo",
    "codemem_entire",
    "cosqa",
    "notes",
    "notes_asked",
    "open",
    "open_asked",
];
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
/// Where the weights in the binary are.
const INSIDE: &str = "crates/core/src/rank/judge.weights";

struct Learned {
    set: Set,
    queries: Vec<Query>,
    gold: Gold,
    asked: Vec<Asked>,
    /// The project of each question, for sets of notes.
    projects: HashMap<String, String>,
}

impl Learned {
    /// Notes with and without phrases are the same notes.
    fn family(&self) -> &str {
        let name = self.set.name.trim_end_matches("_asked");
        name.trim_end_matches("_pool")
    }
}

pub(crate) fn run(asker: &Asker, sets: &[Set], reuse: bool, write: bool) -> Outcome {
    let mut learned = Vec::new();
    for set in sets.iter().filter(|set| LEARNED_FROM.contains(&set.name)) {
        let (queries, gold) = (set.queries()?, set.gold()?);
        let asked = evidence::read(&asker.evidence(set, reuse)?, &gold)?;
        let of = |query: &Query| Some((query.id.clone(), query.record["project"].as_str()?.to_owned()));
        let projects = queries.iter().filter_map(of).collect();
        println!("{}: {} questions", set.name, queries.len());
        learned.push(Learned { set: set.clone(), queries, gold, asked, projects });
    }
    let all = learn(&learned, |_, _| true);
    let path = asker.out.join("judge.weights");
    workspace::write(&path, &all.text())?;
    println!("| set | learned from | any@1 | any@3 | any@5 | any@8 |\n|---|---|---|---|---|---|");
    for one in &learned {
        report(one, "nothing", &asker.run_with(&one.set, Path::new("none"))?);
        report(one, "everything", &asker.run_with(&one.set, &path)?);
        report(one, "other sets", &unseen_set(asker, &learned, one)?);
        if !one.projects.is_empty() {
            report(one, "other projects", &unseen_projects(asker, &learned, one)?);
        }
    }
    if write {
        let head = "# Written by `cargo xtask eval --learn --write`; see docs/technical/recall-ranking.md.\n";
        workspace::write(&workspace::root().join(INSIDE), &format!("{head}{}", all.text()))?;
    }
    Ok(())
}

/// Learns from the questions that are wanted.
fn learn(learned: &[Learned], wanted: impl Fn(&Learned, &Asked) -> bool) -> Judge {
    let mut asked = Vec::new();
    for one in learned {
        let questions: Vec<&Asked> = one.asked.iter().filter(|asked| wanted(one, asked)).collect();
        let weight = WEIGHT / questions.len().max(1) as f64;
        asked.extend(questions.into_iter().map(|asked| (asked, weight)));
    }
    forest::learn(&asked, SEED)
}

fn weights(asker: &Asker, name: &str, judge: &Judge) -> Outcome<PathBuf> {
    let path = asker.out.join(format!("{name}.weights"));
    workspace::write(&path, &judge.text())?;
    Ok(path)
}

fn unseen_set(asker: &Asker, learned: &[Learned], one: &Learned) -> Outcome<crate::eval::score::Run> {
    let judge = learn(learned, |other, _| other.family() != one.family());
    asker.run_with(&one.set, &weights(asker, &format!("without_{}", one.family()), &judge)?)
}

/// Each project by weights that were learned without it. Questions to all projects are scored with all of theirs left
/// out, so they belong to none and are asked of the weights without the first.
fn unseen_projects(
    asker: &Asker,
    learned: &[Learned],
    one: &Learned,
) -> Outcome<crate::eval::score::Run> {
    let projects: BTreeSet<&String> = one.projects.values().collect();
    let mut run = crate::eval::score::Run::new();
    for project in projects {
        let judge = learn(learned, |other, asked| {
            other.family() != one.family() || other.projects.get(&asked.id).is_some_and(|of| of != project)
        });
        let path = weights(asker, &format!("without_{project}"), &judge)?;
        for (id, ranked) in asker.run_with(&one.set, &path)? {
            if one.projects.get(&id).is_none_or(|of| of == project) {
                run.entry(id).or_insert(ranked);
            }
        }
    }
    Ok(run)
}

fn report(one: &Learned, from: &str, run: &crate::eval::score::Run) {
    let scores = crate::eval::score::Scores::of(&one.queries, &one.gold, run);
    let row = |name: &str, score: &Score| {
        let at = |k: &str| format!("{:.1}", 100.0 * score.share(k).value());
        println!(
            "| {name} | {from} | {} | {} | {} | {} |",
            at("any@1"),
            at("any@3"),
            at("any@5"),
            at("any@8")
        );
    };
    row(one.set.name, &scores.all);
    if !one.projects.is_empty() {
        for (sort, score) in &scores.types {
            row(&format!("{} {sort}", one.set.name), score);
        }
    }
}
