//! `hark migrate TOOL [PATH] | --all`

use hark_engine::ops::migrate;

use crate::commands::import::print_tally;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, BOLD, DIM, WARN};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: migrate::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| migrate::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    if response.sources.is_empty() {
        ui::note("no other memory tool was found here; name one and its file: hark migrate TOOL PATH\n");
        return Ok(());
    }
    for source in &response.sources {
        ui::print(&format!("{BOLD}{}{BOLD:#} {}\n", source.tool, ui::safe(&source.path)));
        if let Some(error) = &source.error {
            ui::note(&format!("{WARN}nothing came over:{WARN:#} {}\n", ui::safe(error)));
            continue;
        }
        print_tally(&source.tally, response.dry_run);
        for (there, here) in source.projects.iter().filter(|(there, here)| there != here) {
            ui::print(&ui::safe(&format!("  project {there} is {here} here\n")));
        }
        for unmapped in &source.unmapped {
            ui::print(&ui::safe(&format!("  {DIM}{} × {}{DIM:#}\n", unmapped.count, unmapped.what)));
        }
    }
    Ok(())
}
