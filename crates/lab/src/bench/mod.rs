//! Measures the cost of the product: latency, memory, size and instructions, on temporary stores.
//!
//! Warm figures come from one `hark mcp` process over stdio, as an assistant uses it; cold figures
//! are whole processes, as a terminal or a hook uses it. Stores are made from a seed, so that two
//! runs measure the same work; the smaller store is the beginning of the larger one.

pub(crate) mod corpus;
pub(crate) mod hooks;
pub(crate) mod measure;
mod report;
pub(crate) mod rng;
pub(crate) mod serve;
mod vocabulary;

use std::path::PathBuf;
use std::time::Instant;

use serde_json::Value;

use crate::client::Hark;
use crate::failure::{Failure, Outcome};
use crate::workspace::{self, Scratch};
use crate::{machine, page};
use corpus::Corpus;

pub(crate) struct Options {
    quick: bool,
    /// Only the store that takes half an hour to make.
    million: bool,
    json: Option<PathBuf>,
    /// Measure this binary instead of building one.
    binary: Option<PathBuf>,
}

impl Options {
    pub(crate) fn parse(words: &[&str]) -> Outcome<Self> {
        let mut options = Options { quick: false, million: false, json: None, binary: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--quick" => options.quick = true,
                "--million" => options.million = true,
                "--json" => options.json = Some(path_after(word, words.next())?),
                "--binary" => options.binary = Some(path_after(word, words.next())?),
                other => return Err(Failure::new(format!("unknown option `{other}` of bench"))),
            }
        }
        Ok(options)
    }

    fn sizes(&self) -> &'static [usize] {
        match (self.million, self.quick) {
            (true, _) => &[1_000_000],
            (false, true) => &[1_000, 10_000],
            (false, false) => &[1_000, 10_000, 100_000],
        }
    }

    fn rounds(&self) -> measure::Rounds {
        if self.quick || self.million {
            measure::Rounds { warm: 100, cold: 20 }
        } else {
            measure::Rounds { warm: 400, cold: 60 }
        }
    }
}

/// Writes a store like those measured, to try things on.
pub(crate) fn make_store(path: &str, count: &str) -> Outcome {
    let count = count.parse().map_err(|_| Failure::new(format!("invalid number of memories `{count}`")))?;
    Corpus::new(&workspace::root())?.write(&PathBuf::from(path), count)?;
    println!("wrote {count} memories; next: HARK_HOME={path} hark reindex");
    Ok(())
}

pub(crate) fn make_export(path: &str, count: &str) -> Outcome {
    let count = count.parse().map_err(|_| Failure::new(format!("invalid number of memories `{count}`")))?;
    Corpus::new(&workspace::root())?.export(&PathBuf::from(path), count)?;
    println!("wrote {count} records; next, in a store of its own: HARK_HOME=DIR hark import {path}");
    Ok(())
}

pub(crate) fn path_after(option: &str, word: Option<&&str>) -> Outcome<PathBuf> {
    word.map(PathBuf::from).ok_or_else(|| Failure::new(format!("{option} needs a path")))
}

pub(crate) fn run(options: &Options) -> Outcome {
    let binary = match &options.binary {
        Some(path) => std::fs::canonicalize(path).map_err(|e| Failure::io(path, &e))?,
        None => workspace::release_binary()?,
    };
    let corpus = Corpus::new(&workspace::root())?;
    let scratch = Scratch::new("bench")?;
    let rounds = options.rounds();

    let empty = Hark::new(&binary, &scratch.path().join("empty"));
    std::fs::create_dir_all(empty.home()).map_err(|e| Failure::io(empty.home(), &e))?;
    println!("process start and protocol");
    let before = machine::loop_millis();
    let mut result = measure::process(&empty, &binary, rounds)?;
    let counted = Hark::new(&binary, &scratch.path().join("counted"));
    corpus.write(counted.home(), 1_000)?;
    measure::build_index(&counted, 1_000)?;
    result["instructions"] = measure::instructions(&counted, &corpus)?;
    let mut stores = Vec::new();
    for &size in options.sizes() {
        let hark = Hark::new(&binary, &scratch.path().join(format!("store-{size}")));
        let started = Instant::now();
        corpus.write(hark.home(), size)?;
        println!("{size} memories: files written in {:.1} s", started.elapsed().as_secs_f64());
        stores.push(measure::store(&hark, &corpus, size, rounds)?);
        std::fs::remove_dir_all(hark.home()).map_err(|e| Failure::io(hark.home(), &e))?;
    }
    result["stores"] = Value::Array(stores);
    result["loop_before"] = before.into();
    result["loop_after"] = machine::loop_millis().into();
    result["machine"] = machine::describe();
    result["date"] = machine::date().into();
    result["commit"] = machine::commit().into();
    result["targets"] = report::targets(&result);

    let (section, table) = match options.million {
        true => ("million", report::of_stores(&result)),
        false => ("bench", report::markdown(&result)),
    };
    println!("\n{table}");
    if let Some(path) = &options.json {
        let text = serde_json::to_string_pretty(&result).unwrap_or_default();
        workspace::write(path, &(text + "\n"))?;
    }
    if !options.quick {
        page::update(&workspace::root().join("docs/benchmarks.md"), section, &table)?;
    }
    Ok(())
}
