//! `hark init`: a store for one project, and its assistants wired to it.

use std::io::Write;
use std::path::Path;

use hark_engine::ops::trust;
use hark_files::Door;
use hark_hosts::{Options, Scope};

use super::install::{self, How, Report};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::surroundings;

/// Inside the store, so that a project's own files need no change.
const IGNORE: &str = "\
# Memories of this project stay on this machine.
# To share them with others, replace the line `*` by this one:
#   tmp/
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
        return Err(Failure::user(
            "this folder is not a project",
            "go to a project's folder and run it there",
        ));
    };
    let store = root.join(".hark");
    let mut report = Report::new("init", Some(Scope::Project), args.how.dry_run);
    if !args.how.dry_run {
        let trusted = trust::make(&mut environment.engine()?, &root)?;
        if trusted {
            ignore(&store).map_err(|e| {
                Failure::storage(format!("{}: {e}", store.display()), "check that you may write there")
            })?;
        } else {
            report.remarks.push(
                "this project carried a store already, and you have not trusted it; read it, then run `hark trust`"
                    .to_owned(),
            );
        }
    }
    report.store = Some(around.short(&store));
    let hosts = install::chosen(&args.hosts, &around);
    let options = Options { scope: Scope::Project, hooks: args.how.hooks.into(), plugin: false };
    install::wire(&hosts, options, &around, &mut report)?;
    report.nothing_found = hosts.is_empty();
    install::finish(&report, environment)
}

/// A file that is there is the user's.
fn ignore(store: &Path) -> std::io::Result<()> {
    match Door::to_stranger(store).create_new(Path::new(".gitignore")) {
        Ok(mut file) => file.write_all(IGNORE.as_bytes()),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(e),
    }
}
