//! `hark eval rank`: which documents a question finds, in which order.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use hark_core::rank::Contribution;
use hark_core::rank::judge::Judge;
use serde::Serialize;

use super::documents::{Document, Haystack, Query};
use super::shelf::Shelf;
use super::{Cost, read_lines};
use crate::embed::minilm::MiniLm;
use crate::error::EngineError;
use crate::recall::{Certainty, Survey};

#[derive(Debug, Clone, Args)]
pub struct RankRequest {
    /// Documents as JSON lines: id, text or turns, date
    #[arg(long, value_name = "FILE")]
    pub docs: PathBuf,
    /// Questions as JSON lines: qid, query, haystack, date
    #[arg(long, value_name = "FILE")]
    pub queries: PathBuf,
    /// Which documents each question searches; all of them if absent
    #[arg(long, value_name = "FILE")]
    pub haystacks: Option<PathBuf>,
    /// Where the run is written
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Documents per question
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// Write why each document is where it is
    #[arg(long)]
    pub explain: bool,
    /// Keep the stores in this folder, and use them again
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Ask with another encoder than the one inside: a file that `hark model get` made, or none
    #[arg(long, value_name = "FILE|none")]
    pub encoder: Option<PathBuf>,
    /// Judge with these weights instead of the ones inside: a file that `cargo xtask eval --learn` wrote, or none
    #[arg(long, value_name = "FILE|none")]
    pub weights: Option<PathBuf>,
    /// Write the evidence for every candidate to this file
    #[arg(long, value_name = "FILE")]
    pub evidence: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankReport {
    pub cost: Cost,
    /// Questions without results.
    pub silent: usize,
}

#[derive(Serialize)]
struct Line<'a> {
    qid: &'a str,
    ranked: Vec<&'a str>,
    certainty: Vec<Certainty>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    explain: Vec<&'a [Contribution]>,
}

