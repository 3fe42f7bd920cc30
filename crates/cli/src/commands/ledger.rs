//! `hark ledger`

use hark_engine::ops::ledger;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, BOLD, DIM};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: ledger::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| ledger::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    if response.count == 0 {
        ui::note("nothing was said to an assistant unasked\n");
        return Ok(());
    }
    ui::print(&format!("{BOLD}{} texts, {} tokens{BOLD:#}\n", response.count, response.tokens));
    for sum in &response.sums {
        ui::print(&format!(
            "{:<14} {:<8} {:>6} × {:>8} tokens {DIM}last {}{DIM:#}\n",
            ui::safe(&sum.host),
            sum.surface,
            sum.count,
            sum.tokens,
            sum.last
        ));
    }
    if args.request.session.is_some() {
        for entry in &response.entries {
            ui::print(&format!(
                "{} {:<8} {} tokens, {}{}\n",
                entry.at,
                entry.surface,
                entry.tokens,
                entry.why,
                if entry.items.is_empty() { String::new() } else { format!(": {}", entry.items.join(" ")) }
            ));
        }
    }
    Ok(())
}
