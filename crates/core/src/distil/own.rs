//! The sentences of a turn that its author typed, with what the tables here say about each: for readers that look for
//! something else than lasting statements.

use std::ops::Range;

use super::compose::{capitalised, finished, one_line};
use super::own_words::own_words;
use super::sentence::sentences;
use super::{judge, net, reply};
use crate::kind::Kind;

/// A sentence that the author of a turn typed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Own {
    pub(crate) span: Range<usize>,
    pub(crate) paragraph: usize,
    /// In lower case, with quotes and code as runs of `q`; of the same length as `written`, unless that has gaps in quotes.
    pub(crate) masked: String,
    /// On one line.
    pub(crate) written: String,
    /// A question, a guess or a report.
    pub(crate) is_doubtful: bool,
    /// About this moment or task.
    pub(crate) is_passing: bool,
    /// What a rule takes it for.
    pub(crate) judged: Option<Kind>,
}

/// More points than this are a plan or a specification.
const PLAN: usize = 4;

/// The sentences that the author of a turn typed. Points of a plan are left out, and what was copied from the reply before.
pub(crate) fn own_sentences(text: &str, before: Option<&str>) -> Vec<Own> {
    let masked = own_words(text);
    let all = sentences(text, &masked);
    let reply = before.map(reply::Reply::new);
    let is_plan = all.iter().filter(|one| one.is_item).count() >= PLAN;
    let kept = all.iter().filter(|one| {
        let written = &text[one.span.clone()];
        let is_quoted = reply.as_ref().is_some_and(|reply| reply.holds(written));
        !((one.is_item && is_plan) || is_quoted || net::is_machine(written))
    });
    kept.map(|one| {
        let written = &text[one.span.clone()];
        let finding = judge::judge(one, written);
        Own {
            span: one.span.clone(),
            paragraph: one.paragraph,
            is_doubtful: judge::is_doubtful(&one.masked) || net::is_doubtful(&one.masked),
            is_passing: judge::is_passing(&one.masked) || net::is_passing(&one.masked),
            judged: finding.map(|finding| finding.rule.rule.kind),
            masked: one.masked.clone(),
            written: one_line(written),
        }
    })
    .collect()
}

/// A part of a sentence as a sentence.
pub(crate) fn as_sentence(part: &str) -> String {
    let part = part.trim().trim_start_matches([',', ':', ';', '-', '–', '—', '.', '!', ' ']);
    finished(&capitalised(part))
}

/// Whether a sentence makes sense only together with what was said before.
pub(crate) fn points_back(said: &str) -> bool {
    net::points_back(said)
}
