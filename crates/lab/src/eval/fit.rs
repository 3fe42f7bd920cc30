//! Fits the gate's model again on what `hark eval gate --explain` measured for each hit, and reports what it would do
//! on prompts that it has not seen. With `--write` the numbers go to `core/src/rank/calibration.rs`.

use hark_core::rank::calibration::{self, Gate};
use serde_json::Value;

use crate::share::Share;

/// How many hits are considered and told, as in `gate.rs`.
const CONSIDERED: usize = 8;
const MOST: usize = 3;
const COMPANION: f64 = calibration::COMPANION as f64;
/// The constant is printed for this threshold.
const THRESHOLD: f64 = calibration::THRESHOLD as f64;
/// Added and not fitted.
const NAMED: f64 = calibration::NAMED as f64;
const VAGUE: f64 = calibration::VAGUE as f64;
/// The share of prompts that nothing is known about and that may be answered among those fitted on. On others it is more:
/// this keeps what is promised, one in twenty, there.
const NOISE: f64 = 0.03;
const FOLDS: usize = 10;
/// Keeps a measure that says little from being believed much.
const RIDGE: f64 = 0.1;

/// How often those hits that decide are looked for anew, with what was learned from the ones before.
const ROUNDS: usize = 6;

const NAMES: [&str; 11] = [
    "constant",
    "whole_share",
    "together",
    "cosine",
    "matched",
    "crowd",
    "about_self",
    "said of self",
    "score",
    "encoder",
    "standing_out",
];
type Weights = [f64; NAMES.len()];

struct Hit {
    measures: Weights,
    offset: f64,
    is_gold: bool,
}

/// One prompt with what was found for it.
pub(super) struct Judged {
    set: &'static str,
    /// Nothing is known about it.
    is_silent: bool,
    hits: Vec<Hit>,
    fold: usize,
}

/// Joins prompts with decisions that were explained.
pub(super) fn judged(set: &'static str, pairs: &[Value], decisions: &[Value]) -> Vec<Judged> {
    let of = |pid: &Value| decisions.iter().find(|decision| decision["pid"] == *pid);
    let judge = |(at, pair): (usize, &Value)| {
        let gold: Vec<&Value> = pair["gold"].as_array().into_iter().flatten().collect();
        let hits = of(&pair["pid"]).and_then(|decision| decision["hits"].as_array());
        let hits = hits.into_iter().flatten().take(CONSIDERED).map(|hit| Hit::read(hit, &gold)).collect();
        Judged { set, is_silent: pair["expect"] == "silent", hits, fold: fold(pair, at) }
    };
    pairs.iter().enumerate().map(judge).collect()
}

/// Notes of one project are seen or unseen together.
fn fold(pair: &Value, at: usize) -> usize {
    match pair["project"].as_str() {
        Some(project) => project.bytes().map(usize::from).sum::<usize>() % FOLDS,
        None => at % FOLDS,
    }
}

impl Hit {
    fn read(hit: &Value, gold: &[&Value]) -> Hit {
        let number = |name: &str| hit[name].as_f64().unwrap_or_default();
        let named = hit["named"] == true;
        let offset = match () {
            () if named => NAMED,
            () if number("terms") < 3.0 && hit["about_self"] != true => VAGUE,
            () => 0.0,
        };
        // In notes, "I" and "we" say nothing about who a prompt is about.
        let is_long = hit["is_long"] == true;
        let about_self = f64::from(u8::from(hit["about_self"] == true && is_long));
        let crowd = number("in_scope").max(10.0).log10();
        let crowd = if is_long { crowd } else { crowd.min(f64::from(calibration::CROWD)) };
        let measures = [
            1.0,
            number("whole_share"),
            number("together"),
            number("cosine"),
            number("matched").min(6.0) / 6.0,
            crowd,
            about_self,
            about_self * number("said"),
            number("score"),
            number("encoder"),
            number("standing_out") / 4.0,
        ];
        Hit { measures, offset, is_gold: gold.contains(&&hit["id"]) }
    }

    fn evidence(&self, weights: &Weights) -> f64 {
        self.measures.iter().zip(weights).map(|(a, b)| a * b).sum::<f64>() + self.offset
    }

    fn probability(&self, weights: &Weights) -> f64 {
        1.0 / (1.0 + (-self.evidence(weights)).exp())
    }
}

