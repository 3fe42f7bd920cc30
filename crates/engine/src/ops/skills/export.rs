//! Writes accepted skills where a client reads them. A file that the user changed stays as it is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use hark_core::learning::skill;
use hark_core::{IdRef, Kind, Memory, Status};
use hark_hosts::{Manifest, Owner, Plan, Scope, Surroundings, Vault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{in_reach, named};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::operation::text::words;
use crate::operation::{
    Call, Code, DIM, Effect, Group, Operate, Operation, Page, Reply, Surface, Surfaces, Tool, WARN, Who,
};
use crate::ops::install::{no_project, vault_failure};
use crate::ops::scope::ReadScope;

#[derive(Debug, Clone, Args, Deserialize, JsonSchema)]
pub(crate) struct ExportRequest {
    /// Ids or names of skills; default: all active ones in reach
    #[arg(value_name = "SKILL")]
    #[serde(default)]
    pub skills: Vec<String>,
    /// The client that shall read them
    #[arg(long, value_enum, value_name = "CLIENT")]
    pub to: Client,
    /// Write them into this project instead of your own settings
    #[arg(long)]
    #[serde(default)]
    pub project: bool,
    /// Show what would change without changing it
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Client {
    ClaudeCode,
    Codex,
    Gemini,
    #[value(name = "opencode")]
    #[serde(rename = "opencode")]
    OpenCode,
}

impl Client {
    fn host(self) -> &'static str {
        match self {
            Client::ClaudeCode => "claude-code",
            Client::Codex => "codex",
            Client::Gemini => "gemini-cli",
            Client::OpenCode => "opencode",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub(crate) struct Exported {
    pub client: String,
    pub dry_run: bool,
    /// Files that were written.
    pub written: Vec<String>,
    /// Files of skills that are no longer active.
    pub removed: Vec<String>,
    /// Files that are up to date.
    pub unchanged: Vec<String>,
    /// Files that were left alone, and why.
    pub kept: Vec<String>,
}

fn run(engine: &mut Engine, call: &mut Call<'_>, request: &ExportRequest) -> Result<Exported, EngineError> {
    let around = call.machine.surroundings()?;
    let scope = if request.project { Scope::Project } else { Scope::User };
    if request.project && around.project.is_none() {
        return Err(no_project());
    }
    let host = request.to.host();
    let root = around.project.as_deref().filter(|_| request.project);
    let owner = hark_hosts::skills_owner(host, root);
    let folder = hark_hosts::skills_folder(&around, host, scope).ok_or_else(no_project)?;
    let chosen = chosen(engine, call, &request.skills)?;
    let mut report = Exported { client: host.to_owned(), dry_run: request.dry_run, ..Exported::default() };
    if request.dry_run {
        let manifest = hark_hosts::look(&around.data).map_err(|e| vault_failure(&e))?;
        let files = files(engine, &manifest, &owner, &folder, &chosen);
        let plan = hark_hosts::export_skills(&around, &manifest, &owner, files.clone());
        report.show(&around, &plan, &files);
        return Ok(report);
    }
    let mut vault = Vault::open(&around.data).map_err(|e| vault_failure(&e))?;
    let files = files(engine, &vault.manifest, &owner, &folder, &chosen);
    let plan = hark_hosts::export_skills(&around, &vault.manifest, &owner, files.clone());
    report.show(&around, &plan, &files);
    for trouble in plan.apply(&mut vault).trouble {
        let path = around.short(&trouble.path);
        report.written.retain(|written| *written != path);
        report.kept.push(format!("{path}: {}; {}", trouble.what, trouble.fix));
    }
    Ok(report)
}

/// The skills to export: only those that the user accepted.
fn chosen(engine: &mut Engine, call: &Call<'_>, names: &[String]) -> Result<Vec<Memory>, EngineError> {
    let scope = ReadScope::default();
    if names.is_empty() {
        return in_reach(engine, call.caller, &scope, &[Status::Active]);
    }
    let mut chosen = Vec::new();
    for name in names {
        let memory = named(engine, call.caller, &scope, name)?;
        if memory.status != Status::Active {
            return Err(EngineError::invalid(
                format!("{} is {}, and only active skills are exported", memory.id.short(), memory.status),
                "accept it first with `hark inbox accept`",
            ));
        }
        chosen.push(memory);
    }
    Ok(chosen)
}

/// The chosen skills, and those exported before that are still active: each in its place.
fn files(
    engine: &Engine,
    manifest: &Manifest,
    owner: &Owner,
    folder: &Path,
    chosen: &[Memory],
) -> Vec<(PathBuf, String)> {
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    let mut done = BTreeSet::new();
    for (path, text) in hark_hosts::exported_skills(manifest, owner) {
        let id = skill::id_in(&text).and_then(|id| id.parse::<IdRef>().ok());
        let Some(stored) = id.and_then(|id| engine.store.find(&id).ok()) else { continue };
        let memory = stored.memory;
        if memory.kind != Kind::Skill || memory.status != Status::Active {
            continue;
        }
        // A skill keeps its folder, whatever it is called now.
        let name = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        if let Some(name) = name.filter(|_| done.insert(memory.id)) {
            files.push((path, skill::file(&memory, &name)));
        }
    }
    for memory in chosen {
        if !done.insert(memory.id) {
            continue;
        }
        let base = Some(skill::slug(&memory.title))
            .filter(|slug| !slug.is_empty())
            .unwrap_or_else(|| "skill".to_owned());
        let mut name = base.clone();
        let mut number = 2;
        let place = |name: &str| folder.join(name).join("SKILL.md");
        while files.iter().any(|(path, _)| *path == place(&name)) {
            name = format!("{base}-{number}");
            number += 1;
        }
        files.push((place(&name), skill::file(memory, &name)));
    }
    files
}

impl Exported {
    fn show(&mut self, around: &Surroundings, plan: &Plan, files: &[(PathBuf, String)]) {
        for change in plan.changes.iter().filter(|change| change.is_visible()) {
            let list = if change.after.is_some() { &mut self.written } else { &mut self.removed };
            list.push(around.short(&change.path));
        }
        self.kept
            .extend(plan.notes.iter().map(|note| format!("{}: {}", around.short(&note.path), note.what)));
        self.kept
            .extend(plan.refused.iter().map(|one| format!("{}: {}", around.short(&one.path), one.why.what)));
        for (path, _) in files {
            let path = around.short(path);
            let is_told = self.written.contains(&path)
                || self.kept.iter().any(|kept| kept.starts_with(&format!("{path}: ")));
            if !is_told {
                self.unchanged.push(path);
            }
        }
    }
}

pub const EXPORT: Operation = Operation {
    name: "skills export",
    also: &[],
    summary: "Write accepted skills where a client reads them",
    help: "Each skill becomes a SKILL.md. Run it again to update them. A file that you changed stays as it is, and `hark uninstall` removes the others.",
    examples: &[
        ("hark skills export --to claude-code", "Write every active skill into your own settings"),
        ("hark skills export npm-publish --to codex --project", "Write one skill into this project"),
    ],
    group: Group::Learning,
    effect: Effect::Write,
    who: Who::User,
    tool: Tool::Off("settings of clients are for the user to change"),
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("changes files of this machine"),
        page: Surface::Off("changes files of this machine"),
    },
    code: Code::on_store::<ExportRequest>(),
};

impl Operate for ExportRequest {
    type Response = Exported;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Exported, EngineError> {
        run(engine, call, self)
    }
}

impl Reply for Exported {
    fn print(&self, page: &mut Page) {
        for (label, list) in
            [("wrote", &self.written), ("removed", &self.removed), ("unchanged", &self.unchanged)]
        {
            for path in list {
                page.print(&format!("{DIM}{label}{DIM:#} {}\n", words(path)));
            }
        }
        for kept in &self.kept {
            page.print(&format!("{WARN}kept{WARN:#} {}\n", words(kept)));
        }
        if self.written.is_empty()
            && self.unchanged.is_empty()
            && self.kept.is_empty()
            && self.removed.is_empty()
        {
            page.note("no active skill to export; `hark inbox` lists proposals\n");
        }
    }
}
