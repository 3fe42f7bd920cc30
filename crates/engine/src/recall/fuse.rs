//! Fusion: adds up what the tiers measured, applies priors, and demotes repeats.
//!
//! The measures are shares of the maximum for the question, so they can be added directly. Adding ranks
//! instead (RRF) loses how much better the best is; docs/technical/recall-ranking.md says more.

use std::collections::{BTreeSet, HashMap, HashSet};

use hark_core::rank::fusion::ranks;
use hark_core::rank::judge::{Features, Judge, LEADING};
use hark_core::rank::{Contribution, decay};
use hark_core::retention::last_touch;
use hark_core::vector::Embedder;
use hark_core::{Memory, Origin, Scope, Status, Timestamp};
use hark_store::search::{Activation, Candidates};
use hark_store::{PassageId, Store, StoreError, Stored};
use serde::Serialize;

use super::certainty::Certainty;
use super::gate::Signals;
use super::standing::{Share, Standing, weight};
use super::subject::Before;
use super::{Models, Question, certainty, cover, evidence, subject};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    Lexical,
    Vector,
    Encoder,
    Fuzzy,
    Graph,
}

impl Tier {
    const fn name(self) -> &'static str {
        match self {
            Tier::Lexical => "lexical",
            Tier::Vector => "vector",
            Tier::Encoder => "encoder",
            Tier::Fuzzy => "fuzzy",
            Tier::Graph => "graph",
        }
    }
}

/// A hit with the reasons for its position.
#[derive(Debug, Clone)]
pub struct Ranked {
    pub stored: Stored,
    pub passage: PassageId,
    pub score: f32,
    pub tiers: Vec<Tier>,
    pub reasons: Vec<Contribution>,
    /// The input of the gate.
    pub signals: Signals,
    /// Which words of the question it contains; see [`hark_store::search::Candidate::held`].
    pub held: u64,
    /// All evidence, if it was judged.
    pub features: Option<Features>,
    pub certainty: Certainty,
    /// What held before, on the same subject.
    pub before: Option<Before>,
    /// It passed the floor.
    pub(super) admitted: bool,
}

/// How many fused hits are loaded and weighed, beyond those requested.
const SPARE: usize = 10;
/// The share of a score that the judgement may take away.
const MOST_TAKEN: f32 = 0.9;
/// How many of the best hits spread activation through links.
const SEEDS: usize = 4;
/// Two memories this similar say the same.
const SAME: f32 = 0.96;
const REPEAT: f32 = 0.97;
const HEAD_CHARS: usize = 2_000;
/// Hits after the best one are shown down to this share of its score.
pub(super) const FOLLOWS: f32 = 0.5;

/// Everything that was proposed, added up and judged, best first.
pub(super) fn standings(
    store: &Store,
    candidates: &Candidates,
    admitted: &HashSet<i64>,
    named: &[Activation],
    judge: Option<&Judge>,
    question: &Question<'_>,
) -> Result<Vec<Standing>, StoreError> {
    let mut standings: Vec<Standing> =
        candidates.found.iter().map(|c| Standing::of(c, admitted.contains(&c.memory), candidates)).collect();
    sort(&mut standings);
    add_times(&mut standings, candidates, question);
    add_linked(store, &mut standings, named, question)?;
    sort(&mut standings);
    if let Some(judge) = judge {
        evidence::gather(store, &mut standings, candidates, question)?;
        let leads = |features: &Features| {
            // Those of the time that is asked about were looked for on purpose.
            let place = features.base_place.max(features.encoder_place);
            place * LEADING as f32 >= 1.0 || features.time > 0.0
        };
        standings.retain(|standing| standing.judged.as_ref().is_some_and(|(features, _)| leads(features)));
        for standing in &mut standings {
            if let Some((features, effect)) = &mut standing.judged {
                // Nothing was learned about what a link or a name brought along.
                let is_measured = standing.shares.iter().any(|share| share.tier != Tier::Graph);
                let correction = if is_measured { judge.correction(features) } else { 0.0 };
                *effect = correction.max(-MOST_TAKEN * standing.total);
                standing.total += *effect;
            }
        }
        sort(&mut standings);
    }
    Ok(standings)
}

