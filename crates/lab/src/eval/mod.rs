//! Measures what the product finds: known questions asked through `hark eval`, scored against known
//! answers, and compared with plain full-text search over the same documents.
//!
//! The product only ranks and decides; scoring is done here, so that it cannot know the answers.

mod baseline;
mod fit;
mod gate;
mod notes;
mod report;
pub(crate) mod score;
pub(crate) mod sets;
mod small;

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};

use crate::client::Hark;
use crate::failure::{Failure, Outcome};
use crate::workspace::{self, Scratch};
use crate::{machine, page, shared_data};
use gate::{GateScore, Pairs};
use hark_core::rank::calibration;
pub(crate) use notes::{NOTHING, OPEN_NOTHING};
use score::Scores;
use sets::Set;

pub(crate) struct Options {
    json: Option<PathBuf>,
    /// Ask this binary instead of building one.
    binary: Option<PathBuf>,
    /// Only this set.
    set: Option<String>,
    /// Ask with this encoder's file instead of the one inside, or with `none`.
    encoder: Option<PathBuf>,
    /// Fit the gate again instead of scoring.
    fit: bool,
    /// Learn the judgement again instead of scoring.
    learn: bool,
    /// Learn from the evidence of the last run.
    reuse: bool,
    /// Judge with these weights instead of the ones inside.
    weights: Option<PathBuf>,
    write: bool,
}

impl Options {
    pub(crate) fn parse(words: &[&str]) -> Outcome<Self> {
        let mut options = Options {
            json: None,
            binary: None,
            set: None,
            encoder: None,
            fit: false,
            learn: false,
            reuse: false,
            weights: None,
            write: false,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                words.next().map(|word| (*word).to_owned()).ok_or_else(|| {
                    Failure::new(format!("{word} needs a {}", if *word == "--set" { "name" } else { "path" }))
                })
            };
            match *word {
                "--json" => options.json = Some(value()?.into()),
                "--binary" => options.binary = Some(value()?.into()),
                "--encoder" => options.encoder = Some(value()?.into()),
                "--set" => options.set = Some(value()?),
                "--weights" => options.weights = Some(value()?.into()),
                "--fit" => options.fit = true,
                "--learn" => options.learn = true,
                "--reuse" => options.reuse = true,
                "--write" => options.write = true,
                other => return Err(Failure::new(format!("eval does not know `{other}`"))),
            }
        }
        Ok(options)
    }

    fn wants(&self, set: &Set) -> bool {
        self.set.as_deref().is_none_or(|name| name == set.name)
    }
}

/// One set's figures, ours and the baseline's.
struct Measured {
    set: Set,
    ours: Scores,
    baseline: Scores,
    cost: Value,
    gate: Option<(GateScore, Value)>,
}

pub(crate) fn run(options: &Options) -> Outcome {
    let data = shared_data::folder();
    if !data.join("eval").is_dir() && std::env::var_os("HARK_DATA").is_none() {
        shared_data::unpack()?;
    }
    let scratch = Scratch::new("eval")?;
    let (small, small_pairs) = small::export(&scratch.path().join(small::NAME))?;
    let mut sets = sets::present(&data);
    sets.extend(notes::present(&data, scratch.path())?);
    let is_complete =
        !sets.is_empty() && options.set.is_none() && options.encoder.is_none() && options.weights.is_none();
    if sets.is_empty() {
        println!(
            "no retrieval sets in {}: unpack the shared data into target/shared-data, or set HARK_DATA; \
             what follows is the small set of this repository",
            data.display()
        );
    }
    sets.push(small);
    let known = sets.iter().map(|set| set.name).collect::<Vec<_>>().join(", ");
    sets.retain(|set| options.wants(set));
    if sets.is_empty() {
        return Err(Failure::new(format!("no such set; available sets are {known}")));
    }

    let built = match &options.binary {
        Some(path) => path.clone(),
        None => workspace::release_binary()?,
    };
    // A copy, so that a build during the run does not mix two versions in one table.
    let binary = scratch.path().join(built.file_name().unwrap_or_default());
    std::fs::copy(&built, &binary).map_err(|e| Failure::io(&built, &e))?;
    let pairs = Pairs::read(&data)?;
    let out = workspace::target().join("eval");
    std::fs::create_dir_all(&out).map_err(|e| Failure::io(&out, &e))?;
    let out = std::fs::canonicalize(&out).map_err(|e| Failure::io(&out, &e))?;
    let whole = |path: &PathBuf| {
        if path.as_os_str() == "none" { Ok(path.clone()) } else { std::path::absolute(path) }
    };
    let encoder = options.encoder.as_ref().map(whole).transpose();
    let encoder = encoder.map_err(|e| Failure::new(format!("--encoder: {e}")))?;
    // The stores of the last run still hold what its evidence was taken from.
    let stores =
        if options.learn || options.fit { out.join("stores") } else { scratch.path().join("stores") };
    if options.learn && !options.reuse && stores.exists() {
        std::fs::remove_dir_all(&stores).map_err(|e| Failure::io(&stores, &e))?;
    }
    let weights = options.weights.as_ref().map(whole).transpose();
    let weights = weights.map_err(|e| Failure::new(format!("--weights: {e}")))?;
    let asker = Asker { hark: Hark::new(&binary, scratch.path()), stores, out, encoder, weights };
    if options.fit {
        return asker.fit(&sets, &pairs, options.write);
    }
    if options.learn {
        return crate::learn::run(&asker, &sets, options.reuse, options.write);
    }

    let mut measured = Vec::new();
    for set in sets {
        measured.push(asker.measure(set)?);
    }
    // After all questions, so that the time a store takes is told where it is first asked.
    for one in &mut measured {
        let prompts = if one.set.name == small::NAME { &small_pairs } else { &pairs }.of(one.set.name);
        one.gate = prompts.map(|prompts| asker.gate(&one.set, prompts)).transpose()?;
    }
    let result = json!({
        "date": machine::date(),
        "commit": machine::commit(),
        "given_binary": options.binary.is_some(),
        "machine": machine::describe(),
        "sets": measured.iter().map(Measured::json).collect::<Vec<_>>(),
    });
    let mut text = report::markdown(&result, &measured);
    // The other half of what hark promises: what it says by itself.
    if is_complete {
        text.push_str(&format!("\n{}", crate::hindsight::measure(&binary, HINDSIGHT)?));
    }
    println!("\n{text}\nrun files are in {}", asker.out.display());
    if let Some(path) = &options.json {
        let text = serde_json::to_string_pretty(&result).unwrap_or_default();
        workspace::write(path, &(text + "\n"))?;
    }
    if is_complete {
        page::update(&workspace::root().join("docs/benchmarks.md"), "eval", &text)?;
    }
    Ok(())
}

