//! Notes on one subject that say different things. Nobody linked them, but they speak of the same thing in the same
//! way, and one is newer: it stands first and says what was before.

use std::collections::BTreeSet;

use hark_core::rank::Contribution;
use hark_core::rank::judge::{Judge, SUBJECT};
use hark_core::text::{asks_for_former, speaks_of_change, terms};
use hark_core::vector::Vector;
use hark_core::{MemoryId, Origin, Timestamp};
use hark_store::{Store, StoreError};

use super::Question;
use super::fuse::Ranked;

/// How many of the best hits are compared with each other.
const COMPARED: usize = 10;
/// Texts that are less alike than this are not on one subject.
const ALIKE: f32 = 0.4;
/// Sharing this much of their words counts as alike, too.
const SHARED: f32 = 0.35;
/// The probability from which the newer replaces the older.
const REPLACES: f32 = 0.5;
/// The beginning of a long text says what it is about.
const HEAD: usize = 2_000;

/// What held before a memory, on the same subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Before {
    pub id: MemoryId,
    pub text: String,
    /// Since when the newer one holds.
    pub until: Timestamp,
}

/// Two hits on one subject, as far as the words tell.
pub(super) struct Pair {
    pub(super) older: usize,
    pub(super) newer: usize,
    pub(super) values: [f32; SUBJECT.len()],
}

/// Puts newer hits before the older ones that they replace, or the other way round if the question asks for what was
/// before.
pub(super) fn newest_first(
    store: &Store,
    space: Option<&str>,
    judge: &Judge,
    hits: &mut [Ranked],
    question: &Question<'_>,
) -> Result<(), StoreError> {
    if judge.subject.weights.is_empty() {
        return Ok(());
    }
    let former = asks_for_former(question.text);
    let mut replaced: Vec<(usize, usize)> = pairs(store, space, hits)?
        .into_iter()
        .filter(|pair| judge.subject.probability(&pair.values) >= REPLACES)
        .map(|pair| (pair.older, pair.newer))
        .collect();
    // Of several that replace one, the newest does.
    replaced.sort_by_key(|(older, newer)| (*older, std::cmp::Reverse(hits[*newer].stored.memory.updated)));
    replaced.dedup_by_key(|(older, _)| *older);
    for (older, newer) in replaced {
        let before = Before {
            id: hits[older].stored.memory.id,
            text: hits[older].stored.memory.searchable_body(),
            until: hits[newer].stored.memory.updated,
        };
        let (first, last) = if former { (older, newer) } else { (newer, older) };
        let (high, low) = (hits[first].score.max(hits[last].score), hits[first].score.min(hits[last].score));
        if hits[first].score <= hits[last].score {
            // Both keep the place that their subject earned.
            hits[first].score = high * 1.001;
            hits[last].score = low.max(high * 0.97).min(high);
            let reason = Contribution { source: "newest".to_owned(), rank: None, value: 1.0, effect: 1.0 };
            hits[first].reasons.push(reason);
        }
        // The latest of what was before, if there are several.
        let known = hits[newer].before.as_ref().map(|known| known.id);
        let is_later = known.is_none_or(|known| known < before.id);
        if is_later {
            hits[newer].before = Some(before);
        }
    }
    Ok(())
}

