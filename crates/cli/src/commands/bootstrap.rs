//! `hark bootstrap [PATH]`

use hark_engine::ops::bootstrap;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, GOOD};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: bootstrap::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| bootstrap::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    let reading = &response.reading;
    let word = if response.dry_run { "would read" } else { "read" };
    ui::print(&format!(
        "{GOOD}{word}{GOOD:#} {} documents: {} new, {} changed, {} as they were, {} gone\n",
        reading.documents, reading.added, reading.updated, reading.unchanged, reading.archived
    ));
    if reading.kept > 0 {
        ui::print(&format!("  {} were edited here and stay as they are\n", reading.kept));
    }
    if reading.left_out > 0 {
        ui::note(&format!(
            "{} sections were left out: name a document to read more of it\n",
            reading.left_out
        ));
    }
    Ok(())
}
