//! The state of each assistant for `hark doctor`: whether it is installed and set up, and how to fix
//! problems.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::host::{Hooks, Host, Scope};
use crate::manifest::{Manifest, Owner};
use crate::place::Surroundings;
use crate::plan::{self, Plan};
use crate::wish::Options;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Wiring {
    /// Its settings do not contain hark.
    No,
    /// Set up as this version of hark would do it.
    Yes,
    /// It was set up, but something is missing or outdated.
    Stale,
}

/// One assistant in one scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Health {
    pub host: &'static str,
    pub name: &'static str,
    pub scope: Scope,
    pub found: bool,
    pub version: Option<String>,
    pub wired: Wiring,
    pub hooks: Option<Hooks>,
    /// When its last hook event arrived, RFC 3339. Filled in by the engine, which knows the sessions.
    pub last_event: Option<String>,
    /// When hark last injected something. Filled in by the engine.
    pub last_injection: Option<String>,
    /// One sentence per problem.
    pub problems: Vec<String>,
    /// The command that fixes it.
    pub mend: Option<String>,
}

/// Assistants that are installed or were set up, for the user and for the current project.
pub fn inspect(around: &Surroundings, manifest: &Manifest) -> Vec<Health> {
    let mut all = Vec::new();
    for host in crate::HOSTS.iter().filter(|host| !host.install.pieces.is_empty()) {
        let found = around.sign_of(host).is_some();
        for scope in [Scope::User, Scope::Project] {
            let project = around.project.clone().filter(|_| scope == Scope::Project);
            if scope == Scope::Project && project.is_none() {
                continue;
            }
            let owner = Owner { host: host.id.to_owned(), project };
            let setup = manifest.setup(&owner);
            if setup.is_none() && (scope == Scope::Project || !found) {
                continue;
            }
            all.push(examine(around, manifest, host, &owner, found));
        }
    }
    all
}

fn examine(
    around: &Surroundings,
    manifest: &Manifest,
    host: &'static Host,
    owner: &Owner,
    found: bool,
) -> Health {
    let scope = owner.scope();
    let setup = manifest.setup(owner);
    let mut health = Health {
        host: host.id,
        name: host.name,
        scope,
        found,
        version: around.version_of(host),
        wired: Wiring::No,
        hooks: setup.map(|setup| setup.hooks),
        last_event: None,
        last_injection: None,
        problems: Vec::new(),
        mend: None,
    };
    let hooks = setup.map_or(Hooks::Full, |setup| setup.hooks);
    let options = Options {
        scope,
        hooks,
        plugin: setup.is_some_and(|setup| setup.plugin),
        tools: setup.map(|setup| setup.tools.clone()).unwrap_or_default(),
    };
    let mut again = again(host, scope, hooks, options.plugin);
    if !options.tools.is_empty() {
        again = format!("{again} --tools {}", options.tools.join(","));
    }
    let plan = plan::install(around, manifest, &[host], options);
    let tokenless = plan.tokenless.iter().map(|note| format!("{}: {}", around.short(&note.path), note.what));
    let tokenless: Vec<String> = tokenless.collect();
    if setup.is_none() {
        let by_hand = plan.is_empty() && plan.notes.is_empty() && tokenless.is_empty();
        health.problems = tokenless;
        health.wired = if by_hand { Wiring::Yes } else { Wiring::No };
        health.mend = (!by_hand).then_some(again);
        return health;
    }
    health.problems = problems(around, &plan);
    health.problems.extend(tokenless);
    health.wired = if health.problems.is_empty() { Wiring::Yes } else { Wiring::Stale };
    if !found {
        health.problems.push("it is set up, but not installed on this machine".to_owned());
        health.mend = Some(format!("hark uninstall {}", host.id));
    } else if !health.problems.is_empty() {
        health.mend = Some(again);
    }
    health
}

fn again(host: &Host, scope: Scope, hooks: Hooks, plugin: bool) -> String {
    let scope = if scope == Scope::Project { " --scope project" } else { "" };
    let hooks = match hooks {
        Hooks::None => " --hooks none",
        Hooks::Minimal => " --hooks minimal",
        Hooks::Full => "",
    };
    let plugin = if plugin { " --plugin" } else { "" };
    format!("hark install {}{scope}{hooks}{plugin}", host.id)
}

fn problems(around: &Surroundings, plan: &Plan) -> Vec<String> {
    let changed: BTreeSet<String> = plan
        .changes
        .iter()
        .filter(|change| change.is_visible())
        .map(|change| {
            format!("{} differs from what this version of hark would write", around.short(&change.path))
        })
        .collect();
    let refused = plan.refused.iter().map(|refused| {
        let line = refused.why.line.map(|line| format!(", line {line}")).unwrap_or_default();
        format!("{}{line}: {}", around.short(&refused.path), refused.why.what)
    });
    changed.into_iter().chain(refused).collect()
}
