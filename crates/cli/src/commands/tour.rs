//! `hark tour`

use crate::environment::Environment;
use crate::failure::Failure;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, environment: &Environment) -> Result<(), Failure> {
    crate::tour::run(environment)
}
