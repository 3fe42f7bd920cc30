//! `hark install [HOST…]`

mod report;

use clap::builder::PossibleValuesParser;
use hark_engine::{Engine, Home};
use hark_hosts::{Bearer, HOSTS, Hooks, Host, Options, Plan, Scope, Surroundings, Vault, VaultError};
use serde_json::{Value, json};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::surroundings;
use crate::ui::{self, BOLD};

pub(super) use report::{Report, ending};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Assistants to wire; all that are found if none is named
    #[arg(value_name = "HOST", value_parser = hosts())]
    hosts: Vec<String>,
    /// Whose settings to change
    #[arg(long, value_enum, default_value_t = ScopeName::User)]
    scope: ScopeName,
    #[command(flatten)]
    how: How,
    /// Write a plugin folder instead of changing settings (Claude Code, Gemini CLI)
    #[arg(long)]
    plugin: bool,
}

/// What `install` and `init` share.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct How {
    /// How much assistants report to hark
    #[arg(long, value_enum, default_value_t = HooksName::Full)]
    pub(super) hooks: HooksName,
    /// Show what would change, change nothing
    #[arg(long)]
    pub(super) dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ScopeName {
    /// Yours, for all projects
    User,
    /// This project's
    Project,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum HooksName {
    /// Tools only: the assistant asks when it wants to
    None,
    /// Start, prompts and end of a session
    Minimal,
    /// Tools and compaction as well
    Full,
}

impl From<ScopeName> for Scope {
    fn from(name: ScopeName) -> Scope {
        match name {
            ScopeName::User => Scope::User,
            ScopeName::Project => Scope::Project,
        }
    }
}

impl From<HooksName> for Hooks {
    fn from(name: HooksName) -> Hooks {
        match name {
            HooksName::None => Hooks::None,
            HooksName::Minimal => Hooks::Minimal,
            HooksName::Full => Hooks::Full,
        }
    }
}

/// Completions and errors know every assistant.
pub(super) fn hosts() -> PossibleValuesParser {
    PossibleValuesParser::new(HOSTS.iter().map(|host| host.id))
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let mut around = surroundings::read(environment)?;
    let options = Options { scope: args.scope.into(), hooks: args.how.hooks.into(), plugin: args.plugin };
    let hosts = chosen(&args.hosts, &around);
    if args.plugin && (hosts.is_empty() || hosts.iter().any(|host| host.install.plugin.is_empty())) {
        return Err(Failure::user(
            "only some assistants take a plugin folder",
            "name one: `hark install claude-code --plugin` or `hark install gemini-cli --plugin`",
        ));
    }
    let mut report = Report::new("install", Some(options.scope), args.how.dry_run);
    if !args.how.dry_run {
        let store = Home::new(&around.data);
        drop(Engine::open(store, environment.config()?, environment.clock)?);
    }
    around.bearer = bearer(args.how.dry_run, environment)?;
    report.store = Some(around.short(&around.data));
    wire(&hosts, options, &around, &mut report)?;
    if hosts.iter().all(|host| host.install.pieces.is_empty()) {
        report.snippet = Some(snippet(&around));
    }
    if hosts.iter().any(|host| host.install.pieces.is_empty()) && !args.how.dry_run {
        report.snippet_http = Some(snippet_http(environment)?);
    }
    report.nothing_found = hosts.is_empty();
    finish(&report, environment)
}

/// Those named, else those found.
pub(super) fn chosen(names: &[String], around: &Surroundings) -> Vec<&'static Host> {
    if names.is_empty() {
        return HOSTS.iter().copied().filter(|host| around.sign_of(host).is_some()).collect();
    }
    HOSTS.iter().copied().filter(|host| names.iter().any(|name| name == host.id)).collect()
}

/// Plans, and unless it is a dry run does it.
pub(super) fn wire(
    hosts: &[&'static Host],
    options: Options,
    around: &Surroundings,
    report: &mut Report,
) -> Result<(), Failure> {
    if options.scope == Scope::Project && around.project.is_none() {
        return Err(Failure::user(
            "this folder is not a project",
            "go to a project's folder and run it there",
        ));
    }
    if report.dry_run {
        let manifest = hark_hosts::look(&around.data).map_err(|e| vault_failure(&e))?;
        let plan = hark_hosts::install(around, &manifest, hosts, options);
        report.add_hosts(hosts, options, around, &plan);
        report.add_diff(&plan);
        return Ok(());
    }
    let mut vault = Vault::open(&around.data).map_err(|e| vault_failure(&e))?;
    let plan = hark_hosts::install(around, &vault.manifest, hosts, options);
    report.add_hosts(hosts, options, around, &plan);
    apply(plan, &mut vault, around, report);
    Ok(())
}

pub(super) fn apply(plan: Plan, vault: &mut Vault, around: &Surroundings, report: &mut Report) {
    let outcome = plan.apply(vault);
    for trouble in outcome.trouble {
        report.add_trouble(around, &trouble);
    }
}

pub(super) fn vault_failure(error: &VaultError) -> Failure {
    let hint = match error {
        VaultError::Io { .. } => "check that you may write there",
        VaultError::Unreadable { .. } => "update hark, or put that file aside",
    };
    Failure::storage(error.to_string(), hint)
}

/// The token for entries that call `hark serve`. What is only shown gets none.
pub(super) fn bearer(dry_run: bool, environment: &Environment) -> Result<Option<Bearer>, Failure> {
    if dry_run {
        return Ok(None);
    }
    Ok(Some(Bearer::new(&super::serve::expected(environment)?.text)))
}

/// The same over HTTP, while `hark serve` runs.
fn snippet_http(environment: &Environment) -> Result<Value, Failure> {
    let token = format!("Bearer {}", super::serve::expected(environment)?.text);
    let entry = json!({ "type": "http", "url": super::serve::url()?, "headers": { "Authorization": token } });
    Ok(json!({ "mcpServers": { "hark": entry } }))
}

/// What any MCP client understands.
fn snippet(around: &Surroundings) -> Value {
    json!({ "mcpServers": { "hark": { "command": around.executable.to_string_lossy(), "args": ["mcp"] } } })
}

pub(super) fn finish(report: &Report, environment: &Environment) -> Result<(), Failure> {
    if environment.output.json {
        ui::print_json(report);
    } else {
        report.print();
    }
    ending(report)
}

/// A line that stands out.
pub(super) fn heading(text: &str) {
    ui::print(&format!("{BOLD}{}{BOLD:#}\n", ui::safe(text)));
}
