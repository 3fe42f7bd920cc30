//! `hark describe ID`

use hark_engine::ops::describe;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, BOLD, DIM};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: describe::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| describe::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    let about = response.about.as_deref().map(|about| format!(": {}", ui::words(about))).unwrap_or_default();
    ui::print(&format!("{BOLD}{} {}{BOLD:#}{about}\n", response.kind, ui::words(&response.id)));
    ui::print(&format!("{DIM}{} to {}{DIM:#}\n", response.first, response.last));
    let counts: Vec<String> = response.events.iter().map(|(what, count)| format!("{count} {what}")).collect();
    ui::print(&format!("events: {}\n", counts.join(", ")));
    if !response.digests.is_empty() {
        ui::print(&format!("digests: {}\n", response.digests.join(" ")));
    }
    if response.gone > 0 {
        ui::print(&format!("{} events have lost their text\n", response.gone));
    }
    for (label, value) in
        [("within", &response.within), ("parent", &response.parent), ("transcript", &response.transcript)]
    {
        if let Some(value) = value {
            ui::print(&format!("{label}: {}\n", ui::words(value)));
        }
    }
    Ok(())
}
