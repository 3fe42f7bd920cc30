//! Disconnects hark from the assistants, and restores their files byte for byte.

mod purge;

use std::collections::BTreeSet;

use clap::Args;
use hark_hosts::{HOSTS, Host, Manifest, Owner, Scope, Surroundings, Vault};
use schemars::JsonSchema;
use serde::Deserialize;

use super::install::{self, Report, ScopeName};
use super::service;
use crate::error::EngineError;
use crate::operation::{Call, Code, Effect, Group, OperateHere, Operation, Surface, Surfaces, Tool, Who};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Assistants to disconnect; default: all
    #[arg(value_name = "HOST", value_parser = install::hosts())]
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Only your settings or only this project's; default: both
    #[arg(long, value_enum)]
    pub scope: Option<ScopeName>,
    /// Delete your store as well: memories, sessions and backups; asks first
    #[arg(long, conflicts_with_all = ["hosts", "scope"])]
    #[serde(default)]
    pub purge: bool,
    /// With --purge: do not ask
    #[arg(long, requires = "purge")]
    #[serde(default)]
    pub yes: bool,
    /// Show what would change without changing it
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

fn run(call: &mut Call<'_>, request: &Request) -> Result<Report, EngineError> {
    let around = call.machine.surroundings()?;
    let doomed = if request.purge { Some(purge::look(call.machine, &around)?) } else { None };
    if let Some(doomed) = doomed.as_ref().filter(|_| !request.dry_run) {
        doomed.confirm(call, request.yes)?;
    }
    let mut report = Report::new("uninstall", request.scope.map(Scope::from), request.dry_run);
    if request.dry_run {
        let manifest = hark_hosts::look(&around.data).map_err(|e| install::vault_failure(&e))?;
        let (owners, hosts) = leaving(request, &manifest, &around);
        let plan = hark_hosts::uninstall(&around, &manifest, &owners);
        report.add_removed(&hosts, &around, &plan);
        report.add_diff(&plan);
        report.remarks = remarks(&owners, &manifest, &around, request.purge);
        report.remarks.extend(doomed.iter().flat_map(|doomed| doomed.words("would delete")));
    } else {
        let mut vault = Vault::open(&around.data).map_err(|e| install::vault_failure(&e))?;
        let (owners, hosts) = leaving(request, &vault.manifest, &around);
        if owners.iter().any(|owner| owner.host == service::OWNER) {
            service::disable(&around);
        }
        let plan = hark_hosts::uninstall(&around, &vault.manifest, &owners);
        report.add_removed(&hosts, &around, &plan);
        install::apply(plan, &mut vault, &around, &mut report);
        report.remarks = remarks(&owners, &vault.manifest, &around, request.purge);
        drop(vault);
        match doomed {
            Some(_) if report.is_troubled() => report.remarks.push(
                "your store stays: it contains what is needed to restore the files above; fix them, then run \
                 `hark uninstall --purge` again"
                    .to_owned(),
            ),
            Some(doomed) => report.remarks.extend(doomed.delete()?),
            None => {}
        }
    }
    Ok(report)
}

/// The requested assistants that are in the manifest.
fn leaving(
    request: &Request,
    manifest: &Manifest,
    around: &Surroundings,
) -> (BTreeSet<Owner>, Vec<&'static Host>) {
    let known = known(manifest);
    let meant = |owner: &&Owner| {
        let named =
            request.hosts.is_empty() || request.hosts.iter().any(|host| host == hark_hosts::client_of(owner));
        // The service is no assistant: `hark service uninstall` removes it. Without its store it could not run.
        if owner.host == service::OWNER {
            return request.purge;
        }
        let here = request.purge || owner.project.is_none() || owner.project == around.project;
        named && here && request.scope.is_none_or(|scope| owner.scope() == Scope::from(scope))
    };
    let owners: BTreeSet<Owner> = known.iter().filter(meant).cloned().collect();
    let is_leaving = |host: &&Host| owners.iter().any(|owner| hark_hosts::client_of(owner) == host.id);
    let hosts = HOSTS.iter().copied().filter(is_leaving).collect();
    (owners, hosts)
}

fn known(manifest: &Manifest) -> BTreeSet<Owner> {
    let setups = manifest.setups.iter().map(|setup| setup.owner.clone());
    let edits = manifest.files.iter().flat_map(|file| &file.edits).flat_map(|edit| edit.owners.clone());
    setups.chain(edits).collect()
}

fn remarks(owners: &BTreeSet<Owner>, manifest: &Manifest, around: &Surroundings, purge: bool) -> Vec<String> {
    let mut remarks = Vec::new();
    if owners.is_empty() {
        remarks.push("nothing to undo: `hark install` has changed nothing".to_owned());
    }
    let elsewhere: BTreeSet<_> = known(manifest)
        .into_iter()
        .filter_map(|owner| owner.project)
        .filter(|project| !purge && Some(project) != around.project.as_ref())
        .collect();
    for project in elsewhere {
        remarks.push(format!("{} is connected too; run `hark uninstall` there", around.short(&project)));
    }
    if !purge {
        remarks.push(format!("your memories stay in {}", around.short(&around.data)));
    }
    remarks
}

pub const OPERATION: Operation = Operation {
    name: "uninstall",
    also: &[],
    summary: "Disconnect hark from assistants, and restore their files",
    help: "Every settings file is restored byte for byte, unless you changed it since: then only the entries of hark are removed, and what you wrote stays.",
    examples: &[
        ("hark uninstall", "Disconnect every assistant; memories stay"),
        ("hark uninstall codex --dry-run", "Show what would change for one assistant"),
        ("hark uninstall --purge", "Disconnect everything and delete your store"),
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
        run(call, self)
    }
}
