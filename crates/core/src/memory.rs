//! A memory: one thing worth knowing.

use serde::{Deserialize, Serialize};

use crate::guidance::Guidance;
use crate::id::MemoryId;
use crate::kind::Kind;
use crate::life::Life;
use crate::lifecycle::Status;
use crate::link::Link;
use crate::origin::Origin;
use crate::project::ProjectKey;
use crate::redact::{Clean, Raw, Unredacted, cut_at};
use crate::text::{fold, without_speaker};
use crate::time::Timestamp;

/// Where a memory applies.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope<T = Clean> {
    Global,
    Project(ProjectKey<T>),
}

impl Scope {
    pub fn project(&self) -> Option<&ProjectKey> {
        match self {
            Scope::Global => None,
            Scope::Project(key) => Some(key),
        }
    }
}

/// A memory as in its file and in the index. All text has passed redaction; in a `Memory<Raw>`, the only form
/// that can be deserialised, none has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Memory<T = Clean> {
    pub id: MemoryId,
    pub kind: Kind,
    pub status: Status,
    pub scope: Scope<T>,
    pub title: T,
    pub body: T,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<T>,
    /// What it is about in one word or phrase: a newer memory on the same topic replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<T>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<T>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<T>,
    /// Entities named explicitly; those found in the text are derived and not stored here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<T>,
    /// Questions or phrases, in other words, that it answers. They help to find it and are never shown as content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked_as: Vec<T>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    pub importance: Importance,
    pub confidence: f32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    pub origin: Origin,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<T>,
    /// The turn of that session from which it was distilled; absent if it was stored on purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<T>,
    pub created: Timestamp,
    pub updated: Timestamp,
    /// When it stopped being `active`, or was proposed without ever being so; `--as-of` uses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<MemoryId>,
    /// Confirmations and feedback.
    #[serde(default, skip_serializing_if = "Life::is_new")]
    pub life: Life,
    /// What rules, insights, skills, decisions and reminders have besides text.
    #[serde(default = "Guidance::default", skip_serializing_if = "Guidance::is_empty")]
    pub guidance: Guidance<T>,
    pub revision: u32,
    /// Unknown front-matter keys, verbatim, so that a rewrite keeps them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<UnknownKey<T>>,
}

/// A front-matter entry of another program or a newer version: key and raw lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownKey<T = Clean> {
    pub key: T,
    pub raw: T,
}

impl Unredacted for Scope<Raw> {
    type Redacted = Scope;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Scope {
        match self {
            Scope::Global => Scope::Global,
            Scope::Project(key) => key.redacted(clean).map_or(Scope::Global, Scope::Project),
        }
    }
}

impl Unredacted for UnknownKey<Raw> {
    type Redacted = UnknownKey;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> UnknownKey {
        UnknownKey { key: clean(self.key), raw: clean(self.raw) }
    }
}

impl Memory {
    /// An active memory that holds everywhere, with its title taken from the body. Everything else is set by name:
    /// `Memory { tags, ..Memory::new(…) }`.
    pub fn new(id: MemoryId, kind: Kind, origin: Origin, body: Clean, at: Timestamp) -> Memory {
        Memory {
            id,
            kind,
            status: Status::Active,
            scope: Scope::Global,
            title: title_from_body(&body),
            body,
            why: None,
            learned: None,
            topic: None,
            tags: Vec::new(),
            files: Vec::new(),
            entities: Vec::new(),
            asked_as: Vec::new(),
            links: Vec::new(),
            importance: Importance::DEFAULT,
            confidence: 0.7,
            pinned: false,
            origin,
            author: None,
            session: None,
            turn: None,
            created: at,
            updated: at,
            closed: None,
            expires: None,
            superseded_by: None,
            life: Life::default(),
            guidance: Guidance::default(),
            revision: 1,
            unknown: Vec::new(),
        }
    }
}

impl Unredacted for Memory<Raw> {
    type Redacted = Memory;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Memory {
        Memory {
            id: self.id,
            kind: self.kind,
            status: self.status,
            scope: self.scope.redacted(clean),
            title: self.title.redacted(clean),
            body: self.body.redacted(clean),
            why: self.why.redacted(clean),
            learned: self.learned.redacted(clean),
            topic: self.topic.redacted(clean),
            tags: self.tags.redacted(clean),
            files: self.files.redacted(clean),
            entities: self.entities.redacted(clean),
            asked_as: phrases(self.asked_as.redacted(clean)),
            links: self.links,
            importance: self.importance,
            confidence: self.confidence,
            pinned: self.pinned,
            origin: self.origin,
            author: self.author.redacted(clean),
            session: self.session.redacted(clean),
            turn: self.turn.redacted(clean),
            created: self.created,
            updated: self.updated,
            closed: self.closed,
            expires: self.expires,
            superseded_by: self.superseded_by,
            life: self.life,
            guidance: self.guidance.redacted(clean),
            revision: self.revision,
            unknown: self.unknown.redacted(clean),
        }
    }
}

/// From 1 (barely) to 5 (vital).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Importance(u8);

impl Importance {
    pub const DEFAULT: Importance = Importance(3);

    pub fn new(value: u8) -> Option<Self> {
        (1..=5).contains(&value).then_some(Importance(value))
    }

    /// Clamps values from hand-edited files.
    pub fn clamped(value: i64) -> Self {
        Importance(value.clamp(1, 5) as u8)
    }

    pub const fn get(self) -> u8 {
        self.0
    }
}

impl Default for Importance {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Memory {
    pub const MAX_TITLE_CHARS: usize = 200;
    /// Longer texts are documents, not memories.
    pub const MAX_BODY_BYTES: usize = 1024 * 1024;
    /// Many phrases would let a memory answer every question.
    pub const MAX_PHRASES: usize = 8;
    pub const MAX_PHRASE_CHARS: usize = 120;

