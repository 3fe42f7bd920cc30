//! Checks the store and every assistant, and says how to fix each problem.

mod assistants;

use clap::Args;
use hark_store::{Coverage, Finding, Role, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing::debug_span;

use super::embed;
use crate::activity::{self, Working};
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::hooks::prompt;
use crate::operation::text::{count, safe};
use crate::operation::{
    BAD, BOLD, Call, Code, DIM, EVERYWHERE, Effect, Family, GOOD, Group, Operate, Operation, Page, Reply,
    Tool, WARN, Who,
};
use crate::project::predecessor;
use crate::project_store::{self, Found};
use crate::service::{ServiceState, Watches};
use crate::trace::{self, Step};
use hark_hosts::{Health, Scope, Wiring};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Show how long each step of a prompt hook takes
    #[arg(long)]
    #[serde(default)]
    #[schemars(skip)]
    pub trace: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Response {
    pub healthy: bool,
    pub home: String,
    pub memories: i64,
    /// Project stores whose memories are used too.
    pub layers: Vec<LayerView>,
    /// The last hook events of each assistant.
    pub heard: Vec<Heard>,
    pub findings: Vec<Finding>,
    /// Every assistant on this machine.
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    pub assistants: Vec<Health>,
    /// The service that works on this store, if one runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceState>,
    /// Long work that is being done now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub working: Vec<Working>,
    /// The steps of a prompt hook, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<Step>,
}

/// The store of a project.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LayerView {
    pub path: String,
    pub trusted: bool,
    pub memories: i64,
    /// The project whose memories it contains, if it is trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Heard {
    pub host: String,
    pub sessions: i64,
    pub last_event: String,
    /// When hark last injected something into it.
    pub last_injection: Option<String>,
}

pub fn run(engine: &mut Engine, caller: &Caller, _request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    let picked_up = engine.store.refresh_fully(now)?;
    let mut findings = engine.store.inspect()?.findings;
    if picked_up > 0 {
        findings.push(Finding {
            severity: Severity::Ok,
            what: format!("picked up {picked_up} files that changed outside hark"),
            mend: None,
        });
    }
    let leftovers = engine.store.remove_leftovers().unwrap_or(0);
    if leftovers > 0 {
        let files = if leftovers == 1 { "file" } else { "files" };
        findings.push(Finding {
            severity: Severity::Ok,
            what: format!("removed {leftovers} unfinished {files} that a killed process left in tmp/"),
            mend: None,
        });
    }
    let place = super::pause::here(engine, caller);
    findings.extend(crate::hooks::health::findings(engine, place.as_ref()));
    findings.extend(inbox(engine)?);
    findings.extend(chosen_model(engine)?);
    findings.extend(stores_of_projects(engine, caller)?);
    findings.extend(projects(engine, caller)?);
    let heard = engine.store.hosts_seen()?.into_iter().filter(|seen| seen.host != "cli").map(|seen| Heard {
        host: seen.host,
        sessions: seen.sessions,
        last_event: seen.last_event.to_string(),
        last_injection: seen.last_injection.map(|at| at.to_string()),
    });
    let heard = heard.collect();
    let service = ServiceState::read(engine.store.layout());
    findings.extend(service.iter().flat_map(|service| service.findings(now)));
    let stats = engine.store.stats()?;
    if stats.memories > 0 && clock_is_behind(engine)? {
        findings.push(Finding {
            severity: Severity::Warning,
            what: "the newest memory is from the future: the clock was set back".to_owned(),
            mend: Some("set the clock; ids stay unique until then".to_owned()),
        });
    }
    let healthy = findings.iter().all(|finding| finding.severity != Severity::Problem);
    let home = engine.home.path.display().to_string();
    let layers = layers(engine)?;
    Ok(Response {
        healthy,
        home,
        memories: stats.memories,
        layers,
        heard,
        findings,
        assistants: Vec::new(),
        service: service.map(ServiceState::view),
        working: activity::current(engine.store.layout(), now),
        trace: Vec::new(),
    })
}

/// Proposals that wait for the user.
fn inbox(engine: &Engine) -> Result<Option<Finding>, EngineError> {
    let waiting = super::inbox::waiting(engine)?;
    Ok((waiting > 0).then(|| Finding {
        severity: Severity::Ok,
        what: format!("{} for your decision", count(waiting, "proposal waits", "proposals wait")),
        mend: Some("hark inbox".to_owned()),
    }))
}

fn layers(engine: &Engine) -> Result<Vec<LayerView>, EngineError> {
    let view = |layer: &hark_store::Layer| -> Result<LayerView, EngineError> {
        let trusted = layer.is_trusted();
        Ok(LayerView {
            path: layer.path().display().to_string(),
            trusted,
            memories: engine.store.layer_memories(layer)?,
            project: trusted.then(|| layer.project.to_string()),
        })
    };
    engine.store.layers().iter().map(view).collect()
}

