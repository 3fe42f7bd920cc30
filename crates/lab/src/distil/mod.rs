//! Measures the quality of distilling: candidates from turns of real transcripts, compared with labels made
//! by hand. `eval/distil/README.md` explains how turns were sampled and labelled.

mod labels;
pub(crate) use labels::fnv;
mod score;
mod turns;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hark_core::distil::{self, Statement};

use crate::failure::{Failure, Outcome};
use crate::share::Share;
use crate::{page, shared_data, workspace};
use labels::Label;
use score::{Score, Verdict, missed, verdict};
use turns::Turn;

pub(crate) fn run(words: &[&str]) -> Outcome {
    let show_errors = match words {
        [] => false,
        ["--errors"] => true,
        ["--all", path] => return everything(path),
        other => return Err(Failure::new(format!("unknown option `{}` of distil", other.join(" ")))),
    };
    let data = shared_data::folder();
    if !data.join("transcripts").is_dir() && !shared_data::unpack()? {
        return Err(Failure::new(
            "the transcripts were not found; set HARK_DATA to the folder that contains them",
        ));
    }
    let labels = labels::read(&workspace::root().join("eval/distil/labels.jsonl"))?;
    let mut files: BTreeMap<&str, BTreeMap<turns::Place, Turn>> = BTreeMap::new();
    let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
    for label in &labels {
        if !files.contains_key(label.file.as_str()) {
            files.insert(&label.file, turns::read(&data.join(&label.file))?);
        }
        let turn = files[label.file.as_str()].get(&label.place).filter(|turn| label.is_for(&turn.text));
        let turn = turn.ok_or_else(|| {
            Failure::new(format!("{} {:?}: not the labelled turn", label.file, label.place))
        })?;
        let found = distil::turn(&turn.text, Some(&turn.before));
        let half = if label.is_tuned_on() { "tuned on" } else { "held out" };
        for name in ["all", half, sample_name(label)] {
            scores.entry(name).or_default().add(label, &found);
        }
        if show_errors && label.is_tuned_on() {
            errors(label, turn, &found);
        }
    }
    let table = table(&scores);
    print!("{table}");
    if !show_errors {
        page::update(&workspace::root().join("docs/benchmarks.md"), "distil", &table)?;
    }
    Ok(())
}

fn sample_name(label: &Label) -> &'static str {
    match label.sample.as_str() {
        "census" => "transcripts, every turn",
        "trigger" => "sessions, with telling words",
        _ => "sessions, at random",
    }
}

fn table(scores: &BTreeMap<&str, Score>) -> String {
    let mut out = String::from(
        "| turns | number | precision | of which had to be found | recall | kind right |\n|---|---|---|---|---|---|\n",
    );
    for (name, score) in scores {
        let _ = writeln!(
            out,
            "| {name} | {} | {} | {} | {} | {} |",
            score.turns,
            percent(score.precision()),
            percent(score.strict_precision()),
            percent(score.recall()),
            percent(score.kinds()),
        );
    }
    out
}

fn percent(share: Share) -> String {
    let (low, high) = share.interval();
    format!(
        "{}/{} = {:.1} [{:.1}, {:.1}]",
        share.hits,
        share.of,
        100.0 * share.value(),
        100.0 * low,
        100.0 * high
    )
}

fn errors(label: &Label, turn: &Turn, found: &[Statement]) {
    for one in found.iter().filter(|one| verdict(label, one) == Verdict::Noise) {
        println!("NOISE {} {:.2} {}: {}", one.rule, one.confidence, one.kind, one.body);
    }
    for span in missed(label, found) {
        println!("MISSED {}: {}", span.kinds.join("|"), turn.text.get(span.start..span.end).unwrap_or("?"));
    }
}

/// Prints what an unlabelled file would yield, for review by a person.
fn everything(path: &str) -> Outcome {
    let turns = turns::read(std::path::Path::new(path))?;
    let mut count = 0;
    for turn in turns.values() {
        for one in distil::turn(&turn.text, Some(&turn.before)) {
            count += 1;
            println!("{} {} {:.2}: {}", one.kind, one.rule, one.confidence, one.body);
        }
    }
    println!("{count} candidates from {} turns", turns.len());
    Ok(())
}
