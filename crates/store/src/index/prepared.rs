//! What the index will hold of a memory, worked out from its text alone. It needs neither the database nor the
//! lock, so an import has one thread do this while another writes.

use std::collections::BTreeSet;
use std::sync::Arc;

use hark_core::vector::Embedder;
use hark_core::{Clean, Entity, Memory};
use rusqlite::Connection;

use super::passages::Analysed;
use super::words::Words;
use super::{content_hash, entities, likeness, passages, words};
use crate::projects::ProjectNum;

/// A memory that is ready to be filed.
pub struct Prepared {
    pub(super) outline: Outline,
    pub(super) rest: Rest,
}

/// Makes memories ready, on any thread.
pub struct Preparer(pub(crate) Arc<dyn Embedder>);

impl Preparer {
    pub fn prepare(&self, memory: &Memory) -> Prepared {
        let outline = Outline::of(memory, &[], self.0.as_ref());
        let rest = Rest::of(memory, &outline.analysed);
        Prepared { outline, rest }
    }
}

/// By what a memory is found.
pub(super) struct Outline {
    pub(super) doc: String,
    pub(super) hash: [u8; 16],
    pub(super) analysed: Analysed,
}

impl Outline {
    pub(super) fn of(memory: &Memory, learned: &[Clean], embedder: &dyn Embedder) -> Self {
        Outline {
            doc: serde_json::to_string(memory).unwrap_or_default(),
            hash: content_hash(memory),
            analysed: passages::analyse(memory, learned, embedder),
        }
    }
}

/// What may follow later: the vocabulary, entities and near-repeats.
pub(super) struct Rest {
    pub(super) words: Words,
    pub(super) entities: BTreeSet<Entity>,
    pub(super) likeness: Vec<i64>,
}

impl Rest {
    pub(super) fn of(memory: &Memory, analysed: &Analysed) -> Self {
        Rest {
            words: analysed.words(),
            entities: entities::entities_of(memory),
            likeness: likeness::keys(memory),
        }
    }

    /// Of a memory that has been found by its outline for a while.
    pub(super) fn of_filed(memory: &Memory, learned: &[Clean]) -> Self {
        Rest {
            words: passages::words_of(memory, learned),
            entities: entities::entities_of(memory),
            likeness: likeness::keys(memory),
        }
    }

    pub(super) fn file(&self, conn: &Connection, num: i64, project: ProjectNum) -> rusqlite::Result<()> {
        words::add(conn, &self.words)?;
        for entity in &self.entities {
            let home = entities::home_of(entity, project);
            let id = match entities::find(conn, home, entity)? {
                Some(id) => id,
                None => entities::create(conn, home, entity)?,
            };
            entities::mention(conn, id, &[num])?;
        }
        likeness::put(conn, self.likeness.iter().map(|key| (*key, num)))
    }
}