pub(super) fn rank(
    store: &Store,
    candidates: &Candidates,
    mut standings: Vec<Standing>,
    models: &Models<'_>,
    question: &Question<'_>,
) -> Result<Vec<Ranked>, StoreError> {
    let best = standings.first().map_or(0.0, |s| s.total);
    match models.judge {
        None => standings.retain(|s| s.admitted || s.total >= FOLLOWS * best),
        // Proposed, but nothing speaks for it.
        Some(_) => standings.retain(|s| s.total > 0.0),
    }
    standings.truncate(question.limit + SPARE);
    let ranks = tier_ranks(&standings);

    let nums: Vec<i64> = standings.iter().map(|s| s.memory).collect();
    let by_memory: HashMap<i64, &Standing> = standings.iter().map(|s| (s.memory, s)).collect();
    let mut hits: Vec<Ranked> = store
        .load(&nums)?
        .into_iter()
        .filter_map(|stored| {
            let standing = by_memory.get(&stored.num)?;
            let used = store.last_use(&stored.memory.id);
            Some(used.map(|used| weigh(stored, standing, &ranks, used, question)))
        })
        .collect::<Result<_, _>>()?;
    order(&mut hits);
    cover::spread(&mut hits, &candidates.shares);
    if let Some(judge) = models.judge {
        order(&mut hits);
        subject::newest_first(store, models.encoder.map(Embedder::id), judge, &mut hits, question)?;
    }
    put_successors_first(&mut hits);
    let mut listed = diversify(hits);
    if let Some(judge) = models.judge {
        certainty::mark(judge, &mut listed);
    }
    listed.truncate(question.limit);
    Ok(listed)
}

/// A near-duplicate of a better hit gives way to one that is about as good and says something else.
fn diversify(hits: Vec<Ranked>) -> Vec<Ranked> {
    let mut listed: Vec<Ranked> = Vec::with_capacity(hits.len());
    for mut hit in hits {
        if listed.iter().any(|other| alike(&other.stored.memory, &hit.stored.memory)) {
            hit.score *= REPEAT;
            hit.reasons.push(Contribution {
                source: "repeat".to_owned(),
                rank: None,
                value: REPEAT,
                effect: REPEAT,
            });
        }
        listed.push(hit);
    }
    order(&mut listed);
    listed
}

fn sort(standings: &mut [Standing]) {
    standings.sort_unstable_by(|a, b| {
        b.total.total_cmp(&a.total).then(a.tie.cmp(&b.tie)).then(a.memory.cmp(&b.memory))
    });
}

/// Promotes memories from the time that the question mentions.
fn add_times(standings: &mut [Standing], candidates: &Candidates, question: &Question<'_>) {
    let best = standings.first().map_or(0.0, |s| s.total);
    if question.time.is_empty() {
        return;
    }
    let created: HashMap<i64, Timestamp> = candidates.found.iter().map(|c| (c.memory, c.created)).collect();
    for standing in standings.iter_mut() {
        let fit = created.get(&standing.memory).map_or(0.0, |created| question.time.fit(*created));
        if fit > 0.0 {
            let effect = weight::TIME * fit * best;
            standing.total += effect;
            standing.time = Some((fit, effect));
        }
    }
    sort(standings);
}

/// One hop from the best: what they link to or share an entity with, and what the question names.
fn add_linked(
    store: &Store,
    standings: &mut Vec<Standing>,
    named: &[Activation],
    question: &Question<'_>,
) -> Result<(), StoreError> {
    let best = standings.first().map_or(1.0, |s| s.total.max(f32::EPSILON));
    let seeds: Vec<(i64, f32)> =
        standings.iter().filter(|s| s.admitted).take(SEEDS).map(|s| (s.memory, s.total / best)).collect();
    let mut reached = store.activate(&seeds, &question.filter)?;
    for activation in named {
        match reached.iter_mut().find(|r| r.memory == activation.memory) {
            // Named directly beats reached by a hop.
            Some(r) => r.strength += 1.0 + activation.strength,
            None => reached.push(Activation { strength: 1.0 + activation.strength, ..*activation }),
        }
    }
    let places: HashMap<i64, usize> = standings.iter().enumerate().map(|(i, s)| (s.memory, i)).collect();
    for activation in reached {
        let Activation { memory, strength, .. } = activation;
        let effect = weight::LINKED * strength;
        let is_named = named.iter().any(|n| n.memory == memory);
        match places.get(&memory) {
            Some(at) => {
                standings[*at].admitted = true;
                standings[*at].signals.named |= is_named;
                standings[*at].add(Tier::Graph, strength, effect);
            }
            None => {
                let mut standing = Standing::reached(&activation, is_named);
                standing.add(Tier::Graph, strength, effect);
                standings.push(standing);
            }
        }
    }
    Ok(())
}

