//! Writes the unit and starts it; stops it and restores what was there.

use std::collections::BTreeSet;

use clap::Args;
use hark_hosts::{Owner, Plan, Surroundings, Vault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HERE, Which, job};
use crate::error::EngineError;
use crate::machine::Machine;
use crate::operation::text::safe;
use crate::operation::{
    Call, Code, Effect, GOOD, Group, OperateHere, Operation, Page, Reply, Tool, WARN, Who,
};
use crate::ops::install::vault_failure;
use crate::units::{Condition, Desk, Manager, Wish, systemd};

/// On whose behalf the file is in the record of installations.
pub const OWNER: &str = "service";

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Install {
    /// Only background work and transcripts, without the HTTP server (`hark work --watch`)
    #[arg(long)]
    #[serde(default)]
    pub no_server: bool,
    /// Write the unit without starting it
    #[arg(long)]
    #[serde(default)]
    pub no_start: bool,
    /// Replace a unit that you wrote or changed; uninstalling brings it back
    #[arg(long)]
    #[serde(default)]
    pub replace: bool,
    /// Show what would change without changing it
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub which: Which,
}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Uninstall {
    /// Show what would change without changing it
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub which: Which,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Report {
    #[serde(skip)]
    word: &'static str,
    pub dry_run: bool,
    pub manager: Manager,
    pub file: String,
    /// Whether the file changed, or would.
    pub changed: bool,
    /// Whether a unit that you wrote or changed was kept.
    pub kept: bool,
    pub notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    #[serde(flatten)]
    pub condition: Condition,
}

fn owner() -> Owner {
    Owner { host: OWNER.to_owned(), project: None }
}

fn install(machine: &Machine, request: &Install) -> Result<Report, EngineError> {
    let around = machine.surroundings()?;
    let desk = Desk::new(request.which.manager(), &around);
    let job = job(machine, &around, if request.no_server { "work --watch" } else { "serve" })?;
    desk.check(&job)?;
    let text = job.text(desk.manager);
    let plan = |manifest: &hark_hosts::Manifest| {
        hark_hosts::put_file(&around, manifest, owner(), desk.file.clone(), text.clone(), request.replace)
    };
    let mut report = Report::new("install", &desk, &around, request.dry_run);
    if request.dry_run {
        let manifest = hark_hosts::look(&around.data).map_err(|e| vault_failure(&e))?;
        report.show(&plan(&manifest));
        return Ok(report);
    }
    let mut vault = Vault::open(&around.data).map_err(|e| vault_failure(&e))?;
    let planned = plan(&vault.manifest);
    report.show(&planned);
    apply(planned, &mut vault)?;
    report.kept = std::fs::read_to_string(&desk.file).is_ok_and(|there| there != text);
    desk.ask(Wish::Enable)?;
    if !request.no_start {
        // A unit that runs already goes on with what changed.
        let wish = if report.changed && desk.condition().active { Wish::Restart } else { Wish::Start };
        desk.ask(wish)?;
    }
    report.condition = desk.condition();
    report.notes.extend(remarks(desk.manager));
    Ok(report)
}

fn remarks(manager: Manager) -> Vec<String> {
    let mut remarks = Vec::new();
    if std::env::var_os("HARK_SERVE_TOKEN").is_some() {
        remarks.push(
            "HARK_SERVE_TOKEN is a secret and is not written into the unit; the service asks for the token in your store"
                .to_owned(),
        );
    }
    if manager == Manager::Systemd {
        remarks.push("to let it run when you are not logged in: loginctl enable-linger".to_owned());
    }
    remarks
}

fn uninstall(machine: &Machine, request: &Uninstall) -> Result<Report, EngineError> {
    let around = machine.surroundings()?;
    let desk = Desk::new(request.which.manager(), &around);
    let mut report = Report::new("uninstall", &desk, &around, request.dry_run);
    let owners = BTreeSet::from([owner()]);
    if request.dry_run {
        let manifest = hark_hosts::look(&around.data).map_err(|e| vault_failure(&e))?;
        report.show(&hark_hosts::uninstall(&around, &manifest, &owners));
        return Ok(report);
    }
    let mut vault = Vault::open(&around.data).map_err(|e| vault_failure(&e))?;
    let plan = hark_hosts::uninstall(&around, &vault.manifest, &owners);
    report.show(&plan);
    // Before its file is gone, or nobody could stop it by name. A manager that is not there runs nothing.
    let is_there = desk.check(&job(machine, &around, "serve")?).is_ok();
    if is_there && desk.file.exists() {
        desk.ask(Wish::Disable)?;
    }
    apply(plan, &mut vault)?;
    report.kept = desk.file.exists();
    if is_there && desk.manager == Manager::Systemd {
        systemd::forget(&desk.programs);
    }
    if is_there {
        report.condition = desk.condition();
    }
    Ok(report)
}

/// Stops the service, because its store is about to go.
pub fn disable(around: &Surroundings) {
    let desk = Desk::new(Manager::usual(), around);
    if desk.file.exists() {
        let _ = desk.ask(Wish::Disable);
    }
}

fn apply(plan: Plan, vault: &mut Vault) -> Result<(), EngineError> {
    match plan.apply(vault).trouble.first() {
        None => Ok(()),
        Some(trouble) => {
            let what = format!("{}: {}", trouble.path.display(), trouble.what);
            Err(EngineError::invalid(what, trouble.fix.clone()))
        }
    }
}

impl Report {
    fn new(word: &'static str, desk: &Desk<'_>, around: &Surroundings, dry_run: bool) -> Report {
        Report {
            word,
            dry_run,
            manager: desk.manager,
            file: around.short(&desk.file),
            changed: false,
            kept: false,
            notes: Vec::new(),
            diff: None,
            condition: Condition::default(),
        }
    }

    fn show(&mut self, plan: &Plan) {
        self.changed = plan.changes.iter().any(hark_hosts::Change::is_visible);
        self.notes = plan.notes.iter().map(|note| note.what.clone()).collect();
        self.notes.extend(plan.refused.iter().map(|refused| refused.why.what.clone()));
        if self.dry_run {
            self.diff = Some(plan.changes.iter().map(hark_hosts::Change::diff).collect());
        }
    }
}

impl Reply for Report {
    fn print(&self, page: &mut Page) {
        let done = match (self.word, self.changed, self.dry_run) {
            (_, true, true) => "would change",
            (_, false, _) => "unchanged",
            ("install", true, false) => "wrote",
            _ => "removed or restored",
        };
        page.print(&format!("{GOOD}{done}{GOOD:#} {}\n", safe(&self.file)));
        if let Some(diff) = &self.diff {
            page.print(&safe(diff));
        }
        if self.kept {
            page.print(&format!("{WARN}kept{WARN:#} your own unit; `--replace` writes hark's\n"));
        }
        if !self.dry_run && !self.condition.state.is_empty() {
            page.print(&format!("{}\n", self.condition.state));
        }
        for note in &self.notes {
            page.note(&format!("{}\n", safe(note)));
        }
    }
}

impl OperateHere for Install {
    type Response = Report;

    fn run(&self, call: &mut Call<'_>) -> Result<Report, EngineError> {
        install(call.machine, self)
    }
}

impl OperateHere for Uninstall {
    type Response = Report;

    fn run(&self, call: &mut Call<'_>) -> Result<Report, EngineError> {
        uninstall(call.machine, self)
    }
}

pub const INSTALL: Operation = Operation {
    name: "service install",
    also: &[],
    summary: "Start hark now and with every login",
    help: "Writes `~/.config/systemd/user/hark.service`, or `~/Library/LaunchAgents/dev.hark.serve.plist` on macOS, enables it and \
           starts it. A unit that you wrote or changed stays, and the report says so.",
    examples: &[
        ("hark service install", "Run the server, background work and the reading of transcripts"),
        ("hark service install --no-server", "Without the HTTP server"),
        ("hark service install --dry-run", "Show the unit"),
    ],
    group: Group::Service,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Off("services are for the user to run"),
    surfaces: HERE,
    code: Code::here::<Install>(),
};

pub const UNINSTALL: Operation = Operation {
    name: "service uninstall",
    also: &[],
    summary: "Stop the service and restore what was there before",
    help: "",
    examples: &[("hark service uninstall", "Stop it and remove its unit; memories stay")],
    code: Code::here::<Uninstall>(),
    ..INSTALL
};