/// What is told apart: the likeliest right hit of a prompt that something is known about, and the likeliest hit of one that
/// nothing is known about, for these decide. Both kinds count the same in all.
fn samples<'p>(prompts: &[&'p Judged], weights: &Weights) -> Vec<(&'p Hit, f64)> {
    let likeliest = |prompt: &'p Judged| {
        let may_decide = |hit: &&Hit| prompt.is_silent || hit.is_gold;
        let by_likelihood = |a: &&Hit, b: &&Hit| a.evidence(weights).total_cmp(&b.evidence(weights));
        prompt.hits.iter().filter(may_decide).max_by(by_likelihood)
    };
    let found: Vec<&Hit> = prompts.iter().filter_map(|prompt| likeliest(prompt)).collect();
    let right = found.iter().filter(|hit| hit.is_gold).count().max(1) as f64;
    let wrong = found.iter().filter(|hit| !hit.is_gold).count().max(1) as f64;
    found.into_iter().map(|hit| (hit, 300.0 / if hit.is_gold { right } else { wrong })).collect()
}

/// Logistic regression by Newton's method, again and again for the hits that decide.
fn fit(prompts: &[&Judged]) -> Weights {
    let mut weights = [0.0; NAMES.len()];
    // To begin with, nearness decides.
    weights[3] = 1.0;
    for _ in 0..ROUNDS {
        weights = regression(&samples(prompts, &weights));
    }
    weights
}

fn regression(samples: &[(&Hit, f64)]) -> Weights {
    let mut weights = [0.0; NAMES.len()];
    for _ in 0..30 {
        let mut gradient = weights.map(|w| -RIDGE * w);
        let mut curvature = [[0.0; NAMES.len()]; NAMES.len()];
        for (at, row) in curvature.iter_mut().enumerate() {
            row[at] = RIDGE;
        }
        for (hit, weight) in samples {
            let p = hit.probability(&weights);
            let error = f64::from(u8::from(hit.is_gold)) - p;
            for (i, a) in hit.measures.iter().enumerate() {
                gradient[i] += weight * error * a;
                for (j, b) in hit.measures.iter().enumerate() {
                    curvature[i][j] += weight * p * (1.0 - p) * a * b;
                }
            }
        }
        for (w, step) in weights.iter_mut().zip(solve(curvature, gradient)) {
            *w += step;
        }
    }
    weights
}

/// Gaussian elimination; the matrix is positive definite.
fn solve(mut matrix: [Weights; NAMES.len()], mut right: Weights) -> Weights {
    for i in 0..right.len() {
        for k in i + 1..right.len() {
            let factor = matrix[k][i] / matrix[i][i];
            let row = matrix[i];
            for (value, above) in matrix[k].iter_mut().zip(row) {
                *value -= factor * above;
            }
            right[k] -= factor * right[i];
        }
    }
    for i in (0..right.len()).rev() {
        let known: f64 = (i + 1..right.len()).map(|j| matrix[i][j] * right[j]).sum();
        right[i] = (right[i] - known) / matrix[i][i];
    }
    right
}

fn best(prompt: &Judged, weights: &Weights) -> f64 {
    prompt.hits.iter().map(|hit| hit.probability(weights)).fold(0.0, f64::max)
}

/// The least threshold at which no more prompts than promised are answered for nothing.
fn threshold(prompts: &[&Judged], weights: &Weights) -> f64 {
    let mut noise: Vec<f64> = prompts.iter().filter(|p| p.is_silent).map(|p| best(p, weights)).collect();
    noise.sort_by(|a, b| b.total_cmp(a));
    let allowed = (noise.len() as f64 * NOISE) as usize;
    noise.get(allowed).map_or(0.0, |p| p + 1e-6)
}

/// The hits that a prompt would get, as `gate.rs` chooses them.
fn told<'p>(prompt: &'p Judged, weights: &Weights, threshold: f64) -> Vec<&'p Hit> {
    let odds = |p: f64| p / (1.0 - p).max(f64::EPSILON);
    let least = COMPANION * odds(best(prompt, weights));
    let comes_along = |hit: &&Hit| {
        let p = hit.probability(weights);
        p >= threshold && odds(p) >= least
    };
    let mut told: Vec<&Hit> = prompt.hits.iter().filter(comes_along).collect();
    told.sort_by(|a, b| b.probability(weights).total_cmp(&a.probability(weights)));
    told.truncate(MOST);
    told
}

/// Answered for nothing, and answered with a right document.
fn outcome<'p>(
    prompts: impl Iterator<Item = &'p Judged>,
    weights: &Weights,
    threshold: f64,
) -> (Share, Share) {
    let (mut noise, mut kept) = (Share { hits: 0, of: 0 }, Share { hits: 0, of: 0 });
    for prompt in prompts {
        let speaks = best(prompt, weights) >= threshold;
        if prompt.is_silent {
            noise = noise.plus(Share { hits: usize::from(speaks), of: 1 });
        } else {
            let right = told(prompt, weights, threshold).iter().any(|hit| hit.is_gold);
            kept = kept.plus(Share { hits: usize::from(speaks && right), of: 1 });
        }
    }
    (noise, kept)
}

/// The weights with a constant that makes `THRESHOLD` the right threshold.
fn shown(weights: &Weights, least: f64) -> Weights {
    let odds = |p: f64| (p / (1.0 - p)).ln();
    let mut shown = *weights;
    shown[0] += odds(THRESHOLD) - odds(least);
    shown
}

