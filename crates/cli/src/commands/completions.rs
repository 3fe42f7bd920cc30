//! `hark completions SHELL`

use clap_complete::Shell;

use super::Start;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::{tree, ui};

#[derive(Debug, clap::Args)]
pub(super) struct Completions {
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

impl Start for Completions {
    fn start(self, _environment: &Environment) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut tree::command(), "hark", &mut script);
        ui::print(&String::from_utf8_lossy(&script));
        Ok(())
    }
}
