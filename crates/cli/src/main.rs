//! `hark`: the command line. Parses, runs one command, turns failures into words and exit codes.

mod args;
mod commands;
mod environment;
mod failure;
mod hook;
mod surroundings;
mod tour;
mod ui;
mod usage;

use std::process::ExitCode;

use clap::FromArgMatches;

use args::Cli;
use environment::Environment;

fn main() -> ExitCode {
    if let Some(args) = hook::wanted(std::env::args_os().skip(1)) {
        hook::run(&args);
    }
    let parsed = usage::command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return usage::report(&error),
    };
    let json = cli.output.json;
    let outcome =
        Environment::read(cli.output).and_then(|environment| commands::run(cli.command, &environment));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(json),
    }
}
