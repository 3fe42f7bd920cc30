//! The judgement of a candidate from all its evidence: a small boosted forest, learned by `cargo xtask eval --learn`
//! from several sets at once. It starts from the sum of the tiers and corrects it, so its result is on the same scale.
//!
//! Trees are oblivious: all nodes of a level ask the same question, so a tree is a few questions and a table.

use std::sync::OnceLock;

use super::logistic::Logistic;

/// What is known about a candidate, and about the question that it is a candidate for.
macro_rules! features {
    ($($name:ident, $meaning:literal;)*) => {
        /// The evidence for one candidate.
        #[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
        pub struct Features { $(#[doc = $meaning] pub $name: f32,)* }

        impl Features {
            /// The names, in the order of [`Features::values`].
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name),)*];

            pub fn values(&self) -> [f32; Self::NAMES.len()] {
                [$(self.$name,)*]
            }
        }
    };
}

features! {
    base, "the sum of the tiers, with time and links";
    base_lag, "how far that is behind the best";
    base_place, "one over its place by that sum";
    share, "BM25 of the best passage as a share of the maximum";
    repaired, "what repaired typos add to it";
    coverage, "the share of the question's information in the best passage";
    whole_share, "BM25 of the whole memory";
    whole_coverage, "coverage by the whole memory";
    together, "words that are adjacent as in the question";
    matched, "the number of words found";
    rarest, "information of the rarest word found";
    cosine, "similarity by the static model";
    cosine_lag, "how far that is behind the nearest";
    words, "words with a counterpart of similar meaning";
    said, "the same in one sentence";
    encoder, "similarity by the encoder";
    encoder_lag, "how far that is behind the nearest";
    encoder_lead, "how far the nearest leads here, if this is the nearest";
    encoder_place, "one over its place by the encoder";
    standing_out, "deviations above the mean of everything in scope, by the encoder";
    phrase_encoder, "similarity of its nearest phrase, by the encoder";
    phrase_lag, "how far that is behind the nearest phrase of all";
    phrase_coverage, "the share of the question's information in one of its phrases";
    phrase_cosine, "similarity of its nearest phrase, by the static model";
    has_phrases, "somebody said how it will be asked for";
    linked, "reached through a link or an entity";
    named, "named in the question";
    time, "from the time that the question mentions";
    before, "the sum of what precedes it in its session";
    before_asks, "the same, if that asks something";
    is_code, "its best passage is code";
    is_long, "it has several passages";
    repairs, "it is a failure, a fix, a solution or a lesson";
    has_encoder, "it has a vector of the encoder";
    question_words, "the number of words in the question";
    understood, "the share of the question that the static model knows";
    question_known, "the share of the question's words that are in the store";
    best_coverage, "the best coverage of all candidates";
    best_encoder, "the best similarity of all, by the encoder";
    crowd, "the logarithm of the number of passages in scope";
    asks_by_name, "the question contains an identifier or a path";
    is_symptom, "the question is an error message or a log";
    about_self, "the question is about the person who asks";
}

/// A candidate is judged if it is among so many by the sum of the tiers or by the encoder: nothing was learned about the
/// others.
pub const LEADING: usize = 40;

/// Splits per tree.
pub const DEPTH: usize = 3;

/// One tree: a candidate goes to the leaf whose bits say which of the questions it answers with yes.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// Feature and threshold: yes if the feature is greater.
    pub splits: [(usize, f32); DEPTH],
    pub leaves: [f32; 1 << DEPTH],
}

impl Tree {
    #[must_use]
    pub fn leaf(&self, values: &[f32]) -> usize {
        let yes = |(at, (feature, threshold)): (usize, &(usize, f32))| {
            usize::from(values[*feature] > *threshold) << at
        };
        self.splits.iter().enumerate().map(yes).sum()
    }
}

/// A learned judgement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judge {
    pub trees: Vec<Tree>,
    /// Whether a hit answers the question; over [`CERTAINTY`].
    pub certainty: Logistic,
    /// Whether the newer of two hits replaces the older; over [`SUBJECT`].
    pub subject: Logistic,
}

/// What certainty is judged by: the features of a hit that says most, and how it compares with the others.
pub const CERTAINTY: &[&str] = &[
    "score", "lead", "coverage", "known", "nearest", "standing_out", "encoder", "phrase", "words", "crowd", "few",
];

/// What two hits on one subject are recognised by.
pub const SUBJECT: &[&str] = &[
    "encoder", "static", "shared", "contained", "same_kind", "cue", "numbers", "lag", "fit", "nearer", "apart",
];

/// The weights in this binary; `cargo xtask eval --learn --write` writes them.
static WEIGHTS: &str = include_str!("judge.weights");

const HEAD: &str = "hark judge 1";

