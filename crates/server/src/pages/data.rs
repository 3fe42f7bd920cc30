//! The fields of responses that pages draw.

use serde::Deserialize;

use super::text::{Moment, count, cut, line};

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Memory {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) status: String,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) why: Option<String>,
    pub(crate) learned: Option<String>,
    pub(crate) topic: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) entities: Vec<String>,
    pub(crate) asked_as: Vec<String>,
    pub(crate) project: Option<String>,
    pub(crate) importance: u8,
    pub(crate) confidence: f32,
    pub(crate) pinned: bool,
    pub(crate) origin: String,
    pub(crate) author: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) turn: Option<String>,
    pub(crate) created: Moment,
    pub(crate) updated: Moment,
    pub(crate) expires: Option<Moment>,
    pub(crate) superseded_by: Option<String>,
    pub(crate) confirmations: u32,
    pub(crate) helpful: u32,
    pub(crate) verdict: Option<String>,
    pub(crate) revision: u32,
    pub(crate) file: Option<String>,
    #[serde(flatten)]
    pub(crate) guidance: Guidance,
}

/// What a rule or insight has besides its text.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Guidance {
    pub(crate) when: Vec<String>,
    pub(crate) action: Option<String>,
    pub(crate) avoid: Vec<String>,
    pub(crate) paused: bool,
    pub(crate) rests_on: Vec<Evidence>,
    pub(crate) record: Option<Record>,
    pub(crate) rejected: Vec<String>,
    pub(crate) criteria: Vec<String>,
    pub(crate) remind: Option<Moment>,
}

impl Guidance {
    /// What Hark does, and when.
    pub(crate) fn doing(&self) -> &str {
        self.action.as_deref().unwrap_or("tell")
    }
}

/// Something that happened, from which a rule or insight was concluded.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Evidence {
    pub(crate) at: Moment,
    pub(crate) sort: String,
    pub(crate) text: String,
}

/// Counted in sessions.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Record {
    pub(crate) told: u32,
    pub(crate) matched: u32,
    pub(crate) upheld: u32,
    pub(crate) broken: u32,
    pub(crate) overruled: u32,
}

/// The most that a page shows of one text; the file has the rest.
const MOST: usize = 20_000;

impl Memory {
    pub(crate) fn line(&self) -> String {
        line(&self.title)
    }

    pub(crate) fn text(&self) -> String {
        cut(&self.body, MOST)
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.body.len() > MOST && self.body.chars().nth(MOST).is_some()
    }

    pub(crate) fn is_open(&self) -> bool {
        self.status == "active"
    }

    /// `0.85` in words and in quarters.
    pub(crate) fn confidence_percent(&self) -> u32 {
        (self.confidence * 100.0).round() as u32
    }

    pub(crate) fn kept_in(&self) -> String {
        match &self.file {
            Some(file) if file.starts_with('/') => file.clone(),
            Some(file) => format!("memories/{file}"),
            None => String::new(),
        }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) host: String,
    pub(crate) status: String,
    pub(crate) about: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) started: Moment,
    pub(crate) updated: Moment,
    pub(crate) tool_calls: u32,
    pub(crate) files: usize,
    pub(crate) top_files: Vec<String>,
    pub(crate) live: bool,
}

impl Session {
    pub(crate) fn line(&self) -> String {
        self.about.as_deref().map_or_else(|| "no goal yet".to_owned(), line)
    }

    pub(crate) fn calls(&self) -> String {
        count(self.tool_calls as usize, "call", "calls")
    }

    pub(crate) fn files_changed(&self) -> String {
        count(self.files, "file", "files")
    }

