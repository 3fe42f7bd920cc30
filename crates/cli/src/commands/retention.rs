//! `hark retention [--apply]`

use hark_engine::ops::retention;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM, ID};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: retention::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| retention::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    let words = if response.applied { ["archived", "removed"] } else { ["would archive", "would remove"] };
    let groups = [(words[0], &response.archive), (words[1], &response.purge), ("stays", &response.keep)];
    for (word, memories) in groups {
        for aged in memories {
            ui::print(&format!(
                "{word} {ID}{}{ID:#} {} {DIM}{} · {}{DIM:#}\n",
                aged.id,
                ui::words(&aged.title),
                aged.kind,
                aged.why
            ));
        }
    }
    ui::note(&format!("{DIM}{} memories looked at{DIM:#}\n", response.looked_at));
    let any = !response.archive.is_empty() || !response.purge.is_empty();
    if any && !response.applied {
        ui::note("nothing was changed; add --apply to do it\n");
    }
    Ok(())
}