impl Judge {
    /// The judgement in this binary.
    pub fn inside() -> &'static Judge {
        static INSIDE: OnceLock<Judge> = OnceLock::new();
        INSIDE.get_or_init(|| Judge::parse(WEIGHTS).expect("a test reads the weights in this binary"))
    }

    /// What the evidence adds to the sum of the tiers.
    pub fn correction(&self, features: &Features) -> f32 {
        let values = features.values();
        self.trees.iter().map(|tree| tree.leaves[tree.leaf(&values)]).sum()
    }

    /// Reads weights as [`Judge::text`] writes them. Features go by name, so that weights of another version are
    /// refused if they use one that no longer exists.
    pub fn parse(text: &str) -> Result<Judge, String> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        if lines.next() != Some(HEAD) {
            return Err(format!("the first line is not `{HEAD}`"));
        }
        let mut judge = Judge::default();
        for line in lines {
            match line.split_once(' ') {
                Some(("certainty", rest)) => judge.certainty = Logistic::parse(rest, CERTAINTY)?,
                Some(("subject", rest)) => judge.subject = Logistic::parse(rest, SUBJECT)?,
                _ => judge.trees.push(tree(line)?),
            }
        }
        Ok(judge)
    }

    pub fn text(&self) -> String {
        use std::fmt::Write as _;
        let mut text = format!("{HEAD}\n");
        for (name, model, names) in
            [("certainty", &self.certainty, CERTAINTY), ("subject", &self.subject, SUBJECT)]
        {
            if !model.weights.is_empty() {
                text.push_str(&model.line(name, names));
                text.push('\n');
            }
        }
        for Tree { splits, leaves } in &self.trees {
            for (feature, threshold) in splits {
                let _ = write!(text, "{}>{threshold} ", Features::NAMES[*feature]);
            }
            text.push(':');
            for leaf in leaves {
                let _ = write!(text, " {}", (leaf * 1e5).round() / 1e5);
            }
            text.push('\n');
        }
        text
    }
}

fn tree(line: &str) -> Result<Tree, String> {
    let malformed = || format!("not a tree: {line}");
    let (splits, leaves) = line.split_once(':').ok_or_else(malformed)?;
    let split = |text: &str| {
        let (name, threshold) = text.split_once('>').ok_or_else(malformed)?;
        let feature = Features::NAMES.iter().position(|known| *known == name);
        let feature = feature.ok_or_else(|| format!("unknown feature {name}"))?;
        Ok((feature, number(threshold).ok_or_else(malformed)?))
    };
    let splits: Vec<(usize, f32)> = splits.split_whitespace().map(split).collect::<Result<_, String>>()?;
    let leaves: Option<Vec<f32>> = leaves.split_whitespace().map(number).collect();
    let splits = splits.try_into().map_err(|_| malformed())?;
    let leaves = leaves.and_then(|leaves| leaves.try_into().ok()).ok_or_else(malformed)?;
    Ok(Tree { splits, leaves })
}

fn number(text: &str) -> Option<f32> {
    text.parse().ok().filter(|number: &f32| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_weights_in_this_binary_are_well_formed() {
        assert_eq!(Judge::parse(WEIGHTS).map(|judge| judge.text()), Ok(Judge::inside().text()));
    }

    #[test]
    fn a_candidate_falls_into_the_leaf_of_its_answers() {
        let mut leaves = [0.0; 1 << DEPTH];
        leaves[0b101] = 0.25;
        let splits = [(0, 0.5), (1, 0.0), (2, -1.0)];
        let judge = Judge { trees: vec![Tree { splits, leaves }], ..Judge::default() };
        let features = Features { base: 0.6, ..Features::default() };
        assert_eq!(judge.correction(&features), 0.25);
        assert_eq!(judge.correction(&Features::default()), 0.0);
    }

    proptest! {
        #[test]
        fn weights_survive_being_written(
            splits in prop::collection::vec((0..Features::NAMES.len(), -4i16..4), DEPTH),
            leaves in prop::collection::vec(-9i16..9, 1 << DEPTH),
        ) {
            let splits: Vec<(usize, f32)> = splits.into_iter().map(|(f, t)| (f, f32::from(t) / 8.0)).collect();
            let leaves: Vec<f32> = leaves.into_iter().map(|leaf| f32::from(leaf) / 8.0).collect();
            let tree = Tree { splits: splits.try_into().unwrap(), leaves: leaves.try_into().unwrap() };
            let judge = Judge { trees: vec![tree], ..Judge::default() };
            prop_assert_eq!(Judge::parse(&judge.text()), Ok(judge));
        }

        #[test]
        fn damaged_weights_are_refused_and_never_panic(text in "\\PC{0,80}") {
            let _ = Judge::parse(&format!("{HEAD}\n{text}"));
        }
    }
}
