//! `hark`: the command line. Parses, runs one command, turns failures into words and exit codes.

mod commands;
mod environment;
mod failure;
mod hook;
mod inbox;
mod overview;
mod run;
mod tour;
mod tree;
mod ui;
mod usage;

use std::process::ExitCode;

use environment::Environment;
use tree::Chosen;

fn main() -> ExitCode {
    if let Some(args) = hook::wanted(std::env::args_os().skip(1)) {
        hook::run(&args);
    }
    let first = std::env::args_os().nth(1);
    let first = first.as_ref().and_then(|first| first.to_str());
    let matches = match tree::command_for(first).try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return usage::report(error),
    };
    let json = matches.get_flag("json");
    let outcome = Environment::read(json).and_then(|environment| match tree::chosen(&matches) {
        Some(Chosen::Operation(operation, matches)) => run::operation(operation, matches, &environment),
        Some(Chosen::Program(program, matches)) => (program.run)(matches, &environment),
        None => Ok(()),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(json),
    }
}
