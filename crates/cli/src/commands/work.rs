//! `hark work`

use hark_engine::Engine;
use hark_engine::ops::work;
use hark_store::Role;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::surroundings;
use crate::ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: work::Request,
    /// Only fold the write-ahead log into the database; what hooks ask for
    #[arg(long, hide = true)]
    only_log: bool,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    if args.only_log {
        let (home, config) = (environment.home()?, environment.config()?);
        // As a hook, which leaves the log where it is when it closes: a new one costs the next hook more.
        return Ok(Engine::open_as(home, config, environment.clock, Role::Hook)?.fold_log()?);
    }
    // Without a home folder there is nothing to look for.
    let around = surroundings::read(environment).ok();
    let response = environment
        .with_engine(|engine, caller| work::run(engine, caller, &args.request, around.as_ref()))?;
    if environment.output.json {
        ui::print_json(&response);
    } else if response.busy {
        ui::note("another worker is at it\n");
    } else {
        let backup = if response.backed_up { ", a backup made" } else { "" };
        ui::note(&format!(
            "{} events stored, {} read, {} sessions given up, {} digested, {} memories distilled, {} aged out{backup}\n",
            response.events,
            response.read,
            response.expired,
            response.digested,
            response.distilled,
            response.retired
        ));
    }
    Ok(())
}
