//! A temporary store with the documents of one haystack, or of all.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use hark_core::rank::judge::Judge;
use hark_core::{Kind, Memory, MemoryId, Origin, Timestamp};
use hark_store::Layout;
use hark_store::search::Filter;

use super::documents::{self, Document};
use crate::clock::Clock;
use crate::config::Config;
use crate::embed::Embedder;
use crate::embed::minilm::MiniLm;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::home::Home;
use crate::ops::embed;
use crate::recall::{self, Models, Question, Ranked, Survey};

/// Documents written in one transaction.
const BATCH: usize = 128;

/// How many of the best hits a survey compares.
const SURVEYED: usize = 10;

pub(super) struct Shelf {
    engine: Engine,
    encoder: Option<Arc<MiniLm>>,
    names: HashMap<MemoryId, String>,
    pub(super) latest: Timestamp,
    pub(super) store_seconds: f64,
    /// Removed when the shelf is dropped.
    _folder: Option<tempfile::TempDir>,
}

impl Shelf {
    /// Stores `documents` with the date each has in this haystack, if any. An existing store in `keep` is
    /// reused unchanged.
    pub(super) fn fill(
        documents: &[(&Document, Option<&str>)],
        keep: Option<&Path>,
        encoder: Option<&Arc<MiniLm>>,
    ) -> Result<Shelf, EngineError> {
        let (path, folder) = match keep {
            Some(path) => (path.to_owned(), None),
            None => {
                let folder = tempfile::tempdir().map_err(|e| {
                    EngineError::invalid(
                        format!("cannot create a folder for the temporary store: {e}"),
                        "free some space, or choose a folder with --keep",
                    )
                })?;
                (folder.path().to_owned(), Some(folder))
            }
        };
        // A random key would change the placeholders, and so the words, on every run.
        let layout = Layout::new(&path);
        std::fs::create_dir_all(&path)
            .and_then(|()| std::fs::write(layout.placeholder_key(), "00".repeat(32)))
            .map_err(|e| {
                EngineError::invalid(
                    format!("cannot write to {}: {e}", path.display()),
                    "choose another --keep",
                )
            })?;
        let is_filled = path.join("hark.db").exists();
        let home = Home::new(path);
        let mut engine = Engine::open(home, Config::default(), Clock::System)?;
        let started = Instant::now();
        let mut names = HashMap::with_capacity(documents.len());
        let mut latest = Timestamp::from_millis(0);
        // Ids follow from the position in the file, so that a run is reproducible.
        let mut number = 0u64;
        for batch in documents.chunks(BATCH) {
            let mut memories = Vec::with_capacity(batch.len());
            for (document, date) in batch {
                let created = date.or(document.date.as_deref()).and_then(documents::date);
                let memory = memory(&engine, document, created.unwrap_or_default(), number)?;
                number += 1;
                latest = latest.max(memory.created);
                names.insert(memory.id, document.id.clone());
                memories.push(memory);
            }
            if is_filled {
                continue;
            }
            engine.store.write(latest, |writer| -> Result<(), EngineError> {
                for memory in &memories {
                    writer.create(memory)?;
                }
                Ok(())
            })?;
        }
        if let Some(encoder) = encoder {
            embed::fill(&mut engine, encoder, None, &mut |_| {})?;
        }
        let store_seconds = started.elapsed().as_secs_f64();
        Ok(Shelf { engine, encoder: encoder.cloned(), names, latest, store_seconds, _folder: folder })
    }

    /// The answers of the product, best first, as document names.
    pub(super) fn ask(
        &self,
        text: &str,
        date: Option<&str>,
        limit: usize,
        judge: Option<&Judge>,
    ) -> Result<Vec<(String, Ranked)>, EngineError> {
        let hits =
            recall::answer_with(&self.engine.store, self.models(judge), &self.question(text, date, limit))?;
        let named =
            hits.into_iter().filter_map(|hit| Some((self.names.get(&hit.stored.memory.id)?.clone(), hit)));
        Ok(named.collect())
    }

    /// All evidence for a question.
    pub(super) fn survey(
        &self,
        text: &str,
        date: Option<&str>,
        judge: &Judge,
    ) -> Result<Survey, EngineError> {
        Ok(recall::survey(
            &self.engine.store,
            self.models(Some(judge)),
            &self.question(text, date, SURVEYED),
        )?)
    }

    /// The name of a document.
    pub(super) fn name(&self, id: &MemoryId) -> &str {
        self.names.get(id).map_or("", String::as_str)
    }

    fn models<'a>(&'a self, judge: Option<&'a Judge>) -> Models<'a> {
        let encoder = self.encoder.as_deref().map(|encoder| encoder as &dyn Embedder);
        Models { embedder: self.engine.embedder.as_ref(), encoder, judge }
    }

    fn question<'a>(&self, text: &'a str, date: Option<&str>, limit: usize) -> Question<'a> {
        let now = date.and_then(documents::date).unwrap_or(self.latest);
        let filter = Filter { now, ..Filter::default() };
        Question::new(text, filter, None, limit, now)
    }
}

fn memory(
    engine: &Engine,
    document: &Document,
    created: Timestamp,
    number: u64,
) -> Result<Memory, EngineError> {
    let body = engine.clean(document.body().trim());
    let mut seed = [0; 10];
    seed[2..].copy_from_slice(&number.to_be_bytes());
    let usual = if document.is_conversation() { Kind::Episode } else { Kind::Fact };
    let kind = document.kind.unwrap_or(usual);
    Ok(Memory {
        asked_as: document.asked_as.iter().map(|phrase| engine.clean(phrase)).collect(),
        files: document.files.iter().map(|file| engine.clean(file)).collect(),
        session: document.session.as_deref().map(|session| engine.clean(session)),
        ..Memory::new(MemoryId::new(created, seed), kind, Origin::Import, body, created)
    })
}
