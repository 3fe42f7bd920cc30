//! Operations on findings: merging those that overlap, and cutting around what is already redacted.

use std::ops::Range;

/// A range of text that some rule wants redacted. `rule` is the rule's row; a lower row is more specific.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Suspect {
    pub(super) range: Range<usize>,
    pub(super) rule: usize,
}

/// Merges overlapping candidates, so that everything any rule wants redacted is redacted. The merged range is
/// named after the most specific rule in it.
pub(super) fn unite(mut found: Vec<Suspect>) -> Vec<Suspect> {
    found.sort_by_key(|c| (c.range.start, c.rule, usize::MAX - c.range.end));
    let mut united: Vec<Suspect> = Vec::with_capacity(found.len());
    for next in found {
        match united.last_mut() {
            Some(last) if next.range.start < last.range.end => {
                last.range.end = last.range.end.max(next.range.end);
                last.rule = last.rule.min(next.rule);
            }
            _ => united.push(next),
        }
    }
    united
}

/// The parts of `range` outside the sorted, disjoint `islands`.
pub(super) fn cut(range: &Range<usize>, islands: &[Range<usize>]) -> Vec<Range<usize>> {
    let first = islands.partition_point(|island| island.end <= range.start);
    let mut parts = Vec::new();
    let mut from = range.start;
    for island in islands[first..].iter().take_while(|island| island.start < range.end) {
        if from < island.start {
            parts.push(from..island.start);
        }
        from = from.max(island.end);
    }
    if from < range.end {
        parts.push(from..range.end);
    }
    parts
}

/// Whether `at` lies inside one of the sorted, disjoint `islands`.
pub(super) fn inside(at: usize, islands: &[Range<usize>]) -> bool {
    let next = islands.partition_point(|island| island.end <= at);
    islands.get(next).is_some_and(|island| island.start <= at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_findings_merge_under_the_more_specific_rule() {
        let found = vec![
            Suspect { range: 4..9, rule: 7 },
            Suspect { range: 0..5, rule: 9 },
            Suspect { range: 9..10, rule: 1 },
        ];
        let united = unite(found);
        assert_eq!(united, [Suspect { range: 0..9, rule: 7 }, Suspect { range: 9..10, rule: 1 }]);
    }

    #[test]
    fn cutting_keeps_what_is_outside() {
        assert_eq!(cut(&(2..20), &[0..3, 5..8, 19..30]), [3..5, 8..19]);
        assert!(cut(&(5..8), std::slice::from_ref(&(5..8))).is_empty());
    }
}
