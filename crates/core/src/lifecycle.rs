//! The states of a memory and the moves between them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// True and in use.
    #[default]
    Active,
    /// A blocker, task or failure that is over.
    Resolved,
    /// A newer memory says it better; kept for history.
    Superseded,
    /// Hark does not offer it by itself, but still finds it on request.
    Archived,
    /// Awaits the user's decision; until then it is neither offered nor found.
    Proposed,
}

impl Status {
    pub const ALL: &'static [Status] =
        &[Status::Active, Status::Resolved, Status::Superseded, Status::Archived, Status::Proposed];

    pub const fn name(self) -> &'static str {
        match self {
            Status::Active => "active",
            Status::Resolved => "resolved",
            Status::Superseded => "superseded",
            Status::Archived => "archived",
            Status::Proposed => "proposed",
        }
    }

    /// A small stable number for compact facets. Never renumber: indexes on disk contain it.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Whether a memory may go from `self` to `next`. Staying is allowed, so repeats are harmless.
    pub const fn may_become(self, next: Status) -> bool {
        !matches!(
            (self, next),
            (Status::Superseded, Status::Resolved)
                | (Status::Archived | Status::Proposed, Status::Resolved | Status::Superseded)
                | (
                    Status::Active | Status::Resolved | Status::Superseded | Status::Archived,
                    Status::Proposed
                )
        )
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not a status (active, resolved, superseded, archived, proposed)")]
pub struct StatusError(pub String);

impl FromStr for Status {
    type Err = StatusError;

    fn from_str(word: &str) -> Result<Self, StatusError> {
        let lower = word.trim().to_ascii_lowercase();
        Status::ALL
            .iter()
            .copied()
            .find(|s| s.name() == lower)
            .ok_or_else(|| StatusError(word.chars().take(40).collect()))
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_can_become_active_again_but_not_every_other() {
        for status in Status::ALL {
            assert!(status.may_become(Status::Active));
            assert!(status.may_become(*status));
        }
        assert!(!Status::Archived.may_become(Status::Resolved));
        assert!(!Status::Superseded.may_become(Status::Resolved));
        assert!(!Status::Active.may_become(Status::Proposed), "what was accepted is not proposed again");
    }

    #[test]
    fn numbers_on_disk_stay() {
        let codes: Vec<(u8, &str)> = Status::ALL.iter().map(|s| (s.code(), s.name())).collect();
        let stored = [(0, "active"), (1, "resolved"), (2, "superseded"), (3, "archived"), (4, "proposed")];
        assert_eq!(codes, stored);
    }
}