    /// Marks it as changed. If the clock jumped back, the change is still not older than what it changed.
    pub fn touch(&mut self, now: Timestamp) {
        self.updated = self.not_before(now);
        self.revision += 1;
    }

    fn not_before(&self, now: Timestamp) -> Timestamp {
        now.max(self.updated).max(self.created)
    }

    /// Moves to `next` and updates the closing time.
    pub fn set_status(&mut self, next: Status, now: Timestamp) {
        if self.status != next {
            self.closed = (next != Status::Active).then_some(self.not_before(now));
            self.status = next;
        }
        if next != Status::Superseded {
            self.superseded_by = None;
        }
    }

    /// The text for similarity and full-text search, apart from the title.
    pub fn searchable_body(&self) -> String {
        let mut text = self.body.to_string();
        for extra in [&self.why, &self.learned].into_iter().flatten() {
            text.push('\n');
            text.push_str(extra);
        }
        for (label, lines) in self.labelled_lines() {
            text.push_str(&format!("\n{label}: {}", lines.join("; ")));
        }
        text
    }

    /// What a decision rejected and what a requirement asks for, under the words that say so. Without them, a rejected
    /// option would read as a chosen one.
    pub fn labelled_lines(&self) -> impl Iterator<Item = (&'static str, Vec<&str>)> {
        let lists = [("Rejected", &self.guidance.rejected), ("Accepted when", &self.guidance.criteria)];
        let filled = lists.into_iter().filter(|(_, lines)| !lines.is_empty());
        filled.map(|(label, lines)| (label, lines.iter().map(Clean::as_str).collect()))
    }

    /// Tags, files and named entities as one text for the third search field.
    pub fn searchable_labels(&self) -> String {
        let labels: Vec<&str> =
            self.tags.iter().chain(&self.files).chain(&self.entities).map(|label| &**label).collect();
        labels.join("\n")
    }
}

/// A title from a body: its first sentence or line, cut at a word.
///
/// Takes and returns clean text: truncating before redacting would leave half a secret that no rule
/// recognises.
pub fn title_from_body(body: &Clean) -> Clean {
    const MAX: usize = 90;
    let line = body.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("");
    let line = without_speaker(line).trim_start_matches(['#', '-', '*', '>', ' ']);
    let sentence_end = line.char_indices().zip(line.chars().skip(1)).find_map(|((at, c), next)| {
        (matches!(c, '.' | '!' | '?' | ';') && next.is_whitespace() && at >= 12).then_some(at)
    });
    let ideograph_end = line.char_indices().find(|(_, c)| matches!(c, '。' | '！' | '？')).map(|(at, _)| at);
    let line = &line[..sentence_end.into_iter().chain(ideograph_end).min().unwrap_or(line.len())];
    let Some((end, _)) = line.char_indices().nth(MAX) else {
        return Clean::already_redacted(line.trim_end_matches('.').to_owned());
    };
    let cut = &line[..cut_at(line, end)];
    let at_word = cut.rfind(char::is_whitespace).filter(|at| *at > MAX / 2).unwrap_or(cut.len());
    Clean::already_redacted(format!("{}…", cut[..at_word].trim_end_matches([',', ':', ' '])))
}

/// Clean text on one line, truncated to the length of a title.
pub fn one_line(text: &Clean) -> Clean {
    on_one_line(text, Memory::MAX_TITLE_CHARS)
}

/// Phrases as a memory keeps them: each on one line and within its limit, none twice, and no more than allowed.
pub fn phrases(texts: impl IntoIterator<Item = Clean>) -> Vec<Clean> {
    let mut kept = Vec::new();
    add_phrases(&mut kept, texts);
    kept
}

/// Adds phrases that are not there yet, as far as there is room.
pub fn add_phrases(kept: &mut Vec<Clean>, texts: impl IntoIterator<Item = Clean>) {
    for text in texts {
        if kept.len() >= Memory::MAX_PHRASES {
            return;
        }
        let phrase = on_one_line(&text, Memory::MAX_PHRASE_CHARS);
        if !phrase.is_empty() && !kept.iter().any(|other| is_same_phrase(other, &phrase)) {
            kept.push(phrase);
        }
    }
}

/// Whether two phrases differ at most in case, accents and punctuation.
pub fn is_same_phrase(a: &str, b: &str) -> bool {
    let folded = |text: &str| -> Vec<String> {
        let text = fold(text).to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    a == b || (folded(a) == folded(b) && !folded(a).is_empty())
}

fn on_one_line(text: &Clean, most: usize) -> Clean {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match folded.char_indices().nth(most) {
        Some((end, _)) => Clean::already_redacted(folded[..cut_at(&folded, end)].to_owned()),
        None => Clean::already_redacted(folded),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::{RedactOptions, Redactor};

    fn title(body: &str) -> String {
        title_from_body(&Redactor::new(RedactOptions::default(), [0; 32]).clean(Raw::new(body))).to_string()
    }

    #[test]
    fn a_title_is_the_first_sentence_or_a_clean_cut() {
        assert_eq!(title("Use WAL mode for SQLite. It survives crashes."), "Use WAL mode for SQLite");
        assert_eq!(title("\n\n# Deploys happen on v1.2 tags\nmore"), "Deploys happen on v1.2 tags");
        assert_eq!(title("缓存使用Redis。过期时间是十分钟。"), "缓存使用Redis");
        let long = "word ".repeat(60);
        let cut = title(&long);
        assert!(cut.ends_with("word…") && cut.chars().count() <= 91, "{cut}");
        assert_eq!(title("  \n "), "");
    }
}
