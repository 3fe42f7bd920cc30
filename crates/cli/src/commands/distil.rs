//! `hark distil [SESSION] [--dry-run]`

use hark_engine::ops::distil;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM, ID};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: distil::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| distil::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    for found in &response.found {
        let what = match (response.dry_run, found.outcome.as_str()) {
            (true, "stored") => "would store",
            (true, "confirmed") => "would confirm",
            (_, outcome) => outcome,
        };
        let id = found.id.as_deref().unwrap_or(&found.session);
        ui::print(&format!(
            "{what} {ID}{id}{ID:#}  {DIM}{:<11}{DIM:#} {}  {DIM}{} · {:.2}{DIM:#}\n",
            found.kind,
            ui::words(&found.title),
            found.rule,
            found.confidence,
        ));
    }
    match (response.sessions, response.found.is_empty()) {
        (0, _) => ui::note(
            "no session is over and unread; name one to see what it holds: hark distil SESSION --dry-run\n",
        ),
        (_, true) => ui::note("nothing in there is worth a memory\n"),
        (_, false) if response.dry_run => ui::note("nothing was stored; leave out --dry-run to do it\n"),
        _ => ui::note("look closer with `hark show ID`; remove with `hark forget ID`\n"),
    }
    Ok(())
}
