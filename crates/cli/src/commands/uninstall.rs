//! `hark uninstall [HOST…]`

use std::collections::BTreeSet;

use hark_hosts::{HOSTS, Host, Manifest, Owner, Scope, Surroundings, Vault};

use super::install::{self, Report, ScopeName};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::surroundings;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Assistants to leave; all if none is named
    #[arg(value_name = "HOST", value_parser = install::hosts())]
    hosts: Vec<String>,
    /// Only your settings or only this project's; both if absent
    #[arg(long, value_enum)]
    scope: Option<ScopeName>,
    /// Show what would change, change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let around = surroundings::read(environment)?;
    let mut report = Report::new("uninstall", args.scope.map(Scope::from), args.dry_run);
    if args.dry_run {
        let manifest = hark_hosts::look(&around.data).map_err(|e| install::vault_failure(&e))?;
        let (owners, hosts) = leaving(args, &manifest, &around);
        let plan = hark_hosts::uninstall(&around, &manifest, &owners);
        report.add_removed(&hosts, &around, &plan);
        report.add_diff(&plan);
        report.remarks = remarks(&owners, &manifest, &around);
    } else {
        let mut vault = Vault::open(&around.data).map_err(|e| install::vault_failure(&e))?;
        let (owners, hosts) = leaving(args, &vault.manifest, &around);
        let plan = hark_hosts::uninstall(&around, &vault.manifest, &owners);
        report.add_removed(&hosts, &around, &plan);
        install::apply(plan, &mut vault, &around, &mut report);
        report.remarks = remarks(&owners, &vault.manifest, &around);
    }
    install::finish(&report, environment)
}

/// Whom the arguments mean, of those that are in the manifest.
fn leaving(args: &Args, manifest: &Manifest, around: &Surroundings) -> (BTreeSet<Owner>, Vec<&'static Host>) {
    let known = known(manifest);
    let meant = |owner: &&Owner| {
        let named = args.hosts.is_empty() || args.hosts.contains(&owner.host);
        let here = owner.project.is_none() || owner.project == around.project;
        named && here && args.scope.is_none_or(|scope| owner.scope() == Scope::from(scope))
    };
    let owners: BTreeSet<Owner> = known.iter().filter(meant).cloned().collect();
    let is_leaving = |host: &&Host| owners.iter().any(|owner| owner.host == host.id);
    let hosts = HOSTS.iter().copied().filter(is_leaving).collect();
    (owners, hosts)
}

fn known(manifest: &Manifest) -> BTreeSet<Owner> {
    let setups = manifest.setups.iter().map(|setup| setup.owner.clone());
    let edits = manifest.files.iter().flat_map(|file| &file.edits).flat_map(|edit| edit.owners.clone());
    setups.chain(edits).collect()
}

fn remarks(owners: &BTreeSet<Owner>, manifest: &Manifest, around: &Surroundings) -> Vec<String> {
    let mut remarks = Vec::new();
    if owners.is_empty() {
        remarks.push("`hark install` has set up nothing that this would take out".to_owned());
    }
    let elsewhere: BTreeSet<_> = known(manifest)
        .into_iter()
        .filter_map(|owner| owner.project)
        .filter(|project| Some(project) != around.project.as_ref())
        .collect();
    for project in elsewhere {
        remarks.push(format!("{} is set up too; run `hark uninstall` there", around.short(&project)));
    }
    remarks.push(format!("your memories stay in {}", around.short(&around.data)));
    remarks
}