/// The evidence for one question: values in the order of the names in `core/src/rank/judge.rs`.
#[derive(Serialize)]
struct Surveyed<'a> {
    qid: &'a str,
    candidates: Vec<(&'a str, Vec<f32>)>,
    hits: Vec<(&'a str, Vec<f32>)>,
    pairs: Vec<(&'a str, &'a str, Vec<f32>)>,
}

impl<'a> Surveyed<'a> {
    fn of(qid: &'a str, survey: &Survey, shelf: &'a Shelf) -> Self {
        let candidates = survey.candidates.iter();
        let pairs = survey.pairs.iter();
        Surveyed {
            qid,
            candidates: candidates.map(|(id, f)| (shelf.name(id), f.values().to_vec())).collect(),
            hits: survey.hits.iter().map(|(id, values)| (shelf.name(id), values.to_vec())).collect(),
            pairs: pairs.map(|(old, new, v)| (shelf.name(old), shelf.name(new), v.to_vec())).collect(),
        }
    }
}

pub(super) fn read_weights(path: &Path) -> Result<Judge, EngineError> {
    let fail = |reason: String| {
        EngineError::invalid(
            format!("cannot read the weights in {}: {reason}", path.display()),
            "write them with `cargo xtask eval --learn`",
        )
    };
    let text = std::fs::read_to_string(path).map_err(|e| fail(e.to_string()))?;
    Judge::parse(&text).map_err(fail)
}

pub fn rank(request: &RankRequest) -> Result<RankReport, EngineError> {
    let documents: Vec<Document> = read_lines(&request.docs)?;
    let queries: Vec<Query> = read_lines(&request.queries)?;
    let haystacks: Vec<Haystack> =
        request.haystacks.as_deref().map(read_lines).transpose()?.unwrap_or_default();
    let encoder = match request.encoder.as_deref() {
        None => Some(Arc::new(MiniLm::inside())),
        Some(path) if path.as_os_str() == "none" => None,
        Some(path) => Some(Arc::new(MiniLm::open(path)?)),
    };
    let learned =
        request.weights.as_deref().filter(|path| path.as_os_str() != "none").map(read_weights).transpose()?;
    let judge = match (&request.weights, &learned) {
        (None, _) => Some(Judge::inside()),
        (Some(_), learned) => learned.as_ref(),
    };
    let mut evidence = request.evidence.as_deref().map(super::create).transpose()?;
    let mut out = super::create(&request.out)?;
    let (mut stored, mut seconds, mut micros, mut silent) = (0, 0.0, Vec::new(), 0);
    for (name, documents, asked) in
        groups(&documents, &haystacks, &queries, |query| query.haystack.as_deref())?
    {
        let kept = request.keep.as_ref().map(|folder| folder.join(name));
        let shelf = Shelf::fill(&documents, kept.as_deref(), encoder.as_ref())?;
        stored += documents.len();
        seconds += shelf.store_seconds;
        for query in asked {
            let started = Instant::now();
            let found = shelf.ask(&query.query, query.date.as_deref(), request.limit, judge)?;
            micros.push(started.elapsed().as_micros() as u64);
            silent += usize::from(found.is_empty());
            let explain =
                if request.explain { found.iter().map(|(_, hit)| &*hit.reasons).collect() } else { vec![] };
            let line = Line {
                qid: &query.qid,
                ranked: found.iter().map(|(name, _)| name.as_str()).collect(),
                certainty: found.iter().map(|(_, hit)| hit.certainty).collect(),
                explain,
            };
            super::write_line(&mut out, &request.out, &line)?;
            if let (Some(file), Some(path)) = (&mut evidence, &request.evidence) {
                let judge = judge.unwrap_or(Judge::inside());
                let survey = shelf.survey(&query.query, query.date.as_deref(), judge)?;
                super::write_line(file, path, &Surveyed::of(&query.qid, &survey, &shelf))?;
            }
        }
    }
    if let (Some(file), Some(path)) = (&mut evidence, &request.evidence) {
        file.flush().map_err(|e| super::unwritable(path, &e))?;
    }
    out.flush().map_err(|e| super::unwritable(&request.out, &e))?;
    Ok(RankReport { cost: Cost::of(stored, seconds, micros), silent })
}

/// The name and documents of one store, and the questions for it.
type Group<'a, T> = (&'a str, Vec<(&'a Document, Option<&'a str>)>, Vec<&'a T>);

/// One group per haystack; questions without a haystack search everything.
pub(super) fn groups<'a, T>(
    documents: &'a [Document],
    haystacks: &'a [Haystack],
    asked: &'a [T],
    haystack_of: impl Fn(&'a T) -> Option<&'a str>,
) -> Result<Vec<Group<'a, T>>, EngineError> {
    let by_id: HashMap<&str, &Document> = documents.iter().map(|d| (d.id.as_str(), d)).collect();
    let mut groups: Vec<Group<'a, T>> = Vec::new();
    let mut of_all: Vec<&T> = Vec::new();
    let mut by_haystack: HashMap<&str, Vec<&T>> = HashMap::new();
    for one in asked {
        match haystack_of(one).filter(|_| !haystacks.is_empty()) {
            Some(name) => by_haystack.entry(name).or_default().push(one),
            None => of_all.push(one),
        }
    }
    for haystack in haystacks {
        let Some(asked) = by_haystack.remove(haystack.haystack.as_str()) else { continue };
        let mut seen = std::collections::HashSet::new();
        let mut found = Vec::with_capacity(haystack.docs.len());
        for straw in &haystack.docs {
            let document = by_id.get(straw.id.as_str()).ok_or_else(|| {
                EngineError::invalid(
                    format!("haystack {} names {}, which is not a document", haystack.haystack, straw.id),
                    "docs and haystacks must come from the same set",
                )
            })?;
            if seen.insert(straw.id.as_str()) {
                found.push((*document, straw.date.as_deref()));
            }
        }
        groups.push((&haystack.haystack, found, asked));
    }
    if let Some(name) = by_haystack.keys().next() {
        return Err(EngineError::invalid(
            format!("there is no haystack {name}"),
            "queries and haystacks must come from the same set; omit --haystacks to search everything",
        ));
    }
    if !of_all.is_empty() {
        // In a pool, a document has the date of its owner.
        let mut dates: HashMap<&str, &str> = HashMap::new();
        for straw in haystacks.iter().flat_map(|h| &h.docs) {
            if let Some(date) = &straw.date {
                dates.entry(&straw.id).or_insert(date);
            }
        }
        groups.push((
            "all",
            documents.iter().map(|d| (d, dates.get(d.id.as_str()).copied())).collect(),
            of_all,
        ));
    }
    Ok(groups)
}
