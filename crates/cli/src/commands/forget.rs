//! `hark forget ID… | --query Q [--confirm N] | --session S | --project P [--yes]`

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
        ui::print(&format!("{word} {ID}{}{ID:#} {}\n", gone.id, ui::words(&gone.title)));
    }
    if !response.forgotten {
        let count = response.memories.len() + response.sessions.len();
        let next = match &response.confirm {
            _ if count == 0 => "no memory matches\n".to_owned(),
            Some(command) => format!(
                "nothing was removed; confirm with: {}\n(or with the same query and --confirm {count})\n",
                ui::safe(command)
            ),
            None => "nothing was removed; add --yes to do it\n".to_owned(),
        };
        ui::note(&next);
        return Ok(());
    }
    ui::note(&format!(
        "{DIM}{} quotes and {} backups cleaned; the data directory was searched byte by byte{DIM:#}\n",
        response.quotes, response.backups
    ));
    for left in &response.remaining {
        ui::note(&format!(
            "{WARN}still there:{WARN:#} {}: {}\n  to remove it: {}\n",
            ui::safe(&left.place),
            ui::safe(&left.why),
            ui::safe(&left.fix)
        ));
    }
    Ok(())
}
