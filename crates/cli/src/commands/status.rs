//! `hark resolve | reopen | archive | restore ID…`

use hark_core::Status;
use hark_engine::ops::status;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM, ID};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: status::Request,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Move {
    Resolve,
    Reopen,
    Archive,
    Restore,
}

pub(crate) fn run(args: &Args, step: Move, environment: &Environment) -> Result<(), Failure> {
    let (next, word) = match step {
        Move::Resolve => (Status::Resolved, "resolve"),
        Move::Reopen => (Status::Active, "reopen"),
        Move::Archive => (Status::Archived, "archive"),
        Move::Restore => (Status::Active, "restore"),
    };
    let response =
        environment.with_engine(|engine, caller| status::run(engine, caller, &args.request, next, word))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    for changed in &response.changed {
        ui::print(&format!(
            "{ID}{}{ID:#} {} {DIM}{} → {}{DIM:#}\n",
            changed.id,
            ui::words(&changed.title),
            changed.from,
            changed.to
        ));
    }
    Ok(())
}
