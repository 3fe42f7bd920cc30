//! The state of each assistant for `hark doctor`: whether it is installed and set up, and how to fix
//! problems.

mod check;
mod entries;
mod plugin;
mod trust;

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;

use crate::host::{Hooks, Host, Scope};
use crate::manifest::{Manifest, Owner};
use crate::place::Surroundings;
use crate::plan::{self, Plan};
use crate::wish::Options;

pub(crate) use check::{About, Check, Off};

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
    /// The command that fixes it, or what to do.
    pub mend: Option<String>,
}

impl Health {
    /// Adds a problem that reinstalling does not solve.
    pub fn add(&mut self, problem: String, fix: &str) {
        if self.mend.is_some() {
            self.problems.push(format!("{problem}; {fix}"));
        } else {
            self.problems.push(problem);
            self.mend = Some(fix.to_owned());
        }
    }
}

/// What the user's settings and rules need of an assistant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// The checkpoint policy is `gate`.
    pub gate: bool,
    /// There are rules that refuse or ask.
    pub binding_rules: bool,
}

/// Assistants that are installed or were set up, for the user and for the current project.
pub fn inspect(around: &Surroundings, manifest: &Manifest, needs: Needs) -> Vec<Health> {
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
            all.push(examine(around, manifest, host, &owner, (found, needs)));
        }
    }
    all
}

fn examine(
    around: &Surroundings,
    manifest: &Manifest,
    host: &'static Host,
    owner: &Owner,
    (found, needs): (bool, Needs),
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
        plugin: setup.is_some_and(|setup| setup.plugin),
        allow_reads: setup.is_some_and(|setup| setup.allow_reads),
        gate: needs.gate,
        // Hooks that are no longer needed do no harm.
        binding_rules: needs.binding_rules || setup.is_some_and(|setup| setup.binding_rules),
        tools: setup.map(|setup| setup.tools.clone()).unwrap_or_default(),
        http: setup.and_then(|setup| setup.http.clone()),
        ..Options::new(scope, hooks)
    };
    let plan = plan::install(around, manifest, &[host], &options);
    let again = again(host, &options);
    let tokenless = plan.tokenless.iter().map(|note| format!("{}: {}", around.short(&note.path), note.what));
    let tokenless: Vec<String> = tokenless.collect();
    if setup.is_none() {
        let by_hand = plan.is_empty() && plan.notes.is_empty() && tokenless.is_empty();
        health.problems = tokenless;
        health.wired = if by_hand { Wiring::Yes } else { Wiring::No };
        health.mend = (!by_hand).then_some(again);
        return health;
    }
    let entries = entries::problems(host, &options, around);
    health.problems = problems(around, host, &options, &plan, &entries);
    health.problems.extend(tokenless);
    health.wired = if health.problems.is_empty() { Wiring::Yes } else { Wiring::Stale };
    if !found {
        health.problems.push("it is set up, but not installed on this machine".to_owned());
        health.mend = Some(format!("hark uninstall {}", host.id));
        return health;
    }
    if !health.problems.is_empty() {
        health.mend = Some(again);
    }
    for entry in entries.into_iter().filter(|entry| !plan.rewrites(entry)) {
        let fix = entry.fix.unwrap_or("correct or remove it there, then run `hark install`");
        health.add(entry.what, fix);
    }
    ignored(&mut health, around, host, &options);
    health
}

impl Plan {
    /// Whether installing again solves this problem.
    fn rewrites(&self, entry: &entries::Problem) -> bool {
        let changes = |change: &plan::Change| change.is_visible() && change.path == entry.file;
        entry.fix.is_none() && self.changes.iter().any(changes)
    }
}

/// What hark wrote is in place, but the assistant does not use it.
fn ignored(health: &mut Health, around: &Surroundings, host: &Host, options: &Options) {
    let hooked = options.hooks != Hooks::None && host.has_hooks();
    for check in host.install.checks.iter().filter(|check| hooked || check.about != About::Hooks) {
        if let Some(problem) = check.problem(host, around) {
            health.add(problem, "change that setting");
        }
    }
    if host.id == crate::codex::HOST.id && hooked {
        let problems = [trust::project(host, options.scope, around), trust::problem(host, options, around)];
        for problem in problems.into_iter().flatten() {
            health.add(problem, trust::FIX);
        }
    }
    if options.plugin {
        if let Some((problem, fix)) = plugin::problem(host, around) {
            health.add(problem, &fix);
        }
    } else if plugin::is_on(host, around) {
        health.add(
            "it is connected twice: by its settings and by the plugin `hark`".to_owned(),
            &format!("remove the plugin, or run `hark uninstall {}`", host.id),
        );
    }
    if options.gate && !host.can_gate() {
        health.problems.push(
            "the checkpoint policy `gate` has no effect here: no hook of it can refuse a tool".to_owned(),
        );
    } else if options.gate && options.hooks == Hooks::None {
        health.add(
            "the checkpoint policy `gate` has no effect without hooks".to_owned(),
            &format!("hark install {} --hooks minimal", host.id),
        );
    }
}

fn again(host: &Host, options: &Options) -> String {
    let mut flags = String::new();
    if options.scope == Scope::Project {
        flags.push_str(" --scope project");
    }
    match options.hooks {
        Hooks::None => flags.push_str(" --hooks none"),
        Hooks::Minimal => flags.push_str(" --hooks minimal"),
        Hooks::Full => {}
    }
    if options.plugin {
        flags.push_str(" --plugin");
    }
    if options.allow_reads {
        flags.push_str(" --allow-reads");
    }
    if options.http.is_some() {
        flags.push_str(" --http");
    }
    if !options.tools.is_empty() {
        flags.push_str(&format!(" --tools {}", options.tools.join(",")));
    }
    format!("hark install {}{flags}", host.id)
}

fn problems(
    around: &Surroundings,
    host: &Host,
    options: &Options,
    plan: &Plan,
    entries: &[entries::Problem],
) -> Vec<String> {
    let entries: Vec<_> = entries.iter().filter(|entry| plan.rewrites(entry)).collect();
    let explained: BTreeSet<&PathBuf> = entries.iter().map(|entry| &entry.file).collect();
    let visible =
        plan.changes.iter().filter(|change| change.is_visible() && !explained.contains(&change.path));
    let changed: BTreeSet<String> = visible
        .map(|change| {
            let file = around.short(&change.path);
            let missing = entries::missing(&change.path, host, options, around);
            match (&change.before, missing.is_empty()) {
                (None, _) => format!("{file} is missing"),
                (Some(_), false) => format!("{file} lacks {}", missing.join(", ")),
                _ => format!("{file} differs from what this version of hark would write"),
            }
        })
        .collect();
    let refused = plan.refused.iter().map(|refused| {
        let line = refused.why.line.map(|line| format!(", line {line}")).unwrap_or_default();
        format!("{}{line}: {}", around.short(&refused.path), refused.why.what)
    });
    entries.iter().map(|entry| entry.what.clone()).chain(changed).chain(refused).collect()
}
