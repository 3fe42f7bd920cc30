//! Makes the encoder's vectors for passages. It stores each batch in the index, so it can stop at any moment and
//! continue later.

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use hark_store::{Coverage, Missing};

use super::model::not_installed;
use crate::embed::minilm::MiniLm;
use crate::embed::{Choice, Embedder, Shelf};
use crate::engine::{Caller, Engine};
use crate::error::EngineError;

use crate::operation::{
    Call, Code, DIM, EVERYWHERE, Effect, Group, Operate, Operation, Page, Progress, Reply, Tool, Who,
};

/// Passages embedded before each short write: about half a second of work.
const BATCH: usize = 64;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Stop after this many seconds; the next run continues
    #[arg(long, value_name = "N")]
    pub max_seconds: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub space: String,
    /// Passages embedded by this run.
    pub added: usize,
    pub embedded: usize,
    pub passages: usize,
    pub millis: u64,
}

pub fn run(
    engine: &mut Engine,
    _caller: &Caller,
    request: &Request,
    tell: &mut dyn FnMut(Progress),
) -> Result<Response, EngineError> {
    let started = Instant::now();
    let encoder = chosen(engine)?;
    let until = request.max_seconds.map(|seconds| started + Duration::from_secs(seconds));
    engine.store.refresh(engine.now())?;
    let added = fill_showing(engine, &encoder, until, tell)?;
    let coverage = engine.store.coverage(encoder.id())?;
    Ok(Response {
        space: encoder.id().to_owned(),
        added,
        embedded: coverage.embedded,
        passages: coverage.passages,
        millis: started.elapsed().as_millis() as u64,
    })
}

/// The configured encoder, or why there is none.
fn chosen(engine: &Engine) -> Result<Arc<MiniLm>, EngineError> {
    let shelf = Shelf::of(&engine.home.path);
    let choice = &engine.config.embedding.model;
    if let Some(encoder) = shelf.shared(choice) {
        return Ok(encoder);
    }
    if *choice == Choice::Static {
        let message = "the static model is in use; its vectors are complete";
        return Err(EngineError::invalid(message, "choose an encoder with `hark model use encoder`"));
    }
    // The error says what is wrong with the file.
    shelf.open(choice)?.map(Arc::new).ok_or_else(|| not_installed(choice.name(), "not installed"))
}

/// The longest run of a worker: a large import takes several runs, so that the machine stays usable.
const WORKER_SECONDS: u64 = 20;

/// One bounded run by the worker, if an encoder is in use.
pub(crate) fn in_background(
    engine: &mut Engine,
    until: Instant,
    tell: &mut dyn FnMut(Progress),
) -> Result<usize, EngineError> {
    let until = until.min(Instant::now() + Duration::from_secs(WORKER_SECONDS));
    match engine.encoder() {
        Some(encoder) => fill_showing(engine, &encoder, Some(until), tell),
        None => Ok(0),
    }
}

/// Fills, and tells how far it is.
fn fill_showing(
    engine: &mut Engine,
    encoder: &MiniLm,
    until: Option<Instant>,
    tell: &mut dyn FnMut(Progress),
) -> Result<usize, EngineError> {
    let before = engine.store.coverage(encoder.id())?;
    let total = before.passages.saturating_sub(before.embedded) as u64;
    fill(engine, encoder, until, &mut |made| {
        tell(Progress { what: "making vectors", done: made as u64, total });
    })
}

/// How many memories a call embeds at most, and how long it takes for that.
const SOON: usize = 8;
const SOON_TAKES: Duration = Duration::from_millis(60);

/// Embeds what was stored lately, so that the next question is answered by its meaning. What is left over is embedded
/// by the next call, or by a worker. Nobody waits for the store or learns of a failure: vectors can be made later.
pub(crate) fn soon(engine: &mut Engine) {
    let waiting = match engine.store.unembedded(SOON) {
        Ok(waiting) if !waiting.is_empty() && !engine.store.is_read_only() => waiting,
        _ => return,
    };
    if let Some(encoder) = engine.encoder() {
        let _ = embed_soon(engine, &encoder, &waiting);
    }
}

fn embed_soon(engine: &mut Engine, encoder: &MiniLm, waiting: &[i64]) -> Result<(), EngineError> {
    let until = Instant::now() + SOON_TAKES;
    let mut vectors = Vec::new();
    let missing = engine.store.missing_of(encoder.id(), waiting)?;
    let is_whole = missing.len() <= SOON * MOST_EACH;
    for passage in missing.into_iter().take(SOON * MOST_EACH) {
        if Instant::now() >= until {
            return Ok(engine.store.put_in_space(encoder.id(), &vectors)?);
        }
        let vector = if passage.known { None } else { encoder.encode(&passage.text)? };
        vectors.push((passage, vector));
    }
    engine.store.put_in_space(encoder.id(), &vectors)?;
    if is_whole {
        engine.store.are_embedded(waiting)?;
    }
    Ok(())
}

