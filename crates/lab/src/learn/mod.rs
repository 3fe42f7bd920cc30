//! Learns the judgement of candidates from several sets at once, and reports what it does on what it has not seen: each
//! project of notes by weights that were learned without it, and each set by weights that were learned without it.
//!
//! In two stages. The forest learns the order of candidates. Certainty and the order of notes on one subject are learned
//! from the lists that it makes of sets that it has not seen: on what it has learned, it is too sure of itself.

mod evidence;
mod forest;
mod logistic;
mod report;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use hark_core::rank::judge::{CERTAINTY, Judge, SUBJECT};

use crate::eval::score::{Gold, Run};
use crate::eval::sets::{Query, Set};
use crate::eval::{Asker, NOTHING, OPEN_NOTHING};
use crate::failure::Outcome;
use crate::workspace;
use evidence::{Asked, Lists};
use logistic::Example;

/// What each set counts in all.
const WEIGHT: f64 = 300.0;
/// The sets whose order is learned from.
const RANKED: [&str; 10] = [
    "lme_s",
    "lme_s_pool",
    "locomo",
    "codemem_entire",
    "cosqa",
    "notes",
    "notes_asked",
    "open",
    "open_asked",
    "amended",
];
/// The sets whose pairs on one subject are learned from. Chats and sessions teach what is not an amendment.
const PAIRED: [&str; 7] = ["notes", "open", "amended", "lme_s", "lme_s_pool", "locomo", "codemem_entire"];
/// What the pairs of each set count in all.
const PAIRS: f64 = 100.0;
/// The sets whose certainty is learned from. In chats and code everything is near everything, and the floor decides.
const CERTAIN: [&str; 7] = ["notes", "notes_asked", NOTHING, "open", "open_asked", OPEN_NOTHING, "amended"];
/// The hits of a question whose certainty is learned from.
const MARKED: usize = 3;
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
/// Where the weights in the binary are.
const INSIDE: &str = "crates/core/src/rank/judge.weights";

struct Learned {
    set: Set,
    queries: Vec<Query>,
    gold: Gold,
    /// Its candidates; nothing for sets without an answer.
    asked: Vec<Asked>,
    /// The lists that weights learned without this set make of it.
    lists: Vec<Lists>,
    /// The project of each question, for sets of notes.
    projects: HashMap<String, String>,
}

impl Learned {
    /// Sets of the same documents are seen or unseen together.
    fn family(&self) -> &'static str {
        match self.set.name {
            "lme_s_pool" => "lme_s",
            "notes_asked" | NOTHING => "notes",
            "open_asked" | OPEN_NOTHING => "open",
            name => name,
        }
    }

    fn is_of(&self, question: &str, project: &str) -> bool {
        self.projects.get(question).is_none_or(|of| of == project)
    }
}

/// Which questions are learned from.
type Wanted<'a> = &'a dyn Fn(&Learned, &str) -> bool;

pub(crate) fn run(asker: &Asker, sets: &[Set], reuse: bool, write: bool) -> Outcome {
    let mut learned = Vec::new();
    for set in sets {
        let is_ranked = RANKED.contains(&set.name);
        if !is_ranked && ![NOTHING, OPEN_NOTHING].contains(&set.name) {
            continue;
        }
        let (queries, gold) = (set.queries()?, set.gold()?);
        let asked = match is_ranked {
            true => evidence::candidates(&asker.evidence(set, None, reuse)?, &gold)?,
            false => Vec::new(),
        };
        let of = |query: &Query| Some((query.id.clone(), query.record["project"].as_str()?.to_owned()));
        let projects = queries.iter().filter_map(of).collect();
        println!("{}: {} questions", set.name, queries.len());
        learned.push(Learned { set: set.clone(), queries, gold, asked, lists: Vec::new(), projects });
    }
    let mut unseen: BTreeMap<&str, PathBuf> = BTreeMap::new();
    for family in learned.iter().map(Learned::family).collect::<BTreeSet<_>>() {
        let judge = Judge { trees: trees(&learned, &|one, _| one.family() != family), ..Judge::default() };
        unseen.insert(family, weights(asker, &format!("trees_without_{family}"), &judge)?);
    }
    for one in &mut learned {
        let path = asker.evidence(&one.set, unseen.get(one.family()).map(PathBuf::as_path), false)?;
        one.lists = evidence::lists(&path, &one.gold)?;
    }
    let all = judge(&learned, &|_, _| true);
    let path = weights(asker, "judge", &all)?;
    report::head();
    for one in &learned {
        report::rows(one, "nothing", &asker.run_with(&one.set, Path::new("none"))?);
        report::rows(one, "everything", &asker.run_with(&one.set, &path)?);
        let judge = judge(&learned, &|other, _| other.family() != one.family());
        let path = weights(asker, &format!("without_{}", one.family()), &judge)?;
        report::rows(one, "other sets", &asker.run_with(&one.set, &path)?);
        if one.family() == "notes" {
            report::rows(one, "other projects", &unseen_projects(asker, &learned, one)?);
        }
    }
    if write {
        let head = "# Written by `cargo xtask eval --learn --write`; see docs/technical/recall-ranking.md.\n";
        workspace::write(&workspace::root().join(INSIDE), &format!("{head}{}", all.text()))?;
    }
    Ok(())
}

