//! Fusion: each tier ranks, ranks are added up, priors weigh, repeats give way.

use std::collections::HashMap;

use hark_core::rank::fusion::{diversify, ranks, rrf};
use hark_core::rank::{Contribution, decay};
use hark_core::{Memory, Scope, Status};
use hark_store::search::{Activation, Candidate, Candidates};
use hark_store::{Store, StoreError, Stored};
use serde::Serialize;

use super::Question;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    Lexical,
    Vector,
    Fuzzy,
    Graph,
}

impl Tier {
    const fn name(self) -> &'static str {
        match self {
            Tier::Lexical => "lexical",
            Tier::Vector => "vector",
            Tier::Fuzzy => "fuzzy",
            Tier::Graph => "graph",
        }
    }

    /// How much a tier's ranking counts.
    const fn weight(self) -> f32 {
        match self {
            Tier::Lexical => 1.0,
            Tier::Vector => 0.8,
            Tier::Fuzzy => 0.9,
            Tier::Graph => 0.5,
        }
    }
}

/// A hit with the reasons for its place.
#[derive(Debug, Clone)]
pub struct Ranked {
    pub stored: Stored,
    pub passage: i64,
    pub score: f32,
    pub tiers: Vec<Tier>,
    pub reasons: Vec<Contribution>,
}

/// How many fused hits are loaded and weighed.
const SHORTLIST: usize = 48;
/// How many of the best pass on strength through links.
const SEEDS: usize = 6;
/// Two memories this much alike say the same.
const SAME: f32 = 0.96;

type Lists = Vec<(Tier, Vec<(i64, f32)>)>;

pub(super) fn rank(
    store: &Store,
    candidates: &Candidates,
    admitted: HashMap<i64, &Candidate>,
    named: &[Activation],
    question: &Question<'_>,
) -> Result<Vec<Ranked>, StoreError> {
    let ties: HashMap<i64, u32> = candidates.found.iter().map(|c| (c.memory, c.tie)).collect();
    let mut lists = tier_lists(&admitted, candidates.terms.has_repairs());
    let first = fused(&lists, &ties);
    let seeds: Vec<(i64, f32)> = first.iter().take(SEEDS).map(|(m, s)| (*m, s / first[0].1)).collect();
    let mut reached = store.activate(&seeds, &question.filter)?;
    let mut ties = ties;
    for activation in named {
        match reached.iter_mut().find(|r| r.memory == activation.memory) {
            // Named outright beats reached by a hop.
            Some(r) => r.strength += 1.0 + activation.strength,
            None => reached.push(Activation { strength: 1.0 + activation.strength, ..*activation }),
        }
    }
    for activation in &reached {
        ties.insert(activation.memory, activation.tie);
    }
    lists.push((Tier::Graph, sorted(reached.iter().map(|r| (r.memory, r.strength)), &ties)));

    let shortlist: Vec<i64> = fused(&lists, &ties).into_iter().take(SHORTLIST).map(|(memory, _)| memory).collect();
    let positions: Vec<(Tier, HashMap<i64, usize>, HashMap<i64, f32>)> = lists
        .iter()
        .map(|(tier, list)| (*tier, ranks(list), list.iter().copied().collect()))
        .collect();
    let mut hits: Vec<Ranked> = store
        .load(&shortlist)?
        .into_iter()
        .map(|stored| weigh(stored, &positions, &admitted, question))
        .collect();
    order(&mut hits);
    put_successors_first(&mut hits);
    let chosen = diversify(&(0..hits.len()).collect::<Vec<_>>(), question.limit, |a, b| {
        alike(&hits[a].stored.memory, &hits[b].stored.memory)
    });
    Ok(chosen.into_iter().map(|i| hits[i].clone()).collect())
}

/// Each tier's admitted memories, best first.
fn tier_lists(admitted: &HashMap<i64, &Candidate>, has_repairs: bool) -> Lists {
    let ties: HashMap<i64, u32> = admitted.iter().map(|(m, c)| (*m, c.tie)).collect();
    let of = |value: &dyn Fn(&Candidate) -> f32| {
        let scored = admitted.iter().map(|(memory, c)| (*memory, value(c))).filter(|(_, v)| *v > 0.0);
        sorted(scored, &ties)
    };
    let mut lists = vec![(Tier::Lexical, of(&|c| c.typed.score)), (Tier::Vector, of(&|c| (c.cosine - 0.15).max(0.0)))];
    if has_repairs {
        lists.push((Tier::Fuzzy, of(&|c| if c.repaired.score > c.typed.score { c.repaired.score } else { 0.0 })));
    }
    lists
}

