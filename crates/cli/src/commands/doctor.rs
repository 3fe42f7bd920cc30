//! `hark doctor`: the store, and how each assistant stands.

use hark_engine::ops::doctor;
use hark_hosts::{Health, Scope, Wiring};
use hark_store::Severity;
use serde::Serialize;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::surroundings;
use crate::ui::{self, BAD, DIM, GOOD, WARN};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: doctor::Request,
}

#[derive(Debug, Serialize)]
struct Response {
    #[serde(flatten)]
    store: doctor::Response,
    assistants: Vec<Health>,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let store = environment.with_engine(|engine, caller| doctor::run(engine, caller, &args.request))?;
    let mut assistants = assistants(environment)?;
    for health in &mut assistants {
        if let Some(heard) = store.heard.iter().find(|heard| heard.host == health.host) {
            health.last_event = Some(heard.last_event.clone());
            health.last_injection = heard.last_injection.clone();
        }
    }
    let response = Response { store, assistants };
    if environment.output.json {
        ui::print_json(&response);
    } else {
        print(&response);
    }
    if response.store.healthy {
        return Ok(());
    }
    let failure = Failure::storage("the store has problems", "follow the lines marked `to mend`");
    Err(if environment.output.json { failure.told() } else { failure })
}

fn assistants(environment: &Environment) -> Result<Vec<Health>, Failure> {
    let around = surroundings::read(environment)?;
    let manifest = hark_hosts::look(&around.data).map_err(|e| super::install::vault_failure(&e))?;
    Ok(hark_hosts::inspect(&around, &manifest))
}

fn print(response: &Response) {
    let store = &response.store;
    ui::print(&format!("{} memories in {}\n", store.memories, store.home));
    for layer in store.layers.iter().filter(|layer| layer.trusted) {
        let noun = if layer.memories == 1 { "memory" } else { "memories" };
        let project = layer.project.as_deref().unwrap_or_default();
        ui::print(&format!(
            "{GOOD}trusted:{GOOD:#} {} ({} {noun} of {})\n",
            ui::safe(&layer.path),
            layer.memories,
            ui::safe(project)
        ));
    }
    for finding in &store.findings {
        let (style, word) = match finding.severity {
            Severity::Ok => (GOOD, "ok"),
            Severity::Warning => (WARN, "warning"),
            Severity::Problem => (BAD, "problem"),
        };
        ui::print(&format!("{style}{word}:{style:#} {}\n", ui::safe(&finding.what)));
        if let Some(mend) = &finding.mend {
            ui::print(&format!("  to mend: {}\n", ui::safe(mend)));
        }
    }
    for health in &response.assistants {
        print_assistant(health);
    }
    // Some report to us though we do not find them here.
    for heard in &store.heard {
        if response.assistants.iter().all(|health| health.host != heard.host) {
            ui::print(&format!(
                "{DIM}heard:{DIM:#} {}, last event {}\n",
                ui::safe(&heard.host),
                heard.last_event
            ));
        }
    }
    if response.assistants.is_empty() {
        ui::print(&format!("{DIM}no assistant was found; see `hark install`{DIM:#}\n"));
    }
    let well = response.assistants.iter().all(|health| health.problems.is_empty());
    if store.findings.is_empty() && well {
        ui::print(&format!("{GOOD}everything is well{GOOD:#}\n"));
    }
}

fn print_assistant(health: &Health) {
    let (style, word) = match health.wired {
        Wiring::Yes => (GOOD, "wired"),
        Wiring::Stale => (WARN, "stale"),
        Wiring::No => (DIM, "not wired"),
    };
    let version = health.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    let scope = if health.scope == Scope::Project { " in this project" } else { "" };
    ui::print(&format!("{style}{word}:{style:#} {}{}{scope}\n", health.name, ui::safe(&version)));
    let seen = [("last event", &health.last_event), ("last injection", &health.last_injection)];
    for (what, when) in seen.iter().filter_map(|(what, when)| Some((what, when.as_ref()?))) {
        ui::print(&format!("  {what}: {}\n", ui::safe(when)));
    }
    for problem in &health.problems {
        ui::print(&format!("  {}\n", ui::safe(problem)));
    }
    if let Some(mend) = &health.mend {
        ui::print(&format!("  to mend: {}\n", ui::safe(mend)));
    }
}