/// Findings about project stores: those that are never used, those that are not trusted, and unconfirmed words in
/// trusted ones.
fn stores_of_projects(engine: &Engine, caller: &Caller) -> Result<Vec<Finding>, EngineError> {
    let mut found = Vec::new();
    if let Some(folder) = &caller.cwd
        && let Found::Refused { path, why } = project_store::find(folder, &engine.home.path)
    {
        found.push(Finding {
            severity: Severity::Warning,
            what: format!("{}: {why}, so it is never used", path.display()),
            mend: None,
        });
    }
    for layer in engine.store.layers() {
        let path = layer.path().display();
        if !layer.path().exists() {
            // One that was never trusted is of no concern any more.
            let trusted = hark_store::Trust::read(engine.store.layout())?.of(layer.path()).is_some();
            found.extend(trusted.then(|| Finding {
                severity: Severity::Warning,
                what: format!("{path}: this store of a project is not there"),
                mend: Some(format!("if it is gone for good, run `hark trust --revoke {path}`")),
            }));
            continue;
        }
        if !layer.is_trusted() {
            found.push(Finding {
                severity: Severity::Ok,
                what: format!("{path}: not trusted; hark quotes it only when you ask"),
                mend: Some("to use it as that project's memory, run `hark trust` there".to_owned()),
            });
            continue;
        }
        let claims = engine.store.claims(layer.path())?.len();
        if claims > 0 {
            found.push(Finding {
                severity: Severity::Ok,
                what: format!(
                    "{path}: {claims} of its memories claim to be yours but were not confirmed here"
                ),
                mend: Some("to accept them as your own words, run `hark trust --mine` there".to_owned()),
            });
        }
    }
    Ok(found)
}

/// A project that this one probably continues, and merges that are not finished.
fn projects(engine: &mut Engine, caller: &Caller) -> Result<Vec<Finding>, EngineError> {
    let mut found = Vec::new();
    if let Some(folder) = &caller.cwd
        && let Some(predecessor) = predecessor::find(engine, folder)?
    {
        found.push(Finding {
            severity: Severity::Warning,
            what: predecessor.sentence(),
            mend: Some(format!("if they are one project: {}", predecessor.command())),
        });
    }
    let merged = engine.store.project_book().merged;
    let scattered = predecessor::scattered(engine)?;
    for project in engine.store.project_counts()? {
        if let Some((from, into)) = scattered.iter().find(|(from, _)| *from == project.key) {
            found.push(Finding {
                severity: Severity::Warning,
                what: format!("{from} is a deleted worktree of {into}"),
                mend: Some(predecessor::merge_command(from.as_str(), into.as_str())),
            });
        }
        if let Some(into) = merged.get(project.key.as_str()) {
            found.push(Finding {
                severity: Severity::Warning,
                what: format!("{} was merged into {into}, but some of it was not moved", project.key),
                mend: Some(predecessor::merge_command(project.key.as_str(), into)),
            });
        }
    }
    Ok(found)
}

/// The state of the configured model; empty for models inside the binary.
fn chosen_model(engine: &mut Engine) -> Result<Option<Finding>, EngineError> {
    let choice = engine.config.embedding.model.clone();
    let name = choice.name();
    if !choice.is_file() {
        return Ok(None);
    }
    let Some(Coverage { embedded, passages }) = embed::coverage(engine, &choice)? else {
        return Ok(Some(Finding {
            severity: Severity::Warning,
            what: format!(
                "the model {name} is in use but missing or damaged; recall uses only the static model"
            ),
            mend: Some(format!(
                "run `hark model verify {name}`, or switch back with `hark model use encoder`"
            )),
        }));
    };
    let is_whole = embedded == passages;
    Ok(Some(Finding {
        severity: Severity::Ok,
        what: format!("{embedded} of {passages} passages have vectors from {name}"),
        mend: (!is_whole)
            .then(|| "the worker makes the rest; to make them now, run `hark model embed`".to_owned()),
    }))
}

fn clock_is_behind(engine: &Engine) -> Result<bool, EngineError> {
    use hark_store::{ListFilter, ListOrder};
    const TOLERANCE_MS: i64 = 5 * 60 * 1000;
    let newest = engine.store.list(&ListFilter::default(), ListOrder::NewestChange, 1)?;
    Ok(newest.first().is_some_and(|s| s.memory.updated > engine.now().plus_millis(TOLERANCE_MS)))
}

pub const OPERATION: Operation = Operation {
    name: "doctor",
    also: &[],
    summary: "Check the store and every assistant",
    help: "",
    examples: &[
        ("hark doctor", "Check everything, and print what to do about each problem"),
        ("hark doctor --json", "The same as JSON; exits with 3 if the store has problems"),
    ],
    group: Group::Start,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_doctor",
        family: Family::Admin,
        description: "Health of the memory store and how to fix it.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        let mut response = run(engine, call.caller, self)?;
        match assistants::assistants(engine, call, &response.heard) {
            Ok(assistants) => response.assistants = assistants,
            // The record of installations is damaged: the rest is still worth knowing.
            Err(error) => {
                let (what, mend) = (error.to_string(), error.hint());
                response.findings.push(Finding { severity: Severity::Problem, what, mend });
                response.healthy = false;
            }
        }
        response.findings.extend(assistants::several_programs(call)?);
        if self.trace {
            response.trace = trace_prompt(engine, call)?;
        }
        Ok(response)
    }
}

