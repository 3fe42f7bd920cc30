//! One run of one assistant in one project: its goal, what was done, what is left, which files it touched,
//! and its checkpoints.
//!
//! Checkpoints extend lists and never shorten them, except for pending items, which each checkpoint states
//! anew. All text has passed redaction.

pub mod asked;
pub mod closing;
mod id;
mod raw;
mod title;
pub mod touches;
mod turn;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use id::{SessionId, SessionRef};
pub use title::title_of_prompt;
pub use turn::{Check, Turn};

use crate::memory::UnknownKey;
use crate::project::ProjectKey;
use crate::redact::{Clean, cut_at};
use crate::time::Timestamp;

/// A session with activity this recent is live: an assistant is probably still working in it.
pub const LIVE_MS: i64 = 20 * 60 * 1000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionStatus {
    /// Running, or ended without notice and not yet expired.
    #[default]
    Open,
    /// The client or the agent ended it.
    Closed,
    /// Inactive for too long.
    Expired,
}

impl SessionStatus {
    pub const fn name(self) -> &'static str {
        match self {
            SessionStatus::Open => "open",
            SessionStatus::Closed => "closed",
            SessionStatus::Expired => "expired",
        }
    }
}

impl fmt::Display for SessionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not a status of a session (open, closed)")]
pub struct SessionStatusError(pub String);

impl FromStr for SessionStatus {
    type Err = SessionStatusError;

    fn from_str(word: &str) -> Result<Self, SessionStatusError> {
        match word.trim().to_ascii_lowercase().as_str() {
            "open" | "active" | "in_progress" | "in-progress" => Ok(SessionStatus::Open),
            "closed" | "done" | "completed" | "complete" | "finished" => Ok(SessionStatus::Closed),
            "expired" | "stale" => Ok(SessionStatus::Expired),
            _ => Err(SessionStatusError(word.chars().take(40).collect())),
        }
    }
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileOp {
    Created,
    Modified,
    Deleted,
    Renamed,
}

impl FileOp {
    pub const ALL: &'static [FileOp] = &[FileOp::Created, FileOp::Modified, FileOp::Deleted, FileOp::Renamed];

    pub const fn name(self) -> &'static str {
        match self {
            FileOp::Created => "created",
            FileOp::Modified => "modified",
            FileOp::Deleted => "deleted",
            FileOp::Renamed => "renamed",
        }
    }

    pub fn from_name(word: &str) -> Option<Self> {
        FileOp::ALL.iter().copied().find(|op| op.name() == word.trim().to_ascii_lowercase())
    }
}

/// A file that a session touched; touches of the same kind are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct FileTouch<T = Clean> {
    /// Relative to the project if it is inside.
    pub path: T,
    pub op: FileOp,
    /// Its former name, if it was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<T>,
    pub edits: u32,
    pub first: Timestamp,
    pub last: Timestamp,
}

/// Who made a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckpointBy {
    /// The agent reported what it did: the only kind that gives reasons.
    Agent,
    /// A turn ended.
    Stop,
    /// The client is about to drop the beginning of the conversation.
    Compaction,
    /// The session ended.
    End,
    /// It expired without an end.
    Expiry,
}

impl CheckpointBy {
    pub const ALL: &'static [CheckpointBy] = &[
        CheckpointBy::Agent,
        CheckpointBy::Stop,
        CheckpointBy::Compaction,
        CheckpointBy::End,
        CheckpointBy::Expiry,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            CheckpointBy::Agent => "agent",
            CheckpointBy::Stop => "stop",
            CheckpointBy::Compaction => "compaction",
            CheckpointBy::End => "end",
            CheckpointBy::Expiry => "expiry",
        }
    }

    pub fn from_name(word: &str) -> Option<Self> {
        CheckpointBy::ALL.iter().copied().find(|by| by.name() == word)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint<T = Clean> {
    pub at: Timestamp,
    pub by: CheckpointBy,
    pub note: T,
}

/// Something outside the session that belongs to it: a plan with its path and description, a page with its
/// address and title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Pointer<T = Clean> {
    pub to: T,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<T>,
}

/// The summary of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary<T = Clean> {
    pub text: T,
    /// Whether hark extracted it from the events and nobody has changed it since. Any other summary stays.
    pub extracted: bool,
}

