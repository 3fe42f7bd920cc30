//! Whether a text resembles the work that followed a prompt more than the work that followed other prompts.

use std::collections::HashMap;

use crate::time::Timestamp;

/// What a prompt led to.
#[derive(Debug, Clone)]
pub struct Future {
    pub session: i64,
    pub at: Timestamp,
    /// Files, commands, edits and the assistant's words.
    pub text: String,
}

/// More than this share of the other futures must be less alike. Random texts pass in a tenth of all cases.
const MOST_ALIKE: f64 = 0.9;
/// With fewer others, nothing can be said.
const FEWEST: usize = 10;

/// The futures of many prompts, compared by their words: rare words count more.
#[derive(Debug, Default)]
pub struct Futures {
    all: Vec<(i64, Timestamp, Vector)>,
    rarity: HashMap<String, f64>,
}

type Vector = HashMap<String, f64>;

impl Futures {
    pub fn new(futures: &[Future]) -> Self {
        let bags: Vec<HashMap<String, f64>> = futures.iter().map(|future| bag(&future.text)).collect();
        let mut seen: HashMap<String, usize> = HashMap::new();
        for word in bags.iter().flat_map(HashMap::keys) {
            *seen.entry(word.clone()).or_default() += 1;
        }
        let count = bags.len() as f64;
        let rarity: HashMap<String, f64> =
            seen.into_iter().map(|(word, seen)| (word, (1.0 + count / seen as f64).ln())).collect();
        let vectors = bags.iter().map(|bag| vector(bag, &rarity));
        let all = futures.iter().zip(vectors).map(|(f, vector)| (f.session, f.at, vector)).collect();
        Futures { all, rarity }
    }

    /// Whether `text`, said in `session` at `at`, is about what followed. Work before the text existed (`born`) and
    /// other work of the same session do not count. `None` if there is too little to compare it with.
    pub fn is_specific(&self, text: &str, born: Timestamp, session: i64, at: Timestamp) -> Option<bool> {
        // The prompt itself is recorded just before the text.
        let own = self.all.iter().filter(|(of, begun, _)| *of == session && *begun <= at);
        let (_, _, own) = own.max_by_key(|(_, begun, _)| *begun)?;
        let said = vector(&bag(text), &self.rarity);
        let mine = likeness(&said, own);
        let others = self.all.iter().filter(|(of, begun, _)| *of != session && *begun > born);
        let others: Vec<f64> = others.map(|(_, _, other)| likeness(&said, other)).collect();
        if others.len() < FEWEST {
            return None;
        }
        let less = others.iter().filter(|other| **other < mine).count();
        Some(mine > 0.0 && less as f64 >= MOST_ALIKE * others.len() as f64)
    }
}

/// Words and how often they occur.
fn bag(text: &str) -> HashMap<String, f64> {
    let mut bag = HashMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() > 2) {
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            *bag.entry(word.to_lowercase()).or_default() += 1.0;
        }
    }
    bag
}

fn vector(bag: &HashMap<String, f64>, rarity: &HashMap<String, f64>) -> Vector {
    let known = bag.iter().filter_map(|(word, count)| Some((word, count, rarity.get(word)?)));
    let mut vector: Vector =
        known.map(|(word, count, rarity)| (word.clone(), (1.0 + count.ln()) * rarity)).collect();
    let length = vector.values().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 {
        vector.values_mut().for_each(|x| *x /= length);
    }
    vector
}

fn likeness(one: &Vector, other: &Vector) -> f64 {
    one.iter().filter_map(|(word, x)| other.get(word).map(|y| x * y)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_specific_to_the_work_that_it_resembles_most() {
        let at = Timestamp::from_millis;
        let mut futures: Vec<Future> = (0..20)
            .map(|n| Future { session: n, at: at(100 + n), text: format!("edit common file part{n} words") })
            .collect();
        futures.push(Future {
            session: 50,
            at: at(200),
            text: "rework the walrus cache in walrus.rs".to_owned(),
        });
        let futures = Futures::new(&futures);
        let say = |text: &str, session| futures.is_specific(text, at(1), session, at(201));
        assert_eq!(say("The walrus cache is never emptied", 50), Some(true));
        assert_eq!(say("Common words in a file", 50), Some(false));
        assert_eq!(say("The walrus cache is never emptied", 3), Some(false));
        assert_eq!(futures.is_specific("walrus", at(150), 50, at(201)), None, "nothing else came later");
    }
}