/// Learns everything from the questions that are wanted.
fn judge(learned: &[Learned], wanted: Wanted<'_>) -> Judge {
    Judge {
        trees: trees(learned, wanted),
        certainty: logistic::fit(&marked(learned, wanted), CERTAINTY.len()),
        subject: logistic::fit(&paired(learned, wanted), SUBJECT.len()),
    }
}

fn trees(learned: &[Learned], wanted: Wanted<'_>) -> Vec<hark_core::rank::judge::Tree> {
    let mut asked = Vec::new();
    for one in learned {
        let questions: Vec<&Asked> = one.asked.iter().filter(|asked| wanted(one, &asked.id)).collect();
        let weight = WEIGHT / questions.len().max(1) as f64;
        asked.extend(questions.into_iter().map(|asked| (asked, weight)));
    }
    forest::learn(&asked, SEED).trees
}

/// Hits that answer their question and hits that do not.
fn marked(learned: &[Learned], wanted: Wanted<'_>) -> Vec<Example> {
    let mut examples = Vec::new();
    for one in learned.iter().filter(|one| CERTAIN.contains(&one.set.name)) {
        let lists: Vec<&Lists> = one.lists.iter().filter(|list| wanted(one, &list.id)).collect();
        let weight = WEIGHT / lists.len().max(1) as f64;
        for (values, holds) in lists.iter().flat_map(|list| list.hits.iter().take(MARKED)) {
            examples.push(Example { values: values.clone(), holds: *holds, weight });
        }
    }
    examples
}

/// Pairs of which one is right.
fn paired(learned: &[Learned], wanted: Wanted<'_>) -> Vec<Example> {
    let mut examples = Vec::new();
    for one in learned.iter().filter(|one| PAIRED.contains(&one.set.name)) {
        // A question about the past turns the order round.
        let is_about_now = |id: &str| !one.queries.iter().any(|q| q.id == id && q.sort == "history");
        let lists = one.lists.iter().filter(|list| wanted(one, &list.id) && is_about_now(&list.id));
        let pairs: Vec<&(Vec<f32>, bool)> = lists.flat_map(|list| &list.pairs).collect();
        let weight = PAIRS / pairs.len().max(1) as f64;
        for (values, newer_is_right) in pairs {
            examples.push(Example { values: values.clone(), holds: *newer_is_right, weight });
        }
    }
    examples
}

fn weights(asker: &Asker, name: &str, judge: &Judge) -> Outcome<PathBuf> {
    let path = asker.out.join(format!("{name}.weights"));
    workspace::write(&path, &judge.text())?;
    Ok(path)
}

/// Each project by weights that were learned without it. Questions that name no project are asked of weights that were
/// learned without any of them.
fn unseen_projects(asker: &Asker, learned: &[Learned], one: &Learned) -> Outcome<Run> {
    let projects: BTreeSet<&String> = one.projects.values().collect();
    let none = judge(learned, &|other, _| other.family() != one.family());
    let mut run = asker.run_with(&one.set, &weights(asker, "without_all", &none)?)?;
    run.retain(|id| !one.projects.contains_key(id));
    for project in projects {
        let judge = judge(learned, &|other, question| {
            other.family() != one.family() || !other.is_of(question, project)
        });
        let path = weights(asker, &format!("without_{project}"), &judge)?;
        let found = asker.run_with(&one.set, &path)?;
        run.take(found, |id| one.projects.get(id) == Some(project));
    }
    Ok(run)
}
