//! `hark edit ID …`

use hark_engine::ops::edit;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: edit::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| edit::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    if !response.changed {
        ui::note("nothing to change; see `hark edit --help` for what can be\n");
    }
    ui::print(&ui::memory::whole(&response.memory));
    Ok(())
}
