//! `hark relate FROM TO [--as RELATION]`

use hark_engine::ops::relate;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, ID};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: relate::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| relate::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    let word = if response.removed { "no longer " } else { "" };
    ui::print(&format!(
        "{ID}{}{ID:#} {word}{} {ID}{}{ID:#}\n",
        response.from, response.relation, response.to
    ));
    Ok(())
}
