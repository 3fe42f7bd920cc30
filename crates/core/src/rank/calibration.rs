//! Numbers that were fitted to data or set beside fitted ones, in one place. `cargo xtask eval --fit --write`
//! rewrites the block below.

/// The logistic model of the gate: the probability that a hit is what a prompt is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gate {
    /// Set so that the promised share of unrelated prompts is answered at `THRESHOLD`.
    pub constant: f32,
    pub whole_share: f32,
    pub together: f32,
    pub cosine: f32,
    pub matched: f32,
    /// By the logarithm of how many memories are in scope: among few notes nothing can stand out, and of many
    /// conversations the best is close.
    pub crowd: f32,
    /// For prompts about the person who asks: it is about someone else …
    pub about_self: f32,
    /// … unless one sentence of a memory says it.
    pub said_of_self: f32,
    pub score: f32,
    /// Similarity by the encoder, and how far it is above everything else in scope.
    pub encoder: f32,
    pub standing_out: f32,
}

/// Minimum probability for an injection.
pub const THRESHOLD: f32 = 0.55;
/// Once there is something to inject, hits whose odds are this share of the best come along.
pub const COMPANION: f32 = 0.55;
/// A prompt that names a file, an issue or a person asks for it. Not fitted: the sets contain no names.
pub const NAMED: f32 = 1.0;
/// A prompt of one or two words ("fix tests") matches too much. Not fitted.
pub const VAGUE: f32 = -2.5;
/// More matching words than this add nothing.
pub const MANY: u32 = 6;
/// More notes than ten to this power are many.
pub const CROWD: f32 = 1.6;
/// A prompt with fewer words is vague.
pub const FEW: u32 = 3;

// fitted: begin
/// For short notes.
pub const NOTES: Gate = Gate {
    constant: -5.53,
    whole_share: 0.00,
    together: 0.31,
    cosine: 1.39,
    matched: 3.30,
    crowd: 1.81,
    about_self: 0.00,
    said_of_self: 0.00,
    score: 0.90,
    encoder: 2.15,
    standing_out: 0.12,
};
/// For conversations and other long texts.
pub const CHATS: Gate = Gate {
    constant: -5.58,
    whole_share: 2.12,
    together: 1.70,
    cosine: 2.98,
    matched: 2.62,
    crowd: 0.04,
    about_self: -0.30,
    said_of_self: 1.35,
    score: 2.91,
    encoder: 0.00,
    standing_out: 0.00,
};
// fitted: end

impl Gate {
    /// The declaration of these numbers, as it stands in this file.
    pub fn source(&self, name: &str, what: &str) -> String {
        let Gate { constant, whole_share, together, cosine, matched, crowd, .. } = self;
        let Gate { about_self, said_of_self, score, encoder, standing_out, .. } = self;
        let mut text = format!("/// For {what}.\npub const {name}: Gate = Gate {{\n");
        for (name, value) in [
            ("constant", constant),
            ("whole_share", whole_share),
            ("together", together),
            ("cosine", cosine),
            ("matched", matched),
            ("crowd", crowd),
            ("about_self", about_self),
            ("said_of_self", said_of_self),
            ("score", score),
            ("encoder", encoder),
            ("standing_out", standing_out),
        ] {
            // Without this, what rounds to nothing may print as -0.00.
            let value = if value.abs() < 0.005 { 0.0 } else { *value };
            text.push_str(&format!("    {name}: {value:.2},\n"));
        }
        text.push_str("};\n");
        text
    }
}

/// The fitted block of this file.
pub fn block(notes: &Gate, chats: &Gate) -> String {
    notes.source("NOTES", "short notes") + &chats.source("CHATS", "conversations and other long texts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_in_this_file_is_what_would_be_written() {
        let file = include_str!("calibration.rs");
        let written =
            file.split("// fitted: begin\n").nth(1).and_then(|rest| rest.split("// fitted: end").next());
        assert_eq!(written, Some(block(&NOTES, &CHATS).as_str()));
    }
}