/// The pairs among the best hits that may be on one subject.
pub(super) fn pairs(store: &Store, space: Option<&str>, hits: &[Ranked]) -> Result<Vec<Pair>, StoreError> {
    let compared = &hits[..hits.len().min(COMPARED)];
    if compared.len() < 2 {
        return Ok(Vec::new());
    }
    let passages: Vec<_> = compared.iter().map(|hit| hit.passage).collect();
    let encoded = match space {
        Some(space) => store.vectors_in(space, &passages)?,
        None => vec![None; passages.len()],
    };
    let plain = store.vectors(&passages)?;
    let words: Vec<BTreeSet<String>> = compared.iter().map(|hit| words_of(&body(hit))).collect();
    let best = compared.iter().map(|hit| hit.score).fold(f32::EPSILON, f32::max);
    let mut pairs = Vec::new();
    for a in 0..compared.len() {
        for b in a + 1..compared.len() {
            let (older, newer) = match when(&compared[a]).cmp(&when(&compared[b])) {
                std::cmp::Ordering::Less => (a, b),
                std::cmp::Ordering::Greater => (b, a),
                std::cmp::Ordering::Equal => continue,
            };
            let near = |vectors: &[Option<Vector>]| match (&vectors[older], &vectors[newer]) {
                (Some(older), Some(newer)) => older.cosine(newer),
                _ => 0.0,
            };
            let (encoder, plain) = (near(&encoded), near(&plain));
            let shared = words[older].intersection(&words[newer]).count() as f32;
            let all = words[older].union(&words[newer]).count().max(1) as f32;
            let least = words[older].len().min(words[newer].len()).max(1) as f32;
            let (shared, contained) = (shared / all, shared / least);
            // Only what is alike, and in the same scope, can replace the other.
            let (old, new) = (&compared[older].stored.memory, &compared[newer].stored.memory);
            if old.scope != new.scope
                || !may_replace(new.origin, old.origin)
                || (encoder.max(plain) < ALIKE && contained < SHARED)
            {
                continue;
            }
            let values = values(&compared[older], &compared[newer], best);
            pairs.push(Pair {
                older,
                newer,
                values: [
                    encoder, plain, shared, contained, values[0], values[1], values[2], values[3], values[4],
                    values[5], values[6], values[7], values[8],
                ],
            });
        }
    }
    Ok(pairs)
}

/// What a tool, a page, a teammate or a repository says never displaces what the user or an assistant stored.
fn may_replace(newer: Origin, older: Origin) -> bool {
    newer == older || matches!(newer, Origin::User | Origin::Assistant | Origin::Import)
}

/// Kind, cue, numbers, lag, fit, nearness, time apart, length, and whether both were said in a session.
fn values(older: &Ranked, newer: &Ranked, best: f32) -> [f32; 9] {
    let flag = |holds: bool| if holds { 1.0 } else { 0.0 };
    let (old, new) = (&older.stored.memory, &newer.stored.memory);
    let nearness = |hit: &Ranked| hit.features.map_or(0.0, |features| features.encoder);
    let (old_text, new_text) = (body(older), body(newer));
    let (old_numbers, new_numbers) = (numbers(&old_text), numbers(&new_text));
    let numbers = match (old_numbers.is_empty() || new_numbers.is_empty(), old_numbers == new_numbers) {
        (true, _) => 0.0,
        (false, true) => -1.0,
        (false, false) => 1.0,
    };
    [
        flag(old.kind == new.kind),
        flag(speaks_of_change(&new_text)),
        numbers,
        ((older.score - newer.score) / best).max(0.0),
        newer.score / best,
        nearness(newer) - nearness(older),
        (1.0 + old.updated.days_until(new.updated).max(0.0) as f32).ln() / 6.0,
        flag(is_long(older) || is_long(newer)),
        flag(is_said(older) && is_said(newer)),
    ]
}

fn is_long(hit: &Ranked) -> bool {
    hit.features.is_some_and(|features| features.is_long > 0.0)
}

/// A turn of a conversation follows another.
fn is_said(hit: &Ranked) -> bool {
    hit.features.is_some_and(|features| features.follows > 0.0)
}

fn when(hit: &Ranked) -> Timestamp {
    hit.stored.memory.updated
}

fn body(hit: &Ranked) -> String {
    hit.stored.memory.searchable_body().chars().take(HEAD).collect()
}

fn words_of(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().collect()
}

fn numbers(text: &str) -> BTreeSet<&str> {
    let parts = text.split(|c: char| !c.is_ascii_digit() && c != '.').map(|part| part.trim_matches('.'));
    parts.filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_displaces_nothing_of_ones_own() {
        for foreign in [Origin::Tool, Origin::File, Origin::Web, Origin::Teammate, Origin::Repository] {
            assert!(!may_replace(foreign, Origin::User) && !may_replace(foreign, Origin::Assistant));
            assert!(may_replace(Origin::User, foreign) && may_replace(foreign, foreign));
        }
        assert!(may_replace(Origin::Assistant, Origin::User));
    }
}
