//! `hark work`

use hark_engine::ops::work;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: work::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| work::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
    } else if response.busy {
        ui::note("another worker is at it\n");
    } else {
        ui::note(&format!(
            "{} events stored, {} sessions given up, {} memories distilled\n",
            response.events, response.expired, response.distilled
        ));
    }
    Ok(())
}
