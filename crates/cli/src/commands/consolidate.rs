//! `hark consolidate [--apply]`

use hark_engine::ops::consolidate;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM, ID};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: consolidate::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response =
        environment.with_engine(|engine, caller| consolidate::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    let word = if response.applied { "merged" } else { "would merge" };
    for pair in &response.repeats {
        ui::print(&format!(
            "{word} {ID}{}{ID:#} into {ID}{}{ID:#} {}\n",
            pair.other.id,
            pair.keep.id,
            ui::words(&pair.keep.title)
        ));
    }
    for pair in &response.possible_updates {
        ui::print(&format!(
            "{ID}{}{ID:#} possibly supersedes {ID}{}{ID:#} {}\n",
            pair.keep.id,
            pair.other.id,
            ui::words(&pair.other.title)
        ));
    }
    ui::note(&format!("{DIM}{} memories looked at{DIM:#}\n", response.looked_at));
    if !response.applied && !response.repeats.is_empty() {
        ui::note("nothing was changed; add --apply to merge\n");
    } else if response.applied && !response.repeats.is_empty() {
        ui::note("`hark undo ID` takes a merge back\n");
    }
    if !response.possible_updates.is_empty() {
        ui::note("to replace the older one: hark relate NEWER OLDER --as supersedes\n");
    }
    Ok(())
}
