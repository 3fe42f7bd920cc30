//! `hark man FOLDER`

use std::path::PathBuf;

use super::Start;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::{tree, ui};

#[derive(Debug, clap::Args)]
pub(super) struct Man {
    /// Folder to write to, such as ~/.local/share/man/man1
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

impl Start for Man {
    fn start(self, _environment: &Environment) -> Result<(), Failure> {
        let fail = |e: std::io::Error| {
            Failure::storage(format!("{}: {e}", self.folder.display()), "choose a writable folder")
        };
        std::fs::create_dir_all(&self.folder).map_err(fail)?;
        clap_mangen::generate_to(tree::command(), &self.folder).map_err(fail)?;
        ui::note(&format!("wrote manual pages to {}; read them with `man hark`\n", self.folder.display()));
        Ok(())
    }
}
