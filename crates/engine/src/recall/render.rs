//! Renders hits as text within a hard token budget.

use hark_core::budget::{estimate_tokens, truncate_to_tokens};
use hark_core::quote::quoted;
use hark_core::text::passages;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fuse::Ranked;

/// How much of each memory to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Detail {
    /// Titles only.
    Index,
    /// The passage that answers, shortened.
    #[default]
    Summary,
    /// Everything.
    Full,
}

/// A hit's text and what it costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedHit {
    pub text: String,
    pub tokens: usize,
}

const SUMMARY_TOKENS: usize = 90;
/// The tokens for id, kind, age and punctuation of a hit.
const FRAME_TOKENS: usize = 14;
/// A hit cut shorter than this is useless.
const LEAST_TOKENS: usize = 12;

/// Renders hits in order until the budget is spent. The last one may be cut; the total never exceeds
/// `budget`.
pub fn pack(hits: &[Ranked], detail: Detail, budget: usize) -> Vec<RenderedHit> {
    let mut left = budget;
    let mut packed = Vec::with_capacity(hits.len());
    for hit in hits {
        let title = estimate_tokens(&quoted(&hit.stored.memory.title)) + FRAME_TOKENS;
        if title > left {
            break;
        }
        let room = left - title;
        let text = match detail {
            Detail::Index => String::new(),
            Detail::Summary => truncate_to_tokens(&quoted(&passage_text(hit)), SUMMARY_TOKENS.min(room)),
            Detail::Full => truncate_to_tokens(&quoted(&full_text(hit)), room),
        };
        let cut_to_nothing = detail != Detail::Index && room < LEAST_TOKENS && !packed.is_empty();
        if cut_to_nothing {
            break;
        }
        let tokens = title + estimate_tokens(&text);
        left -= tokens.min(left);
        packed.push(RenderedHit { text, tokens });
    }
    packed
}

/// The passage that represents the memory, on one line.
fn passage_text(hit: &Ranked) -> String {
    let body = hit.stored.memory.searchable_body();
    let passage = passages(&body).into_iter().nth(hit.passage.ordinal());
    let text = passage.and_then(|passage| body.get(passage.range)).unwrap_or(&body);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn full_text(hit: &Ranked) -> String {
    let memory = &hit.stored.memory;
    let mut text = memory.body.to_string();
    for (label, extra) in [("Why", &memory.why), ("Learned", &memory.learned)] {
        if let Some(extra) = extra {
            text.push_str(&format!("\n{label}: {extra}"));
        }
    }
    for (label, lines) in memory.labelled_lines() {
        text.push_str(&format!("\n{label}: {}", lines.join("; ")));
    }
    text
}