/// The gate, fitted on all prompts.
pub(super) fn gate(prompts: &[Judged]) -> Gate {
    let all: Vec<&Judged> = prompts.iter().collect();
    let weights = fit(&all);
    let shown = shown(&weights, threshold(&all, &weights)).map(|weight| weight as f32);
    let [constant, whole_share, together, cosine, matched, crowd, ..] = shown;
    let [.., about_self, said_of_self, score, encoder, standing_out] = shown;
    Gate {
        constant,
        whole_share,
        together,
        cosine,
        matched,
        crowd,
        about_self,
        said_of_self,
        score,
        encoder,
        standing_out,
    }
}

/// The fitted numbers, and what they are worth.
pub(super) fn report(prompts: &[Judged]) -> String {
    let all: Vec<&Judged> = prompts.iter().collect();
    let weights = fit(&all);
    let least = threshold(&all, &weights);
    let shown = shown(&weights, least);
    let mut lines = vec![format!("the gate, fitted on all prompts, for a threshold of {THRESHOLD}:")];
    lines.extend(NAMES.iter().zip(shown).map(|(name, weight)| format!("  {name:12} {weight:7.2}")));
    let mut say = |what: String, (noise, kept): (Share, Share)| {
        let [noise, kept] = [noise, kept].map(|share| 100.0 * share.value());
        lines.push(format!("{what}: {noise:.1} % for nothing, {kept:.1} % with a right document"));
    };
    say("on the prompts it was fitted on".to_owned(), outcome(prompts.iter(), &weights, least));

    let none = Share { hits: 0, of: 0 };
    let mut unseen = (none, none);
    for fold in 0..FOLDS {
        let seen: Vec<&Judged> = all.iter().copied().filter(|p| p.fold != fold).collect();
        let weights = fit(&seen);
        let held_out = prompts.iter().filter(|p| p.fold == fold);
        let (noise, kept) = outcome(held_out, &weights, threshold(&seen, &weights));
        unseen = (unseen.0.plus(noise), unseen.1.plus(kept));
    }
    say("each part, fitted on the others".to_owned(), unseen);

    let mut sets: Vec<&'static str> = prompts.iter().map(|p| p.set).collect();
    sets.dedup();
    for set in sets {
        say(format!("of which {set}"), outcome(prompts.iter().filter(|p| p.set == set), &weights, least));
        let others: Vec<&Judged> = all.iter().copied().filter(|p| p.set != set).collect();
        if others.is_empty() {
            continue;
        }
        let elsewhere = fit(&others);
        let least = threshold(&others, &elsewhere);
        let there = prompts.iter().filter(|p| p.set == set);
        say(format!("{set}, fitted on the others alone"), outcome(there, &elsewhere, least));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Prompts whose hits are right when they are near, and mostly wrong otherwise.
    fn prompts() -> Vec<Judged> {
        let is_silent = |n: usize| n.is_multiple_of(2);
        let pair = |n: usize| {
            let expect = if is_silent(n) { "silent" } else { "inject" };
            json!({ "pid": n, "expect": expect, "gold": ["a"] })
        };
        let hit = |n: usize| {
            let (id, lift) = if is_silent(n) { ("x", 0.0) } else { ("a", 0.25) };
            let near = 0.3 + 0.02 * ((n * 7) % 10) as f64 + lift;
            json!({ "pid": n, "hits": [{ "id": id, "cosine": near, "terms": 5, "in_scope": 100 }] })
        };
        let (pairs, hits): (Vec<Value>, Vec<Value>) = (0..200).map(|n| (pair(n), hit(n))).unzip();
        judged("made up", &pairs, &hits)
    }

    #[test]
    fn a_measure_that_tells_is_found_and_the_promise_is_kept() {
        let prompts = prompts();
        let all: Vec<&Judged> = prompts.iter().collect();
        let weights = fit(&all);
        assert!(weights[3] > 1.0, "{weights:?}");
        let (noise, kept) = outcome(prompts.iter(), &weights, threshold(&all, &weights));
        assert!(noise.hits <= 5 && noise.of == 100, "{noise:?}");
        assert!(kept.hits > 90, "{kept:?}");
    }

    #[test]
    fn equations_are_solved() {
        let mut matrix = [[0.0; NAMES.len()]; NAMES.len()];
        for (i, row) in matrix.iter_mut().enumerate() {
            row[i] = 2.0 + i as f64;
            row[(i + 1) % NAMES.len()] += 0.5;
        }
        let wanted: Weights = std::array::from_fn(|i| i as f64 - 3.0);
        let right = std::array::from_fn(|i| matrix[i].iter().zip(wanted).map(|(a, b)| a * b).sum());
        for (found, wanted) in solve(matrix, right).iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-9);
        }
    }
}
