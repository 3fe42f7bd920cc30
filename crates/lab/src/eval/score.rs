//! How good a run is: the share of questions whose answer is among the first few documents.
//!
//! Counted as the sets' own scorer counts: questions without a known answer and those that have
//! none on purpose are left out, a question missing from the run scores 0, and of a document named
//! twice only the first place counts.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Value, json};

use super::sets::Query;
pub(crate) use crate::share::Share;

/// Sums over the questions of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Score {
    pub(crate) questions: usize,
    any_1: usize,
    any_3: usize,
    any_5: usize,
    any_8: usize,
    any_10: usize,
    all_5: usize,
    reciprocal_ranks: f64,
}

/// The figures of a table, in order.
pub(crate) const SHARES: &[&str] = &["any@1", "any@5", "any@10", "all@5"];

impl Score {
    fn add(&mut self, ranked: &[String], gold: &HashSet<String>) {
        let mut seen = HashSet::new();
        let distinct = ranked.iter().filter(|id| seen.insert(id.as_str()));
        let places: Vec<usize> =
            distinct.enumerate().filter(|(_, id)| gold.contains(*id)).map(|(place, _)| place).collect();
        let within = |k: usize| places.iter().filter(|&&place| place < k).count();
        self.questions += 1;
        self.any_1 += usize::from(within(1) > 0);
        self.any_3 += usize::from(within(3) > 0);
        self.any_5 += usize::from(within(5) > 0);
        self.any_8 += usize::from(within(8) > 0);
        self.any_10 += usize::from(within(10) > 0);
        self.all_5 += usize::from(within(5) == gold.len());
        self.reciprocal_ranks += places.first().map_or(0.0, |&place| 1.0 / (place + 1) as f64);
    }

    fn plus(&self, other: &Score) -> Score {
        Score {
            questions: self.questions + other.questions,
            any_1: self.any_1 + other.any_1,
            any_3: self.any_3 + other.any_3,
            any_5: self.any_5 + other.any_5,
            any_8: self.any_8 + other.any_8,
            any_10: self.any_10 + other.any_10,
            all_5: self.all_5 + other.all_5,
            reciprocal_ranks: self.reciprocal_ranks + other.reciprocal_ranks,
        }
    }

    pub(crate) fn share(&self, name: &str) -> Share {
        let hits = match name {
            "any@1" => self.any_1,
            "any@3" => self.any_3,
            "any@5" => self.any_5,
            "any@8" => self.any_8,
            "any@10" => self.any_10,
            _ => self.all_5,
        };
        Share { hits, of: self.questions }
    }

    pub(crate) fn mrr(&self) -> f64 {
        if self.questions == 0 { 0.0 } else { self.reciprocal_ranks / self.questions as f64 }
    }

    fn json(&self) -> Value {
        let mut object = json!({ "questions": self.questions, "mrr": self.mrr() });
        for name in SHARES {
            object[*name] = self.share(name).json();
        }
        object
    }
}

/// A run's score over all questions, and by their type.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Scores {
    pub(crate) all: Score,
    pub(crate) types: BTreeMap<String, Score>,
}

/// The documents that each question found, best first, and whether the first is more than perhaps right.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Run {
    found: HashMap<String, (Vec<String>, bool)>,
}

impl Run {
    pub(crate) fn get(&self, id: &str) -> Option<&Vec<String>> {
        self.found.get(id).map(|(ranked, _)| ranked)
    }

    pub(crate) fn insert(&mut self, id: String, ranked: Vec<String>) {
        self.found.insert(id, (ranked, true));
    }

    pub(crate) fn certain(&self, id: &str) -> bool {
        self.found.get(id).is_some_and(|(_, certain)| *certain)
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.found.retain(|id, _| keep(id));
    }

    /// Takes over what another run found for some questions.
    pub(crate) fn take(&mut self, other: Run, wanted: impl Fn(&str) -> bool) {
        self.found.extend(other.found.into_iter().filter(|(id, _)| wanted(id)));
    }
}

