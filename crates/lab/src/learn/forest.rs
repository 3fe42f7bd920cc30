//! Boosting: trees that correct the sum of the tiers, one after another, so that right documents rank above the others
//! of their question (LambdaRank: pairs, by what swapping them would gain). Second-order steps, oblivious trees.

use hark_core::rank::judge::{DEPTH, Features, Judge, Tree};

use super::evidence::Asked;

/// How much of a difference in the sum of the tiers decides: 0.1 is e times as likely.
const SHARPNESS: f64 = 10.0;
const TREES: usize = 120;
const RATE: f64 = 0.06;
/// Keeps leaves with little in them from being believed much.
const RIDGE: f64 = 5.0;
/// The thresholds that are tried per feature.
const CUTS: usize = 32;
/// The share of the features that a tree may use.
const TRIED: f64 = 0.6;
/// Only pairs count of which one is among so many.
const LISTED: usize = 30;
/// What is the same for all questions of a set would teach which set it is.
const LEFT_OUT: [&str; 10] = [
    "base_place",
    "encoder_place",
    "repaired",
    "whole_share",
    "matched",
    "is_long",
    "has_encoder",
    "question_words",
    "understood",
    "crowd",
];

type Values = [f32; Features::NAMES.len()];

struct Row {
    values: Values,
    bins: [u8; Features::NAMES.len()],
    is_gold: bool,
    score: f64,
}

struct Question {
    rows: std::ops::Range<usize>,
    gold: f64,
    weight: f64,
}

/// Learns from questions; each counts with its weight.
pub(super) fn learn(asked: &[(&Asked, f64)], seed: u64) -> Judge {
    let mut rows = Vec::new();
    let mut questions = Vec::new();
    for (asked, weight) in asked {
        let from = rows.len();
        for candidate in &asked.candidates {
            let base = f64::from(candidate.values[0]);
            rows.push(Row {
                values: candidate.values,
                bins: [0; Features::NAMES.len()],
                is_gold: candidate.is_gold,
                score: SHARPNESS * base,
            });
        }
        let gold = asked.candidates.iter().filter(|c| c.is_gold).count() as f64;
        // A question whose answer is not among the candidates teaches nothing about their order.
        if gold > 0.0 {
            questions.push(Question { rows: from..rows.len(), gold, weight: *weight });
        } else {
            rows.truncate(from);
        }
    }
    let cuts = cuts(&rows);
    for row in &mut rows {
        for (feature, cuts) in cuts.iter().enumerate() {
            row.bins[feature] = cuts.partition_point(|cut| *cut < row.values[feature]) as u8;
        }
    }
    let mut judge = Judge::default();
    let mut random = seed;
    for _ in 0..TREES {
        let slopes = slopes(&rows, &questions);
        let Some(tree) = grow(&rows, &slopes, &cuts, &mut random) else { break };
        for row in &mut rows {
            row.score += f64::from(tree.leaves[tree.leaf(&row.values)]) * SHARPNESS;
        }
        judge.trees.push(tree);
    }
    // As it will be read back.
    Judge::parse(&judge.text()).unwrap_or(judge)
}

/// First and second derivatives of what the order is worth.
fn slopes(rows: &[Row], questions: &[Question]) -> Vec<(f64, f64)> {
    let mut slopes = vec![(0.0, 0.0); rows.len()];
    for Question { rows: range, gold, weight } in questions {
        let mut places: Vec<usize> = range.clone().collect();
        places.sort_by(|a, b| rows[*b].score.total_cmp(&rows[*a].score));
        let ideal: f64 = (0..*gold as usize).map(discount).sum();
        let mut sum = 0.0;
        for (i, &right) in places.iter().enumerate().filter(|(_, at)| rows[**at].is_gold) {
            for (j, &wrong) in places.iter().enumerate().filter(|(_, at)| !rows[**at].is_gold) {
                if i.min(j) >= LISTED {
                    continue;
                }
                let lead = rows[right].score - rows[wrong].score;
                let gain = (discount(i) - discount(j)).abs() / ideal / (0.01 + lead.abs());
                let wrongly = 1.0 / (1.0 + lead.exp());
                let (first, second) = (gain * wrongly, gain * wrongly * (1.0 - wrongly));
                slopes[right] = (slopes[right].0 + first, slopes[right].1 + second);
                slopes[wrong] = (slopes[wrong].0 - first, slopes[wrong].1 + second);
                sum += 2.0 * first;
            }
        }
        // A question with many candidates counts no more than one with few.
        let norm = if sum > 0.0 { weight * (1.0 + sum).log2() / sum } else { 0.0 };
        for at in range.clone() {
            slopes[at] = (slopes[at].0 * norm, slopes[at].1 * norm);
        }
    }
    slopes
}

