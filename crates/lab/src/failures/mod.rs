//! Measures how well failures are read from the output of tools: what the readers find in real sessions,
//! compared with labels made by hand. `eval/failures/README.md` explains the labels.

mod labels;
mod replay;
mod score;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::failure::{Failure, Outcome};
use crate::share::Share;
use crate::{shared_data, workspace};
use labels::Label;
use replay::Reading;
use score::{Right, Score, compare};

pub(crate) fn run(words: &[&str]) -> Outcome {
    let show_errors = words.contains(&"--errors");
    let mut folders: Vec<PathBuf> =
        words.iter().filter(|word| !word.starts_with("--")).map(PathBuf::from).collect();
    if folders.is_empty() {
        let data = shared_data::folder();
        if !data.join("hindsight").is_dir() {
            shared_data::unpack()?;
        }
        folders.push(data.join("hindsight"));
    }
    let mut sessions = BTreeMap::new();
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    let mut absent = 0;
    for label in labels::read(&workspace::root().join("eval/failures/labels.jsonl"))? {
        if !sessions.contains_key(&label.file) {
            let Some(path) = folders.iter().map(|folder| folder.join(&label.file)).find(|p| p.is_file())
            else {
                absent += 1;
                continue;
            };
            sessions.insert(label.file.clone(), replay::session(&path)?);
        }
        let session = &sessions[&label.file];
        let reading = session.readings.get(&label.line).ok_or_else(|| {
            Failure::new(format!("{} line {}: not the labelled output", label.file, label.line))
        })?;
        let right = compare(&label, reading, session);
        let part = if label.is_tuned_on() { "tuned on" } else { "held out" };
        let mut rows = vec![part.to_owned()];
        if !label.language.is_empty() {
            rows.push(format!("{part}, {}", label.language));
        }
        for row in rows {
            scores.entry(row).or_default().add(&label, &right);
        }
        if show_errors && label.is_tuned_on() {
            errors(&label, reading, &right);
        }
    }
    if scores.is_empty() {
        return Err(Failure::new("no labelled session was found; name the folders that contain them"));
    }
    print!("{}", table(&scores));
    if absent > 0 {
        println!("{absent} labels skipped: their sessions are in none of these folders");
    }
    Ok(())
}

fn table(scores: &BTreeMap<String, Score>) -> String {
    let mut out = String::from(
        "| part | failures seen | others left alone | message | class | file | fix | findings right |\n|---|---|---|---|---|---|---|---|\n",
    );
    for (name, score) in scores {
        let shares =
            [score.seen, score.quiet, score.message, score.class, score.file, score.fix, score.findings];
        let _ = write!(out, "| {name} |");
        for share in shares {
            let _ = write!(out, " {} |", percent(share));
        }
        out.push('\n');
    }
    out
}

fn percent(share: Share) -> String {
    if share.of == 0 {
        return "–".to_owned();
    }
    format!("{}/{} = {:.1}", share.hits, share.of, 100.0 * share.value())
}

/// Errors of the tuned part only: the other part stays unseen.
fn errors(label: &Label, reading: &Reading, right: &Right) {
    let wrong: Vec<&str> = [
        ("seen", Some(right.seen)),
        ("message", right.message),
        ("class", right.class),
        ("file", right.file),
        ("fix", right.fix),
    ]
    .into_iter()
    .filter(|(_, value)| *value == Some(false))
    .map(|(name, _)| name)
    .collect();
    if wrong.is_empty() {
        return;
    }
    println!("{} {}: {} (failed: {})", label.file, label.line, wrong.join(", "), reading.failed);
    println!(
        "   label {:?} {:?} fix {:?} got fix {:?}",
        label.classes, label.files, label.fix, reading.fixed_by
    );
    for found in reading.findings.iter().take(3) {
        println!("   found {} {:?} {}", found.class.name(), found.files, found.message);
    }
}