/// Sessions that are replayed after the retrieval sets.
const HINDSIGHT: usize = 20;

/// Sets whose prompts the gate is fitted on.
const FITTED_NOTES: &[&str] = &["notes"];
const FITTED_CHATS: &[&str] = &["lme_s", "codemem_entire"];

pub(crate) struct Asker {
    hark: Hark,
    /// Stores of this run: a set's questions and prompts are asked of the same ones.
    stores: PathBuf,
    pub(crate) out: PathBuf,
    encoder: Option<PathBuf>,
    weights: Option<PathBuf>,
}

impl Asker {
    fn measure(&self, set: Set) -> Outcome<Measured> {
        let started = Instant::now();
        let (queries, gold) = (set.queries()?, set.gold()?);
        let asked = self.out.join(format!("{}.queries.jsonl", set.name));
        sets::write_lines(&asked, queries.iter().map(|query| &query.record))?;

        let run = self.out.join(format!("{}.hark.jsonl", set.name));
        let cost = self.ask(&set, &["rank"], ("--queries", &asked), &run)?;
        let ours = Scores::of(&queries, &gold, &sets::run(&run)?);

        let plain = baseline::rank(&set, &queries)?;
        let of = |id: &String| plain.get(id).map(|ranked| json!({ "qid": id, "ranked": ranked }));
        let lines: Vec<Value> = queries.iter().filter_map(|query| of(&query.id)).collect();
        sets::write_lines(&self.out.join(format!("{}.fts5.jsonl", set.name)), &lines)?;
        let baseline = Scores::of(&queries, &gold, &plain);

        println!("{}: {} questions in {:.0} s", set.name, queries.len(), started.elapsed().as_secs_f64());
        Ok(Measured { set, ours, baseline, cost, gate: None })
    }

    fn gate(&self, set: &Set, prompts: &[Value]) -> Outcome<(GateScore, Value)> {
        let (decisions, cost) = self.decide(set, prompts, &["gate"])?;
        Ok((GateScore::of(prompts, &decisions), cost))
    }

    fn decide(&self, set: &Set, prompts: &[Value], what: &[&str]) -> Outcome<(Vec<Value>, Value)> {
        let started = Instant::now();
        let asked = self.out.join(format!("{}.pairs.jsonl", set.name));
        sets::write_lines(&asked, prompts)?;
        let run = self.out.join(format!("{}.gate.jsonl", set.name));
        let cost = self.ask(set, what, ("--pairs", &asked), &run)?;
        println!("{}: {} prompts in {:.0} s", set.name, prompts.len(), started.elapsed().as_secs_f64());
        Ok((sets::lines(&run)?, cost))
    }

