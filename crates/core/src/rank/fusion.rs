//! Ranks inside a tier.

use std::collections::HashMap;
use std::hash::Hash;

/// Competition ranks for a list sorted best first: equal scores share a rank, so ties do not depend on the
/// order in which a store returned them.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_scores_share_a_rank() {
        let r = ranks(&[("a", 3.0), ("b", 2.0), ("c", 2.0), ("d", 1.0)]);
        assert_eq!((r["a"], r["b"], r["c"], r["d"]), (1, 2, 2, 4));
    }
}
