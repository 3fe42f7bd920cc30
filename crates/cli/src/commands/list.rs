//! `hark list` and `hark timeline`

use hark_engine::ops::list;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: list::Request,
}

pub(crate) fn run(args: Args, oldest_first: bool, environment: &Environment) -> Result<(), Failure> {
    let request = list::Request { oldest_first, ..args.request };
    let response = environment.with_engine(|engine, caller| list::run(engine, caller, &request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    for memory in &response.memories {
        ui::print(&ui::memory::line(memory));
    }
    let shown = response.memories.len();
    if shown == 0 {
        ui::note(
            "nothing is remembered here yet; keep something with `hark remember \"…\"`, or look everywhere with --all-projects\n",
        );
    } else if (shown as i64) < response.total {
        ui::note(&format!("{DIM}{shown} of {}; see more with --limit{DIM:#}\n", response.total));
    }
    Ok(())
}
