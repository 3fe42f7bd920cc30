//! What a search may see. Applied to packed facets, before anything is ranked.

use std::collections::HashSet;

use hark_core::{Kind, Status, Timestamp};

use crate::index::Facets;
use crate::projects::ProjectNum;

#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// `None`: every project and what is global.
    pub projects: Option<Vec<ProjectNum>>,
    /// Empty: any.
    pub kinds: Vec<Kind>,
    /// Empty: any.
    pub statuses: Vec<Status>,
    /// All of them must be there.
    pub tags: Vec<String>,
    pub since: Option<Timestamp>,
    /// As it was then: made by that time and not yet closed.
    pub as_of: Option<Timestamp>,
    pub now: Timestamp,
}

/// A filter in the form that a scan can test quickly.
pub(crate) struct Sieve {
    kinds: u32,
    statuses: u8,
    since: u32,
    as_of: Option<u32>,
    now: u32,
    tagged: Option<HashSet<i64>>,
}

impl Sieve {
    pub(crate) fn new(filter: &Filter, tagged: Option<HashSet<i64>>) -> Self {
        let mask = |codes: &mut dyn Iterator<Item = u8>| codes.fold(0u32, |acc, code| acc | (1 << code));
        let kinds = mask(&mut filter.kinds.iter().map(|k| k.code()));
        let statuses = mask(&mut filter.statuses.iter().map(|s| s.code())) as u8;
        Sieve {
            kinds: if filter.kinds.is_empty() { u32::MAX } else { kinds },
            statuses: if filter.statuses.is_empty() { u8::MAX } else { statuses },
            since: filter.since.map_or(0, Timestamp::as_minutes),
            as_of: filter.as_of.map(Timestamp::as_minutes),
            now: filter.now.as_minutes(),
            tagged,
        }
    }

    /// Whether nothing but statuses and kinds can refuse a passage that never expires, and these
    /// are all wanted.
    pub(crate) fn passes_all(&self, statuses: u8, kinds: u32) -> bool {
        self.as_of.is_none()
            && self.since == 0
            && self.tagged.is_none()
            && statuses & !self.statuses == 0
            && kinds & !self.kinds == 0
    }

    /// Asked for every passage in scope on every recall.
    #[inline]
    pub(crate) fn passes(&self, facets: &Facets, memory: i64) -> bool {
        let in_time = match self.as_of {
            Some(then) => facets.created <= then && (facets.closed == 0 || facets.closed > then),
            None => {
                self.statuses & (1 << facets.status) != 0
                    && (facets.expires == 0 || facets.expires > self.now)
            }
        };
        in_time
            && self.kinds & (1 << facets.kind) != 0
            && facets.created >= self.since
            && self.tagged.as_ref().is_none_or(|tagged| tagged.contains(&memory))
    }
}
