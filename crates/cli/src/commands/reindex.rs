//! `hark reindex`

use hark_engine::ops::reindex;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: reindex::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| reindex::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    ui::print(&format!("indexed {} memories in {} ms\n", response.memories, response.millis));
    if response.unreadable_files > 0 {
        ui::note(&format!(
            "{} file(s) cannot be read and were left alone; see `hark doctor`\n",
            response.unreadable_files
        ));
    }
    Ok(())
}
