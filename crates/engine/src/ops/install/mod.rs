//! Connects hark to the assistants on this machine.

mod report;

use clap::Args;
use clap::builder::PossibleValuesParser;
use hark_hosts::{Bearer, HOSTS, Hooks, Host, Options, Plan, Scope, Surroundings, Vault, VaultError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::config::{CheckpointPolicy, Config};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::home::Home;
use crate::machine::Machine;
use crate::operation::{
    Call, Code, Effect, Family, Group, OperateHere, Operation, Surface, Surfaces, Tool, Who,
};
use crate::rules;

pub use report::{Assistant, Refused, Report};

#[derive(Debug, Clone, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Assistants to connect; default: all that are found
    #[arg(value_name = "HOST", value_parser = hosts())]
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Whose settings to change
    #[arg(long, value_enum, default_value_t = ScopeName::User)]
    #[serde(default)]
    pub scope: ScopeName,
    #[command(flatten)]
    #[serde(flatten)]
    pub how: How,
    /// Write a plugin folder instead of changing settings (Claude Code, Gemini CLI)
    #[arg(long)]
    #[serde(default)]
    pub plugin: bool,
    /// Let assistants call the `hark serve` that runs instead of starting a server each, where they can
    #[arg(long)]
    #[serde(default)]
    pub http: bool,
}

