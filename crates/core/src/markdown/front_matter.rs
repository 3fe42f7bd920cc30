//! The wire format of the front matter, and the raw text of unknown keys.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::memory::UnknownKey;

/// Keys that this version reads and writes, in written order.
pub(super) const KNOWN_KEYS: &[&str] = &[
    "id",
    "kind",
    "title",
    "status",
    "project",
    "importance",
    "confidence",
    "pinned",
    "origin",
    "author",
    "session",
    "topic",
    "turn",
    "tags",
    "files",
    "entities",
    "asked_as",
    "when",
    "action",
    "avoid",
    "paused",
    "evidence",
    "record",
    "rejected",
    "criteria",
    "remind",
    "links",
    "why",
    "learned",
    "created",
    "updated",
    "closed",
    "expires",
    "superseded_by",
    "confirmed",
    "confirmations",
    "helpful",
    "verdict",
    "revision",
];

#[derive(Debug, Deserialize)]
pub(super) struct FrontMatter {
    pub(super) id: String,
    pub(super) kind: Option<String>,
    pub(super) title: Option<String>,
    pub(super) status: Option<String>,
    pub(super) project: Option<String>,
    pub(super) importance: Option<i64>,
    pub(super) confidence: Option<f64>,
    pub(super) pinned: Option<bool>,
    pub(super) origin: Option<String>,
    pub(super) author: Option<String>,
    pub(super) session: Option<String>,
    pub(super) topic: Option<String>,
    pub(super) turn: Option<String>,
    #[serde(default)]
    pub(super) tags: OneOrMany,
    #[serde(default)]
    pub(super) files: OneOrMany,
    #[serde(default)]
    pub(super) entities: OneOrMany,
    #[serde(default)]
    pub(super) asked_as: OneOrMany,
    #[serde(default)]
    pub(super) when: OneOrMany,
    pub(super) action: Option<String>,
    #[serde(default)]
    pub(super) avoid: OneOrMany,
    pub(super) paused: Option<bool>,
    pub(super) evidence: Option<Vec<EvidenceEntry>>,
    pub(super) record: Option<RecordEntry>,
    #[serde(default)]
    pub(super) rejected: OneOrMany,
    #[serde(default)]
    pub(super) criteria: OneOrMany,
    pub(super) remind: Option<String>,
    pub(super) links: Option<Vec<LinkEntry>>,
    pub(super) why: Option<String>,
    pub(super) learned: Option<String>,
    pub(super) created: Option<String>,
    pub(super) updated: Option<String>,
    pub(super) closed: Option<String>,
    pub(super) expires: Option<String>,
    pub(super) superseded_by: Option<String>,
    pub(super) confirmed: Option<String>,
    pub(super) confirmations: Option<u32>,
    pub(super) helpful: Option<u32>,
    pub(super) verdict: Option<String>,
    pub(super) revision: Option<u32>,
}

#[derive(Debug, Deserialize)]
pub(super) struct LinkEntry {
    pub(super) to: String,
    pub(super) relation: String,
    pub(super) weight: Option<f64>,
    pub(super) origin: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct EvidenceEntry {
    pub(super) at: String,
    pub(super) sort: String,
    pub(super) session: Option<String>,
    pub(super) text: String,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct RecordEntry {
    pub(super) told: Option<u32>,
    pub(super) matched: Option<u32>,
    pub(super) upheld: Option<u32>,
    pub(super) broken: Option<u32>,
    pub(super) overruled: Option<u32>,
    pub(super) last: Option<String>,
}

/// People write `tags: auth` as readily as `tags: [auth]`.
#[derive(Debug, Default)]
pub(super) enum OneOrMany {
    #[default]
    None,
    Many(Vec<String>),
    One(String),
}

impl OneOrMany {
    /// As sentences: a comma does not separate them.
    pub(super) fn into_sentences(self) -> Vec<String> {
        match self {
            OneOrMany::One(one) => vec![one],
            many => many.into_vec(),
        }
    }

    pub(super) fn into_vec(self) -> Vec<String> {
        match self {
            OneOrMany::None => Vec::new(),
            OneOrMany::One(one) => one.split(',').map(|part| part.trim().to_owned()).collect(),
            OneOrMany::Many(many) => many,
        }
    }
}

/// `tags: [2024, true]` are words: an item is always read as a string, never as another YAML type.
impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Words)
    }
}

