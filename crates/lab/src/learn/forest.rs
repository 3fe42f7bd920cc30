//! Boosting: trees that correct the sum of the tiers, one after another, so that right documents rank above the others
//! of their question. Softmax over the candidates of a question; second-order steps; oblivious trees.

use hark_core::rank::judge::{DEPTH, Features, Judge, Tree};

use super::evidence::Asked;

/// How much of a difference in the sum of the tiers decides: 0.1 is e times as likely.
const SHARPNESS: f64 = 10.0;
const TREES: usize = 150;
const RATE: f64 = 0.08;
/// Keeps leaves with little in them from being believed much.
const RIDGE: f64 = 1.0;
/// The thresholds that are tried per feature.
const CUTS: usize = 32;
/// The share of the features that a tree may use.
const TRIED: f64 = 0.5;

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

/// First and second derivatives of the likelihood of the right documents.
fn slopes(rows: &[Row], questions: &[Question]) -> Vec<(f64, f64)> {
    let mut slopes = vec![(0.0, 0.0); rows.len()];
    for Question { rows: range, gold, weight } in questions {
        let highest = rows[range.clone()].iter().fold(f64::MIN, |m, row| m.max(row.score));
        let total: f64 = rows[range.clone()].iter().map(|row| (row.score - highest).exp()).sum();
        for at in range.clone() {
            let p = (rows[at].score - highest).exp() / total;
            let wanted = if rows[at].is_gold { 1.0 / gold } else { 0.0 };
            slopes[at] = (weight * (wanted - p), weight * p * (1.0 - p));
        }
    }
    slopes
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
    let tried: Vec<usize> = (0..Features::NAMES.len()).filter(|_| share(random) < TRIED).collect();
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