    /// `12 min`
    pub(crate) fn took(&self) -> String {
        let minutes = (self.updated.millis() - self.started.millis()) / 60_000;
        match minutes {
            ..1 => "under 1 min".to_owned(),
            1..120 => format!("{minutes} min"),
            _ => format!("{} h", minutes / 60),
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Memories {
    pub(crate) memories: Vec<Memory>,
    #[serde(default)]
    pub(crate) total: i64,
    #[serde(default)]
    pub(crate) checked: Vec<CheckedFile>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct CheckedFile {
    pub(crate) path: String,
    pub(crate) exists: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Sessions {
    pub(crate) sessions: Vec<Session>,
}

/// A memory or failure by its id.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Named {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) title: String,
}

impl Named {
    pub(crate) fn line(&self) -> String {
        line(&self.title)
    }
}

/// Memories of a text that a row names.
const MOST_NAMED: usize = 2;

/// One text in the ledger.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Told {
    pub(crate) at: Moment,
    pub(crate) surface: String,
    pub(crate) tokens: i64,
    pub(crate) why: String,
    #[serde(default)]
    pub(crate) followed: Vec<String>,
    pub(crate) of_use: Option<bool>,
    pub(crate) session: Option<String>,
    #[serde(default)]
    pub(crate) named: Vec<Named>,
}

impl Told {
    /// The first memories in it; the page of the session shows all.
    pub(crate) fn first(&self) -> &[Named] {
        self.named.get(..MOST_NAMED).unwrap_or(&self.named)
    }

    pub(crate) fn more(&self) -> usize {
        self.named.len().saturating_sub(MOST_NAMED)
    }

    /// What followed, in words.
    pub(crate) fn outcome(&self) -> String {
        let words: Vec<&str> = self.followed.iter().map(|sign| sign_words(sign)).collect();
        match (words.is_empty(), self.of_use) {
            (false, _) => words.join(", "),
            (true, Some(_)) => "nothing that shows it".to_owned(),
            (true, None) => "not judged".to_owned(),
        }
    }

    pub(crate) fn mark(&self) -> &'static str {
        match self.of_use {
            Some(true) => "sure",
            Some(false) => "quiet",
            None => "none",
        }
    }

    pub(crate) fn glyph(&self) -> &'static str {
        match self.of_use {
            Some(true) => "●",
            Some(false) => "○",
            None => "·",
        }
    }

    pub(crate) fn where_told(&self) -> &'static str {
        surface_words(&self.surface)
    }
}

/// Where a text stood, in words.
pub(crate) fn surface_words(surface: &str) -> &'static str {
    match surface {
        "boot" => "start",
        "prompt" => "prompt",
        "ask" => "asked to store",
        "alert" => "warning",
        "due" => "due",
        "edit" => "edit",
        "subagent" => "subagent",
        "remind" => "reminder",
        "gate" => "gate",
        "rule" => "rule",
        "notice" => "start",
        _ => "other",
    }
}

fn sign_words(sign: &str) -> &str {
    match sign {
        "specific" => "worked on it",
        "touched" => "changed a file it names",
        "failed_again" => "met the failure",
        "stored" => "stored something",
        "saved" => "made a checkpoint",
        "helpful" => "rated helpful",
        "wrong" => "rated wrong",
        other => other,
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Ledger {
    pub(crate) count: i64,
    pub(crate) tokens: i64,
    pub(crate) entries: Vec<Told>,
    #[serde(default)]
    pub(crate) days: Vec<Day>,
    #[serde(default)]
    pub(crate) sums: Vec<Sum>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Sum {
    pub(crate) host: String,
    pub(crate) surface: String,
    pub(crate) count: i64,
    pub(crate) tokens: i64,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Day {
    pub(crate) day: String,
    pub(crate) count: i64,
    pub(crate) tokens: i64,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Report {
    pub(crate) judged: usize,
    pub(crate) of_use: usize,
    pub(crate) share: Option<f64>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Proposals {
    pub(crate) items: Vec<Proposal>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Proposal {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) text: String,
    pub(crate) evidence: String,
    pub(crate) project: Option<String>,
    #[serde(default)]
    pub(crate) when: Vec<String>,
    #[serde(default)]
    pub(crate) rests_on: Vec<Evidence>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Failures {
    pub(crate) failures: Vec<Failure>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Failure {
    pub(crate) id: Option<String>,
    pub(crate) message: String,
    pub(crate) class: String,
    pub(crate) status: String,
    pub(crate) command: String,
    pub(crate) files: Vec<String>,
    pub(crate) seen: u32,
    pub(crate) relapses: u32,
    pub(crate) runs: u32,
    pub(crate) vain: u32,
    pub(crate) minutes: i64,
    pub(crate) last: Moment,
    pub(crate) fixed: Option<Moment>,
    pub(crate) session: Option<String>,
    pub(crate) tried: Vec<String>,
    pub(crate) fix: Option<String>,
}

impl Failure {
    pub(crate) fn line(&self) -> String {
        line(&self.message)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.status == "open"
    }

    pub(crate) fn is_back(&self) -> bool {
        self.is_open() && self.relapses > 0
    }

    pub(crate) fn word(&self) -> &'static str {
        match () {
            () if self.is_back() => "came back",
            () if self.is_open() => "open",
            () => "fixed",
        }
    }

    /// What it cost so far.
    pub(crate) fn cost(&self) -> String {
        let mut parts = Vec::new();
        if self.runs > 0 {
            parts.push(super::text::count(self.runs as usize, "failed run", "failed runs"));
        }
        if self.vain > 0 {
            parts.push(super::text::count(self.vain as usize, "attempt in vain", "attempts in vain"));
        }
        if self.minutes > 0 {
            parts.push(format!("{} min", super::text::number(self.minutes)));
        }
        parts.join(" · ")
    }
}
