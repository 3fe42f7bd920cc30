//! The words, entities and near-repeats of many memories, filed together. Each of them belongs on a page of its
//! own: filed memory by memory they would write the same pages again and again; in order they write each page once.
//!
//! What is new is numbered in the order in which it came, as if the memories had been filed one by one.

use std::collections::{HashMap, HashSet};

use hark_core::{Entity, EntityKind};
use rusqlite::Connection;

use super::prepared::Rest;
use super::words::Counted;
use super::{entities, likeness, words};
use crate::projects::ProjectNum;

/// So many memories are kept at hand; more would take memory and save little.
const MOST: usize = 50_000;

#[derive(Default)]
pub(crate) struct Gathered {
    memories: HashSet<i64>,
    words: HashMap<String, Met<Counted>>,
    /// By the project that each belongs to, its kind and its normalised name.
    entities: HashMap<(ProjectNum, EntityKind, String), Met<Mentioned>>,
    likeness: Vec<(i64, i64)>,
}

/// Something, and how many others had been met before it.
struct Met<T> {
    turn: usize,
    what: T,
}

struct Mentioned {
    entity: Entity,
    memories: Vec<i64>,
}

impl Gathered {
    pub(super) fn add(&mut self, num: i64, project: ProjectNum, rest: Rest) {
        self.memories.insert(num);
        for (word, counted) in rest.words {
            let (turn, passages) = (self.words.len(), counted.passages);
            self.words
                .entry(word)
                .and_modify(|met| met.what.passages += passages)
                .or_insert(Met { turn, what: counted });
        }
        for entity in rest.entities {
            let turn = self.entities.len();
            let key = (entities::home_of(&entity, project), entity.kind, entity.norm.clone());
            let new = || Met { turn, what: Mentioned { entity, memories: Vec::new() } };
            self.entities.entry(key).or_insert_with(new).what.memories.push(num);
        }
        self.likeness.extend(rest.likeness.into_iter().map(|key| (key, num)));
    }

    pub(crate) fn is_large(&self) -> bool {
        self.memories.len() >= MOST
    }

    /// A memory can be taken out of the index only once all of it is there.
    pub(super) fn file_if_it_holds(&mut self, conn: &Connection, num: i64) -> rusqlite::Result<()> {
        if self.memories.contains(&num) { self.file(conn) } else { Ok(()) }
    }

    pub(crate) fn file(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        let Gathered { words, entities, mut likeness, .. } = std::mem::take(self);
        file_words(conn, words)?;
        file_entities(conn, entities)?;
        likeness.sort_unstable();
        likeness::put(conn, likeness)
    }
}

fn file_words(conn: &Connection, words: HashMap<String, Met<Counted>>) -> rusqlite::Result<()> {
    let mut words: Vec<(String, Met<Counted>)> = words.into_iter().collect();
    words.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let mut new = Vec::new();
    for (word, met) in &words {
        if !words::raise(conn, word, met.what.passages)? {
            new.push((met.turn, word.as_str(), &met.what));
        }
    }
    new.sort_unstable_by_key(|(turn, ..)| *turn);
    words::add_new(conn, new.into_iter().map(|(_, word, counted)| (word, counted)))
}

fn file_entities(
    conn: &Connection,
    entities: HashMap<(ProjectNum, EntityKind, String), Met<Mentioned>>,
) -> rusqlite::Result<()> {
    let mut sorted: Vec<_> =
        entities.into_iter().map(|((home, kind, norm), met)| ((home.0, kind.name(), norm), met)).collect();
    sorted.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let mut new = Vec::new();
    for ((home, ..), Met { turn, what }) in sorted {
        let home = ProjectNum(home);
        match entities::find(conn, home, &what.entity)? {
            Some(id) => entities::mention(conn, id, &what.memories)?,
            None => new.push((turn, home, what)),
        }
    }
    new.sort_unstable_by_key(|(turn, ..)| *turn);
    for (_, home, Mentioned { entity, memories }) in new {
        let id = entities::create(conn, home, &entity)?;
        entities::mention(conn, id, &memories)?;
    }
    Ok(())
}
