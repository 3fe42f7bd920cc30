//! Pairs of memories that say the same, contradict each other, or may be an older and a newer state.
//!
//! Candidates meet by the same numbers as in the index, but over kinds: a decision can contradict a convention.

use std::collections::{HashMap, HashSet};

use hark_core::likeness::{self, Difference, Likeness, bands, normalised};
use hark_core::{Kind, Memory, Relation};

use super::{Finding, Ground, Sort, head};
use crate::repeat;

/// Kinds that state something which another memory can contradict.
const STANDING: &[Kind] = &[
    Kind::Directive,
    Kind::Rule,
    Kind::Constraint,
    Kind::Convention,
    Kind::Decision,
    Kind::Fact,
    Kind::Lesson,
];
/// What happened happened; two accounts of it are not one.
const ACCOUNTS: &[Kind] = &[Kind::Event, Kind::Episode, Kind::Failure, Kind::Fix];
/// A number that more memories share says nothing.
const MOST_PER_BAND: usize = 16;
const CHARS: usize = 90;

pub(super) fn pairs(ground: &Ground<'_>) -> Vec<Finding> {
    let memories = &ground.memories;
    let mut found = linked(ground);
    let mut seen: HashSet<(usize, usize)> = HashSet::new();
    let mut by_band: HashMap<i64, Vec<usize>> = HashMap::new();
    let mut by_text: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, memory) in memories.iter().enumerate() {
        if ACCOUNTS.contains(&memory.kind) {
            continue;
        }
        let mut met: Vec<usize> = Vec::new();
        let mut meet = |known: &mut Vec<usize>| {
            met.extend(known.iter().rev().take(MOST_PER_BAND));
            known.push(at);
        };
        meet(by_text.entry(normalised(&memory.body)).or_default());
        for band in bands("", &memory.body) {
            meet(by_band.entry(band).or_default());
        }
        met.sort_unstable();
        met.dedup();
        for before in met {
            let other = &memories[before];
            if may_meet(other, memory) && seen.insert((before, at)) {
                found.extend(compared(ground, other, memory));
            }
        }
    }
    found.sort_by(|a, b| (a.sort, &a.ids).cmp(&(b.sort, &b.ids)));
    found.dedup_by(|a, b| a.ids == b.ids);
    found
}

/// Memories of two projects do not meet; those of one meet what holds everywhere.
fn may_meet(a: &Memory, b: &Memory) -> bool {
    let same_place = a.scope == b.scope || a.scope.project().is_none() || b.scope.project().is_none();
    same_place && (a.kind == b.kind || (STANDING.contains(&a.kind) && STANDING.contains(&b.kind)))
}

fn compared(ground: &Ground<'_>, older: &Memory, newer: &Memory) -> Option<Finding> {
    let is_linked = |from: &Memory, to: &Memory| from.links.iter().any(|link| link.to == to.id);
    if is_linked(older, newer) || is_linked(newer, older) {
        // Somebody has decided how they relate.
        return None;
    }
    match repeat::likeness_seen(&ground.engine.store, older, newer) {
        Likeness::Same | Likeness::More | Likeness::Less => {
            let merges = older.kind == newer.kind && older.scope == newer.scope;
            let command = if merges { "hark consolidate --apply".to_owned() } else { replace(newer, older) };
            Some(pair(Sort::Duplicate, older, newer, command))
        }
        Likeness::Changed(differences) if STANDING.contains(&newer.kind) => {
            let sort = if contradicts(&differences) { Sort::Contradiction } else { Sort::PossibleUpdate };
            Some(pair(sort, older, newer, replace(newer, older)))
        }
        Likeness::Changed(_) | Likeness::Other => None,
    }
}

/// One says not, or the only difference is one value in place of another.
fn contradicts(differences: &[Difference]) -> bool {
    let negated = differences.iter().any(|one| one.sort == likeness::Sort::Negation);
    let one_value = matches!(differences, [one] if !one.before.is_empty() && !one.after.is_empty() && one.sort != likeness::Sort::Order);
    negated || one_value
}

/// Pairs that somebody linked as contradictory and left like that.
fn linked(ground: &Ground<'_>) -> Vec<Finding> {
    let by_id: HashMap<_, &Memory> = ground.memories.iter().map(|memory| (memory.id, memory)).collect();
    let mut found = Vec::new();
    for memory in &ground.memories {
        for link in memory.links.iter().filter(|link| link.relation == Relation::Contradicts) {
            if let Some(other) = by_id.get(&link.to) {
                let (older, newer) =
                    if other.updated <= memory.updated { (*other, memory) } else { (memory, *other) };
                found.push(pair(Sort::Contradiction, older, newer, replace(newer, older)));
            }
        }
    }
    found
}

fn replace(newer: &Memory, older: &Memory) -> String {
    format!("hark relate {} {} --as supersedes", newer.id.short(), older.id.short())
}

fn pair(sort: Sort, older: &Memory, newer: &Memory, command: String) -> Finding {
    Finding {
        sort,
        text: format!(
            "{} {} · {} {}",
            newer.id.short(),
            head(&newer.body, CHARS),
            older.id.short(),
            head(&older.body, CHARS)
        ),
        ids: vec![newer.id.short(), older.id.short()],
        count: 2,
        command,
    }
}
