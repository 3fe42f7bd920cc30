//! `hark failures`

use hark_engine::ops::failures;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, BOLD, DIM};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: failures::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| failures::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    if response.failures.is_empty() {
        let about = response.target.map(|t| format!(" of {}", ui::words(&t))).unwrap_or_default();
        ui::note(&format!("no failure{about} is known in this project\n"));
        return Ok(());
    }
    for failure in &response.failures {
        let id = failure.id.as_deref().unwrap_or("not kept");
        let mut text = format!("{BOLD}{}{BOLD:#}\n", ui::words(&failure.message));
        let mut line = |label: &str, value: &str| {
            if !value.is_empty() {
                text.push_str(&format!("  {DIM}{label:<8}{DIM:#} {}\n", ui::words(value)));
            }
        };
        line(&failure.status, &format!("{}, {}, seen {}, {id}", failure.class, failure.age, failure.seen));
        line("ran", &failure.command);
        line("files", &failure.files.join(", "));
        line("tried", &failure.tried.join("; "));
        line("fix", failure.fix.as_deref().unwrap_or_default());
        ui::print(&text);
    }
    Ok(())
}
