//! `hark history ID`

use hark_engine::ops::history;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, BOLD, DIM};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: history::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| history::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    for revision in &response.revisions {
        let before = &revision.before;
        ui::print(&format!(
            "{BOLD}{}{BOLD:#} {DIM}{} ago; until then revision {}, {}:{DIM:#}\n  {}\n",
            revision.change,
            revision.age,
            before.revision,
            before.status,
            ui::words(&before.title)
        ));
        for line in ui::words(&before.body).lines() {
            ui::print(&format!("  {DIM}{line}{DIM:#}\n"));
        }
    }
    ui::print(&format!(
        "{BOLD}now{BOLD:#} {DIM}revision {}, {}:{DIM:#}\n",
        response.current.revision, response.current.status
    ));
    ui::print(&ui::memory::line(&response.current));
    Ok(())
}