/// An unknown section of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownSection<T = Clean> {
    /// Empty for text before the first heading.
    pub heading: T,
    pub text: T,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Session<T = Clean> {
    pub id: SessionId,
    /// The assistant's id, as in `hark install`.
    pub host: T,
    /// The assistant's own session id.
    pub host_session: T,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectKey<T>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<T>,
    pub status: SessionStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<T>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<T>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<T>,
    /// What the agent says it did, line by line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub work: Vec<T>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<T>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<Pointer<T>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Pointer<T>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileTouch<T>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<Checkpoint<T>>,
    /// Finished turns of real work, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<Turn<T>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary<T>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_start: Option<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_end: Option<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<T>,
    pub started: Timestamp,
    pub updated: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
    /// The number of tool calls that hooks reported.
    #[serde(default)]
    pub tool_calls: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<UnknownKey<T>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_sections: Vec<UnknownSection<T>>,
}

/// An agent's report at a checkpoint. Empty means "no statement".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub title: Option<Clean>,
    pub goal: Option<Clean>,
    pub done: Vec<Clean>,
    pub pending: Option<Vec<Clean>>,
    pub work: Vec<Clean>,
    pub decisions: Vec<Clean>,
    pub plans: Vec<Pointer>,
    pub references: Vec<Pointer>,
    pub status: Option<SessionStatus>,
}

impl Report {
    /// Whether it says anything: an empty checkpoint does not count.
    pub fn says_something(&self) -> bool {
        self.goal.is_some()
            || self.pending.is_some()
            || !self.plans.is_empty()
            || !self.references.is_empty()
            || [&self.done, &self.work, &self.decisions].iter().any(|list| !list.is_empty())
    }
}

impl Session {
    /// How many machine checkpoints to keep; those of the agent are always kept.
    const MACHINE_CHECKPOINTS: usize = 20;
    const ITEM_CHARS: usize = 2_000;
    const ITEMS: usize = 500;
    /// More turns than this are dropped, oldest first.
    const TURNS: usize = 60;

