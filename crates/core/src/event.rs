//! What happened in a session, as far as it is worth keeping: redacted and truncated.

use serde::{Deserialize, Serialize};

use crate::process::ClientProcess;
use crate::redact::{Clean, Raw, Redactor, Unredacted, cut_at};
use crate::session::FileOp;
use crate::time::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    Start,
    Prompt,
    /// Asked by another agent, so it is not a user's request, whatever it says.
    Task,
    /// A tool is about to run.
    Before,
    /// A tool has run.
    Tool,
    Reply,
    Compaction,
    End,
    Other,
}

impl EventKind {
    pub const fn name(self) -> &'static str {
        match self {
            EventKind::Start => "start",
            EventKind::Prompt => "prompt",
            EventKind::Task => "task",
            EventKind::Before => "before",
            EventKind::Tool => "tool",
            EventKind::Reply => "reply",
            EventKind::Compaction => "compaction",
            EventKind::End => "end",
            EventKind::Other => "other",
        }
    }
}

/// A file named by an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Touch<T = Clean> {
    pub path: T,
    pub op: FileOp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<T>,
}

/// One event, ready to be stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Event<T = Clean> {
    pub at: Timestamp,
    pub kind: EventKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<T>,
    /// The file or command it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    pub body: T,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<Touch<T>>,
}

/// An event with everything a store needs to file it. Also the form in which it waits on disk while the index
/// cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Arrival<T = Clean> {
    /// The assistant that really called.
    pub host: T,
    /// The host name and the spelling of the event it was called with: the same event in two spellings is one
    /// event seen twice.
    pub via: T,
    pub host_session: T,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<T>,
    /// The assistant's own id of the tool call or prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub once: Option<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<T>,
    /// Calls of hark's own tools are not work that a checkpoint should report.
    #[serde(default)]
    pub ours: bool,
    /// The source, if not a hook at the moment it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    /// The assistant's process, if a hook could tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<ClientProcess>,
    pub event: Event<T>,
}

/// An event read from a transcript: hooks may have reported it already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recorded {
    /// The transcript has its time.
    Timed,
    /// The transcript has no time; this one is a guess.
    Untimed,
}

impl Unredacted for Touch<Raw> {
    type Redacted = Touch;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Touch {
        Touch { path: self.path.redacted(clean), op: self.op, from: self.from.redacted(clean) }
    }
}

impl Unredacted for Event<Raw> {
    type Redacted = Event;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Event {
        Event {
            at: self.at,
            kind: self.kind,
            tool: self.tool.redacted(clean),
            target: self.target.redacted(clean),
            ok: self.ok,
            body: self.body.redacted(clean),
            touches: self.touches.redacted(clean),
        }
    }
}

impl Unredacted for Arrival<Raw> {
    type Redacted = Arrival;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Arrival {
        Arrival {
            host: self.host.redacted(clean),
            via: self.via.redacted(clean),
            host_session: self.host_session.redacted(clean),
            parent: self.parent.redacted(clean),
            once: self.once.redacted(clean),
            folder: self.folder.redacted(clean),
            transcript: self.transcript.redacted(clean),
            ours: self.ours,
            recorded: self.recorded,
            process: self.process,
            event: self.event.redacted(clean),
        }
    }
}

/// The maximum length of text that is examined.
const EXAMINED: usize = 24 * 1024;
/// Text next to a cut is dropped: it may be half a secret that no rule recognises.
const MARGIN: usize = 6 * 1024;

/// Redacts a text of any length in bounded time: only the head and the tail of a very long one, each without
/// the text next to the cut, and at most `keep` bytes of them.
pub fn excerpt(redactor: &Redactor, text: &Raw, keep: usize) -> Clean {
    // Enough to redact what is kept, and no more: most of a long output would be thrown away again.
    let examined = (keep + MARGIN + 2 * 1024).min(EXAMINED);
    let text = text.peek();
    if text.len() <= 2 * examined {
        return shorten(&redactor.clean(Raw::new(text)), keep);
    }
    let head = redactor.clean(Raw::new(&text[..floor(text, examined)]));
    let tail = redactor.clean(Raw::new(&text[floor(text, text.len() - examined)..]));
    let head_end = cut_at(&head, floor(&head, head.len().saturating_sub(MARGIN)));
    let tail_from = {
        let at = floor(&tail, MARGIN.min(tail.len()));
        // Inside a placeholder: cut before its beginning and after its end.
        let before = cut_at(&tail, at);
        if before == at { at } else { tail[before..].find(']').map_or(tail.len(), |end| before + end + 1) }
    };
    let joined = format!("{}\n…\n{}", &head[..head_end], &tail[tail_from..]);
    shorten(&Clean::already_redacted(joined), keep)
}

/// The beginning and the end of a clean text: tools print errors at the end.
pub fn shorten(text: &Clean, keep: usize) -> Clean {
    if text.len() <= keep {
        return text.clone();
    }
    let head_end = cut_at(text, floor(text, keep / 3));
    let mut tail_from = floor(text, text.len() - (keep - keep / 3));
    let before = cut_at(text, tail_from);
    if before != tail_from {
        tail_from = text[before..].find(']').map_or(text.len(), |end| before + end + 1);
    }
    Clean::already_redacted(format!("{}…{}", &text[..head_end], &text[tail_from..]))
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::RedactOptions;

    #[test]
    fn a_secret_at_the_cut_is_removed_completely() {
        let redactor = Redactor::new(RedactOptions::default(), [3; 32]);
        let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
        for at in [0, EXAMINED - 20, EXAMINED - 1, 60_000, 120_000 - EXAMINED - 20, 120_000 - EXAMINED - 3] {
            let mut text = "word ".repeat(24_000);
            text.replace_range(at..at + secret.len(), secret);
            for keep in [400, 4_000, 40_000] {
                let kept = excerpt(&redactor, &Raw::new(&*text), keep);
                assert!(kept.len() <= keep + 4, "{} of {keep}", kept.len());
                for part in [&secret[..20], &secret[20..], &secret[8..28]] {
                    assert!(!kept.contains(part), "{part} at {at}, {keep} kept");
                }
            }
        }
    }

    #[test]
    fn short_texts_stay_whole() {
        let redactor = Redactor::new(RedactOptions::default(), [3; 32]);
        assert_eq!(&*excerpt(&redactor, &Raw::new("all of it"), 100), "all of it");
    }
}
