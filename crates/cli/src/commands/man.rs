//! `hark man FOLDER`

use std::path::PathBuf;

use clap::CommandFactory;

use crate::args::Cli;
use crate::failure::Failure;
use crate::ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where to put them, for example ~/.local/share/man/man1
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let fail = |e: std::io::Error| {
        Failure::storage(format!("{}: {e}", args.folder.display()), "choose a folder that you may write to")
    };
    std::fs::create_dir_all(&args.folder).map_err(fail)?;
    clap_mangen::generate_to(Cli::command(), &args.folder).map_err(fail)?;
    ui::note(&format!("manual pages written to {}; read them with `man hark`\n", args.folder.display()));
    Ok(())
}
