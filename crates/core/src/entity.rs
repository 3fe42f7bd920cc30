//! Things that memories are about: files, symbols, commands, issues, merge requests, epics, people, URLs,
//! versions, and anything a person names explicitly.
//!
//! Extraction uses only the shape of words and runs on every write; the store handles storage and links.

mod extract;
mod refer;

pub use extract::extract;
pub use refer::{Asker, Match, is_project};

use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityKind {
    File,
    Symbol,
    Command,
    Issue,
    MergeRequest,
    Epic,
    Person,
    Url,
    Version,
    Library,
    Concept,
}

impl EntityKind {
    pub const ALL: &'static [EntityKind] = &[
        EntityKind::File,
        EntityKind::Symbol,
        EntityKind::Command,
        EntityKind::Issue,
        EntityKind::MergeRequest,
        EntityKind::Epic,
        EntityKind::Person,
        EntityKind::Url,
        EntityKind::Version,
        EntityKind::Library,
        EntityKind::Concept,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            EntityKind::File => "file",
            EntityKind::Symbol => "symbol",
            EntityKind::Command => "command",
            EntityKind::Issue => "issue",
            EntityKind::MergeRequest => "mr",
            EntityKind::Epic => "epic",
            EntityKind::Person => "person",
            EntityKind::Url => "url",
            EntityKind::Version => "version",
            EntityKind::Library => "library",
            EntityKind::Concept => "concept",
        }
    }

    /// `#12` in one project is not `#12` in another; a person or a library is the same everywhere.
    pub const fn belongs_to_project(self) -> bool {
        matches!(
            self,
            EntityKind::File
                | EntityKind::Symbol
                | EntityKind::Command
                | EntityKind::Issue
                | EntityKind::MergeRequest
                | EntityKind::Epic
        )
    }

    fn from_prefix(prefix: &str) -> Option<EntityKind> {
        Some(match prefix {
            "file" | "path" | "dir" => EntityKind::File,
            "symbol" | "class" | "func" | "fn" | "method" | "module" => EntityKind::Symbol,
            "command" | "cmd" => EntityKind::Command,
            "issue" => EntityKind::Issue,
            "mr" | "pr" => EntityKind::MergeRequest,
            "epic" => EntityKind::Epic,
            "person" | "user" => EntityKind::Person,
            "url" => EntityKind::Url,
            "version" => EntityKind::Version,
            "library" | "lib" | "package" => EntityKind::Library,
            "concept" | "topic" => EntityKind::Concept,
            _ => return None,
        })
    }
}

impl fmt::Display for EntityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One thing, by kind and normalised name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entity {
    pub kind: EntityKind,
    /// As written.
    pub name: String,
    /// The normalised name that makes two spellings one entity.
    pub norm: String,
}

impl Entity {
    pub fn new(kind: EntityKind, name: &str) -> Self {
        let name: String = name.trim().chars().take(200).collect();
        let norm = match kind {
            EntityKind::File => name.trim_start_matches("./").replace('\\', "/").to_lowercase(),
            EntityKind::Url => name.trim_end_matches('/').to_owned(),
            EntityKind::Symbol => name.trim_end_matches("()").to_lowercase(),
            EntityKind::Version => name.trim_start_matches('v').to_owned(),
            EntityKind::Person => name.trim_start_matches('@').to_lowercase(),
            _ => name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase(),
        };
        Entity { kind, name, norm }
    }

    /// What a person means by one word or `kind:name`: `!12`, `src/auth.rs`, `@maria`, `library:axum`.
    /// Anything without a distinctive shape is a concept.
    pub fn from_reference(text: &str) -> Option<Entity> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        if let Some((prefix, name)) = text.split_once(':')
            && let Some(kind) = EntityKind::from_prefix(&prefix.to_lowercase())
            && !name.trim().is_empty()
        {
            return Some(Entity::new(kind, name));
        }
        let shaped = extract::classify(text);
        Some(shaped.unwrap_or_else(|| Entity::new(EntityKind::Concept, text)))
    }

    /// `file:src/auth.rs`: an unambiguous text form.
    pub fn label(&self) -> String {
        format!("{}:{}", self.kind, self.name)
    }
}

impl FromStr for EntityKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        EntityKind::ALL.iter().copied().find(|kind| kind.name() == text).ok_or(())
    }
}
