//! `hark help [--all] [COMMAND]`

use super::Start;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::{overview, tree, ui};

#[derive(Debug, clap::Args)]
pub(super) struct Help {
    /// The command to explain; default: an overview
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// List every command
    #[arg(long, conflicts_with = "command")]
    all: bool,
}

impl Start for Help {
    fn start(self, environment: &Environment) -> Result<(), Failure> {
        if environment.json {
            ui::print_json(&overview::data());
            return Ok(());
        }
        if self.command.is_empty() {
            ui::print(&if self.all { overview::all() } else { overview::first() });
            return Ok(());
        }
        let words = ["hark".to_owned()].into_iter().chain(self.command).chain(["--help".to_owned()]);
        match tree::command().try_get_matches_from(words) {
            Err(error) if !error.use_stderr() => ui::print(&error.render().ansi().to_string()),
            Err(error) => return Err(crate::usage::failure(&error)),
            Ok(_) => {}
        }
        Ok(())
    }
}