/// A short memory has one passage and some phrases.
const MOST_EACH: usize = 4;

/// Embeds passages that have no vector, until the deadline. Returns their number; `progress` receives the number
/// so far.
pub(crate) fn fill(
    engine: &mut Engine,
    encoder: &MiniLm,
    until: Option<Instant>,
    progress: &mut dyn FnMut(usize),
) -> Result<usize, EngineError> {
    let late = || until.is_some_and(|until| Instant::now() >= until);
    let (mut after, mut added) = (0, 0);
    let mut is_whole = false;
    while !late() {
        let (missing, done) = engine.store.missing_in(encoder.id(), after, BATCH)?;
        if missing.is_empty() {
            match done.filter(|done| *done > after) {
                Some(done) => after = done,
                None => {
                    is_whole = true;
                    break;
                }
            }
            continue;
        }
        let (known, new): (Vec<Missing>, Vec<Missing>) =
            missing.into_iter().partition(|passage| passage.known);
        let texts: Vec<&str> = new.iter().map(|passage| passage.text.as_str()).collect();
        let made = encoder.encode_until(&texts, &late)?;
        let made = new.into_iter().zip(made).filter_map(|(passage, made)| Some((passage, made?)));
        let vectors: Vec<_> = known.into_iter().map(|passage| (passage, None)).chain(made).collect();
        added += vectors.len();
        engine.store.put_in_space(encoder.id(), &vectors)?;
        progress(added);
    }
    if is_whole {
        engine.store.vectors_are_made()?;
    }
    if is_whole && added > 0 {
        engine.store.tidy_space(encoder.id())?;
    }
    Ok(added)
}

/// How many passages have the encoder's vectors; `None` without an encoder.
pub fn coverage(engine: &mut Engine, choice: &Choice) -> Result<Option<Coverage>, EngineError> {
    let Some(encoder) = Shelf::of(&engine.home.path).shared(choice) else { return Ok(None) };
    Ok(Some(engine.store.coverage(encoder.id())?))
}