fn sorted(scored: impl Iterator<Item = (i64, f32)>, ties: &HashMap<i64, u32>) -> Vec<(i64, f32)> {
    let mut list: Vec<(i64, f32)> = scored.collect();
    let tie = |memory: &i64| ties.get(memory).copied().unwrap_or(0);
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(tie(&a.0).cmp(&tie(&b.0))));
    list
}

fn fused(lists: &Lists, ties: &HashMap<i64, u32>) -> Vec<(i64, f32)> {
    let mut total: HashMap<i64, f32> = HashMap::new();
    for (tier, list) in lists {
        for (memory, rank) in ranks(list) {
            *total.entry(memory).or_insert(0.0) += rrf(tier.weight(), rank);
        }
    }
    sorted(total.into_iter(), ties)
}

fn weigh(
    stored: Stored,
    positions: &[(Tier, HashMap<i64, usize>, HashMap<i64, f32>)],
    admitted: &HashMap<i64, &Candidate>,
    question: &Question<'_>,
) -> Ranked {
    let mut score = 0.0;
    let mut tiers = Vec::new();
    let mut reasons = Vec::new();
    for (tier, ranks, values) in positions {
        if let Some(rank) = ranks.get(&stored.num) {
            let effect = rrf(tier.weight(), *rank);
            score += effect;
            tiers.push(*tier);
            let value = values.get(&stored.num).copied().unwrap_or_default();
            reasons.push(Contribution { source: tier.name().to_owned(), rank: Some(*rank), value, effect });
        }
    }
    let memory = &stored.memory;
    let same_project = match &memory.scope {
        Scope::Global => false,
        Scope::Project(key) => question.current.is_none_or(|current| current == key),
    };
    let priors = [
        ("age", decay::age_factor(memory.kind, memory.updated, question.now)),
        ("importance", decay::importance_factor(memory.importance)),
        ("status", decay::status_factor(memory.status)),
        ("scope", decay::scope_factor(same_project)),
        ("pinned", if memory.pinned { 1.05 } else { 1.0 }),
    ];
    for (name, factor) in priors {
        score *= factor;
        if (factor - 1.0).abs() > f32::EPSILON {
            reasons.push(Contribution { source: name.to_owned(), rank: None, value: factor, effect: factor });
        }
    }
    let passage = admitted.get(&stored.num).map_or(stored.num << 12, |c| c.passage);
    Ranked { passage, score, tiers, reasons, stored }
}

fn order(hits: &mut [Ranked]) {
    hits.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then(a.stored.memory.id.cmp(&b.stored.memory.id))
    });
}

/// What replaced a memory stands above it, however well the old words fit.
fn put_successors_first(hits: &mut [Ranked]) {
    let scores: HashMap<_, f32> = hits.iter().map(|hit| (hit.stored.memory.id, hit.score)).collect();
    for hit in hits.iter_mut() {
        let successor = hit.stored.memory.superseded_by.filter(|_| hit.stored.memory.status == Status::Superseded);
        if let Some(limit) = successor.and_then(|id| scores.get(&id))
            && hit.score >= *limit
        {
            hit.score = limit * 0.99;
            hit.reasons.push(Contribution { source: "successor".to_owned(), rank: None, value: 0.99, effect: 0.99 });
        }
    }
    order(hits);
}

/// Near-repeats by their words: cheap, and enough to keep a top list from saying one thing twice.
fn alike(a: &Memory, b: &Memory) -> bool {
    a.title == b.title && strsim_ratio(&a.body, &b.body) >= SAME
}

fn strsim_ratio(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    let words = |text: &str| -> std::collections::BTreeSet<String> { hark_core::text::terms(text).into_iter().collect() };
    let (a, b) = (words(a), words(b));
    let shared = a.intersection(&b).count() as f32;
    let all = a.union(&b).count() as f32;
    if all > 0.0 { shared / all } else { 0.0 }
}
