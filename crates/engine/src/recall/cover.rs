//! Many answers: a question may need several memories, each of which holds a part of it. What the
//! hits above have not said yet counts for a hit; what two of them have said no longer does.

use hark_core::rank::Contribution;

use super::fuse::Ranked;

/// What holding all of the question is worth, as a share of the best score.
const COVERS: f32 = 0.2;
/// Hits that hold a word before it counts for nothing.
const ENOUGH: u8 = 2;

/// Orders hits, best first, by score and by what each adds to those before it.
pub(super) fn spread(hits: &mut Vec<Ranked>, shares: &[f32]) {
    let Some(best) = hits.first().map(|hit| hit.score) else { return };
    let mut said = vec![0u8; shares.len()];
    let mut left = std::mem::take(hits);
    while !left.is_empty() {
        let news = |hit: &Ranked| -> f32 { words(hit, shares).map(|at| shares[at] * unsaid(said[at])).sum() };
        let worth: Vec<f32> = left.iter().map(news).collect();
        let reached = |at: usize| left[at].score + COVERS * best * worth[at];
        // The first of equals: they come in order.
        let next = (1..left.len()).fold(0, |next, at| if reached(at) > reached(next) { at } else { next });
        let (value, effect) = (worth[next], COVERS * best * worth[next]);
        let mut hit = left.remove(next);
        hit.score += effect;
        if effect > 0.0 {
            hit.reasons.push(Contribution { source: "coverage".to_owned(), rank: None, value, effect });
        }
        for at in words(&hit, shares) {
            said[at] = said[at].saturating_add(1);
        }
        hits.push(hit);
    }
}

fn words(hit: &Ranked, shares: &[f32]) -> impl Iterator<Item = usize> + use<> {
    let held = hit.held;
    (0..shares.len().min(64)).filter(move |at| held >> at & 1 == 1)
}

fn unsaid(times: u8) -> f32 {
    1.0 - f32::from(times.min(ENOUGH)) / f32::from(ENOUGH)
}
