//! What a reading of transcripts came to, counted honestly: what was read, what was new, what was
//! passed over and why.

use std::collections::{BTreeMap, BTreeSet};

use hark_hosts::transcript::Skip;
use schemars::JsonSchema;
use serde::Serialize;

/// More than this are only counted.
const MOST_TROUBLES: usize = 20;

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    pub files: Files,
    pub sessions: Sessions,
    pub events: Events,
    /// Records that were read.
    pub records: u64,
    /// Records and parts of records that were passed over, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Bytes that were read.
    pub bytes: u64,
    pub seconds: f64,
    /// Files that could not be read, and why; the first few.
    pub troubles: Vec<Trouble>,
    #[serde(skip)]
    pub(super) seen: BTreeSet<i64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Files {
    /// Looked into.
    pub read: u64,
    /// Not changed since they were read.
    pub unchanged: u64,
    /// Changed elsewhere than at their end, and read from the beginning.
    pub replaced: u64,
    /// No transcripts that we know.
    pub unrecognised: u64,
    /// Older than asked for.
    pub older: u64,
    /// That could not be read.
    pub failed: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Sessions {
    pub new: u64,
    /// With new events, new ones among them.
    pub updated: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Events {
    pub new: u64,
    /// Known from hooks or an earlier reading.
    pub known: u64,
    /// Known from the session that this one is a copy of.
    pub copied: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Trouble {
    pub path: String,
    pub reason: String,
}

impl Report {
    pub(super) fn skip(&mut self, why: Skip, count: u64) {
        let name = serde_json::to_value(why).ok().and_then(|v| v.as_str().map(str::to_owned));
        *self.skipped.entry(name.unwrap_or_default()).or_default() += count;
    }

    pub(super) fn skip_some(&mut self, why: Skip, count: u64) {
        if count > 0 {
            self.skip(why, count);
        }
    }

    pub(super) fn trouble(&mut self, path: &str, reason: &dyn std::fmt::Display) {
        self.files.failed += 1;
        if self.troubles.len() < MOST_TROUBLES {
            self.troubles.push(Trouble { path: path.to_owned(), reason: reason.to_string() });
        }
    }

    /// Megabytes per second; none if it took no time.
    pub fn rate(&self) -> Option<f64> {
        (self.seconds > 0.0 && self.bytes > 0).then(|| self.bytes as f64 / 1e6 / self.seconds)
    }
}
