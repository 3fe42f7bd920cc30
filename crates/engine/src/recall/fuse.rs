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
            Tier::Vector => 1.3,
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

/// What two texts that have nothing to do with each other score in the static space.
const UNRELATED: f32 = 0.25;
/// A question is well covered when this share of its information is found.
const WELL_COVERED: f32 = 0.6;
/// How many fused hits are loaded and weighed.
const SHORTLIST: usize = 32;
/// How many of the best pass on strength through links.
const SEEDS: usize = 4;
/// Two memories this much alike say the same.
const SAME: f32 = 0.96;

/// One memory in a tier's list.
#[derive(Debug, Clone, Copy)]
struct Entry {
    memory: i64,
    /// The tier's own measure; what it ranks by.
    value: f32,
    /// How much of its rank's share it gets, 0 to 1.
    strength: f32,
}

/// A tier's list, best first.
struct Listing {
    tier: Tier,
    entries: Vec<Entry>,
    ranks: HashMap<i64, usize>,
}

impl Listing {
    fn new(tier: Tier, mut entries: Vec<Entry>, ties: &HashMap<i64, u32>) -> Self {
        entries.retain(|entry| entry.value > 0.0);
        entries
            .sort_by(|a, b| b.value.total_cmp(&a.value).then(tie(ties, a.memory).cmp(&tie(ties, b.memory))));
        let ranks = ranks(&entries.iter().map(|e| (e.memory, e.value)).collect::<Vec<_>>());
        let best = entries.first().map_or(0.0, |entry| entry.value);
        for entry in &mut entries {
            entry.strength *= entry.value / best;
        }
        Listing { tier, entries, ranks }
    }

    /// Each entry with its rank and what it adds.
    fn shares(&self) -> impl Iterator<Item = (Entry, usize, f32)> {
        self.entries.iter().map(|entry| {
            let rank = self.ranks[&entry.memory];
            (*entry, rank, rrf(self.tier.weight(), rank, entry.strength))
        })
    }
}

/// By memory: its entry in a tier, its rank there, and what that adds.
type Shares = (Tier, HashMap<i64, (Entry, usize, f32)>);

fn tie(ties: &HashMap<i64, u32>, memory: i64) -> u32 {
    ties.get(&memory).copied().unwrap_or(0)
}

pub(super) fn rank(
    store: &Store,
    candidates: &Candidates,
    admitted: &HashMap<i64, &Candidate>,
    named: &[Activation],
    question: &Question<'_>,
) -> Result<Vec<Ranked>, StoreError> {
    let ties: HashMap<i64, u32> = candidates.found.iter().map(|c| (c.memory, c.tie)).collect();
    let mut lists = tier_lists(admitted, candidates.terms.has_repairs(), &ties);
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
    let entry = |r: &Activation| Entry { memory: r.memory, value: r.strength, strength: r.strength.min(1.0) };
    lists.push(Listing::new(Tier::Graph, reached.iter().map(entry).collect(), &ties));

    let shortlist: Vec<i64> =
        fused(&lists, &ties).into_iter().take(SHORTLIST).map(|(memory, _)| memory).collect();
    let shares: Vec<Shares> = lists
        .iter()
        .map(|list| (list.tier, list.shares().map(|share| (share.0.memory, share)).collect()))
        .collect();
    let mut hits: Vec<Ranked> = store
        .load(&shortlist)?
        .into_iter()
        .map(|stored| weigh(stored, &shares, admitted, question))
        .collect();
    order(&mut hits);
    put_successors_first(&mut hits);
    let chosen = diversify(&(0..hits.len()).collect::<Vec<_>>(), question.limit, |a, b| {
        alike(&hits[a].stored.memory, &hits[b].stored.memory)
    });
    Ok(chosen.into_iter().map(|i| hits[i].clone()).collect())
}

/// Each tier's admitted memories, best first.
fn tier_lists(
    admitted: &HashMap<i64, &Candidate>,
    has_repairs: bool,
    ties: &HashMap<i64, u32>,
) -> Vec<Listing> {
    let list = |tier: Tier, entry: &dyn Fn(&Candidate) -> (f32, f32)| {
        let entries = admitted.iter().map(|(memory, candidate)| {
            let (value, strength) = entry(candidate);
            Entry { memory: *memory, value, strength }
        });
        Listing::new(tier, entries.collect(), ties)
    };
    let mut lists = vec![
        list(Tier::Lexical, &|c| (c.typed.score, covered(c.typed.coverage))),
        list(Tier::Vector, &|c| (closeness(c), 1.0)),
    ];
    if has_repairs {
        lists.push(list(Tier::Fuzzy, &|c| {
            let repaired = c.repaired.score > c.typed.score;
            (if repaired { c.repaired.score } else { 0.0 }, covered(c.repaired.coverage))
        }));
    }
    lists
}

/// One shared word out of many is weak evidence, however rare the word.
fn covered(coverage: f32) -> f32 {
    (coverage / WELL_COVERED).min(1.0)
}

/// Nearness in meaning, as a whole and word by word.
fn closeness(candidate: &Candidate) -> f32 {
    let whole = ((candidate.cosine - UNRELATED) / (1.0 - UNRELATED)).max(0.0);
    0.5 * whole + 0.5 * candidate.words
}

fn fused(lists: &[Listing], ties: &HashMap<i64, u32>) -> Vec<(i64, f32)> {
    let mut total: HashMap<i64, f32> = HashMap::new();
    for (entry, _, share) in lists.iter().flat_map(Listing::shares) {
        *total.entry(entry.memory).or_insert(0.0) += share;
    }
    let mut list: Vec<(i64, f32)> = total.into_iter().collect();
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(tie(ties, a.0).cmp(&tie(ties, b.0))));
    list
}

fn weigh(
    stored: Stored,
    shares: &[Shares],
    admitted: &HashMap<i64, &Candidate>,
    question: &Question<'_>,
) -> Ranked {
    let mut score = 0.0;
    let mut tiers = Vec::new();
    let mut reasons = Vec::new();
    for (tier, of_memory) in shares {
        if let Some((entry, rank, effect)) = of_memory.get(&stored.num) {
            score += effect;
            tiers.push(*tier);
            let (source, value) = (tier.name().to_owned(), entry.value);
            reasons.push(Contribution { source, rank: Some(*rank), value, effect: *effect });
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
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.stored.memory.id.cmp(&b.stored.memory.id)));
}

/// What replaced a memory stands above it, however well the old words fit.
fn put_successors_first(hits: &mut [Ranked]) {
    let scores: HashMap<_, f32> = hits.iter().map(|hit| (hit.stored.memory.id, hit.score)).collect();
    for hit in hits.iter_mut() {
        let successor =
            hit.stored.memory.superseded_by.filter(|_| hit.stored.memory.status == Status::Superseded);
        if let Some(limit) = successor.and_then(|id| scores.get(&id))
            && hit.score >= *limit
        {
            hit.score = limit * 0.99;
            hit.reasons.push(Contribution {
                source: "successor".to_owned(),
                rank: None,
                value: 0.99,
                effect: 0.99,
            });
        }
    }
    order(hits);
}

/// Near-repeats by their words: cheap, and enough to keep a top list from saying one thing twice.
fn alike(a: &Memory, b: &Memory) -> bool {
    a.title == b.title && word_overlap(&a.body, &b.body) >= SAME
}

fn word_overlap(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        hark_core::text::terms(text).into_iter().collect()
    };
    let (a, b) = (words(a), words(b));
    let shared = a.intersection(&b).count() as f32;
    let all = a.union(&b).count() as f32;
    if all > 0.0 { shared / all } else { 0.0 }
}
