//! `hark eval gate`: whether a prompt gets anything injected, and what.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use hark_core::Memory;
use hark_core::rank::judge::Judge;
use serde::{Deserialize, Serialize};

use super::documents::{Document, Haystack};
use super::rank::{groups, read_weights};
use super::shelf::Shelf;
use super::{Cost, read_lines};
use crate::config::Config;
use crate::embed::minilm::MiniLm;
use crate::error::EngineError;
use crate::hooks::inject;
use crate::recall;
use crate::recall::gate::{self, Signals, Threshold};

#[derive(Debug, Clone, Args)]
pub struct GateRequest {
    /// Documents as JSON lines: id, text or turns, date
    #[arg(long, value_name = "FILE")]
    pub docs: PathBuf,
    /// Which documents each prompt searches; all of them if absent
    #[arg(long, value_name = "FILE")]
    pub haystacks: Option<PathBuf>,
    /// Prompts as JSON lines: pid, prompt, haystack
    #[arg(long, value_name = "FILE")]
    pub pairs: PathBuf,
    /// Where the decisions are written
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Least probability for an injection
    #[arg(long, value_name = "P")]
    pub threshold: Option<f32>,
    /// Write what each decision was made from
    #[arg(long)]
    pub explain: bool,
    /// Judge with these weights instead of the ones inside: a file that `cargo xtask eval --learn` wrote
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Keep the stores in this folder, and use them again
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateReport {
    pub cost: Cost,
    pub injected: usize,
}

#[derive(Debug, Deserialize)]
struct Pair {
    pid: String,
    prompt: String,
    #[serde(default)]
    haystack: Option<String>,
    #[serde(default)]
    date: Option<String>,
}

#[derive(Serialize)]
struct Line<'a> {
    pid: &'a str,
    inject: bool,
    p: f32,
    ids: Vec<&'a str>,
    /// The signals of each hit, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hits: Vec<Judged<'a>>,
}

#[derive(Serialize)]
struct Judged<'a> {
    id: &'a str,
    #[serde(flatten)]
    signals: Signals,
}

/// How many hits an explanation shows.
const EXPLAINED: usize = 10;

pub fn gate(request: &GateRequest) -> Result<GateReport, EngineError> {
    let documents: Vec<Document> = read_lines(&request.docs)?;
    let pairs: Vec<Pair> = read_lines(&request.pairs)?;
    let haystacks: Vec<Haystack> =
        request.haystacks.as_deref().map(read_lines).transpose()?.unwrap_or_default();
    let threshold = request.threshold.map_or_else(Threshold::default, Threshold::new);
    let room = inject::room_for_prompt(Config::default().inject.prompt);
    let learned = request.weights.as_deref().map(read_weights).transpose()?;
    let judge = learned.as_ref().unwrap_or_else(|| Judge::inside());
    let encoder = Some(Arc::new(MiniLm::inside()));
    let mut out = super::create(&request.out)?;
    let (mut stored, mut seconds, mut micros, mut injected) = (0, 0.0, Vec::new(), 0);
    for (name, documents, asked) in groups(&documents, &haystacks, &pairs, |pair| pair.haystack.as_deref())? {
        let kept = request.keep.as_ref().map(|folder| folder.join(name));
        let shelf = Shelf::fill(&documents, kept.as_deref(), encoder.as_ref())?;
        stored += documents.len();
        seconds += shelf.store_seconds;
        for pair in asked {
            let started = Instant::now();
            let found = if gate::is_trivial(&pair.prompt) {
                Vec::new()
            } else {
                shelf.ask(&pair.prompt, pair.date.as_deref(), EXPLAINED, Some(judge))?
            };
            let decision = gate::decide(found.iter().map(|(_, hit)| hit), threshold);
            micros.push(started.elapsed().as_micros() as u64);
            injected += usize::from(decision.inject);
            let chosen: Vec<&Memory> =
                decision.chosen.iter().take(gate::MOST).map(|at| &found[*at].1.stored.memory).collect();
            let told = recall::tell(&chosen, room, shelf.latest).len();
            let ids = decision.chosen.iter().take(told).map(|at| found[*at].0.as_str()).collect();
            let judged = found.iter().map(|(id, hit)| Judged { id, signals: hit.signals });
            let hits = if request.explain { judged.collect() } else { Vec::new() };
            let line = Line { pid: &pair.pid, inject: decision.inject, p: decision.probability, ids, hits };
            super::write_line(&mut out, &request.out, &line)?;
        }
    }
    out.flush().map_err(|e| super::unwritable(&request.out, &e))?;
    Ok(GateReport { cost: Cost::of(stored, seconds, micros), injected })
}