    /// Notes and conversations each on their own: they differ too much for one model. The judgement in the hits is one
    /// that was learned without the set, if there is one.
    fn fit(&self, sets: &[Set], pairs: &Pairs, write: bool) -> Outcome {
        let mut gates = Vec::new();
        for names in [FITTED_NOTES, FITTED_CHATS] {
            let mut judged = Vec::new();
            for set in sets.iter().filter(|set| names.contains(&set.name)) {
                let prompts = pairs.of(set.name).unwrap_or_default();
                let unseen = self.out.join(format!("without_{}.weights", set.name));
                let weights = unseen.display().to_string();
                let mut what = vec!["gate", "--explain"];
                if unseen.is_file() {
                    what.extend(["--weights", &weights]);
                }
                let (decisions, _) = self.decide(set, prompts, &what)?;
                judged.extend(fit::judged(set.name, prompts, &decisions));
            }
            if judged.is_empty() {
                return Err(Failure::new(format!(
                    "there are no prompts to fit on: {} are missing",
                    names.join(", ")
                )));
            }
            println!("\n{}", fit::report(&judged));
            gates.push(fit::gate(&judged));
        }
        if let (true, [notes, chats]) = (write, gates.as_slice()) {
            let path = workspace::root().join("crates/core/src/rank/calibration.rs");
            let before = workspace::read(&path)?;
            let parts = before.split_once("// fitted: begin\n").zip(before.split_once("// fitted: end"));
            let Some(((head, _), (_, tail))) = parts else {
                return Err(Failure::new(format!("{} has no fitted block", path.display())));
            };
            let block = calibration::block(notes, chats);
            workspace::write(&path, &format!("{head}// fitted: begin\n{block}// fitted: end{tail}"))?;
        }
        Ok(())
    }

    /// Asks the questions of a set with these weights, and returns the run.
    pub(crate) fn run_with(&self, set: &Set, weights: &Path) -> Outcome<score::Run> {
        let asked = self.out.join(format!("{}.queries.jsonl", set.name));
        sets::write_lines(&asked, set.queries()?.iter().map(|query| &query.record))?;
        let run = self.out.join(format!("{}.unseen.jsonl", set.name));
        let weights = weights.display().to_string();
        self.ask(set, &["rank", "--weights", &weights], ("--queries", &asked), &run)?;
        sets::run(&run)
    }

    /// The evidence for the candidates of a set.
    pub(crate) fn evidence(&self, set: &Set, weights: Option<&Path>, reuse: bool) -> Outcome<PathBuf> {
        let stage = if weights.is_some() { "lists" } else { "evidence" };
        let path = self.out.join(format!("{}.{stage}.jsonl", set.name));
        if !(reuse && path.is_file()) {
            let asked = self.out.join(format!("{}.queries.jsonl", set.name));
            sets::write_lines(&asked, set.queries()?.iter().map(|query| &query.record))?;
            let run = self.out.join(format!("{}.survey.jsonl", set.name));
            let evidence = path.display().to_string();
            let weights = weights.map(|path| path.display().to_string());
            let mut what = vec!["rank", "--evidence", &evidence];
            if let Some(weights) = &weights {
                what.extend(["--weights", weights]);
            }
            self.ask(set, &what, ("--queries", &asked), &run)?;
        }
        Ok(path)
    }

    /// Runs `hark eval`, and returns what it says about its cost.
    fn ask(&self, set: &Set, what: &[&str], asked: (&str, &Path), out: &Path) -> Outcome<Value> {
        let folder = set.folder.file_name().unwrap_or_default();
        let paths = [set.path("docs.jsonl"), asked.1.to_owned(), out.to_owned(), self.stores.join(folder)];
        let haystacks = set.haystacks().map(|path| path.display().to_string());
        let [docs, asked_file, out, keep] = paths.map(|path| path.display().to_string());
        let mut arguments = vec!["eval"];
        arguments.extend(what);
        arguments.extend(["--docs", &docs, asked.0, &asked_file, "--out", &out, "--keep", &keep, "--json"]);
        if let Some(path) = &haystacks {
            arguments.extend(["--haystacks", path]);
        }
        let encoder = self.encoder.as_ref().map(|path| path.display().to_string());
        if let Some(path) = encoder.as_deref().filter(|_| what[0] == "rank") {
            arguments.extend(["--encoder", path]);
        }
        let weights = self.weights.as_ref().map(|path| path.display().to_string());
        if let Some(path) = weights.as_deref().filter(|_| what == ["rank"]) {
            arguments.extend(["--weights", path]);
        }
        Ok(self.hark.json(&arguments)?["cost"].clone())
    }
}

impl Measured {
    fn json(&self) -> Value {
        json!({
            "set": self.set.name,
            "hark": self.ours.json(),
            "fts5": self.baseline.json(),
            "cost": self.cost,
            "gate": self.gate.as_ref().map(|(score, _)| score.json()),
            "gate_cost": self.gate.as_ref().map(|(_, cost)| cost),
        })
    }
}
