//! The result of reading transcripts: what was read, what was new, what was skipped and why.

use std::collections::{BTreeMap, BTreeSet};

use hark_hosts::transcript::Skip;
use schemars::JsonSchema;
use serde::Serialize;

/// Any more are only counted.
const MOST_TROUBLES: usize = 20;

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    pub files: Files,
    pub sessions: Sessions,
    pub events: Events,
    /// Records that were read.
    pub records: u64,
    /// Records and parts of records that were skipped, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Bytes that were read.
    pub bytes: u64,
    pub seconds: f64,
    /// The first few files that could not be read or recognised, and why.
    pub troubles: Vec<Trouble>,
    #[serde(skip)]
    pub(super) seen: BTreeSet<i64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Files {
    /// Files that were read.
    pub read: u64,
    /// Files that have not changed since they were last read.
    pub unchanged: u64,
    /// Files that changed before their end and were read from the beginning.
    pub replaced: u64,
    /// Files that are not known transcripts.
    pub unrecognised: u64,
    /// Files older than requested.
    pub older: u64,
    /// Files that could not be read.
    pub failed: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Sessions {
    pub new: u64,
    /// Sessions with new events, including new sessions.
    pub updated: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Events {
    pub new: u64,
    /// Known from hooks or an earlier run.
    pub known: u64,
    /// Known from the session that this one was copied from.
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

    /// A file that was named, or found in a folder that was named, and is no known transcript.
    pub(super) fn unrecognised(&mut self, path: &str) {
        self.files.unrecognised += 1;
        if self.troubles.len() < MOST_TROUBLES {
            let reason =
                "not a transcript that Hark knows; `hark ingest --help` lists the assistants it reads";
            self.troubles.push(Trouble { path: path.to_owned(), reason: reason.to_owned() });
        }
    }

    /// Megabytes per second; `None` if it took no time.
    pub fn rate(&self) -> Option<f64> {
        (self.seconds > 0.0 && self.bytes > 0).then(|| self.bytes as f64 / 1e6 / self.seconds)
    }
}
