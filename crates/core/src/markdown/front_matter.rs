//! The wire shape of the front matter, and the raw text of keys we do not know.

use serde::Deserialize;

/// Keys that this version reads and writes, in the order in which they are written.
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
    "tags",
    "files",
    "entities",
    "links",
    "why",
    "learned",
    "created",
    "updated",
    "closed",
    "expires",
    "superseded_by",
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
    #[serde(default)]
    pub(super) tags: OneOrMany,
    #[serde(default)]
    pub(super) files: OneOrMany,
    #[serde(default)]
    pub(super) entities: OneOrMany,
    pub(super) links: Option<Vec<LinkEntry>>,
    pub(super) why: Option<String>,
    pub(super) learned: Option<String>,
    pub(super) created: Option<String>,
    pub(super) updated: Option<String>,
    pub(super) closed: Option<String>,
    pub(super) expires: Option<String>,
    pub(super) superseded_by: Option<String>,
    pub(super) revision: Option<u32>,
}

#[derive(Debug, Deserialize)]
pub(super) struct LinkEntry {
    pub(super) to: String,
    pub(super) relation: String,
    pub(super) weight: Option<f64>,
    pub(super) origin: Option<String>,
}

/// People write `tags: auth` as readily as `tags: [auth]`.
#[derive(Debug, Default, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMany {
    #[default]
    None,
    Many(Vec<String>),
    One(String),
}

impl OneOrMany {
    pub(super) fn into_vec(self) -> Vec<String> {
        match self {
            OneOrMany::None => Vec::new(),
            OneOrMany::One(one) => one.split(',').map(|part| part.trim().to_owned()).collect(),
            OneOrMany::Many(many) => many,
        }
    }
}

/// Splits the YAML text at its top-level keys: `(key, raw lines)`. Comments and blank lines before
/// the first key, and between keys, go with the key before them (`#` when there is none).
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
    if first.is_whitespace() || matches!(first, '-' | '#' | '}' | ']' | '"' | '\'') {
        return None;
    }
    let (key, rest) = line.split_once(':')?;
    let plain = key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '/'));
    (plain && (rest.is_empty() || rest.starts_with([' ', '\t']))).then_some(key.trim_end())
}