struct Words;

impl<'de> Visitor<'de> for Words {
    type Value = OneOrMany;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a word or a list of words")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<OneOrMany, A::Error> {
        let mut many = Vec::new();
        while let Some(item) = items.next_element::<Option<String>>()? {
            many.extend(item);
        }
        Ok(OneOrMany::Many(many))
    }

    fn visit_unit<E>(self) -> Result<OneOrMany, E> {
        Ok(OneOrMany::None)
    }

    fn visit_str<E>(self, text: &str) -> Result<OneOrMany, E> {
        Ok(OneOrMany::One(text.to_owned()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<OneOrMany, E> {
        Ok(OneOrMany::One(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<OneOrMany, E> {
        Ok(OneOrMany::One(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<OneOrMany, E> {
        Ok(OneOrMany::One(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<OneOrMany, E> {
        Ok(OneOrMany::One(value.to_string()))
    }
}

/// Splits the YAML text at its top-level keys: `(key, raw lines)`. Comments and blank lines before the first
/// key, and between keys, belong to the key before them (`#` if there is none).
pub(super) fn raw_entries(yaml: &str) -> Vec<(String, String)> {
    let mut entries: Vec<(String, String)> = Vec::new();
    for line in yaml.lines() {
        match top_level_key(line) {
            Some(key) => entries.push((key.to_owned(), line.to_owned())),
            None => match entries.last_mut() {
                Some((_, raw)) => {
                    raw.push('\n');
                    raw.push_str(line);
                }
                None => entries.push(("#".to_owned(), line.to_owned())),
            },
        }
    }
    entries
}

fn top_level_key(line: &str) -> Option<&str> {
    let first = line.chars().next()?;
    if matches!(first, '"' | '\'') {
        let (key, rest) = line[1..].split_once(first)?;
        let rest = rest.trim_start().strip_prefix(':')?;
        return (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some(key);
    }
    if first.is_whitespace() || matches!(first, '-' | '#' | '}' | ']') {
        return None;
    }
    let (key, rest) = line.split_once(':')?;
    let plain = key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '/'));
    (plain && (rest.is_empty() || rest.starts_with([' ', '\t']))).then_some(key.trim_end())
}

/// How to write unknown entries: comments, which come first, and the entries themselves.
///
/// An entry is written unchanged if it means the same on its own, whatever is around it. Anything else (an
/// alias whose anchor was elsewhere, a second entry hidden in the first, one of hark's own keys) would make
/// the file unreadable or speak in hark's name, so it becomes a comment.
pub(super) fn of_others(unknown: &[UnknownKey], known: &[&str]) -> (String, String) {
    let (mut comments, mut entries) = (String::new(), String::new());
    let mut seen = BTreeSet::new();
    for UnknownKey { key, raw } in unknown {
        let is_new = !known.contains(&key.as_str()) && seen.insert(key);
        if is_new && stands_alone(key, raw) {
            entries.push_str(raw.trim_end());
            entries.push('\n');
            continue;
        }
        // In YAML, a carriage return ends a line as well.
        for line in raw.split(['\n', '\r']).filter(|line| !line.trim().is_empty()) {
            let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            comments.push_str(if line.starts_with('#') { "" } else { "# " });
            comments.push_str(&line);
            comments.push('\n');
        }
    }
    (comments, entries)
}

fn stands_alone(key: &str, raw: &str) -> bool {
    let ends_something = |line: &str| line.starts_with("---") || line.starts_with("...");
    if raw.split(['\n', '\r']).any(ends_something) {
        return false;
    }
    let read = serde_saphyr::from_str::<BTreeMap<String, IgnoredAny>>(raw);
    read.is_ok_and(|entries| entries.len() == 1 && entries.contains_key(key))
}
