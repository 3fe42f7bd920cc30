//! The judgement of a candidate from all its evidence: a small boosted forest, learned by `cargo xtask eval --learn`
//! from several sets at once. It starts from the sum of the tiers and corrects it, so its result is on the same scale.

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
    follows, "something precedes it in its session";
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

/// One tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    Leaf(f32),
    Split {
        feature: usize,
        threshold: f32,
        /// If the feature is at most the threshold, and if it is greater.
        branches: Box<[Tree; 2]>,
    },
}

/// No tree is deeper.
const DEEPEST: usize = 16;

impl Tree {
    #[must_use]
    pub fn value(&self, values: &[f32]) -> f32 {
        let mut tree = self;
        loop {
            match tree {
                Tree::Leaf(value) => return *value,
                Tree::Split { feature, threshold, branches } => {
                    tree = &branches[usize::from(values[*feature] > *threshold)];
                }
            }
        }
    }

    /// In the order in which it is read: a split, what holds if not, what holds if so.
    fn write(&self, text: &mut String) {
        use std::fmt::Write as _;
        match self {
            Tree::Leaf(value) => {
                let _ = write!(text, "{} ", (value * 1e5).round() / 1e5);
            }
            Tree::Split { feature, threshold, branches } => {
                let _ = write!(text, "{}>{threshold} ", Features::NAMES[*feature]);
                branches.iter().for_each(|branch| branch.write(text));
            }
        }
    }

    fn read<'t>(words: &mut impl Iterator<Item = &'t str>, depth: usize) -> Result<Tree, String> {
        let word = words.next().filter(|_| depth <= DEEPEST).ok_or("a tree is not complete")?;
        let Some((name, threshold)) = word.split_once('>') else {
            return number(word).map(Tree::Leaf).ok_or_else(|| format!("not a number: {word}"));
        };
        let feature = Features::NAMES.iter().position(|known| *known == name);
        let feature = feature.ok_or_else(|| format!("unknown feature {name}"))?;
        let threshold = number(threshold).ok_or_else(|| format!("not a number: {word}"))?;
        let branches = Box::new([Tree::read(words, depth + 1)?, Tree::read(words, depth + 1)?]);
        Ok(Tree::Split { feature, threshold, branches })
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
    "score",
    "lead",
    "coverage",
    "known",
    "nearest",
    "standing_out",
    "encoder",
    "phrase",
    "words",
    "crowd",
    "few",
    "understood",
    "together",
    "near_at_all",
    "covered_and_understood",
    "known_and_near",
    "half_covered",
];

/// What two hits on one subject are recognised by.
pub const SUBJECT: &[&str] = &[
    "encoder",
    "static",
    "shared",
    "contained",
    "same_kind",
    "cue",
    "numbers",
    "lag",
    "fit",
    "nearer",
    "apart",
    "long",
    "said",
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
        self.trees.iter().map(|tree| tree.value(&values)).sum()
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
                _ => {
                    let mut words = line.split_whitespace();
                    judge.trees.push(Tree::read(&mut words, 0)?);
                    if words.next().is_some() {
                        return Err(format!("more than a tree: {line}"));
                    }
                }
            }
        }
        Ok(judge)
    }

    pub fn text(&self) -> String {
        let mut text = format!("{HEAD}\n");
        for (name, model, names) in
            [("certainty", &self.certainty, CERTAINTY), ("subject", &self.subject, SUBJECT)]
        {
            if !model.weights.is_empty() {
                text.push_str(&model.line(name, names));
                text.push('\n');
            }
        }
        for tree in &self.trees {
            tree.write(&mut text);
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text
    }
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

    fn split(feature: usize, threshold: f32, no: Tree, yes: Tree) -> Tree {
        Tree::Split { feature, threshold, branches: Box::new([no, yes]) }
    }

    #[test]
    fn a_candidate_goes_where_its_features_lead() {
        let tree = split(0, 0.5, Tree::Leaf(-1.0), split(1, 0.0, Tree::Leaf(0.25), Tree::Leaf(0.5)));
        let judge = Judge { trees: vec![tree], ..Judge::default() };
        let features = Features { base: 0.6, ..Features::default() };
        assert_eq!(judge.correction(&features), 0.25);
        assert_eq!(judge.correction(&Features { base_lag: 0.1, ..features }), 0.5);
        assert_eq!(judge.correction(&Features::default()), -1.0);
    }

    fn trees() -> impl Strategy<Value = Tree> {
        let leaf = (-9i16..9).prop_map(|leaf| Tree::Leaf(f32::from(leaf) / 8.0));
        leaf.prop_recursive(4, 16, 2, |inner| {
            (0..Features::NAMES.len(), -4i16..4, inner.clone(), inner)
                .prop_map(|(feature, t, no, yes)| split(feature, f32::from(t) / 8.0, no, yes))
        })
    }

    proptest! {
        #[test]
        fn weights_survive_being_written(trees in prop::collection::vec(trees(), 0..4)) {
            let judge = Judge { trees, ..Judge::default() };
            prop_assert_eq!(Judge::parse(&judge.text()), Ok(judge));
        }

        #[test]
        fn damaged_weights_are_refused_and_never_panic(text in "\\PC{0,80}") {
            let _ = Judge::parse(&format!("{HEAD}\n{text}"));
        }
    }
}