fn discount(place: usize) -> f64 {
    1.0 / (place as f64 + 2.0).log2()
}

/// Thresholds with about equally many rows between them.
fn cuts(rows: &[Row]) -> Vec<Vec<f32>> {
    (0..Features::NAMES.len())
        .map(|feature| {
            let mut values: Vec<f32> = rows.iter().map(|row| row.values[feature]).collect();
            values.sort_unstable_by(f32::total_cmp);
            let mut cuts: Vec<f32> = (1..CUTS)
                .filter_map(|cut| {
                    let at = cut * values.len() / CUTS;
                    // Between two values, so that rounding when it is written does not matter.
                    let below = *values.get(at.checked_sub(1)?)?;
                    let above = values.iter().skip(at).copied().find(|value| *value > below)?;
                    Some(((below + above) / 2.0 * 1e4).round() / 1e4)
                })
                .collect();
            cuts.dedup();
            cuts
        })
        .collect()
}

fn grow(rows: &[Row], slopes: &[(f64, f64)], cuts: &[Vec<f32>], random: &mut u64) -> Option<Tree> {
    let names = Features::NAMES.iter().enumerate().filter(|(_, name)| !LEFT_OUT.contains(name));
    let tried: Vec<usize> = names.map(|(at, _)| at).filter(|_| share(random) < TRIED).collect();
    let mut leaf = vec![0u8; rows.len()];
    let mut splits = [(0, f32::MAX); DEPTH];
    for (level, split) in splits.iter_mut().enumerate() {
        let leaves = 1 << level;
        let mut best: Option<(f64, usize, usize)> = None;
        for &feature in tried.iter().filter(|feature| !cuts[**feature].is_empty()) {
            let width = cuts[feature].len() + 1;
            let mut sums = vec![(0.0, 0.0); leaves * width];
            for ((row, slope), leaf) in rows.iter().zip(slopes).zip(&leaf) {
                let sum = &mut sums[usize::from(*leaf) * width + usize::from(row.bins[feature])];
                *sum = (sum.0 + slope.0, sum.1 + slope.1);
            }
            for cut in 0..cuts[feature].len() {
                let gain: f64 = sums.chunks_exact(width).map(|bins| gain(bins, cut)).sum();
                if best.is_none_or(|(most, ..)| gain > most) {
                    best = Some((gain, feature, cut));
                }
            }
        }
        let (_, feature, cut) = best?;
        *split = (feature, cuts[feature][cut]);
        for (row, leaf) in rows.iter().zip(&mut leaf) {
            *leaf |= u8::from(usize::from(row.bins[feature]) > cut) << level;
        }
    }
    let mut sums = [(0.0, 0.0); 1 << DEPTH];
    for (slope, leaf) in slopes.iter().zip(&leaf) {
        let sum = &mut sums[usize::from(*leaf)];
        *sum = (sum.0 + slope.0, sum.1 + slope.1);
    }
    let leaves = sums.map(|(first, second)| (RATE * first / (second + RIDGE) / SHARPNESS) as f32);
    Some(Tree { splits, leaves })
}

/// What a leaf gains if it is split after a bin.
fn gain(bins: &[(f64, f64)], cut: usize) -> f64 {
    let add = |sum: (f64, f64), bin: &(f64, f64)| (sum.0 + bin.0, sum.1 + bin.1);
    let low = bins[..=cut].iter().fold((0.0, 0.0), add);
    let high = bins[cut + 1..].iter().fold((0.0, 0.0), add);
    let worth = |(first, second): (f64, f64)| first * first / (second + RIDGE);
    worth(low) + worth(high)
}

/// A number from 0 to 1, always the same for the same seed (xorshift).
fn share(state: &mut u64) -> f64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as f64 / (1u64 << 53) as f64
}
