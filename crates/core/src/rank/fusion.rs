//! Reciprocal rank fusion with weights, and the choice of a diverse top list.

use std::collections::HashMap;
use std::hash::Hash;

/// The usual constant: how flat the top of a list is.
pub const RRF_K: f32 = 60.0;

/// What rank `rank` (from 1) in a list of that weight adds. `strength` is the hit's own measure
/// against the best of its list (1 for the best): ranks alone cannot tell a clear winner from the
/// first of many equals.
pub fn rrf(weight: f32, rank: usize, strength: f32) -> f32 {
    weight * strength.clamp(0.0, 1.0) / (RRF_K + rank as f32)
}

/// Competition ranks for a list sorted best first: equal scores share a rank, so that ties do not
/// depend on the order in which a store happened to return them.
pub fn ranks<T: Eq + Hash + Copy>(sorted: &[(T, f32)]) -> HashMap<T, usize> {
    let mut ranks = HashMap::with_capacity(sorted.len());
    let mut rank = 0;
    for (i, (item, score)) in sorted.iter().enumerate() {
        if i == 0 || *score < sorted[i - 1].1 {
            rank = i + 1;
        }
        ranks.entry(*item).or_insert(rank);
    }
    ranks
}

/// Picks up to `limit` of `candidates` (best first), passing over near-repeats while there is
/// something else to say; what was passed over fills up the end.
pub fn diversify<T: Copy>(candidates: &[T], limit: usize, too_similar: impl Fn(T, T) -> bool) -> Vec<T> {
    let mut chosen: Vec<T> = Vec::with_capacity(limit.min(candidates.len()));
    let mut repeats = Vec::new();
    for candidate in candidates {
        if chosen.len() >= limit {
            break;
        }
        if chosen.iter().any(|other| too_similar(*other, *candidate)) {
            repeats.push(*candidate);
        } else {
            chosen.push(*candidate);
        }
    }
    let room = limit.saturating_sub(chosen.len());
    chosen.extend(repeats.into_iter().take(room));
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_scores_share_a_rank() {
        let r = ranks(&[("a", 3.0), ("b", 2.0), ("c", 2.0), ("d", 1.0)]);
        assert_eq!((r["a"], r["b"], r["c"], r["d"]), (1, 2, 2, 4));
    }

    #[test]
    fn repeats_go_last_but_are_not_lost() {
        assert_eq!(diversify(&[10, 11, 20, 30], 3, |a, b| a / 10 == b / 10), [10, 20, 30]);
        assert_eq!(diversify(&[10, 11, 20], 3, |a, b| a / 10 == b / 10), [10, 20, 11]);
    }
}
