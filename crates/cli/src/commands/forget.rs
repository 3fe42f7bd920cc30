//! `hark forget ID… [--yes]`

use hark_engine::ops::forget;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, ID};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: forget::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| forget::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    let word = if response.forgotten { "forgotten" } else { "would forget" };
    for gone in &response.memories {
        ui::print(&format!("{word} {ID}{}{ID:#} {}\n", gone.id, ui::safe(&gone.title)));
    }
    if !response.forgotten {
        ui::note("nothing was removed; add --yes to do it\n");
    }
    Ok(())
}