impl<T: Into<String>> FromIterator<(T, Vec<String>)> for Run {
    fn from_iter<I: IntoIterator<Item = (T, Vec<String>)>>(found: I) -> Self {
        found.into_iter().map(|(id, ranked)| (id, ranked, true)).collect()
    }
}

impl<T: Into<String>> FromIterator<(T, Vec<String>, bool)> for Run {
    fn from_iter<I: IntoIterator<Item = (T, Vec<String>, bool)>>(found: I) -> Self {
        let entry = |(id, ranked, certain): (T, Vec<String>, bool)| (id.into(), (ranked, certain));
        Run { found: found.into_iter().map(entry).collect() }
    }
}

pub(crate) type Gold = HashMap<String, HashSet<String>>;

impl Scores {
    pub(crate) fn of(queries: &[Query], gold: &Gold, run: &Run) -> Self {
        let mut scores = Scores::default();
        for query in queries.iter().filter(|query| !query.abstention) {
            let Some(gold) = gold.get(&query.id).filter(|gold| !gold.is_empty()) else { continue };
            let ranked = run.get(&query.id).map_or(&[][..], Vec::as_slice);
            scores.all.add(ranked, gold);
            scores.types.entry(query.sort.clone()).or_default().add(ranked, gold);
        }
        scores
    }

    /// Over the questions of all types but one.
    pub(crate) fn without(&self, sort: &str) -> Score {
        let others = self.types.iter().filter(|(name, _)| *name != sort);
        others.fold(Score::default(), |sum, (_, score)| sum.plus(score))
    }

    pub(crate) fn json(&self) -> Value {
        let types: serde_json::Map<String, Value> =
            self.types.iter().map(|(name, score)| (name.clone(), score.json())).collect();
        json!({ "all": self.all.json(), "types": types })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn score(ranked: &str, gold: &str) -> Score {
        let mut score = Score::default();
        score.add(&names(ranked), &names(gold).into_iter().collect());
        score
    }

    fn figures(score: &Score) -> Vec<usize> {
        SHARES.iter().map(|name| score.share(name).hits).collect()
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-4
    }

    #[test]
    fn one_question_is_scored_by_where_its_answers_are() {
        for (ranked, gold, expected, mrr) in [
            ("a b c", "a", [1, 1, 1, 1], 1.0),
            ("b c a", "a", [0, 1, 1, 1], 1.0 / 3.0),
            ("a b c d e f", "a f", [1, 1, 1, 0], 1.0),
            ("b c d e f a", "a", [0, 0, 1, 0], 1.0 / 6.0),
            ("b c d e f g h i j k a", "a", [0, 0, 0, 0], 1.0 / 11.0),
            ("b b b b b a", "a", [0, 1, 1, 1], 0.5),
            ("b c", "a", [0, 0, 0, 0], 0.0),
        ] {
            let score = score(ranked, gold);
            assert_eq!(figures(&score), expected, "{ranked} | {gold}");
            assert!(close(score.mrr(), mrr), "{ranked} | {gold}: {}", score.mrr());
        }
    }

    #[test]
    fn what_cannot_be_scored_is_left_out_and_what_is_missing_scores_nothing() {
        let query = |id: &str, sort: &str, abstention: bool| Query {
            id: id.to_owned(),
            sort: sort.to_owned(),
            abstention,
            ..Query::default()
        };
        let queries = [
            query("1", "x", false),
            query("2", "y", false),
            query("no gold", "x", false),
            query("4", "x", true),
        ];
        let gold: Gold =
            ["1", "2", "4"].map(|id| (id.to_owned(), HashSet::from(["a".to_owned()]))).into_iter().collect();
        let run: Run = [("1", names("b a")), ("4", names("a"))].into_iter().collect();
        let scores = Scores::of(&queries, &gold, &run);
        assert_eq!(scores.all.questions, 2);
        assert_eq!(figures(&scores.all), [0, 1, 1, 1]);
        assert!(close(scores.all.mrr(), 0.25));
        assert_eq!(scores.types["x"].share("any@5"), Share { hits: 1, of: 1 });
        assert_eq!(scores.types["y"].share("any@5"), Share { hits: 0, of: 1 });
        assert_eq!(scores.without("y"), scores.types["x"]);
    }
}
