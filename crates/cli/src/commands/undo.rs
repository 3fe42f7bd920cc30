//! `hark undo ID [--to REVISION]`

use hark_engine::ops::undo;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, ID};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: undo::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| undo::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    ui::print(&ui::memory::line(&response.memory));
    ui::note(&format!(
        "taken back: {}; `hark undo {}` again brings it back\n",
        response.undone, response.memory.id
    ));
    for id in &response.restored {
        ui::note(&format!("{ID}{id}{ID:#} holds again\n"));
    }
    Ok(())
}
