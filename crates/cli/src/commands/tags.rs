//! `hark tags`

use hark_engine::ops::tags;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: tags::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| tags::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    for tag in &response.tags {
        ui::print(&format!("{DIM}{:>6}{DIM:#}  {}\n", tag.memories, ui::safe(&tag.tag)));
    }
    if response.tags.is_empty() {
        ui::note("no tags yet; add them with `hark remember … --tag auth`\n");
    }
    Ok(())
}
