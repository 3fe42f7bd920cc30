//! `hark show ID…`

use hark_engine::ops::show;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: show::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| show::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    let texts: Vec<String> = response.memories.iter().map(ui::memory::whole).collect();
    ui::print(&texts.join("\n"));
    Ok(())
}
