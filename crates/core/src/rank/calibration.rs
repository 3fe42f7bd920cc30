//! Numbers that were fitted to data or set beside fitted ones, in one place. `cargo xtask eval --fit --write`
//! rewrites the block below.

/// The logistic model of the gate: the probability that a hit is what a prompt is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gate {
    /// Set so that the promised share of unrelated prompts is answered at `threshold`.
    pub constant: f32,
    pub whole_share: f32,
    pub together: f32,
    pub cosine: f32,
    pub matched: f32,
    /// By the logarithm of how many memories are in scope: the best of many unrelated texts is closer.
    pub crowd: f32,
    /// For prompts about the person who asks: it is about someone else …
    pub about_self: f32,
    /// … unless one sentence of a memory says it.
    pub said_of_self: f32,
    pub score: f32,
    /// Minimum probability for an injection.
    pub threshold: f32,
    /// Once there is something to inject, hits with this share of the threshold are added.
    pub companion: f32,
    /// A prompt that names a file, an issue or a person asks for it. Not fitted: the sets contain no names.
    pub named: f32,
    /// A prompt of one or two words ("fix tests") matches too much. Not fitted.
    pub vague: f32,
    /// More matching words than this add nothing.
    pub many: u32,
    /// A prompt with fewer words is vague.
    pub few: u32,
}

// fitted: begin
pub const GATE: Gate = Gate {
    constant: -5.20,
    whole_share: 2.24,
    together: 4.98,
    cosine: 4.56,
    matched: 2.72,
    crowd: -0.56,
    about_self: -1.16,
    said_of_self: 2.46,
    score: 6.26,
    threshold: 0.55,
    companion: 0.2,
    named: 1.0,
    vague: -2.5,
    many: 6,
    few: 3,
};
// fitted: end

impl Gate {
    /// The declaration of these numbers, as it stands in this file.
    pub fn source(&self) -> String {
        let Gate {
            constant,
            whole_share,
            together,
            cosine,
            matched,
            crowd,
            about_self,
            said_of_self,
            score,
            ..
        } = self;
        let Gate { threshold, companion, named, vague, many, few, .. } = self;
        format!(
            "pub const GATE: Gate = Gate {{\n    constant: {constant:.2},\n    whole_share: {whole_share:.2},\n    \
             together: {together:.2},\n    cosine: {cosine:.2},\n    matched: {matched:.2},\n    crowd: {crowd:.2},\n    \
             about_self: {about_self:.2},\n    said_of_self: {said_of_self:.2},\n    score: {score:.2},\n    \
             threshold: {threshold:?},\n    companion: {companion:?},\n    named: {named:?},\n    vague: {vague:?},\n    \
             many: {many},\n    few: {few},\n}};\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_in_this_file_is_what_would_be_written() {
        let file = include_str!("calibration.rs");
        let block =
            file.split("// fitted: begin\n").nth(1).and_then(|rest| rest.split("// fitted: end").next());
        assert_eq!(block, Some(GATE.source().as_str()));
    }
}
