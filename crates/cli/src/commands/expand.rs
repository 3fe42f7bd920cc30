//! `hark expand ID`

use hark_engine::ops::expand::{self, Part};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, BOLD, DIM, ID};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: expand::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| expand::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    ui::print(&format!("{BOLD}{}{BOLD:#}\n", ui::words(&response.text)));
    for part in &response.parts {
        ui::print(&line(part));
    }
    if response.more > 0 {
        ui::note(&format!("{} more; see them with --budget\n", response.more));
    }
    Ok(())
}

pub(crate) fn line(part: &Part) -> String {
    let ok = if part.ok == Some(false) { ", failed" } else { "" };
    let about = if part.about.is_empty() { String::new() } else { format!(" {}", ui::words(&part.about)) };
    let about: String = about.split('\n').next().unwrap_or_default().chars().take(120).collect();
    let mut text = format!("{ID}{}{ID:#} {}{about}{ok} {DIM}{}{DIM:#}\n", part.id, part.kind, part.at);
    for line in ui::words(&part.text).lines() {
        text.push_str(&format!("  {line}\n"));
    }
    text
}
