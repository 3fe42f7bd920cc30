//! `hark feedback ID… helpful|wrong|stale`

use hark_engine::ops::feedback;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM, ID};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: feedback::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| feedback::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    for judged in &response.memories {
        ui::print(&format!(
            "{ID}{}{ID:#} {} {DIM}{} · confidence {}{DIM:#}\n",
            judged.id,
            ui::words(&judged.title),
            response.feedback,
            judged.confidence
        ));
    }
    if response.feedback == "wrong" {
        ui::note("it is no longer offered unasked; `hark forget` removes it\n");
    }
    Ok(())
}
