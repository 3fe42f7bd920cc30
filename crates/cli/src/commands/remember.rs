//! `hark remember TEXT`

use std::io::Read;

use hark_engine::ops::remember;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM, ID, WARN};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to remember; `-` reads it from standard input
    #[arg(value_name = "TEXT", required = true)]
    words: Vec<String>,
    #[command(flatten)]
    request: remember::Request,
}

pub(crate) fn run(args: Args, environment: &Environment) -> Result<(), Failure> {
    let mut request = args.request;
    request.text = match args.words.as_slice() {
        [only] if only == "-" => read_stdin()?,
        words => words.join(" "),
    };
    let response =
        environment.with_engine(|engine, caller| remember::run(engine, caller, request.clone()))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    let place = response.project.as_deref().map_or("everywhere", ui::memory::short_project);
    ui::print(&format!(
        "{ID}{}{ID:#} {} {DIM}· {} · {place}{DIM:#}\n",
        response.id,
        ui::words(&response.title),
        response.kind
    ));
    if response.redacted > 0 {
        ui::note(&format!(
            "{WARN}redacted:{WARN:#} {} secret(s) were replaced before anything was written\n",
            response.redacted
        ));
    }
    if response.proposed {
        ui::note(&format!(
            "{WARN}kept as a proposal:{WARN:#} it is not in force; the user decides about it with `hark inbox`\n"
        ));
    }
    if let Some(count) = response.confirmed {
        ui::note(&format!("known already; confirmed {count} time(s)\n"));
    }
    for old in &response.possibly_supersedes {
        let what: Vec<String> =
            old.differences.iter().map(|d| format!("{} → {}", word(&d.before), word(&d.after))).collect();
        ui::note(&format!(
            "{WARN}possibly supersedes{WARN:#} {} {} ({})\n",
            old.id,
            ui::words(&old.title),
            ui::words(&what.join(", "))
        ));
        ui::note(&format!("  if so: hark relate {} {} --as supersedes\n", response.id, old.id));
    }
    if let Some(old) = response.superseded {
        ui::note(&format!("it supersedes {old}, which is kept in the history\n"));
    }
    Ok(())
}

fn word(text: &str) -> &str {
    if text.is_empty() { "–" } else { text }
}

fn read_stdin() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(8 * 1024 * 1024).read_to_end(&mut bytes).map_err(|e| {
        Failure::user(format!("standard input: {e}"), "pipe the text in, or give it as an argument")
    })?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::user("standard input is not UTF-8 text", "convert it first, for example with iconv")
    })
}
