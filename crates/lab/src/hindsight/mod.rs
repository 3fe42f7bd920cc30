//! `cargo xtask hindsight`: was what hark says unasked of use? Real sessions are replayed through the hooks of the
//! binary, and `hark report` judges by what happened next. Beside it, on the open notes of this repository: how many
//! tokens a prompt is told, against reading everything that is known about its project.

mod notes;
mod replay;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::failure::{Failure, Outcome};
use crate::share::Share;
use crate::shared_data;
use crate::workspace::{self, Scratch};

/// Enough to show a direction in a minute.
const SESSIONS: usize = 20;

pub(crate) fn run(options: &[&str]) -> Outcome {
    let (mut sessions, mut binary) = (SESSIONS, None);
    let mut rest = options;
    while let [name, value, more @ ..] = rest {
        match *name {
            "--sessions" => {
                sessions = value.parse().map_err(|_| Failure::new(format!("`{value}` is no number")))?;
            }
            "--binary" => binary = Some(PathBuf::from(value)),
            other => return Err(Failure::new(format!("unknown option `{other}` of hindsight"))),
        }
        rest = more;
    }
    if let [odd] = rest {
        return Err(Failure::new(format!("`{odd}` needs a value")));
    }
    let binary = match binary {
        Some(path) => fs::canonicalize(&path).map_err(|e| Failure::io(&path, &e))?,
        None => workspace::release_binary()?,
    };
    println!("{}", measure(&binary, sessions)?);
    Ok(())
}

/// The figures as text.
pub(crate) fn measure(binary: &Path, sessions: usize) -> Outcome<String> {
    let scratch = Scratch::new("hindsight")?;
    let mut text = String::from("Said unasked, judged by what followed (`hark report`):\n\n");
    let folder = shared_data::folder().join("hindsight");
    if !folder.is_dir() && std::env::var_os("HARK_DATA").is_none() {
        shared_data::unpack()?;
    }
    let mut files = workspace::files_below(&folder, "jsonl");
    files.sort();
    files.truncate(sessions);
    if files.is_empty() {
        text.push_str("skipped: there are no sessions to replay in the shared data\n");
    } else {
        let replayed = replay::run(binary, &scratch.path().join("sessions"), &files)?;
        text.push_str(&table(&replayed));
    }
    text.push_str(&notes::measure(binary, &scratch.path().join("notes"))?.text());
    Ok(text)
}

fn table(replayed: &replay::Replayed) -> String {
    let report = &replayed.report;
    let number = |row: &Value, key: &str| row[key].as_u64().unwrap_or(0) as usize;
    let each = |tokens: usize| tokens as f64 / replayed.sessions.max(1) as f64;
    let share = |row: &Value| {
        let share = Share { hits: number(row, "of_use"), of: number(row, "judged") };
        let (low, high) = share.interval();
        if share.of == 0 {
            return "–".to_owned();
        }
        format!("{:.0} % ({:.0}–{:.0})", 100.0 * share.value(), 100.0 * low, 100.0 * high)
    };
    let mut text = format!(
        "{} sessions, {} prompts, {} hook calls\n\n| surface | texts | tokens a session | of use (95 % interval) |\n\
         |---|---|---|---|\n",
        replayed.sessions, replayed.prompts, replayed.calls
    );
    for row in report["surfaces"].as_array().into_iter().flatten() {
        let surface = row["surface"].as_str().unwrap_or_default();
        let tokens = each(number(row, "tokens"));
        text.push_str(&format!("| {surface} | {} | {tokens:.0} | {} |\n", number(row, "texts"), share(row)));
    }
    let tokens = each(number(report, "tokens"));
    text.push_str(&format!("| all | {} | {tokens:.0} | {} |\n", number(report, "texts"), share(report)));
    text
}