pub const OPERATION: Operation = Operation {
    name: "model embed",
    also: &[],
    summary: "Make missing vectors",
    help: "",
    examples: &[
        ("hark model embed", "Make all missing vectors now"),
        ("hark model embed --max-seconds 60", "Stop after a minute; the next run continues"),
    ],
    group: Group::Store,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Off("runs in the background"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(engine, call.caller, self, call.progress)
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        page.print(&format!("{} of {} passages have vectors\n", self.embedded, self.passages));
        page.note(&format!("{DIM}added {} in {:.1} s{DIM:#}\n", self.added, self.millis as f64 / 1000.0));
        if self.embedded < self.passages {
            page.note("run `hark model embed` again for the rest\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::embed::minilm::tests::tiny_file;
    use crate::ops::{doctor, forget, recall, reindex, remember};
    use crate::{Clock, Config, Home};

    fn engine(folder: &std::path::Path) -> Engine {
        let place = Home::new(folder.join("store"));
        let mut config = Config::default();
        config.embedding.model = Choice::MiniLm;
        Engine::open(place, config, Clock::from_setting(Some("2026-09-01T12:00:00Z")).unwrap()).unwrap()
    }

    fn embed(engine: &mut Engine, max_seconds: Option<u64>) -> (usize, usize, usize) {
        let done = run(engine, &Caller::user(None), &Request { max_seconds }, &mut |_| {}).unwrap();
        (done.added, done.embedded, done.passages)
    }

    fn keep(engine: &mut Engine, text: &str) -> String {
        let request = remember::Request { text: text.to_owned(), ..remember::Request::default() };
        remember::run(engine, &Caller::user(None), request).unwrap().id
    }

    fn examined(engine: &mut Engine) -> String {
        let found = doctor::run(engine, &Caller::user(None), &doctor::Request::default()).unwrap();
        found.findings.iter().map(|finding| format!("{}\n", finding.what)).collect()
    }

    #[test]
    fn passages_get_their_vectors_keep_them_over_a_rebuild_and_lose_them_when_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = engine(folder.path());
        let ids: Vec<String> =
            (0..40).map(|n| keep(&mut engine, &format!("the cat number {n} sat on the mat"))).collect();
        let missing = run(&mut engine, &Caller::user(None), &Request::default(), &mut |_| {}).unwrap_err();
        assert!(missing.to_string().contains("not installed"), "{missing}");
        assert!(examined(&mut engine).contains("minilm is in use but missing"));

        let (_held, path) = tiny_file();
        fs::create_dir_all(folder.path().join("store/models")).unwrap();
        fs::copy(&path, folder.path().join("store/models/minilm.hark")).unwrap();
        assert_eq!(embed(&mut engine, Some(0)), (0, 0, 40));
        assert!(examined(&mut engine).contains("0 of 40 passages"));
        assert_eq!(embed(&mut engine, None), (40, 40, 40));
        assert_eq!(embed(&mut engine, None), (0, 40, 40));

        let question =
            recall::Request { query: "the cats sat".to_owned(), explain: true, ..recall::Request::default() };
        let hits = recall::run(&mut engine, &Caller::user(None), &question).unwrap().hits;
        let sources: Vec<_> =
            hits.iter().flat_map(|hit| hit.explain.iter().flatten()).map(|r| &*r.source).collect();
        assert!(sources.contains(&"encoder") && sources.contains(&"lexical"), "{sources:?}");

        let gone = forget::Request { ids: vec![ids[0].clone()], yes: true, ..forget::Request::default() };
        forget::run(&mut engine, &Caller::user(None), &gone).unwrap();
        keep(&mut engine, "a new mat");
        assert_eq!(embed(&mut engine, Some(0)), (0, 39, 40));

        let request = reindex::Request::default();
        let done = reindex::run(&mut engine, &Caller::user(None), &request, &mut |_| {}).unwrap();
        let vectors = done.vectors.unwrap();
        assert_eq!((vectors.embedded, vectors.passages, vectors.left), (39, 40, 0), "as it was before");
        let space = engine.encoder().unwrap().id().to_owned();
        let (missing, _) = engine.store.missing_in(&space, 0, 100).unwrap();
        assert_eq!((missing.len(), missing.iter().filter(|m| m.known).count()), (1, 0));
        assert_eq!(embed(&mut engine, None), (1, 40, 40));
        assert_eq!(engine.store.tidy_space(&space).unwrap(), 0);
    }

    /// Runs an operation as every surface does.
    fn ask(engine: &mut Engine, folder: &std::path::Path, name: &str, caller: &Caller) -> serde_json::Value {
        let machine = crate::Machine {
            cwd: None,
            home_setting: Some(folder.join("store")),
            user_config: None,
            project: None,
            clock: Clock::System,
        };
        let request = crate::ops::find(name).unwrap().code.parsed(serde_json::json!({})).unwrap();
        machine.unattended(caller, |call| request.run(engine, call).unwrap().data().unwrap())
    }

    #[test]
    fn a_page_does_not_wait_for_vectors() {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = engine(folder.path());
        let (_held, path) = tiny_file();
        fs::create_dir_all(folder.path().join("store/models")).unwrap();
        fs::copy(&path, folder.path().join("store/models/minilm.hark")).unwrap();
        keep(&mut engine, "the cat sat on the mat");
        ask(&mut engine, folder.path(), "inbox", &Caller::reader());
        assert_eq!(engine.store.unembedded(9).unwrap().len(), 1);
        ask(&mut engine, folder.path(), "inbox", &Caller::user(None));
        assert_eq!(engine.store.unembedded(9).unwrap().len(), 0);
    }

    #[test]
    fn a_page_does_not_look_at_every_file_of_a_large_store_and_a_command_does() {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = engine(folder.path());
        let mut request = remember::Request { text: "The port is 8080.".to_owned(), ..Default::default() };
        request.scope.project = Some("shop".to_owned());
        let id = remember::run(&mut engine, &Caller::user(None), request).unwrap().id;
        // More passages than a store in which every file is looked at each time.
        let paragraph = "Jars stand on shelves. ".repeat(60);
        for part in 0..3 {
            let text: String =
                (0..400).map(|n| format!("## Part {part} {n}\n\n{n} {paragraph}\n\n")).collect();
            keep(&mut engine, &text);
        }
        assert!(
            engine.store.stats().unwrap().passages > 1_000,
            "{:?}",
            engine.store.stats().unwrap().passages
        );
        let stored = engine.store.find(&id.parse().unwrap()).unwrap();
        let file = engine.store.layout().memories().join(stored.name());
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("project: shop", "project: store-front")).unwrap();
        let mut projects = |caller: &Caller| -> Vec<String> {
            let found = ask(&mut engine, folder.path(), "project", caller);
            found["projects"]
                .as_array()
                .unwrap()
                .iter()
                .map(|p| p["key"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(projects(&Caller::reader()), ["shop"]);
        assert_eq!(projects(&Caller::user(None)), ["store-front"]);
        assert_eq!(projects(&Caller::reader()), ["store-front"]);
    }
}
