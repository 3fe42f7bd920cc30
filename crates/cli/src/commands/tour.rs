//! `hark tour`

use super::Start;
use crate::environment::Environment;
use crate::failure::Failure;

#[derive(Debug, clap::Args)]
pub(super) struct Tour {}

impl Start for Tour {
    fn start(self, environment: &Environment) -> Result<(), Failure> {
        crate::tour::run(environment)
    }
}