/// By tier and memory: its rank in that tier, from 1; equals share one.
fn tier_ranks(standings: &[Standing]) -> HashMap<(Tier, i64), usize> {
    let mut found = HashMap::new();
    for tier in [Tier::Lexical, Tier::Vector, Tier::Encoder, Tier::Fuzzy, Tier::Graph] {
        let effect = |s: &Standing| s.shares.iter().find(|x| x.tier == tier).map(|x| (s.memory, x.effect));
        let mut list: Vec<(i64, f32)> = standings.iter().filter_map(effect).collect();
        list.sort_by(|a, b| b.1.total_cmp(&a.1));
        found.extend(ranks(&list).into_iter().map(|(memory, rank)| ((tier, memory), rank)));
    }
    found
}

fn weigh(
    stored: Stored,
    standing: &Standing,
    ranks: &HashMap<(Tier, i64), usize>,
    used: Option<Timestamp>,
    question: &Question<'_>,
) -> Ranked {
    let mut score = standing.total;
    let mut tiers = Vec::new();
    let mut reasons = Vec::new();
    for Share { tier, value, effect } in &standing.shares {
        tiers.push(*tier);
        let rank = ranks.get(&(*tier, standing.memory)).copied();
        reasons.push(Contribution { source: tier.name().to_owned(), rank, value: *value, effect: *effect });
    }
    let memory = &stored.memory;
    let judged = standing.judged.as_ref().map(|(_, effect)| (*effect, *effect));
    for (source, measured) in [("sentence", standing.sentence), ("time", standing.time), ("judged", judged)] {
        if let Some((value, effect)) = measured.filter(|(_, effect)| *effect != 0.0) {
            reasons.push(Contribution { source: source.to_owned(), rank: None, value, effect });
        }
    }
    let same_project = match &memory.scope {
        Scope::Global => false,
        Scope::Project(key) => question.current.is_none_or(|current| current == key),
    };
    let backed = memory.life.confirmations + memory.life.helpful;
    let priors = [
        ("age", decay::age_factor(memory.kind, last_touch(memory, used), backed, question.now)),
        ("trust", decay::trust_factor(memory.confidence, memory.life.verdict)),
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
    let features = standing.judged.map(|(features, _)| features);
    let known = features.unwrap_or_default();
    // Phrases that a repository or a teammate wrote must not open the gate.
    let is_own = !matches!(memory.origin, Origin::Repository | Origin::Teammate);
    let signals = Signals {
        score,
        encoder: known.encoder.max(if is_own { known.phrase_encoder } else { 0.0 }),
        standing_out: known.standing_out,
        ..standing.signals
    };
    Ranked {
        passage: standing.passage,
        score,
        tiers,
        reasons,
        stored,
        signals,
        held: standing.held,
        features,
        certainty: Certainty::Likely,
        before: None,
        admitted: standing.admitted,
    }
}

fn order(hits: &mut [Ranked]) {
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.stored.memory.id.cmp(&b.stored.memory.id)));
}

/// A successor ranks above the memory it replaced, however well the old words match.
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

/// Near-duplicates by their words: cheap, and enough to keep a short list from repeating itself.
fn alike(a: &Memory, b: &Memory) -> bool {
    a.title == b.title && word_overlap(&a.body, &b.body) >= SAME
}

fn word_overlap(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    // Texts of very different length are not duplicates, and the beginning of a long text suffices.
    let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
    if (shorter as f32) < SAME * longer as f32 {
        return 0.0;
    }
    let words = |text: &str| -> BTreeSet<String> {
        let head: String = text.chars().take(HEAD_CHARS).collect();
        hark_core::text::terms(&head).into_iter().collect()
    };
    let (a, b) = (words(a), words(b));
    let shared = a.intersection(&b).count() as f32;
    let all = a.union(&b).count() as f32;
    if all > 0.0 { shared / all } else { 0.0 }
}
