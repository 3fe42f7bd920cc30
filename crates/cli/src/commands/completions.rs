//! `hark completions SHELL`

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::Failure;
use crate::ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "hark", &mut script);
    ui::print(&String::from_utf8_lossy(&script));
    Ok(())
}
