//! `hark redact-scan [--apply]`

use hark_engine::ops::redact_scan;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM, WARN};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: redact_scan::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response =
        environment.with_engine(|engine, caller| redact_scan::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    for place in &response.found {
        let whose = if place.ours { "" } else { " (not ours: left as it is)" };
        ui::print(&format!("{} {DIM}{}{whose}{DIM:#}\n", ui::safe(&place.file), place.rules.join(", ")));
    }
    if response.rows > 0 {
        ui::print(&format!("{} rows of the index\n", response.rows));
    }
    let any = response.rows > 0 || response.found.iter().any(|place| place.ours);
    ui::note(&match (any, response.applied) {
        (false, _) => format!("{} files looked at; nothing to redact\n", response.looked_at),
        (true, true) => "redacted; change the secrets all the same\n".to_owned(),
        (true, false) => format!("{WARN}nothing was changed;{WARN:#} add --apply to redact\n"),
    });
    Ok(())
}
