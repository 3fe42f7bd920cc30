//! Transcripts: what assistants write down about their sessions, told in our words.
//!
//! Each assistant's folder has a `transcript.rs` with one [`Reader`]. A reader is given records one
//! by one (a line, a whole document, a row) and tells whose session it is and what happened. It
//! opens nothing and keeps little: files, cursors and memory are the business of whoever feeds it.
//! What it does not know is counted, never an error.

mod calls;
mod json;

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

/// How the transcripts of one assistant are kept.
pub struct Transcripts {
    /// The assistant, as in `hark install`.
    pub host: &'static str,
    pub shape: Shape,
    /// Where they are, unless somebody moved them.
    pub(crate) places: &'static [Place],
    /// Whether a file found there may be one.
    pub(crate) named: fn(&Path) -> bool,
    /// Whether a file that begins like this is one, wherever it lies.
    pub(crate) begins: fn(&str) -> bool,
    /// A reader for a file of this name.
    pub(crate) reader: fn(&Path) -> Box<dyn Reader>,
}

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A line; files grow at their end.
    Lines,
    /// The whole file, which is written anew each time.
    Document,
    /// A row of OpenCode's database, put together as one object.
    Database,
}

/// Reads the records of one file, in order.
pub trait Reader {
    /// `at` is where the record begins in its file.
    fn read(&mut self, record: &[u8], at: u64, told: &mut Told);

    /// Where to begin the next time, if not behind the last record: a call was told whose result is
    /// yet to come.
    fn waits_since(&self) -> Option<u64> {
        None
    }
}

/// Whose session the following turns belong to.
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
    /// The assistant's own id, where its hooks give the same one, or where it is the only one.
    pub once: Option<String>,
    pub at: Option<Timestamp>,
    pub what: What,
}

#[derive(Debug)]
pub enum Item {
    Session(Identity),
    Turn(Turn),
}

/// Why a record, or a part of one, was passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skip {
    /// We know it, and there is nothing in it to keep.
    Noise,
    /// Of a sort that we do not know.
    Unknown,
    /// Not what its format says it is.
    Broken,
    /// Longer than a record may be.
    TooLong,
    /// Copied from another session.
    Copied,
    /// A result without its call.
    Orphan,
    /// Of a session that was forgotten here.
    Forgotten,
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
        }
    }
}

/// What a reader told so far; emptied by whoever listens.
#[derive(Debug, Default)]
pub struct Told {
    pub items: Vec<Item>,
    pub skipped: BTreeMap<Skip, u64>,
    current: Option<Identity>,
}

impl Told {
    /// Says whose the next turns are; nothing if that is known already.
    pub(crate) fn session(&mut self, identity: Identity) {
        if self.current.as_ref() != Some(&identity) {
            self.current = Some(identity.clone());
            self.items.push(Item::Session(identity));
        }
    }

    pub(crate) fn turn(&mut self, once: Option<String>, at: Option<Timestamp>, what: What) {
        self.items.push(Item::Turn(Turn { once, at, what }));
    }

    pub fn skip(&mut self, why: Skip) {
        *self.skipped.entry(why).or_default() += 1;
    }
}

/// Every assistant whose transcripts can be read. Of two that could have written a file the first
/// is believed.
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
    &cline::transcript::TRANSCRIPTS,
    &continue_dev::transcript::TRANSCRIPTS,
    &aider::transcript::TRANSCRIPTS,
];

impl Transcripts {
    pub fn reader(&self, path: &Path) -> Box<dyn Reader> {
        (self.reader)(path)
    }

    /// Whether a file that lies where it should is one by its name.
    pub fn is_named(&self, path: &Path) -> bool {
        (self.named)(path)
    }

    /// Folders and files to look at.
    pub fn places(&self, around: &Surroundings) -> Vec<PathBuf> {
        let host = crate::find(self.host);
        let found = self.places.iter().filter_map(|place| around.find(host?, place));
        found.filter(|path| path.exists()).collect()
    }
}

/// Whose transcript a file is that begins like this; none that we know.
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
    TRANSCRIPTS.iter().copied().find(|t| t.shape != Shape::Database && (t.begins)(text))
}

/// The name of a file without its ending, as many assistants name sessions.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

pub(crate) fn is_jsonl(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "jsonl")
}

pub(crate) fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "json")
}
