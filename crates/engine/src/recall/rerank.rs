//! Lets a cross-encoder, if the user chose one, reorder the best memories.

use super::Ranked;
use crate::embed::minilm::Reranker;

/// Reading a question and a passage together takes as long as reading a passage, so only the first are read.
const READ: usize = 20;

/// Sorts the first hits by the reranker's score. If it cannot score one of them, all stay where they are.
pub(crate) fn rerank(reranker: &Reranker, question: &str, hits: &mut [Ranked]) {
    let first = hits.len().min(READ);
    let first = &mut hits[..first];
    let scored = first.iter().map(|hit| {
        let memory = &hit.stored.memory;
        let (title, body) = (&*memory.title, &*memory.body);
        match body.starts_with(title) {
            true => reranker.score(question, body),
            false => reranker.score(question, &format!("{title}\n{body}")),
        }
    });
    let Ok(scores) = scored.collect::<Result<Vec<f32>, _>>() else { return };
    sort_by_scores(first, &scores);
}

/// Sorts values by their scores, highest first; equal scores keep their order.
fn sort_by_scores<T>(values: &mut [T], scores: &[f32]) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    for place in 0..order.len() {
        // Earlier swaps may have moved the value that belongs here.
        let mut from = order[place];
        while from < place {
            from = order[from];
        }
        values.swap(place, from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_score_comes_first_and_equals_keep_their_order() {
        let mut letters = ['a', 'b', 'c', 'd', 'e'];
        sort_by_scores(&mut letters, &[0.1, 0.9, 0.1, -3.0, 2.0]);
        assert_eq!(letters, ['e', 'b', 'a', 'c', 'd']);
    }
}
