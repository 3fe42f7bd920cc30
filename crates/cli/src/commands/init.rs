//! `hark init`: a store for one project, and its assistants wired to it.

use std::fs;
use std::io::Write;
use std::path::Path;

use hark_engine::{Engine, Home};
use hark_hosts::{Options, Scope};

use super::install::{self, How, Report};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::surroundings;

/// Inside the store, so that a project's own files need no change.
const IGNORE: &str = "\
# Memories of this project stay on this machine.
# To share them with others, replace the line `*` by these:
#   hark.db*
#   placeholder.key
#   tmp/
#   hark.lock
*
";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Assistants to wire in this project; all that are found if none is named
    #[arg(value_name = "HOST", value_parser = install::hosts())]
    hosts: Vec<String>,
    #[command(flatten)]
    how: How,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let around = surroundings::read(environment)?;
    let Some(root) = around.project.clone() else {
        return Err(Failure::user("this folder is no project", "go to a project's folder and run it there"));
    };
    let store = root.join(".hark");
    let mut report = Report::new("init", Some(Scope::Project), args.how.dry_run);
    if !args.how.dry_run {
        let home = Home { path: store.clone(), project_root: Some(root) };
        drop(Engine::open(home, environment.config()?, environment.clock)?);
        ignore(&store).map_err(|e| {
            Failure::storage(format!("{}: {e}", store.display()), "check that you may write there")
        })?;
    }
    report.store = Some(around.short(&store));
    if environment.home_setting.is_some() {
        report
            .remarks
            .push("HARK_HOME is set and goes before the project's store; unset it to use that".to_owned());
    }
    let hosts = install::chosen(&args.hosts, &around);
    let options = Options { scope: Scope::Project, hooks: args.how.hooks.into(), plugin: false };
    install::wire(&hosts, options, &around, &mut report)?;
    report.nothing_found = hosts.is_empty();
    install::finish(&report, environment)
}

/// A file that is there is the user's.
fn ignore(store: &Path) -> std::io::Result<()> {
    match fs::File::create_new(store.join(".gitignore")) {
        Ok(mut file) => file.write_all(IGNORE.as_bytes()),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(e),
    }
}
