//! What `hark eval rank --evidence` wrote: the candidates for each question with their features.

use std::collections::HashSet;
use std::path::Path;

use hark_core::rank::judge::{Features, LEADING};
use serde_json::Value;

use crate::eval::score::Gold;
use crate::eval::sets;
use crate::failure::{Failure, Outcome};

pub(super) type Values = [f32; Features::NAMES.len()];

/// A question with its candidates.
pub(super) struct Asked {
    pub(super) id: String,
    pub(super) candidates: Vec<Candidate>,
}

pub(super) struct Candidate {
    pub(super) values: Values,
    pub(super) is_gold: bool,
}

pub(super) fn candidates(path: &Path, gold: &Gold) -> Outcome<Vec<Asked>> {
    let none = HashSet::new();
    let of = |name: &str| Features::NAMES.iter().position(|known| *known == name).unwrap_or(0);
    let places = [of("base_place"), of("encoder_place")];
    let mut asked = Vec::new();
    for record in sets::lines(path)? {
        let id = sets::string(&record, "qid");
        let gold = gold.get(&id).unwrap_or(&none);
        let mut candidates = Vec::new();
        for candidate in record["candidates"].as_array().into_iter().flatten() {
            let values = candidate[1].as_array().into_iter().flatten();
            let values: Vec<f32> = values.map(|value| value.as_f64().unwrap_or_default() as f32).collect();
            let values: Values = values.try_into().map_err(|_| {
                Failure::new(format!("{}: {id} has other features than this build", path.display()))
            })?;
            let is_gold = candidate[0].as_str().is_some_and(|id| gold.contains(id));
            if is_gold || places.iter().any(|place| values[*place] * LEADING as f32 >= 1.0) {
                candidates.push(Candidate { values, is_gold });
            }
        }
        asked.push(Asked { id, candidates });
    }
    Ok(asked)
}

/// Places that matter to whoever asks.
const FIRST: usize = 3;

/// The list for a question: what certainty is judged by with whether it is right, and pairs with whether the newer is.
pub(super) struct Lists {
    pub(super) id: String,
    pub(super) hits: Vec<(Vec<f32>, bool)>,
    pub(super) pairs: Vec<(Vec<f32>, bool)>,
}

pub(super) fn lists(path: &Path, gold: &Gold) -> Outcome<Vec<Lists>> {
    let none = HashSet::new();
    let numbers = |value: &Value| -> Vec<f32> {
        value.as_array().into_iter().flatten().map(|v| v.as_f64().unwrap_or_default() as f32).collect()
    };
    let mut lists = Vec::new();
    for record in sets::lines(path)? {
        let id = sets::string(&record, "qid");
        let gold = gold.get(&id).unwrap_or(&none);
        let is_gold = |id: &Value| id.as_str().is_some_and(|id| gold.contains(id));
        let hits = record["hits"].as_array().into_iter().flatten();
        let hits = hits.map(|hit| (numbers(&hit[1]), is_gold(&hit[0]))).collect();
        let pairs = record["pairs"].as_array().into_iter().flatten();
        let first: Vec<&Value> = record["hits"].as_array().into_iter().flatten().map(|hit| &hit[0]).collect();
        let place = |id: &Value| first.iter().position(|known| *known == id).unwrap_or(usize::MAX);
        // A pair of which neither or both are right tells nothing, and only an older hit near the top that stands above
        // the newer one can be wrong there.
        let decides = |pair: &&Value| {
            let (older, newer) = (place(&pair[0]), place(&pair[1]));
            is_gold(&pair[0]) != is_gold(&pair[1]) && older < newer && older < FIRST
        };
        let pairs = pairs.filter(decides).map(|pair| (numbers(&pair[2]), is_gold(&pair[1]))).collect();
        lists.push(Lists { id, hits, pairs });
    }
    Ok(lists)
}
