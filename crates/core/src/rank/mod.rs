//! How hits are ordered: lexical evidence, fusion of tiers, priors, diversity. Pure arithmetic; the numbers
//! come from the store and the engine.

pub mod bm25;
pub mod calibration;
pub mod decay;
pub mod fusion;
pub mod judge;
pub mod logistic;
pub mod similar;

/// One reason for the position of a hit, for `--explain`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Contribution {
    /// `lexical`, `vector`, `fuzzy`, `graph`, or the name of a prior.
    pub source: String,
    /// Rank within the tier, from 1; absent for priors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// The tier's own measure (BM25, cosine, activation) or the prior's factor.
    pub value: f32,
    /// What it added to the fused score, or multiplied it by.
    pub effect: f32,
}

/// Additions that are not tiers.
const ADDED: [&str; 4] = ["sentence", "time", "coverage", "judged"];

impl Contribution {
    /// Whether the effect was added; otherwise it is a factor.
    pub fn is_added(&self) -> bool {
        self.rank.is_some() || ADDED.contains(&self.source.as_str())
    }
}
