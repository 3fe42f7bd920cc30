//! Creates a project's own store, and connects its assistants.

use std::io::Write;
use std::path::Path;

use clap::Args;
use hark_files::Door;
use hark_hosts::{Options, Scope};
use schemars::JsonSchema;
use serde::Deserialize;

use super::install::{self, How, Report};
use super::trust;
use crate::error::EngineError;
use crate::machine::Machine;

/// Inside the store, so that the project's own files need no change.
use crate::operation::{Call, Code, Effect, Group, OperateHere, Operation, Surface, Surfaces, Tool, Who};
use crate::rules;

const IGNORE: &str = "\
# Memories of this project stay on this machine.
# To share them with others, replace the line `*` by this one:
#   tmp/
*
";

#[derive(Debug, Clone, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Assistants to connect in this project; default: all that are found
    #[arg(value_name = "HOST", value_parser = install::hosts())]
    #[serde(default)]
    pub hosts: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub how: How,
}

fn run(machine: &Machine, request: &Request) -> Result<Report, EngineError> {
    let around = machine.surroundings()?;
    let root = around.project.clone().ok_or_else(install::no_project)?;
    let store = root.join(".hark");
    let mut report = Report::new("init", Some(Scope::Project), request.how.dry_run);
    if !request.how.dry_run {
        let trusted = trust::make(&mut machine.engine()?, &root)?;
        if trusted {
            ignore(&store).map_err(|e| EngineError::File { path: store.clone(), message: e.to_string() })?;
        } else {
            report.remarks.push(
                "this project already has a store that you do not trust; review it, then run `hark trust`"
                    .to_owned(),
            );
        }
    }
    report.store = Some(around.short(&store));
    let hosts = install::chosen(&request.hosts, &around);
    let options = request.how.options(Scope::Project, &machine.config()?);
    let options = Options { binding_rules: rules::any_binding_here(machine), ..options };
    install::wire(&hosts, &options, &around, &mut report)?;
    report.nothing_found = hosts.is_empty();
    Ok(report)
}

/// Leaves an existing file unchanged: it is the user's.
fn ignore(store: &Path) -> std::io::Result<()> {
    match Door::to_stranger(store).create_new(Path::new(".gitignore")) {
        Ok(mut file) => file.write_all(IGNORE.as_bytes()),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(e),
    }
}

pub const OPERATION: Operation = Operation {
    name: "init",
    also: &[],
    summary: "Give this project a store of its own, and connect it",
    help: "",
    examples: &[
        ("hark init", "Create .hark here and connect the assistants that are found"),
        ("hark init claude-code --hooks minimal", "Connect one assistant with few hooks"),
    ],
    group: Group::Start,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Off("connecting assistants is for the user to do"),
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("changes files of this machine"),
        page: Surface::Off("changes files of this machine"),
    },
    code: Code::here::<Request>(),
};

impl OperateHere for Request {
    type Response = Report;

    fn run(&self, call: &mut Call<'_>) -> Result<Report, EngineError> {
        run(call.machine, self)
    }
}