    /// Whether an assistant is probably still working in it.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.status == SessionStatus::Open && self.updated > now.minus_millis(LIVE_MS)
    }

    pub fn new(id: SessionId, host: Clean, host_session: Clean, now: Timestamp) -> Self {
        Session {
            id,
            host,
            host_session,
            project: None,
            parent: None,
            status: SessionStatus::Open,
            title: None,
            goal: None,
            done: Vec::new(),
            pending: Vec::new(),
            work: Vec::new(),
            decisions: Vec::new(),
            plans: Vec::new(),
            references: Vec::new(),
            files: Vec::new(),
            checkpoints: Vec::new(),
            turns: Vec::new(),
            summary: None,
            branch: None,
            head_start: None,
            head_end: None,
            folder: None,
            transcript: None,
            started: now,
            updated: now,
            ended: None,
            tool_calls: 0,
            unknown: Vec::new(),
            unknown_sections: Vec::new(),
        }
    }

    /// A title of one word, which names the session's file.
    pub fn slug(&self) -> Option<&Clean> {
        self.title.as_ref().filter(|title| is_slug(title))
    }

    /// Applies the agent's report: lists grow, pending items are replaced, and the title is set only once,
    /// because the file is named after it. A slug replaces the title that the first prompt gave.
    pub fn apply(&mut self, report: Report, now: Timestamp) {
        let note = note_of(&report);
        let is_named = report.title.as_ref().is_some_and(|title| is_slug(title)) && self.slug().is_none();
        if self.title.is_none() || is_named {
            self.title = report.title;
        }
        if report.goal.is_some() {
            self.goal = report.goal;
        }
        grow(&mut self.done, report.done);
        grow(&mut self.work, report.work);
        grow(&mut self.decisions, report.decisions);
        grow(&mut self.plans, report.plans);
        grow(&mut self.references, report.references);
        if let Some(pending) = report.pending {
            self.pending.clear();
            grow(&mut self.pending, pending);
        }
        match report.status {
            Some(SessionStatus::Open) => self.reopen(now),
            Some(status) => self.close(status, now),
            None => {}
        }
        self.mark(CheckpointBy::Agent, note, now);
    }

    /// Adds a checkpoint. Consecutive machine checkpoints are merged into one, which moves on.
    pub fn mark(&mut self, by: CheckpointBy, note: Clean, now: Timestamp) {
        self.updated = self.updated.max(now);
        if let Some(last) = self.checkpoints.last_mut()
            && last.by == by
            && by != CheckpointBy::Agent
        {
            *last = Checkpoint { at: now, by, note };
            return;
        }
        self.checkpoints.push(Checkpoint { at: now, by, note });
        let machine = self.checkpoints.iter().filter(|c| c.by != CheckpointBy::Agent).count();
        if machine > Self::MACHINE_CHECKPOINTS
            && let Some(oldest) = self.checkpoints.iter().position(|c| c.by != CheckpointBy::Agent)
        {
            self.checkpoints.remove(oldest);
        }
    }

    pub fn close(&mut self, status: SessionStatus, now: Timestamp) {
        self.status = status;
        self.ended = Some(now.max(self.started));
        self.updated = self.updated.max(now);
    }

    /// Reopens a session that continues although it seemed to be over.
    pub fn reopen(&mut self, now: Timestamp) {
        self.status = SessionStatus::Open;
        self.ended = None;
        self.updated = self.updated.max(now);
    }

    /// Adds a turn, or replaces it: a turn grows until the next request.
    pub fn add_turn(&mut self, turn: Turn) {
        match self.turns.binary_search_by_key(&turn.at, |known| known.at) {
            Ok(at) => self.turns[at] = turn,
            Err(at) => self.turns.insert(at, turn),
        }
        let excess = self.turns.len().saturating_sub(Self::TURNS);
        self.turns.drain(..excess);
    }

    /// Sets the extracted summary, unless someone wrote one.
    pub fn summarise(&mut self, text: Clean) {
        let theirs = self.summary.as_ref().is_some_and(|summary| !summary.extracted);
        if !theirs && !text.is_empty() {
            self.summary = Some(Summary { text, extracted: true });
        }
    }

    /// What it was about, in one line, if anything is known.
    pub fn about(&self) -> Option<&Clean> {
        self.goal.as_ref().or(self.title.as_ref())
    }

    /// Whether it contains anything that another session would want to know.
    pub fn has_substance(&self) -> bool {
        self.summary.is_some() || self.has_work()
    }

    /// Whether it has a stated goal or result, or changed files: more than talk.
    pub fn has_work(&self) -> bool {
        self.has_report() || !self.files.is_empty()
    }

    /// Whether the agent or a person said what it is about or what came of it.
    pub fn has_report(&self) -> bool {
        self.goal.is_some()
            || [&self.done, &self.pending, &self.work, &self.decisions].iter().any(|list| !list.is_empty())
    }

    /// All searchable text.
    pub fn searchable(&self) -> String {
        let mut text = String::new();
        let mut add = |part: &str| {
            text.push_str(part);
            text.push('\n');
        };
        [&self.title, &self.goal, &self.branch].into_iter().flatten().for_each(|part| add(part));
        for list in [&self.done, &self.pending, &self.work, &self.decisions] {
            list.iter().for_each(|part| add(part));
        }
        for pointer in self.plans.iter().chain(&self.references) {
            add(&pointer.to);
            pointer.label.iter().for_each(|label| add(label));
        }
        self.files.iter().for_each(|file| add(&file.path));
        self.turns.iter().for_each(|turn| add(&turn.asked));
        self.summary.iter().for_each(|summary| add(&summary.text));
        text
    }
}

