//! Transcripts: the assistants' own records of their sessions, translated into hark's terms.
//!
//! Each assistant's folder has a `transcript.rs` with one [`Reader`]. A reader receives records one by one (a
//! line, a whole document, a row) and reports whose session it is and what happened. It opens nothing and
//! keeps little state: the caller manages files, cursors and memory. Unknown records are counted and are
//! never errors.

mod calls;
mod json;
mod specstory;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hark_core::Timestamp;
use serde::{Deserialize, Serialize};

pub(crate) use calls::Calls;
pub(crate) use json::{text_in, time};

use crate::hook::What;
use crate::host::Place;
use crate::place::Surroundings;
use crate::{
    aider, claude_code, cline, codex, continue_dev, copilot_cli, cursor, droid, gemini_cli, opencode,
    qwen_code,
};

/// How one assistant stores its transcripts.
pub struct Transcripts {
    /// The assistant's id, as in `hark install`.
    pub host: &'static str,
    pub shape: Shape,
    /// Whether another program wrote it. A session that is known from its own assistant is not read again.
    pub secondhand: bool,
    /// The default places.
    pub(crate) places: &'static [Place],
    /// Whether a file found there may be a transcript, by its name.
    pub(crate) named: fn(&Path) -> bool,
    /// Whether a file that begins like this is a transcript, wherever it is.
    pub(crate) begins: fn(&str) -> bool,
    /// A reader for a file of this name.
    pub(crate) reader: fn(&Path) -> Box<dyn Reader>,
}

/// The unit in which a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A line; files grow at the end.
    Lines,
    /// The whole file, which is rewritten each time.
    Document,
    /// A row of OpenCode's database, assembled into one object.
    Database,
}

/// Reads the records of one file, in order.
pub trait Reader {
    /// `at` is where the record begins in its file.
    fn read(&mut self, record: &[u8], at: u64, told: &mut Told);

    /// Where to resume, if not after the last record: a call was reported whose result is still missing.
    fn waits_since(&self) -> Option<u64> {
        None
    }
}

/// The session that the following turns belong to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    pub session: String,
    /// The session that started this one, or that it was forked from.
    pub parent: Option<String>,
    pub cwd: Option<String>,
    pub branch: Option<String>,
    pub commit: Option<String>,
    pub model: Option<String>,
}

/// Something that happened.
#[derive(Debug)]
pub struct Turn {
    /// The assistant's own id, if its hooks use the same one or there is no other.
    pub once: Option<String>,
    pub at: Option<Timestamp>,
    pub what: What,
}

#[derive(Debug)]
pub enum Item {
    Session(Identity),
    Turn(Turn),
}

/// Why a record, or a part of one, was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skip {
    /// Known, with nothing worth keeping.
    Noise,
    /// Of an unknown kind.
    Unknown,
    /// Invalid in its format.
    Broken,
    /// Longer than allowed.
    TooLong,
    /// Copied from another session.
    Copied,
    /// A result without its call.
    Orphan,
    /// From a session that was forgotten here.
    Forgotten,
    /// From a time in which hooks were paused.
    Paused,
}

impl Skip {
    pub const fn words(self) -> &'static str {
        match self {
            Skip::Noise => "nothing to keep",
            Skip::Unknown => "unknown",
            Skip::Broken => "broken",
            Skip::TooLong => "too long",
            Skip::Copied => "copied from another session",
            Skip::Orphan => "results without a call",
            Skip::Forgotten => "from forgotten sessions",
            Skip::Paused => "from a time when hark was paused",
        }
    }
}

/// What a reader has reported so far; the caller empties it.
#[derive(Debug, Default)]
pub struct Told {
    pub items: Vec<Item>,
    pub skipped: BTreeMap<Skip, u64>,
    current: Option<Identity>,
}

impl Told {
    /// Names the session of the next turns, unless it is already the current one.
    pub(crate) fn session(&mut self, identity: Identity) {
        if self.current.as_ref() != Some(&identity) {
            self.current = Some(identity.clone());
            self.items.push(Item::Session(identity));
        }
    }

    /// The same for a reader whose session seldom changes: clones only what is new.
    pub(crate) fn stay_in(&mut self, identity: &Identity) {
        if self.current.as_ref() != Some(identity) {
            self.session(identity.clone());
        }
    }

    pub(crate) fn turn(&mut self, once: Option<String>, at: Option<Timestamp>, what: What) {
        self.items.push(Item::Turn(Turn { once, at, what }));
    }

    pub fn skip(&mut self, why: Skip) {
        *self.skipped.entry(why).or_default() += 1;
    }
}

/// Every format of a transcript. If a file could have several, the first wins.
pub const TRANSCRIPTS: &[&Transcripts] = &[
    &codex::transcript::TRANSCRIPTS,
    &gemini_cli::transcript::LINES,
    &gemini_cli::transcript::DOCUMENTS,
    &copilot_cli::transcript::TRANSCRIPTS,
    &qwen_code::transcript::TRANSCRIPTS,
    &droid::transcript::TRANSCRIPTS,
    &claude_code::transcript::TRANSCRIPTS,
    &cursor::transcript::TRANSCRIPTS,
    &opencode::transcript::OPENCODE,
    &opencode::transcript::KILO,
    &opencode::transcript::EXPORTS,
    &opencode::transcript::EVENTS,
    &cline::transcript::TRANSCRIPTS,
    &continue_dev::transcript::TRANSCRIPTS,
    &aider::transcript::TRANSCRIPTS,
    &specstory::CLAUDE_CODE,
    &specstory::CODEX,
    &specstory::GEMINI,
    &specstory::CURSOR,
    &specstory::VSCODE,
    &specstory::DROID,
    &specstory::OPENCODE,
    &specstory::OTHERS,
];

impl Transcripts {
    pub fn reader(&self, path: &Path) -> Box<dyn Reader> {
        (self.reader)(path)
    }

    /// Whether the name of a file in a default place is that of a transcript.
    pub fn is_named(&self, path: &Path) -> bool {
        (self.named)(path)
    }

    /// The folders and files to search.
    pub fn places(&self, around: &Surroundings) -> Vec<PathBuf> {
        let host = crate::find(self.host);
        let found = self.places.iter().filter_map(|place| around.find(host?, place));
        found.filter(|path| path.exists()).collect()
    }
}

/// The assistant that wrote a file that begins like this, if it is a known one.
pub fn recognise(path: &Path, head: &[u8]) -> Option<&'static Transcripts> {
    if head.starts_with(b"SQLite format 3\0") {
        let is_kilo = path.file_name().is_some_and(|name| name == "kilo.db");
        let is_opencode = path.file_name().is_some_and(|name| name == "opencode.db");
        return match (is_opencode, is_kilo) {
            (true, _) => Some(&opencode::transcript::OPENCODE),
            (_, true) => Some(&opencode::transcript::KILO),
            _ => None,
        };
    }
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let begins = |t: &&Transcripts| t.shape != Shape::Database && (t.begins)(text);
    let mut all = TRANSCRIPTS.iter().copied();
    // A document on one line can look like a line of somebody else's; its name tells them apart.
    let is_document = |t: &&Transcripts| t.shape == Shape::Document && t.is_named(path);
    all.clone().find(|t| begins(t) && is_document(t)).or_else(|| all.find(begins))
}

/// The name of a file without its extension, which many assistants use as session id.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

pub(crate) fn is_jsonl(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "jsonl")
}

pub(crate) fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "json")
}
