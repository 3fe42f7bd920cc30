//! `hark`: the command line. Parses, runs one command, turns failures into words and exit codes.

mod args;
mod commands;
mod environment;
mod failure;
mod tour;
mod ui;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use args::Cli;
use environment::Environment;

fn main() -> ExitCode {
    let matches = Cli::command().after_long_help(environment::help()).get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|e| e.exit());
    let json = cli.output.json;
    let outcome = Environment::read(cli.output).and_then(|environment| commands::run(cli.command, &environment));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(json),
    }
}
