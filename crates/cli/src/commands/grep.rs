//! `hark grep PATTERN`

use hark_engine::ops::grep;

use super::expand;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: grep::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| grep::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    let mut session = "";
    for found in &response.matches {
        if found.session != session {
            session = &found.session;
            ui::print(&format!("{DIM}{session}{DIM:#}\n"));
        }
        ui::print(&expand::line(&found.part));
    }
    if response.matches.is_empty() {
        ui::note("nothing matches; look everywhere with --all-projects\n");
    } else if response.more {
        ui::note("there may be more; see them with --limit\n");
    }
    Ok(())
}
