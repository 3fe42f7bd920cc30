//! `hark context REF`

use hark_engine::ops::context;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: context::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| context::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    for memory in &response.memories {
        ui::print(&ui::memory::line(memory));
    }
    if response.memories.is_empty() {
        ui::note(&format!("nothing is remembered about {}; try `hark recall`\n", ui::safe(&response.entity)));
    }
    Ok(())
}
