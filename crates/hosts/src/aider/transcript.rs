//! Aider's chat history: one markdown file per project with one session after another. `#### ` marks what the
//! user typed, `> ` what Aider itself prints; the rest is the model.

use std::path::Path;

use hark_core::session::FileOp;
use hark_core::{Raw, Timestamp};
use serde_json::json;

use crate::hook::What;
use crate::hook::names::{without_frames, without_injections};
use crate::hook::tools::{self, FileTouched};
use crate::host::project;
use crate::transcript::{Identity, Reader, Shape, Skip, Told, Transcripts, time};

const START: &str = "# aider chat started at ";
const USER: &str = "#### ";

pub(crate) const TRANSCRIPTS: Transcripts = Transcripts {
    host: "aider",
    shape: Shape::Document,
    secondhand: false,
    places: &[project(&[".aider.chat.history.md"])],
    named: |path| path.file_name().is_some_and(|name| name == ".aider.chat.history.md"),
    begins: |head| head.starts_with(START),
    reader: |path| Box::new(History { folder: folder(path), ..History::default() }),
};

fn folder(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default()
}

#[derive(Default)]
struct History {
    folder: String,
    /// The session, and how many turns it has had.
    session: String,
    turns: usize,
    when: Option<Timestamp>,
    asked: String,
    said: String,
}

impl Reader for History {
    fn read(&mut self, record: &[u8], _at: u64, told: &mut Told) {
        let text = String::from_utf8_lossy(record);
        for line in text.lines() {
            if let Some(at) = line.strip_prefix(START) {
                self.finish(told);
                self.begin(at.trim(), told);
            } else if let Some(asked) = line.strip_prefix(USER) {
                self.finish_reply(told);
                self.asked.push_str(asked.trim_end());
                self.asked.push('\n');
            } else if let Some(note) = line.strip_prefix("> ") {
                self.note(note.trim(), told);
            } else {
                self.finish_prompt(told);
                self.said.push_str(line);
                self.said.push('\n');
            }
        }
        // The last reply may be incomplete, so it is reported only when something follows it.
        self.finish_prompt(told);
    }
}

impl History {
    /// Sessions in different projects may start in the same second, so the folder is part of the name.
    fn begin(&mut self, at: &str, told: &mut Told) {
        self.when = time(&at.replacen(' ', "T", 1));
        self.session = format!("{} {at}", self.folder);
        self.turns = 0;
        told.session(Identity {
            session: self.session.clone(),
            cwd: Some(self.folder.clone()),
            ..Identity::default()
        });
    }

    fn once(&mut self) -> Option<String> {
        self.turns += 1;
        Some(format!("{} {}", self.session, self.turns))
    }

    fn finish(&mut self, told: &mut Told) {
        self.finish_prompt(told);
        self.finish_reply(told);
    }

    fn finish_prompt(&mut self, told: &mut Told) {
        let asked = without_injections(&std::mem::take(&mut self.asked));
        let asked = asked.trim();
        if asked.is_empty() {
            return;
        }
        let once = self.once();
        if asked.starts_with('/') {
            return told.skip(Skip::Noise);
        }
        told.turn(once, self.when, What::Prompt(Raw::new(asked)));
    }

    fn finish_reply(&mut self, told: &mut Told) {
        let said = std::mem::take(&mut self.said);
        if !said.trim().is_empty() && !self.session.is_empty() {
            let once = self.once();
            told.turn(once, self.when, What::Reply(Raw::new(without_frames(said.trim()))));
        }
    }

    fn note(&mut self, note: &str, told: &mut Told) {
        if note.starts_with("Tokens: ") {
            self.finish(told);
        }
        let Some(file) = note.strip_prefix("Applied edit to ") else { return told.skip(Skip::Noise) };
        self.finish(told);
        let mut tool = tools::call("edit", &json!({ "path": file }), None);
        tool.touches = vec![FileTouched { path: Raw::new(file), op: FileOp::Modified, from: None }];
        let once = self.once();
        told.turn(once, self.when, What::AfterTool { tool, output: Raw::new(""), ok: Some(true) });
    }
}
