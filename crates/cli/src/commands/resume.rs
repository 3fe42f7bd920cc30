//! `hark resume [ID] [--for HOST]`

use hark_engine::ops::resume;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: resume::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| resume::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    if response.text.is_empty() {
        ui::note("there is nothing to go on with here; see `hark sessions --all-projects`\n");
    } else {
        ui::print(&format!("{}\n", ui::safe(&response.text)));
    }
    Ok(())
}