/// Options shared by `install` and `init`.
#[derive(Debug, Clone, Args, Deserialize, JsonSchema)]
pub struct How {
    /// How much assistants report to hark
    #[arg(long, value_enum, default_value_t = HooksName::Full)]
    #[serde(default)]
    pub hooks: HooksName,
    /// Let assistants call tools that only read without asking, where they have a setting for it
    #[arg(long)]
    #[serde(default)]
    pub allow_reads: bool,
    /// Families of tools that they list besides the core ones; default: the setting mcp.tools
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FAMILY")]
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub tools: Vec<Family>,
    /// Show what would change without changing it
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

impl How {
    pub(super) fn options(&self, scope: Scope, config: &Config) -> Options {
        Options {
            tools: tool_names(&self.tools),
            allow_reads: self.allow_reads,
            gate: config.checkpoint.policy == CheckpointPolicy::Gate,
            ..Options::new(scope, self.hooks.into())
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScopeName {
    /// Yours, for all projects
    #[default]
    User,
    /// This project's
    Project,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HooksName {
    /// No hooks: the assistant only calls tools
    None,
    /// Start, prompts and end of a session
    Minimal,
    /// Tool calls and compaction as well
    #[default]
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

/// Lists every assistant, for completions and errors.
pub(super) fn hosts() -> PossibleValuesParser {
    PossibleValuesParser::new(HOSTS.iter().map(|host| host.id))
}

fn run(machine: &Machine, request: &Request) -> Result<Report, EngineError> {
    let mut around = machine.surroundings()?;
    let tools = tool_names(&request.how.tools);
    let options = request.how.options(request.scope.into(), &machine.config()?);
    let options =
        Options { binding_rules: rules::any_binding_here(machine), plugin: request.plugin, ..options };
    let hosts = chosen(&request.hosts, &around);
    let http = request.http.then(|| machine.serve_url()).transpose()?;
    let options = Options { http, ..options };
    let without_http = if request.http { check_http(request, &hosts)? } else { Vec::new() };
    if request.plugin && (hosts.is_empty() || hosts.iter().any(|host| host.install.plugin.is_empty())) {
        return Err(EngineError::invalid(
            "only some assistants support a plugin folder",
            "run `hark install claude-code --plugin` or `hark install gemini-cli --plugin`",
        ));
    }
    if request.plugin && request.how.allow_reads {
        return Err(EngineError::invalid(
            "a plugin cannot allow its own tools",
            "leave out --allow-reads, and answer the assistant when it asks",
        ));
    }
    let dry_run = request.how.dry_run;
    let mut report = Report::new("install", Some(options.scope), dry_run);
    if !dry_run {
        drop(Engine::open(Home::new(&around.data), machine.config()?, machine.clock)?);
        // For entries that call `hark serve`. A dry run shows none.
        around.bearer = Some(Bearer::new(&machine.expected_token()?.text));
    } else {
        around.bearer = None;
    }
    report.store = Some(around.short(&around.data));
    wire(&hosts, &options, &around, &mut report)?;
    if hosts.iter().all(|host| host.install.pieces.is_empty()) {
        report.snippet = Some(snippet(&around, &tools));
    }
    if hosts.iter().any(|host| host.install.pieces.is_empty()) && !dry_run {
        report.snippet_http = Some(snippet_http(machine)?);
    }
    report.nothing_found = hosts.is_empty();
    if !without_http.is_empty() {
        report.remarks.push(format!(
            "{} cannot send a token over HTTP, so it starts its own server",
            without_http.join(", ")
        ));
    }
    Ok(report)
}

/// Refuses what does not go with `--http`. Returns the assistants that cannot do it and were not asked for by name.
fn check_http(request: &Request, hosts: &[&'static Host]) -> Result<Vec<&'static str>, EngineError> {
    let refuse = |message: &str, hint: &str| Err(EngineError::invalid(message, hint));
    if request.scope == ScopeName::Project {
        return refuse(
            "an entry for HTTP holds the token, and files of a project may be shared",
            "leave out --scope project",
        );
    }
    if request.plugin {
        return refuse("a plugin folder starts its own server", "leave out --plugin");
    }
    if !request.how.tools.is_empty() {
        return refuse(
            "the server that runs decides which tools it lists",
            "leave out --tools, and start it with `hark serve --tools`",
        );
    }
    let cannot = hosts.iter().filter(|host| hark_hosts::only_starts_servers(host));
    let cannot: Vec<&'static Host> = cannot.copied().collect();
    match cannot.first() {
        Some(host) if !request.hosts.is_empty() => {
            refuse(&format!("{} cannot send a token over HTTP", host.name), "connect it without --http")
        }
        _ => Ok(cannot.iter().map(|host| host.name).collect()),
    }
}

/// Families as they are written on the command line of the server.
pub(super) fn tool_names(families: &[Family]) -> Vec<String> {
    families.iter().map(|family| family.name().to_owned()).collect()
}

/// The requested assistants, else all that are found.
pub(super) fn chosen(names: &[String], around: &Surroundings) -> Vec<&'static Host> {
    if names.is_empty() {
        return HOSTS.iter().copied().filter(|host| around.sign_of(host).is_some()).collect();
    }
    HOSTS.iter().copied().filter(|host| names.iter().any(|name| name == host.id)).collect()
}

/// Plans the changes, and makes them unless it is a dry run.
pub(super) fn wire(
    hosts: &[&'static Host],
    options: &Options,
    around: &Surroundings,
    report: &mut Report,
) -> Result<(), EngineError> {
    if options.scope == Scope::Project && around.project.is_none() {
        return Err(no_project());
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

pub(super) fn no_project() -> EngineError {
    EngineError::invalid("this folder is not a project", "run it in a project folder")
}

pub(super) fn vault_failure(error: &VaultError) -> EngineError {
    let hint = match error {
        VaultError::Io { .. } => "check the permissions of the file and its folder",
        VaultError::Unreadable { .. } => "update hark, or move that file away",
    };
    EngineError::Vault { message: error.to_string(), hint }
}

/// An entry for HTTP, while `hark serve` runs.
fn snippet_http(machine: &Machine) -> Result<Value, EngineError> {
    let token = format!("Bearer {}", machine.expected_token()?.text);
    let entry = json!({ "type": "http", "url": machine.serve_url()?, "headers": { "Authorization": token } });
    Ok(json!({ "mcpServers": { "hark": entry } }))
}

/// The entry that any MCP client understands.
fn snippet(around: &Surroundings, tools: &[String]) -> Value {
    let mut args = vec!["mcp".to_owned()];
    if !tools.is_empty() {
        args.extend(["--tools".to_owned(), tools.join(",")]);
    }
    json!({ "mcpServers": { "hark": { "command": around.executable.to_string_lossy(), "args": args } } })
}

pub const OPERATION: Operation = Operation {
    name: "install",
    also: &[],
    summary: "Connect hark to the assistants on this machine",
    help: "Changes settings files of assistants; `hark uninstall` restores them byte for byte.",
    examples: &[
        ("hark install", "Connect every assistant that is found"),
        (
            "hark install codex --scope project --dry-run",
            "Show what would change for one assistant in this project",
        ),
        ("hark install --allow-reads", "Let assistants search memory without asking each time"),
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
