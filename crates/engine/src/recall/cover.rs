//! Diverse answers: a question may need several memories that each cover a part of it. A hit gains from what
//! the hits above it have not covered yet; what two of them have covered no longer counts.

use hark_core::rank::Contribution;

use super::fuse::Ranked;

/// The bonus for covering the whole question, as a share of the best score.
const COVERS: f32 = 0.2;
/// After this many hits contain a word, it counts for nothing.
const ENOUGH: u8 = 2;

/// Orders hits, best first, by score and by what each adds to those before it.
pub(super) fn spread(hits: &mut Vec<Ranked>, shares: &[f32]) {
    let standing: Vec<(f32, u64)> = hits.iter().map(|hit| (hit.score, hit.held)).collect();
    let mut left: Vec<Option<Ranked>> = std::mem::take(hits).into_iter().map(Some).collect();
    for Step { at, news, effect } in steps(&standing, shares) {
        let Some(mut hit) = left[at].take() else { continue };
        hit.score += effect;
        if effect > 0.0 {
            hit.reasons.push(Contribution { source: "coverage".to_owned(), rank: None, value: news, effect });
        }
        hits.push(hit);
    }
}

/// One place in the new order.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    /// The former position of the hit.
    at: usize,
    /// The share of the question that it adds.
    news: f32,
    effect: f32,
}

/// Repeatedly takes the best of the remaining hits. `hits` are scores, best first, and the words that each
/// contains as bits; `shares` are the weights of the words in the question.
fn steps(hits: &[(f32, u64)], shares: &[f32]) -> Vec<Step> {
    let best = hits.first().map_or(0.0, |(score, _)| score.max(0.0));
    let mut said = vec![0u8; shares.len()];
    let mut left: Vec<usize> = (0..hits.len()).collect();
    let mut steps = Vec::with_capacity(hits.len());
    while !left.is_empty() {
        let step = |at: usize| {
            let news: f32 = words(hits[at].1, shares).map(|word| shares[word] * unsaid(said[word])).sum();
            Step { at, news, effect: COVERS * best * news }
        };
        let reached = |step: Step| hits[step.at].0 + step.effect;
        let mut next = (0, step(left[0]));
        for (place, at) in left.iter().enumerate().skip(1) {
            let rival = step(*at);
            // Of equals, the first stays, because they arrive in order.
            if reached(rival) > reached(next.1) {
                next = (place, rival);
            }
        }
        left.remove(next.0);
        for word in words(hits[next.1.at].1, shares) {
            said[word] = said[word].saturating_add(1);
        }
        steps.push(next.1);
    }
    steps
}

fn words(held: u64, shares: &[f32]) -> impl Iterator<Item = usize> + use<> {
    (0..shares.len().min(64)).filter(move |at| held >> at & 1 == 1)
}

fn unsaid(times: u8) -> f32 {
    1.0 - f32::from(times.min(ENOUGH)) / f32::from(ENOUGH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order(hits: &[(f32, u64)], shares: &[f32]) -> Vec<usize> {
        steps(hits, shares).iter().map(|step| step.at).collect()
    }

    #[test]
    fn an_uncovered_part_of_the_question_comes_before_a_third_hit_on_the_first() {
        let shares = [0.5, 0.5];
        let hits = [(1.0, 0b01), (0.98, 0b01), (0.97, 0b01), (0.95, 0b10)];
        assert_eq!(order(&hits, &shares), [0, 3, 1, 2]);
    }

    #[test]
    fn a_much_lower_score_stays_last() {
        assert_eq!(order(&[(1.0, 0b01), (0.9, 0b01), (0.5, 0b11)], &[0.5, 0.5]), [0, 1, 2]);
    }

    proptest! {
        #[test]
        fn no_hit_is_lost_and_scores_never_rise(
            mut hits in prop::collection::vec((0.0f32..2.0, any::<u64>()), 0..30),
            shares in prop::collection::vec(0.0f32..0.2, 0..70),
        ) {
            hits.sort_by(|a, b| b.0.total_cmp(&a.0));
            let steps = steps(&hits, &shares);
            let mut places: Vec<usize> = steps.iter().map(|step| step.at).collect();
            places.sort_unstable();
            prop_assert_eq!(places, (0..hits.len()).collect::<Vec<_>>());
            let reached: Vec<f32> = steps.iter().map(|step| hits[step.at].0 + step.effect).collect();
            prop_assert!(reached.windows(2).all(|pair| pair[0] >= pair[1]), "{:?}", reached);
        }
    }
}