fn is_slug(title: &str) -> bool {
    !title.is_empty() && title.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// Appends new items, in the form in which a list of the file can store them.
fn grow<T: PartialEq + Tidy>(list: &mut Vec<T>, more: Vec<T>) {
    for item in more.into_iter().filter_map(Tidy::tidy) {
        if !list.contains(&item) && list.len() < Session::ITEMS {
            list.push(item);
        }
    }
}

/// Text in the form that a line of the file gives back unchanged.
pub trait Tidy: Sized {
    fn tidy(self) -> Option<Self>;
}

impl Tidy for Clean {
    fn tidy(self) -> Option<Self> {
        let text: String = self.replace("\r\n", "\n").replace('\t', " ");
        let text: String = text.chars().filter(|c| *c == '\n' || !is_breaking(*c)).collect();
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let mut text = lines.join("\n").trim().to_owned();
        if let Some((end, _)) = text.char_indices().nth(Session::ITEM_CHARS) {
            text.truncate(cut_at(&text, end));
            text.truncate(text.trim_end().len());
        }
        (!text.is_empty()).then(|| Clean::already_redacted(text))
    }
}

/// Characters that end a line for some readers or vanish for others.
fn is_breaking(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{85}')
}

impl Tidy for Pointer {
    fn tidy(self) -> Option<Self> {
        let one_line = |text: Clean| {
            let folded = text.tidy()?.split_whitespace().collect::<Vec<_>>().join(" ");
            (!folded.is_empty()).then(|| Clean::already_redacted(folded))
        };
        Some(Pointer { to: one_line(self.to)?, label: self.label.and_then(one_line) })
    }
}

fn note_of(report: &Report) -> Clean {
    let mut parts = Vec::new();
    let mut count = |word: &str, n: usize| {
        if n > 0 {
            parts.push(format!("{n} {word}"));
        }
    };
    count("done", report.done.len());
    count("pending", report.pending.as_ref().map_or(0, Vec::len));
    count("decided", report.decisions.len());
    count("noted", report.work.len());
    if report.goal.is_some() {
        parts.insert(0, "goal".to_owned());
    }
    // Composed only of hark's own words and numbers.
    Clean::already_redacted(if parts.is_empty() { "nothing new".to_owned() } else { parts.join(", ") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::{Raw, RedactOptions, Redactor};

    fn clean(text: &str) -> Clean {
        Redactor::new(RedactOptions::default(), [0; 32]).clean(Raw::new(text))
    }

    fn session() -> Session {
        let now = Timestamp::from_millis(1_000);
        Session::new(SessionId::new(now, [1; 10]), clean("codex"), clean("x"), now)
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn lists_grow_and_pending_is_replaced() {
        let mut s = session();
        let report = |done: &str, pending: &[&str]| Report {
            done: vec![clean(done)],
            pending: Some(pending.iter().map(|p| clean(p)).collect()),
            title: Some(clean(done)),
            ..Report::default()
        };
        s.apply(report("one", &["two", "three"]), at(2_000));
        s.apply(report("two", &["three"]), at(3_000));
        s.apply(Report { goal: Some(clean("all")), ..Report::default() }, at(4_000));
        assert_eq!((s.done.len(), s.pending.len(), s.checkpoints.len()), (2, 1, 3));
        assert_eq!(s.title.as_deref(), Some("one"), "a title is set once");
        s.apply(Report { pending: Some(vec![]), ..Report::default() }, at(5_000));
        assert!(s.pending.is_empty());
    }

    #[test]
    fn machine_checkpoints_do_not_pile_up() {
        let mut s = session();
        for turn in 0..200 {
            s.mark(CheckpointBy::Stop, clean("turn"), at(turn));
            if turn % 10 == 0 {
                s.mark(CheckpointBy::Agent, clean("goal"), at(turn));
            }
        }
        let agent = s.checkpoints.iter().filter(|c| c.by == CheckpointBy::Agent).count();
        assert_eq!(agent, 20);
        assert!(s.checkpoints.len() <= 20 + Session::MACHINE_CHECKPOINTS);
    }

    #[test]
    fn a_summary_that_somebody_wrote_stays() {
        let mut s = session();
        s.summarise(clean("extracted"));
        s.summarise(clean("extracted again"));
        assert_eq!(&*s.summary.clone().unwrap().text, "extracted again");
        s.summary = Some(Summary { text: clean("mine"), extracted: false });
        s.summarise(clean("extracted once more"));
        assert_eq!(&*s.summary.unwrap().text, "mine");
    }

    #[test]
    fn names_of_sessions_are_understood() {
        let s = session();
        assert_eq!(s.id.short().parse::<SessionRef>().unwrap(), SessionRef::Tail(s.id.tail()));
        assert_eq!(s.id.full().parse::<SessionRef>().unwrap(), SessionRef::Full(s.id));
        assert!("s-".parse::<SessionRef>().is_err());
    }
}