/// Runs a prompt hook and stores nothing.
fn trace_prompt(engine: &Engine, call: &Call<'_>) -> Result<Vec<Step>, EngineError> {
    let newest =
        engine.store.list(&hark_store::ListFilter::default(), hark_store::ListOrder::NewestChange, 1)?;
    let prompt =
        newest.first().map_or_else(|| engine.clean("how do we deploy"), |one| one.memory.title.clone());
    let (outcome, steps) = trace::steps_of(|| {
        let config = debug_span!("read settings").in_scope(|| call.machine.config())?;
        let mut hook = debug_span!("open store")
            .in_scope(|| Engine::open_as(call.machine.home()?, config, call.machine.clock, Role::Hook))?;
        prompt::for_prompt(&mut hook, None, call.machine.cwd.as_deref(), &prompt, &[])
    });
    outcome?;
    Ok(steps)
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        page.print(&format!("{} in {}\n", count(self.memories, "memory", "memories"), self.home));
        for layer in self.layers.iter().filter(|layer| layer.trusted) {
            page.print(&format!(
                "{GOOD}trusted:{GOOD:#} {} ({} of {})\n",
                safe(&layer.path),
                count(layer.memories, "memory", "memories"),
                safe(&page.project(layer.project.as_deref()))
            ));
        }
        for finding in &self.findings {
            let (style, word) = match finding.severity {
                Severity::Ok => (GOOD, "ok"),
                Severity::Warning => (WARN, "warning"),
                Severity::Problem => (BAD, "problem"),
            };
            page.print(&format!("{style}{word}:{style:#} {}\n", safe(&finding.what)));
            if let Some(fix) = &finding.mend {
                page.print(&format!("  fix: {}\n", safe(fix)));
            }
        }
        if let Some(service) = &self.service {
            page.print(&service_text(service));
        }
        for work in &self.working {
            page.print(&format!("{DIM}working:{DIM:#} {}, {} of {}\n", work.what, work.done, work.total));
        }
        for health in &self.assistants {
            page.print(&assistant_text(health));
        }
        // Some assistants send events although they were not found on this machine.
        for heard in &self.heard {
            if self.assistants.iter().all(|health| health.host != heard.host) {
                page.print(&format!(
                    "{DIM}heard:{DIM:#} {}, last event {}\n",
                    safe(&heard.host),
                    heard.last_event
                ));
            }
        }
        if self.assistants.is_empty() {
            page.print(&format!("{DIM}no assistant was found; see `hark install`{DIM:#}\n"));
        }
        if !self.trace.is_empty() {
            page.print(&format!("{BOLD}A prompt hook on this store{BOLD:#}\n"));
        }
        for step in &self.trace {
            let name = format!("{}{}", "  ".repeat(step.depth), step.name);
            page.print(&format!("  {name:<28} {:>8.2} ms\n", step.micros as f64 / 1000.0));
        }
        if self.findings.is_empty() && self.assistants.iter().all(|health| health.problems.is_empty()) {
            let connected = self.assistants.iter().any(|health| health.wired != Wiring::No);
            let said = if connected { "everything is fine" } else { "the store is fine" };
            page.print(&format!("{GOOD}{said}{GOOD:#}\n"));
        }
    }

    fn problem(&self) -> Option<EngineError> {
        (!self.healthy).then(|| EngineError::Unhealthy)
    }
}

fn service_text(service: &ServiceState) -> String {
    let how = match service.watches {
        Watches::Inotify => format!("watches {}", count(service.folders, "folder", "folders")),
        Watches::Polling => "looks at transcripts every few seconds".to_owned(),
        Watches::Off => "reads no transcripts (ingest.watch is off)".to_owned(),
    };
    let command = service.host.command();
    format!("{GOOD}service:{GOOD:#} {command} since {}, {how}\n", service.since)
}

fn assistant_text(health: &Health) -> String {
    let (style, word) = match health.wired {
        Wiring::Yes if !health.problems.is_empty() => (WARN, "connected, but"),
        Wiring::Yes => (GOOD, "connected"),
        Wiring::Stale => (WARN, "needs repair"),
        Wiring::No => (DIM, "not connected"),
    };
    let version = health.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    let scope = if health.scope == Scope::Project { " in this project" } else { "" };
    let mut text = format!("{style}{word}:{style:#} {}{}{scope}\n", health.name, safe(&version));
    let seen = [("last event", &health.last_event), ("last injection", &health.last_injection)];
    for (what, when) in seen.iter().filter_map(|(what, when)| Some((what, when.as_ref()?))) {
        text.push_str(&format!("  {what}: {}\n", safe(when)));
    }
    for problem in &health.problems {
        text.push_str(&format!("  {}\n", safe(problem)));
    }
    if let Some(fix) = &health.mend {
        text.push_str(&format!("  fix: {}\n", safe(fix)));
    }
    text
}
