//! `hark import PATH [--dry-run]`

use hark_engine::ops::import;
use hark_engine::transfer::import::Tally;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::progress::Bar;
use crate::ui::{self, DIM, GOOD, WARN};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: import::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let mut bar = Bar::new("importing");
    let response = environment.with_engine(|engine, caller| {
        import::run(engine, caller, &args.request, &mut |done, total| bar.show(done, total))
    });
    bar.clear();
    let response = response?;
    if environment.output.json {
        ui::print_json(&response);
    } else {
        print_tally(&response.tally, response.dry_run);
        ui::note(&format!(
            "{DIM}{:.1} s, {} a second{DIM:#}\n",
            response.millis as f64 / 1000.0,
            response.per_second
        ));
    }
    unread(&response.tally, environment)
}

pub(crate) fn print_tally(tally: &Tally, dry_run: bool) {
    let word = if dry_run { "would import" } else { "imported" };
    ui::print(&format!(
        "{GOOD}{word}{GOOD:#} {} new, {} changed, {} as they were\n",
        tally.added, tally.updated, tally.unchanged
    ));
    let more = [
        (tally.sessions_added + tally.sessions_updated, "sessions"),
        (tally.revisions, "former states"),
        (tally.redacted, "with secrets, which were taken out"),
        (tally.refused, "refused: forgotten here, or not allowed to replace what you said"),
    ];
    for (count, what) in more.iter().filter(|(count, _)| *count > 0) {
        ui::print(&format!("  {count} {what}\n"));
    }
    for problem in &tally.problems {
        ui::note(&format!("{WARN}not read{WARN:#} {}\n", ui::safe(problem)));
    }
    if dry_run {
        ui::note("nothing was changed; leave --dry-run out to do it\n");
    }
}

/// Records that could not be read are a failure, though the others are in.
pub(crate) fn unread(tally: &Tally, environment: &Environment) -> Result<(), Failure> {
    if tally.unreadable == 0 {
        return Ok(());
    }
    let failure = Failure::user(
        format!("{} record(s) could not be read; everything else was taken in", tally.unreadable),
        "mend them and import again: what is there already is not doubled",
    );
    Err(if environment.output.json { failure.told() } else { failure })
}
