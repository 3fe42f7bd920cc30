//! Candidates against labels.

use hark_core::distil::Statement;

use super::labels::{Grade, Label, Span};
use crate::share::Share;

/// Counts over a set of turns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Score {
    pub(super) turns: usize,
    found: usize,
    right: usize,
    surely_right: usize,
    kind_right: usize,
    wanted: usize,
    wanted_found: usize,
}

/// What became of one candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Wanted,
    Welcome,
    Noise,
}

fn overlaps(candidate: &Statement, span: &Span) -> bool {
    candidate.span.start < span.end && span.start < candidate.span.end
}

pub(super) fn verdict(label: &Label, candidate: &Statement) -> Verdict {
    let met = || label.spans.iter().filter(|span| overlaps(candidate, span));
    match (met().any(|span| span.grade == Grade::Keep), met().next()) {
        (true, _) => Verdict::Wanted,
        (false, Some(_)) => Verdict::Welcome,
        (false, None) => Verdict::Noise,
    }
}

pub(super) fn missed<'l>(label: &'l Label, candidates: &[Statement]) -> Vec<&'l Span> {
    let wanted = label.spans.iter().filter(|span| span.grade == Grade::Keep);
    wanted.filter(|span| !candidates.iter().any(|one| overlaps(one, span))).collect()
}

impl Score {
    pub(super) fn add(&mut self, label: &Label, candidates: &[Statement]) {
        self.turns += 1;
        let wanted = label.spans.iter().filter(|span| span.grade == Grade::Keep).count();
        self.wanted += wanted;
        self.wanted_found += wanted - missed(label, candidates).len();
        for candidate in candidates {
            self.found += 1;
            let verdict = verdict(label, candidate);
            self.right += usize::from(verdict != Verdict::Noise);
            self.surely_right += usize::from(verdict == Verdict::Wanted);
            let met = label.spans.iter().filter(|span| overlaps(candidate, span));
            let kind = candidate.kind.name();
            self.kind_right += usize::from(met.flat_map(|span| &span.kinds).any(|known| known == kind));
        }
    }

    /// Candidates that hit something labelled.
    pub(super) fn precision(&self) -> Share {
        Share { hits: self.right, of: self.found }
    }

    /// Candidates that hit something that had to be found.
    pub(super) fn strict_precision(&self) -> Share {
        Share { hits: self.surely_right, of: self.found }
    }

    pub(super) fn recall(&self) -> Share {
        Share { hits: self.wanted_found, of: self.wanted }
    }

    /// Right candidates whose kind is one of those the label allows.
    pub(super) fn kinds(&self) -> Share {
        Share { hits: self.kind_right, of: self.right }
    }
}
