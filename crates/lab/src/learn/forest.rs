//! Boosting: trees that correct the sum of the tiers, one after another, so that right documents rank above the others
//! of their question (LambdaRank: pairs, by what swapping them would gain). Second-order steps; the leaf that gains most
//! is split next.

use hark_core::rank::judge::{Features, Judge, Tree};

use super::evidence::{Asked, Values};

/// How much of a difference in the sum of the tiers decides: 0.1 is e times as likely.
const SHARPNESS: f64 = 10.0;
const TREES: usize = 120;
const LEAVES: usize = 8;
const RATE: f64 = 0.06;
/// Keeps leaves with little in them from being believed much.
const RIDGE: f64 = 5.0;
/// A leaf has at least so many candidates.
const LEAST: usize = 100;
/// The thresholds that are tried per feature.
const CUTS: usize = 64;
/// The share of the features that a tree may use.
const TRIED: f64 = 0.6;
/// Only pairs count of which one is among so many.
const LISTED: usize = 30;
/// What is the same for all questions of a set would teach which set it is.
const LEFT_OUT: [&str; 11] = [
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
    "follows",
];

struct Row {
    values: Values,
    bins: [u8; Features::NAMES.len()],
    is_gold: bool,
    score: f64,
}

struct Question {
    rows: std::ops::Range<usize>,
    gold: usize,
    weight: f64,
}

/// Learns from questions; each counts with its weight.
pub(super) fn learn(asked: &[(&Asked, f64)], seed: u64) -> Judge {
    let mut rows = Vec::new();
    let mut questions = Vec::new();
    for (asked, weight) in asked {
        let from = rows.len();
        rows.extend(asked.candidates.iter().map(|candidate| Row {
            values: candidate.values,
            bins: [0; Features::NAMES.len()],
            is_gold: candidate.is_gold,
            score: SHARPNESS * f64::from(candidate.values[0]),
        }));
        let gold = asked.candidates.iter().filter(|c| c.is_gold).count();
        // A question whose answer is not among the candidates teaches nothing about their order.
        if gold > 0 {
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
        let tree = Grower { rows: &rows, slopes: &slopes, cuts: &cuts, tried: tried(&mut random) }.grow();
        for row in &mut rows {
            row.score += f64::from(tree.value(&row.values)) * SHARPNESS;
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
        let ideal: f64 = (0..*gold).map(discount).sum();
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
            values.dedup();
            let many = values.len();
            let mut cuts: Vec<f32> = (1..CUTS.min(many))
                .map(|cut| cut * many / CUTS.min(many))
                // Between two values, so that rounding when it is written does not matter.
                .map(|at| ((values[at - 1] + values[at]) / 2.0 * 1e4).round() / 1e4)
                .collect();
            cuts.dedup();
            cuts
        })
        .collect()
}

fn tried(random: &mut u64) -> Vec<usize> {
    let names = Features::NAMES.iter().enumerate().filter(|(_, name)| !LEFT_OUT.contains(name));
    names.map(|(at, _)| at).filter(|_| share(random) < TRIED).collect()
}

/// A leaf that may be split: its rows, and the best way.
struct Open {
    rows: Vec<u32>,
    /// Gain, feature and cut.
    best: Option<(f64, usize, usize)>,
    /// Where it hangs: which split, and on which side.
    node: usize,
}

struct Grower<'a> {
    rows: &'a [Row],
    slopes: &'a [(f64, f64)],
    cuts: &'a [Vec<f32>],
    tried: Vec<usize>,
}

/// A node while the tree grows.
enum Node {
    Leaf(f32),
    Split { feature: usize, threshold: f32, branches: [usize; 2] },
}

impl Grower<'_> {
    fn grow(&self) -> Tree {
        let all: Vec<u32> = (0..self.rows.len() as u32).collect();
        let mut nodes = vec![Node::Leaf(self.leaf(&all))];
        let mut open = vec![Open { best: self.best(&all), rows: all, node: 0 }];
        while open.len() < LEAVES {
            let gain = |leaf: &Open| leaf.best.map_or(0.0, |(gain, ..)| gain);
            let Some(at) = (0..open.len()).max_by(|a, b| gain(&open[*a]).total_cmp(&gain(&open[*b]))) else {
                break;
            };
            let Some((_, feature, cut)) = open[at].best.filter(|(gain, ..)| *gain > 0.0) else { break };
            let Open { rows, node, .. } = open.swap_remove(at);
            let (yes, no): (Vec<u32>, Vec<u32>) =
                rows.into_iter().partition(|row| usize::from(self.rows[*row as usize].bins[feature]) > cut);
            let branches = [nodes.len(), nodes.len() + 1];
            nodes[node] = Node::Split { feature, threshold: self.cuts[feature][cut], branches };
            for (rows, node) in [no, yes].into_iter().zip(branches) {
                nodes.push(Node::Leaf(self.leaf(&rows)));
                open.push(Open { best: self.best(&rows), rows, node });
            }
        }
        finish(&nodes, 0)
    }

    fn leaf(&self, rows: &[u32]) -> f32 {
        let (first, second) = self.sum(rows);
        (RATE * first / (second + RIDGE) / SHARPNESS) as f32
    }

    fn sum(&self, rows: &[u32]) -> (f64, f64) {
        let add = |sum: (f64, f64), row: &u32| {
            let slope = self.slopes[*row as usize];
            (sum.0 + slope.0, sum.1 + slope.1)
        };
        rows.iter().fold((0.0, 0.0), add)
    }

    /// The split that gains most.
    fn best(&self, rows: &[u32]) -> Option<(f64, usize, usize)> {
        let worth = |first: f64, second: f64| first * first / (second + RIDGE);
        let (first, second) = self.sum(rows);
        let whole = worth(first, second);
        let mut best: Option<(f64, usize, usize)> = None;
        for &feature in &self.tried {
            let mut bins = vec![(0.0, 0.0, 0usize); self.cuts[feature].len() + 1];
            for row in rows {
                let (slope, bin) = (
                    self.slopes[*row as usize],
                    &mut bins[usize::from(self.rows[*row as usize].bins[feature])],
                );
                *bin = (bin.0 + slope.0, bin.1 + slope.1, bin.2 + 1);
            }
            let mut low = (0.0, 0.0, 0);
            for (cut, bin) in bins.iter().enumerate().take(self.cuts[feature].len()) {
                low = (low.0 + bin.0, low.1 + bin.1, low.2 + bin.2);
                if low.2 < LEAST || rows.len() - low.2 < LEAST {
                    continue;
                }
                let gain = worth(low.0, low.1) + worth(first - low.0, second - low.1) - whole;
                if best.is_none_or(|(most, ..)| gain > most) {
                    best = Some((gain, feature, cut));
                }
            }
        }
        best
    }
}

fn finish(nodes: &[Node], at: usize) -> Tree {
    match &nodes[at] {
        Node::Leaf(value) => Tree::Leaf(*value),
        Node::Split { feature, threshold, branches } => Tree::Split {
            feature: *feature,
            threshold: *threshold,
            branches: Box::new(branches.map(|branch| finish(nodes, branch))),
        },
    }
}

/// A number from 0 to 1, always the same for the same seed (xorshift).
fn share(state: &mut u64) -> f64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as f64 / (1u64 << 53) as f64
}
