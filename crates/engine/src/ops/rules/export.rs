//! Writes the rules of a project into a file that assistants read, as a marked block, and takes the block out again.

use std::path::PathBuf;

use clap::Args;
use hark_core::{Kind, Memory, Status};
use hark_hosts::{Owner, Vault};
use hark_store::{ListFilter, ListOrder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::install::vault_failure;
use super::super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::machine::Machine;
use crate::operation::text::{count, words};
use crate::operation::{
    Call, Code, Effect, Group, OperateHere, Operation, Page, Reply, Surface, Surfaces, Tool, Who,
};
use crate::project;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// claude, agents or cursor, or a path below the project
    #[arg(long, value_name = "FILE")]
    pub to: String,
    /// Take the block out again
    #[arg(long)]
    #[serde(default)]
    pub remove: bool,
    /// Show what would change without changing it
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub file: String,
    /// Rules in the block.
    pub rules: usize,
    /// Whether the file changed, or would.
    pub changed: bool,
    pub dry_run: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// The owner of these blocks among what hark has installed, one for each file, so that one export leaves the others alone.
const OWNER: &str = "rules in ";

fn run(machine: &Machine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let mut around = machine.surroundings()?;
    let folder =
        machine.cwd.as_deref().map(project::work_tree).ok_or_else(super::super::install::no_project)?;
    let name = file_name(&request.to)?;
    let file = folder.join(&name);
    let (_, found) = machine.engine()?.recovering(|engine| rules(engine, caller));
    let found = if request.remove { Vec::new() } else { found? };
    let text = block(&found);
    around.project = Some(folder.clone());
    let owner = Owner { host: format!("{OWNER}{}", name.display()), project: Some(folder) };
    let plan = |manifest: &hark_hosts::Manifest| {
        hark_hosts::put_rules(&around, manifest, owner.clone(), file.clone(), text.clone())
    };
    let mut response = Response {
        file: around.short(&file),
        rules: found.len(),
        changed: false,
        dry_run: request.dry_run,
        diff: None,
    };
    let mut see = |planned: &hark_hosts::Plan| -> Result<(), EngineError> {
        if let Some(refused) = planned.refused.first() {
            return Err(EngineError::File { path: refused.path.clone(), message: refused.why.what.clone() });
        }
        let change = planned.changes.iter().find(|change| change.is_visible());
        response.changed = change.is_some();
        response.diff = change.map(hark_hosts::Change::diff);
        Ok(())
    };
    if request.dry_run {
        let manifest = hark_hosts::look(&around.data).map_err(|e| vault_failure(&e))?;
        see(&plan(&manifest))?;
        return Ok(response);
    }
    let mut vault = Vault::open(&around.data).map_err(|e| vault_failure(&e))?;
    let planned = plan(&vault.manifest);
    see(&planned)?;
    let outcome = planned.apply(&mut vault);
    if let Some(trouble) = outcome.trouble.first() {
        return Err(EngineError::File { path: trouble.path.clone(), message: trouble.what.clone() });
    }
    Ok(response)
}

/// Where assistants look for instructions.
fn file_name(to: &str) -> Result<PathBuf, EngineError> {
    let path = match to.trim() {
        "claude" => "CLAUDE.md",
        "agents" => "AGENTS.md",
        "cursor" => ".cursor/rules/hark.mdc",
        other => other,
    };
    let path = PathBuf::from(path);
    let is_below = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if path.as_os_str().is_empty() || !is_below {
        return Err(EngineError::invalid(
            format!("`{to}` is not a file below the project"),
            "use claude, agents, cursor, or a relative path such as docs/rules.md",
        ));
    }
    Ok(path)
}

/// The user's rules in force here, the oldest first, so that a new one adds a line at the end.
fn rules(engine: &mut Engine, caller: &Caller) -> Result<Vec<Memory>, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let filter = ListFilter {
        projects: ReadScope::default().resolve(engine, caller)?.projects,
        kinds: vec![Kind::Rule],
        statuses: vec![Status::Active],
        ..ListFilter::default()
    };
    let found = engine.store.list(&filter, ListOrder::OldestFirst, 500)?;
    let rules = found.into_iter().map(|stored| stored.memory);
    Ok(rules.filter(|rule| !rule.guidance.paused && rule.origin.may_become(Kind::Rule)).collect())
}

/// One line a rule, with its reason. Triggers stay here: the file is for assistants without hooks as well.
fn block(rules: &[Memory]) -> String {
    if rules.is_empty() {
        return String::new();
    }
    let mut text = "## Rules\n\n".to_owned();
    for rule in rules {
        let body = rule.body.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = if body.is_empty() { rule.title.to_string() } else { body };
        // A comment would end the block, or hide what follows.
        let line = line.replace("<!--", "<! --").replace("-->", "-- >");
        let why = rule.why.as_ref().map(|why| why.split_whitespace().collect::<Vec<_>>().join(" "));
        let why = why.map(|why| format!(" ({})", why.replace("<!--", "<! --").replace("-->", "-- >")));
        text.push_str(&format!("- {line}{}\n", why.unwrap_or_default()));
    }
    text
}

pub const OPERATION: Operation = Operation {
    name: "rules export",
    also: &[],
    summary: "Write your rules into CLAUDE.md, AGENTS.md or Cursor's rules",
    help: "Writes a marked block into a file of this project, for assistants without hooks and for people. Run it again after a \
           change; `--remove` or `hark uninstall` takes the block out and leaves the rest of the file as it was.",
    examples: &[
        ("hark rules export --to claude", "Write the rules of this project into its CLAUDE.md"),
        ("hark rules export --to agents --dry-run", "Show the change to AGENTS.md"),
    ],
    group: Group::Learning,
    effect: Effect::Write,
    who: Who::User,
    tool: Tool::Off("it writes into files of the project that only the user may change this way"),
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("it writes into the folder that the caller is in"),
        page: Surface::Off("it writes into the folder that the caller is in"),
    },
    code: Code::here::<Request>(),
};

impl OperateHere for Request {
    type Response = Response;

    fn run(&self, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(call.machine, call.caller, self)
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        if let Some(diff) = self.diff.as_ref().filter(|_| self.dry_run) {
            page.print(&words(diff));
        }
        let what = count(self.rules, "rule", "rules");
        let line = match (self.changed, self.dry_run) {
            (false, _) => format!("{} is up to date with {what}\n", self.file),
            (true, true) => format!("would write {what} into {}\n", self.file),
            (true, false) => format!("wrote {what} into {}\n", self.file),
        };
        page.note(&line);
    }
}
