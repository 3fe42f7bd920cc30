//! `hark forget ID… | --query Q | --session S | --project P [--yes]`

use hark_engine::ops::forget;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM, ID, WARN};

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
    for gone in response.memories.iter().chain(&response.sessions) {
        ui::print(&format!("{word} {ID}{}{ID:#} {}\n", gone.id, ui::safe(&gone.title)));
    }
    if !response.forgotten {
        let any = !response.memories.is_empty() || !response.sessions.is_empty();
        ui::note(if any { "nothing was removed; add --yes to do it\n" } else { "nothing fits\n" });
        return Ok(());
    }
    ui::note(&format!(
        "{DIM}{} quotes and {} backups cleaned; the data directory was searched byte by byte{DIM:#}\n",
        response.quotes, response.backups
    ));
    for file in &response.remaining {
        ui::note(&format!(
            "{WARN}still there:{WARN:#} {} holds the same words; forget or edit it too\n",
            ui::safe(file)
        ));
    }
    Ok(())
}
